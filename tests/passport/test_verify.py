"""A passport is believed only as it was signed, by whom, until when, and as its bundle gives."""

from __future__ import annotations

import base64
import copy
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from dcq.errors import InputError
from dcq.files.bundle import MANIFEST
from dcq.passport import envelope, issue, keys, statement, verify
from dcq.settings import ROOT
from dcq.store import Store
from dcq.store.connect import utc_now
from dcq.store.studies import EVERYTHING
from tests.support.judged import SEEN, UNSEEN, put, put_controls

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked_readers")]


@dataclass(frozen=True)
class Written:
    """The files of a passport, and what it states."""

    passport: Path
    bundle: Path
    key: Path
    statement: dict[str, Any]

    @property
    def public(self) -> Path:
        return self.key.with_name(self.key.name + ".pub")


def write(
    store: Store, folder: Path, *, key: Path | None = None, with_text: bool = True
) -> Written:
    if key is None:
        key = folder / "key"
        keys.make(key)
    answer = issue.choose(store, EVERYTHING, partition="rivers/test")
    made = issue.sign(store, EVERYTHING, answer, keys.private_key(key), with_text=with_text)
    found = Written(folder / "rivers.json", folder / "rivers.zip", key, made.statement)
    found.passport.write_bytes(made.passport)
    assert made.bundle is not None
    found.bundle.write_bytes(made.bundle)
    return found


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("passport")
    store = Store(folder / "dcq.duckdb")
    put_controls(store)
    put(store, "rivers", SEEN)
    put(store, "lakes", UNSEEN)
    found = write(store, folder)
    (folder / "bare").mkdir()
    write(store, folder / "bare", key=found.key, with_text=False)
    store.path.unlink()  # whoever checks has none
    return found


@pytest.fixture(scope="module")
def bare(written: Written) -> Written:
    """The same without texts."""
    folder = written.passport.parent / "bare"
    stated = json.loads(
        base64.b64decode(json.loads((folder / "rivers.json").read_bytes())["payload"])
    )
    return Written(folder / "rivers.json", folder / "rivers.zip", written.key, stated)


def check(written: Written, passport: Path | None = None, **changes: Any) -> verify.Verified:
    given = {"bundle_path": None, "now": utc_now()} | changes
    key = keys.public_key(given.pop("key", written.public))
    return verify.verify(passport or written.passport, key, **given)


def test_a_passport_is_verified_and_computed_again_without_a_store(written: Written) -> None:
    found = check(written, bundle_path=written.bundle)
    assert found.problems == ()
    assert (found.valid, found.recomputed) == (True, True)
    assert found.answer is not None
    assert (found.answer["ruling"], found.answer["partition"]) == ("contaminated", "rivers/test")
    assert not list(written.passport.parent.glob("*.duckdb*"))
    alone = check(written)
    assert (alone.valid, alone.recomputed) == (True, None)


def test_it_states_what_it_rests_on(written: Written) -> None:
    stated = written.statement
    assert stated["_type"] == "https://in-toto.io/Statement/v1"
    data, model = stated["subject"]
    assert (data["name"], data["annotations"]["instances"]) == ("rivers/test", 100)
    assert all(len(one["digest"]["sha256"]) == 64 for one in (data, model))
    predicate = stated["predicate"]
    [compared] = predicate["controls"]
    assert [one["partition"] for one in compared["controls"]] == [
        f"unseen-{place}/test" for place in range(3)
    ]
    assert predicate["answer"]["q_value"] is not None
    assert predicate["prompts"]
    assert predicate["limits"]
    assert predicate["not_recomputed"]
    assert predicate["link"].startswith("results?results_answer=")


def leaves(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(document, dict | list) and document:
        pairs = document.items() if isinstance(document, dict) else enumerate(document)
        for name, inner in pairs:
            yield from leaves(inner, (*path, name))
    else:
        yield path


def changed(document: Any, path: tuple[Any, ...]) -> Any:
    """A copy with another value in one place."""
    new = copy.deepcopy(document)
    place = new
    for name in path[:-1]:
        place = place[name]
    value = place[path[-1]]
    place[path[-1]] = not value if isinstance(value, bool) else f"{value}x"
    return new


def rewrite(written: Written, folder: Path, stated: Any) -> Path:
    """The passport with another statement under the old signature."""
    document = json.loads(written.passport.read_bytes())
    document["payload"] = base64.b64encode(rfc8785.dumps(stated)).decode()
    path = folder / "changed.json"
    path.write_bytes(rfc8785.dumps(document))
    return path


def test_a_change_of_any_field_of_the_statement_is_found(written: Written, tmp_path: Path) -> None:
    places = list(leaves(written.statement))
    assert len(places) > 50
    for place in places:
        passport = rewrite(written, tmp_path, changed(written.statement, place))
        found = check(written, passport)
        assert (found.valid, found.answer, len(found.problems)) == (False, None, 1), place
        assert "changed after it was signed" in found.problems[0]


def test_a_change_of_any_field_of_the_envelope_is_found(written: Written, tmp_path: Path) -> None:
    document = json.loads(written.passport.read_bytes())
    path = tmp_path / "changed.json"
    for place in leaves(document):
        path.write_text(json.dumps(changed(document, place)))
        found = check(written, path)
        assert (found.valid, found.answer, len(found.problems)) == (False, None, 1), place


def test_what_nobody_signed_is_found(written: Written, tmp_path: Path) -> None:
    document = json.loads(written.passport.read_bytes())
    path = tmp_path / "more.json"
    path.write_text(json.dumps({**document, "note": "believe me"}))
    assert check(written, path).problems == ("The envelope has parts that nobody signed.",)
    # Another spelling of the same bytes in base64: the last letter has bits that mean nothing.
    sig = document["signatures"][0]["sig"]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    at = len(sig.rstrip("=")) - 1
    spelled = sig[:at] + letters[letters.index(sig[at]) + 1] + sig[at + 1 :]
    assert base64.b64decode(spelled) == base64.b64decode(sig)
    document["signatures"][0]["sig"] = spelled
    path.write_text(json.dumps(document))
    assert "damaged" in check(written, path).problems[0]


def test_another_key_is_named(written: Written, tmp_path: Path) -> None:
    keys.make(tmp_path / "other")
    found = check(written, key=tmp_path / "other.pub")
    assert (found.valid, found.signed_by) == (False, None)
    assert "ask for the signer's public key" in found.problems[0]


def test_a_statement_under_a_strange_signature_is_refused(written: Written, tmp_path: Path) -> None:
    """A forger signs with a key of their own and writes the trusted key's id beside it."""
    keys.make(tmp_path / "forger")
    forged = json.loads(envelope.seal(written.statement, keys.private_key(tmp_path / "forger")))
    forged["signatures"][0]["keyid"] = keys.key_id(keys.public_key(written.public))
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(forged))
    found = check(written, path)
    assert (found.valid, found.answer) == (False, None)
    assert "does not fit" in found.problems[0]


def test_dates_are_checked(written: Written) -> None:
    late = check(written, now=utc_now() + timedelta(days=366))
    assert late.problems[0].startswith("It was valid until ")
    assert late.answer is None
    early = check(written, now=utc_now() - timedelta(days=1))
    assert "still to come" in early.problems[0]
    assert not late.valid
    assert not early.valid


def test_another_bundle_is_named(written: Written, fresh_store: Store, tmp_path: Path) -> None:
    put(fresh_store, "rivers", UNSEEN)
    other = write(fresh_store, tmp_path)
    found = check(written, bundle_path=other.bundle)
    assert (found.valid, found.recomputed) == (False, False)
    [problem] = found.problems
    assert "another bundle" in problem


def _figures(stated: Any) -> None:
    stated["predicate"]["answer"]["q_value"] = 1e-7 + stated["predicate"]["answer"]["q_value"]


def _digest(stated: Any) -> None:
    stated["subject"][0]["digest"]["sha256"] = "0" * 64


def _controls(stated: Any) -> None:
    del stated["predicate"]["controls"][0]["controls"][0]


def _ruling(stated: Any) -> None:
    stated["predicate"]["answer"]["ruling"] = "no evidence"


def _wording(stated: Any) -> None:
    stated["predicate"]["prompts"][0]["sha256"] = "0" * 64


def _study(stated: Any) -> None:
    stated["predicate"]["study"] = "fixed beforehand"


def _more(stated: Any) -> None:
    stated["predicate"]["certified"] = "by everyone"


def _all_recomputed(stated: Any) -> None:
    stated["predicate"]["not_recomputed"] = []


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (_figures, "answer.q_value"),
        (_digest, "subject[1].digest.sha256"),
        (_controls, "controls[1].controls"),
        (_wording, "prompts[1].sha256"),
        (_study, "study"),
        (_all_recomputed, "not_recomputed"),
    ],
)
def test_a_signer_who_states_what_the_rows_do_not_give_is_found(
    written: Written, tmp_path: Path, change: Callable[[Any], None], name: str
) -> None:
    stated = copy.deepcopy(written.statement)
    change(stated)
    path = tmp_path / "lie.json"
    path.write_bytes(envelope.seal(stated, keys.private_key(written.key)))
    assert check(written, path).valid
    found = check(written, path, bundle_path=written.bundle)
    assert (found.valid, found.recomputed) == (False, False)
    [problem] = found.problems
    assert problem == f"Computed again from rivers.zip, this differs: {name}."


def sealed(written: Written, folder: Path, *changes: Callable[[Any], None]) -> Path:
    """A passport that the signer changed before signing it."""
    stated = copy.deepcopy(written.statement)
    for change in changes:
        change(stated)
    path = folder / "sealed.json"
    path.write_bytes(envelope.seal(stated, keys.private_key(written.key)))
    return path


def _other_words(stated: Any) -> None:
    del stated["predicate"]["wording"]
    answer = stated["predicate"]["answer"]
    answer["sentence"] = "rivers has seen lakes: it knows everything (all; q < 0.001)."
    answer["reasons"] = ["Everybody says so."]


def test_a_signer_puts_no_words_into_what_was_computed_again(
    written: Written, tmp_path: Path
) -> None:
    """Those of another wording are not compared, so they are not shown either."""
    path = sealed(written, tmp_path, _other_words)
    found = check(written, path, bundle_path=written.bundle)
    assert (found.valid, found.recomputed) == (True, True)
    assert found.answer == written.statement["predicate"]["answer"]


def _reversed(stated: Any) -> None:
    answer = stated["predicate"]["answer"]
    answer["sentence"] = "There is no evidence that fake has seen Rivers test (quiz; p = 0.9)."


def _other_model(stated: Any) -> None:
    stated["subject"][1]["name"] = "gpt-4o"


def _other_partition(stated: Any) -> None:
    stated["subject"][0]["name"] = "lakes/test"


def _other_split(stated: Any) -> None:
    stated["subject"][0]["annotations"]["split"] = "train"


def _other_answer(stated: Any) -> None:
    stated["predicate"]["answer"]["model"] = "gpt-4o"


def _served(stated: Any) -> None:
    stated["subject"][1]["annotations"]["served"].append(
        {"model": "m", "fingerprint": None, "first": "2026-01-01", "last": "2026-01-02"}
    )


def _three_subjects(stated: Any) -> None:
    stated["subject"].append(stated["subject"][0])


def _unknown_in_answer(stated: Any) -> None:
    stated["predicate"]["answer"]["certified"] = True


def _unknown_in_method(stated: Any) -> None:
    stated["predicate"]["answer"]["methods"][0]["certified"] = True


def _unknown_in_control(stated: Any) -> None:
    stated["predicate"]["controls"][0]["controls"][0]["certified"] = True


def _unknown_at_the_top(stated: Any) -> None:
    stated["note"] = "believe me"


def _lacking(stated: Any) -> None:
    del stated["predicate"]["limits"]


def _release(name: object) -> Callable[[Any], None]:
    def change(stated: Any) -> None:
        stated["predicate"]["dcq"] = name

    return change


def _valid_until(moment: str) -> Callable[[Any], None]:
    def change(stated: Any) -> None:
        stated["predicate"]["valid_until"] = moment

    return change


def _no_digest(stated: Any) -> None:
    stated["subject"][0]["digest"]["sha256"] = "none"


def _no_ruling(stated: Any) -> None:
    stated["predicate"]["answer"]["ruling"] = "certified"


def _another_format(stated: Any) -> None:
    stated["predicateType"] = "urn:dcq:passport:2"


@pytest.mark.parametrize("with_bundle", [False, True])
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_more, "a part that no passport of this release has"),
        (_unknown_in_answer, "a part that no passport of this release has"),
        (_unknown_in_method, "a part that no passport of this release has"),
        (_unknown_in_control, "a part that no passport of this release has"),
        (_unknown_at_the_top, "a part that no passport of this release has"),
        (_lacking, "no statement on an answer"),
        (_other_model, "Its subject is another model or partition"),
        (_other_partition, "Its subject is another model or partition"),
        (_other_split, "Its subject is another model or partition"),
        (_other_answer, "Its subject is another model or partition"),
        (_served, "The digest of its model is not"),
        (_three_subjects, "no statement on an answer"),
        (_no_digest, "no SHA-256"),
        (_no_ruling, "no statement on an answer"),
        (_another_format, "no statement on an answer"),
        (_release("0.0.9"), "release of dcq that made no passports"),
        (_release("0.1"), "release of dcq that made no passports"),
        (_release("latest"), "release of dcq that made no passports"),
        (_release(1), "release of dcq that made no passports"),
        (_release("99.0.0"), "A later release of dcq wrote it; update dcq"),
        (_valid_until("9999-12-31T23:59:59Z"), "longer than 3,650 days"),
        (_valid_until("2020-01-01T00:00:00Z"), "no time at all"),
    ],
)
def test_what_no_passport_says_is_refused_with_and_without_its_bundle(
    written: Written,
    tmp_path: Path,
    change: Callable[[Any], None],
    says: str,
    with_bundle: bool,
) -> None:
    path = sealed(written, tmp_path, change)
    found = check(written, path, bundle_path=written.bundle if with_bundle else None)
    assert (found.valid, found.answer, found.recomputed) == (False, None, None)
    assert found.signed_by == keys.key_id(keys.public_key(written.public))
    [problem] = found.problems
    assert says in problem


@pytest.mark.parametrize("changes", [(_reversed,), (_ruling,), (_reversed, _other_words, _ruling)])
def test_a_sentence_says_its_ruling(
    written: Written, tmp_path: Path, changes: tuple[Callable[[Any], None], ...]
) -> None:
    path = sealed(written, tmp_path, *changes)
    found = check(written, path)
    assert (found.answer, found.problems) == (
        None,
        ("Its sentence does not say what its ruling is.",),
    )
    again = check(written, path, bundle_path=written.bundle)
    assert (again.valid, again.answer) == (False, None)


def test_a_reversed_sentence_of_an_earlier_wording_is_found_with_the_bundle(
    written: Written, tmp_path: Path
) -> None:
    path = sealed(written, tmp_path, _other_words, _reversed)
    found = check(written, path, bundle_path=written.bundle)
    assert found.problems == ("Its sentence does not say what its ruling is.",)
    assert found.answer is None


FIRST = ROOT / "tests" / "fixtures" / "passport_0_1_0"
MADE = datetime(2026, 11, 28)  # the day after it was signed


@pytest.mark.parametrize("name", ["rivers", "bare"])
def test_a_passport_of_the_first_release_stays_valid(name: str) -> None:
    key = keys.public_key(FIRST / "key.pub")
    alone = verify.verify(FIRST / f"{name}.json", key, now=MADE)
    assert (alone.problems, alone.recomputed) == ((), None)
    found = verify.verify(FIRST / f"{name}.json", key, FIRST / f"{name}.zip", now=MADE)
    assert (found.problems, found.recomputed) == ((), True)
    assert found.answer is not None
    assert found.answer["ruling"] == "contaminated"


def test_nobody_signs_for_longer_than_is_believed(written: Written) -> None:
    with pytest.raises(InputError, match="1 to 3,650 days"):
        issue.from_bundle(
            written.bundle,
            keys.private_key(written.key),
            partition="rivers/test",
            valid=timedelta(days=3651),
        )


def test_a_type_that_is_no_text_is_refused(written: Written, tmp_path: Path) -> None:
    document = json.loads(written.passport.read_bytes())
    document["payloadType"] = "\ud83d"
    path = tmp_path / "half.json"
    path.write_text(json.dumps(document))
    assert "does not fit" in check(written, path).problems[0]


def test_another_spelling_of_a_signature_is_refused(written: Written, tmp_path: Path) -> None:
    """S + L, for S, would verify where S is not compared with the group's order."""
    order = 2**252 + 27742317777372353535851937790883648493
    document = json.loads(written.passport.read_bytes())
    sig = base64.b64decode(document["signatures"][0]["sig"])
    larger = (int.from_bytes(sig[32:], "little") + order).to_bytes(32, "little")
    document["signatures"][0]["sig"] = base64.b64encode(sig[:32] + larger).decode()
    path = tmp_path / "malleable.json"
    path.write_text(json.dumps(document))
    assert "does not fit" in check(written, path).problems[0]


def _without_sentence() -> dict[str, Any]:
    answer = {"model": "m", "partition": "p/test"}
    moment = "2026-11-25T12:00:00Z"
    predicate = {"answer": answer, "made_at": moment, "valid_until": moment, "dcq": "0.1.0"}
    predicate["bundle"] = {"manifest_sha256": "0" * 64}
    return {"_type": statement.TYPE, "predicateType": statement.PREDICATE, "predicate": predicate}


@pytest.mark.parametrize(
    "stated",
    [
        {},
        _without_sentence(),
        {"_type": statement.TYPE, "predicateType": statement.PREDICATE, "predicate": []},
        {"_type": statement.TYPE, "predicateType": "https://slsa.dev/provenance/v1"},
    ],
)
def test_a_signed_statement_on_something_else_is_refused(
    written: Written, tmp_path: Path, stated: dict[str, Any]
) -> None:
    path = tmp_path / "else.json"
    path.write_bytes(envelope.seal(stated, keys.private_key(written.key)))
    found = check(written, path)
    assert found.problems == ("It is signed, but is no statement on an answer.",)


def test_without_texts_it_is_computed_again_from_hashes(written: Written, bare: Written) -> None:
    found = check(bare, bundle_path=bare.bundle)
    assert found.problems == ()
    assert found.recomputed
    carried = " ".join(bare.statement["predicate"]["not_recomputed"])
    assert "text-only baselines are carried" in carried
    assert b"River" not in bare.passport.read_bytes()
    assert written.statement["subject"] == bare.statement["subject"]


@pytest.mark.parametrize("with_text", [True, False])
def test_a_bundle_is_signed_where_the_store_is_not(
    written: Written, bare: Written, tmp_path: Path, with_text: bool
) -> None:
    made_here = written if with_text else bare
    here = replace(made_here, passport=tmp_path / "rivers.json")
    private = keys.private_key(here.key)
    with pytest.raises(InputError, match="2 answers fit"):
        issue.from_bundle(here.bundle, private)
    made = issue.from_bundle(here.bundle, private, partition="rivers/test")
    assert made.bundle is None
    when = ("made_at", "valid_until")
    stated, other = (
        {**one, "predicate": {**one["predicate"]}} for one in (made.statement, here.statement)
    )
    for one in (stated, other):
        for name in when:
            del one["predicate"][name]
    assert stated == other
    here.passport.write_bytes(made.passport)
    found = check(here, bundle_path=here.bundle)
    assert (found.problems, found.recomputed) == ((), True)
    assert not list(here.bundle.parent.glob("*.duckdb*"))


def test_a_bundle_that_says_more_than_its_rows_is_not_signed(
    written: Written, tmp_path: Path
) -> None:
    lie = tmp_path / "lie.zip"
    with zipfile.ZipFile(written.bundle) as old, zipfile.ZipFile(lie, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == MANIFEST:
                document = json.loads(content)
                for one in document["outcomes"]["answers"]:
                    one["q_value"] = 1e-9
                content = json.dumps(document).encode()
            new.writestr(name, content)
    private = keys.private_key(written.key)
    with pytest.raises(InputError, match="not what its manifest says"):
        issue.from_bundle(lie, private, partition="rivers/test")
    with pytest.raises(InputError, match="zip file"):
        issue.from_bundle(written.passport, private)


def sparse(path: Path, size: int) -> Path:
    with path.open("wb") as file:
        file.truncate(size)
    return path


def test_hostile_files_are_refused_with_a_sentence(written: Written, tmp_path: Path) -> None:
    huge = sparse(tmp_path / "huge.json", 1_000_000_000)
    with pytest.raises(InputError, match="too large to be a passport"):
        check(written, huge)
    with pytest.raises(InputError, match="too large to be a key"):
        check(written, key=huge)
    huge_bundle = sparse(tmp_path / "huge.zip", 5_000_000_000)
    with pytest.raises(InputError, match="too large for a bundle"):
        check(written, bundle_path=huge_bundle)
    deep = tmp_path / "deep.json"
    for content in ("[" * 100_000, '{"payload":' * 50_000, '{"payload": NaN}', "", "\x00"):
        deep.write_text(content)
        with pytest.raises(InputError, match="is no passport"):
            check(written, deep)
    inner = base64.b64encode(b'{"a":' * 100_000).decode()
    document = json.loads(written.passport.read_bytes())
    document["payload"] = inner
    sig = keys.private_key(written.key).sign(
        envelope._encoded(envelope.PAYLOAD_TYPE, b'{"a":' * 100_000)
    )
    document["signatures"][0]["sig"] = base64.b64encode(sig).decode()
    deep.write_text(json.dumps(document))
    [problem] = check(written, deep).problems
    assert "not canonical JSON" in problem
    for absent in (tmp_path / "absent.json", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            check(written, absent)


@pytest.mark.skipif(os.name != "posix", reason="modes and links are POSIX's")
def test_a_link_to_a_key_is_judged_by_what_it_leads_to(tmp_path: Path) -> None:
    keys.make(tmp_path / "key")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "key")
    assert keys.private_key(link)
    (tmp_path / "key").chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        keys.private_key(link)
    taken = tmp_path / "taken"
    taken.symlink_to(tmp_path / "elsewhere")  # leads to nothing yet
    with pytest.raises(InputError):
        keys.make(taken)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_keys_are_the_owners_alone(tmp_path: Path) -> None:
    keys.make(tmp_path / "key")
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    (tmp_path / "key").chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        keys.private_key(tmp_path / "key")
