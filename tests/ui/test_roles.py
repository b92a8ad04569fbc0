from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dcq.errors import InputError
from dcq.store import Store, run_progress, runs, samples, variants
from dcq.store.variants import Decision
from dcq.ui.roles import UserRole, find_role, read_roles
from dcq.ui.variants import sample
from tests.conftest import KEY, button_called, frame_with, letters
from tests.support.provider import FakeProvider
from tests.support.role_settings import ROLES

pytestmark = pytest.mark.slow


@pytest.fixture
def role_file(tmp_path: Path) -> Path:
    path = tmp_path / "roles.toml"
    path.write_text(ROLES)
    return path


@pytest.fixture
def shared(app: AppTest, role_file: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The app as people share it; nobody is signed in yet."""
    monkeypatch.setenv("DCQ_ROLES", str(role_file))
    app.user = {"is_logged_in": False}
    return app


def sign_in(app: AppTest, email: str, **claims: object) -> AppTest:
    app.user = {"is_logged_in": True, "email": email, **claims}
    return app


def first(store: Store, sample_id: str) -> variants.StoredVariant:
    instance = samples.load(store, sample_id).instances[0]
    return variants.current(store, sample_id)[instance.id][0]


def test_nothing_is_seen_before_signing_in(shared: AppTest, sample_id: str) -> None:
    at = shared.switch_page("pages/dataset.py").run()
    assert not at.exception
    assert [button.label for button in at.button] == ["Sign in"]
    assert not at.caption


def test_alone_a_person_may_do_everything(app: AppTest, sample_id: str) -> None:
    at = app.switch_page("pages/quiz.py").run()
    assert not at.exception
    at.multiselect(key="quiz_models").set_value(["ollama:llama3"]).run()
    assert not at.button(key="quiz_start").disabled
    assert "Sign out" not in [button.label for button in at.button]


@pytest.mark.parametrize(
    ("email", "claims"),
    [
        ("eve@elsewhere.org", {}),
        ("rita@example.org", {"email_verified": False}),
        ("rita@example.org", {"email_verified": "false"}),
        ("rita@example.org", {"email_verified": "False "}),
        ("rita@example.org", {"email_verified": 0}),
        ("rita@example.org", {"email_verified": None}),
        ("rita@example.org", {"email_verified": ["true"]}),
        ("", {}),
        ("rita@example.org@elsewhere.org", {}),
    ],
)
def test_who_has_no_role_sees_nothing(
    shared: AppTest, sample_id: str, email: str, claims: dict[str, object]
) -> None:
    at = sign_in(shared, email, **claims).switch_page("pages/variants.py").run()
    assert "no role" in letters(at.error[0].value)
    assert not at.selectbox


@pytest.mark.parametrize("claims", [{}, {"email_verified": True}, {"email_verified": "true"}])
def test_an_address_that_is_vouched_for_has_its_role(
    shared: AppTest, sample_id: str, claims: dict[str, object]
) -> None:
    at = sign_in(shared, "rita@example.org", **claims).switch_page("pages/variants.py").run()
    assert "rita@example.org · runner" in letters(at.sidebar.caption[0].value)


def test_a_viewer_reads_and_changes_nothing(
    shared: AppTest, fresh_store: Store, sample_id: str
) -> None:
    seq = first(fresh_store, sample_id).seq
    at = sign_in(shared, "vic@example.org").switch_page("pages/variants.py").run()
    assert not at.exception
    reject = at.button(key=f"variants_Reject_{seq}")
    assert "role annotator" in reject.help
    closed = [f"variants_Reject_{seq}", f"variants_Accept_{seq}"]
    assert all(at.button(key=key).disabled for key in closed)
    assert button_called(at, "Accept the rest, next").disabled
    offered = {button.key for button in at.button}
    assert at.button(key="variants_edit_0").disabled
    assert not offered & {f"variants_regenerate_{seq}", f"variants_text_{seq}_save"}
    assert not at.text_area
    at = shared.switch_page("pages/dataset.py").run()
    assert at.button(key="dataset_draw").disabled
    assert at.selectbox(key=f"dataset_role_{sample_id}").disabled


def test_a_click_counts_by_the_role_of_its_moment(
    shared: AppTest, fresh_store: Store, sample_id: str, role_file: Path
) -> None:
    seq = first(fresh_store, sample_id).seq
    at = sign_in(shared, "ana@example.org").switch_page("pages/variants.py").run()
    role_file.write_text(ROLES.replace("annotator", "viewer"))
    at.button(key=f"variants_Reject_{seq}").click().run()
    assert "needs the role annotator" in at.toast[0].value
    assert first(fresh_store, sample_id).decision is Decision.OPEN
    role_file.write_text(ROLES)
    at = at.run().button(key="variants_edit_0").click().run()
    role_file.write_text(ROLES.replace("annotator", "viewer"))
    at.text_area(key=f"variants_text_{seq}").set_value("Mine.").run()
    assert "needs the role annotator" in at.toast[0].value
    assert first(fresh_store, sample_id).text != "Mine."


def test_an_annotator_reviews_under_their_own_name_and_asks_no_model(
    shared: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    sign_in(shared, "ana@EXAMPLE.org", name="Ana *A*")
    at = shared.switch_page("pages/variants.py").run()
    at.button(key=f"variants_Reject_{first(fresh_store, sample_id).seq}").click().run()
    assert not at.exception
    now = first(fresh_store, sample_id)
    assert (now.decision, now.reviewer) == (Decision.REJECTED, "Ana *A* <ana@example.org>")
    at.session_state[sample.PANEL] = True
    at.run().segmented_control(key="variants_by").set_value("A model").run()
    at.button(key="variants_edit_0").click().run()
    assert at.button(key=f"variants_regenerate_{now.seq}").disabled
    at = shared.switch_page("pages/quiz.py").run()
    at.multiselect(key="quiz_models").set_value(["gpt-4o"]).run()
    assert at.button(key="quiz_start").disabled
    assert "needs the role runner" in at.button(key="quiz_start").help
    assert shared.switch_page("pages/settings.py").run().button(key="settings_call").disabled


def test_an_annotator_reads_the_guidelines_and_the_runner_changes_them(
    shared: AppTest, sample_id: str
) -> None:
    assert sample_id
    shared.session_state["variants_guidelines"] = True
    at = sign_in(shared, "ana@example.org").switch_page("pages/variants.py").run()
    edit = at.button(key="variants_guidelines_edit")
    assert edit.disabled
    assert "Changing the guidelines needs the role runner" in edit.help
    at = sign_in(shared, "rita@example.org").run()
    assert not at.button(key="variants_guidelines_edit").disabled


def test_two_people_of_one_name_share_neither_drafts_nor_decisions(
    shared: AppTest, fresh_store: Store, sample_id: str
) -> None:
    seen = first(fresh_store, sample_id)
    box = f"variants_text_{seen.seq}"
    at = sign_in(shared, "anna@example.org", name="Anna Schmidt").switch_page("pages/variants.py")
    at.run().button(key="variants_edit_0").click().run()
    at.text_area(key=box).set_value("The first Anna's.").run()
    assert not at.exception
    assert "Anna Schmidt · annotator" in letters(at.sidebar.caption[0].value)
    at.button(key=f"variants_Accept_{seen.seq}").click().run()
    assert first(fresh_store, sample_id).reviewer == "Anna Schmidt <anna@example.org>"
    at = sign_in(shared, "a.schmidt@example.org", name="Anna Schmidt").run()
    assert at.text_area(key=box).value == seen.text
    at.button(key=f"variants_reopen_{seen.seq}").click().run()
    assert first(fresh_store, sample_id).reviewer == "Anna Schmidt <a.schmidt@example.org>"
    # Another name and another spelling of the address, the same person.
    at = sign_in(shared, "ANNA@example.org", name="Anna Schmidt-Meier").run()
    assert at.text_area(key=box).value == "The first Anna's."


@pytest.mark.parametrize("name", ["Ana <ana@example.org>", "ana@example.org"])
def test_no_name_passes_for_an_address_that_nobody_vouches_for(
    shared: AppTest, fresh_store: Store, sample_id: str, role_file: Path, name: str
) -> None:
    role_file.write_text('everyone = "annotator"\n')
    shared.user = {"is_logged_in": True, "name": name, "sub": "77"}  # no address at all
    at = shared.switch_page("pages/variants.py").run()
    at.button(key=f"variants_Reject_{first(fresh_store, sample_id).seq}").click().run()
    assert not at.exception
    assert first(fresh_store, sample_id).reviewer.endswith("ana@example.org <account 77>")


def test_a_runner_who_is_none_any_more_starts_nothing(
    shared: AppTest, fresh_store: Store, sample_id: str, role_file: Path, provider: FakeProvider
) -> None:
    at = sign_in(shared, "rita@example.org").switch_page("pages/quiz.py").run()
    at.multiselect(key="quiz_models").set_value(["always-d"]).run()
    assert not at.button(key="quiz_start").disabled
    at.button(key="quiz_start").click()
    role_file.write_text(ROLES.replace("runner", "viewer"))
    at.run()
    assert runs.listing(fresh_store) == []
    assert provider.counts.total() == 0


def test_a_runner_calls_models(shared: AppTest, provider: FakeProvider) -> None:
    at = sign_in(shared, "rita@example.org").switch_page("pages/settings.py").run()
    at.text_input(key="settings_model").set_value("always-a")
    at.button(key="settings_call").click().run()
    assert "Replied" in at.success[0].value
    assert KEY not in str(at)


def test_roles_without_sign_in_let_nobody_in(
    app: AppTest, role_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCQ_ROLES", str(role_file))
    at = app.switch_page("pages/dataset.py").run()
    assert "sign-in is not configured" in letters(at.error[0].value)
    assert not at.button


def test_sign_in_without_roles_lets_nobody_in(app: AppTest) -> None:
    at = sign_in(app, "rita@example.org").switch_page("pages/dataset.py").run()
    assert "name a role file in DCQ_ROLES" in letters(at.error[0].value)
    assert not at.button


@pytest.mark.parametrize(
    "text", ['everyone = "king"', "people = 3", '[domains]\n"x.org" = 1', "[", "\x00"]
)
def test_a_wrong_role_file_is_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "roles.toml"
    path.write_text(text)
    with pytest.raises(InputError, match="role file"):
        read_roles(path)


def test_a_persons_role_comes_before_their_domains(role_file: Path) -> None:
    roles = read_roles(role_file)
    assert find_role(roles, "RITA@example.org") is UserRole.RUNNER
    assert find_role(roles, "vic@example.org") is UserRole.VIEWER
    assert find_role(roles, "ana@Example.ORG") is UserRole.ANNOTATOR
    assert find_role(roles, "ana@sub.example.org") is None
    assert find_role({**roles, "everyone": "viewer"}, "") is UserRole.VIEWER


CSV = b"model,partition,role,instance_id,correct,answer\nm,p,target,1,A,A\nm,c,control,1,A,B\n"


def test_a_viewer_uploads_nothing_and_names_no_path(
    shared: AppTest, fresh_store: Store, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_bytes(CSV)
    at = sign_in(shared, "vic@example.org").switch_page("pages/audit.py")
    at.query_params["audit_path"] = str(secret)
    at.run()
    assert not at.exception
    assert "Upload a result file" in at.info[0].value
    assert not at.dataframe
    assert not [box for box in at.text_input if "path" in box.label]
    assert at.file_uploader(key="audit_path_upload").disabled
    assert not (fresh_store.path.parent / "uploads").exists()
    at = at.switch_page("pages/dataset.py").run()
    at.segmented_control(key="dataset_from").set_value("Your file").run()
    assert at.file_uploader(key="dataset_upload").disabled
    at.segmented_control(key="dataset_from").set_value("Hugging Face Hub").run()
    assert at.button(key="dataset_look").disabled


def test_a_file_that_comes_from_a_viewer_all_the_same_is_refused(
    shared: AppTest, fresh_store: Store, role_file: Path
) -> None:
    at = sign_in(shared, "ana@example.org").switch_page("pages/audit.py").run()
    uploader = at.file_uploader(key="audit_path_upload")
    role_file.write_text(ROLES.replace("annotator", "viewer"))
    uploader.upload("answers.csv", CSV, "text/csv").run()
    assert not at.exception
    assert not at.dataframe
    assert not (fresh_store.path.parent / "uploads").exists()


def test_an_annotator_uploads_and_others_read_it(shared: AppTest, fresh_store: Store) -> None:
    at = sign_in(shared, "ana@example.org").switch_page("pages/audit.py").run()
    at.file_uploader(key="audit_path_upload").upload("answers.csv", CSV, "text/csv").run()
    assert not at.exception
    assert len(at.dataframe) == 1
    [kept] = (fresh_store.path.parent / "uploads" / "audit").glob("by-*/*")
    at = sign_in(shared, "vic@example.org").run()
    assert at.selectbox(key="audit_path").value == kept.name
    assert not [box for box in at.text_input if "path" in box.label]


def test_uploads_have_a_quota(
    shared: AppTest, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dcq.partitions.uploads.MOST_OF_ONE", 2 * len(CSV))
    at = sign_in(shared, "ana@example.org").switch_page("pages/audit.py").run()
    for number in range(3):
        data = CSV.replace(b"m,p", b"%d,p" % number)
        at.file_uploader(key="audit_path_upload").upload(f"{number}.csv", data, "text/csv").run()
        assert bool(at.error) == (number == 2)
    assert "Your uploads would take" in letters(at.error[0].value)
    assert len(list((fresh_store.path.parent / "uploads" / "audit").glob("by-*/*"))) == 2


def test_the_quota_counts_every_page_and_each_person_once(
    shared: AppTest, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fresh_store.path.parent / "uploads"
    quiz = b"instance,option_a,option_b,option_c,option_d\nOne.,One.,Two.,Three.,Four.\n"
    monkeypatch.setattr("dcq.partitions.uploads.MOST_OF_ONE", len(CSV) + len(quiz) - 1)
    at = sign_in(shared, "ana@example.org").switch_page("pages/audit.py").run()
    at.file_uploader(key="audit_path_upload").upload("a.csv", CSV, "text/csv").run()
    at = at.switch_page("pages/dataset.py").run()
    at.segmented_control(key="dataset_from").set_value("Published quiz").run()
    at.file_uploader(key="quiz_file_upload").upload("q.csv", quiz, "text/csv").run()
    assert "Your uploads would take" in letters(at.error[0].value)
    at = sign_in(shared, "bob@example.org").run()
    at.file_uploader(key="quiz_file_upload").upload("q.csv", quiz, "text/csv").run()
    assert not at.error
    assert len(list((folder / "quizzes").glob("by-*/*"))) == 1


def test_one_person_in_two_spellings_has_one_quota(
    shared: AppTest, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dcq.partitions.uploads.MOST_OF_ONE", 2 * len(CSV))
    at = sign_in(shared, "ana@example.org").switch_page("pages/audit.py").run()
    at.file_uploader(key="audit_path_upload").upload("a.csv", CSV, "text/csv").run()
    assert not at.error
    at = sign_in(shared, "Ana@Example.org").run()
    at.file_uploader(key="audit_path_upload").upload("b.csv", CSV + b"\n", "text/csv").run()
    assert "Your uploads would take" in letters(at.error[0].value)


def test_who_has_no_address_uploads_nothing(
    shared: AppTest, fresh_store: Store, role_file: Path
) -> None:
    role_file.write_text('everyone = "annotator"\n')
    at = sign_in(shared, "").switch_page("pages/audit.py").run()
    at.file_uploader(key="audit_path_upload").upload("a.csv", CSV, "text/csv").run()
    assert "counted by e-mail address" in letters(at.error[0].value)
    assert not (fresh_store.path.parent / "uploads").exists()


@pytest.mark.parametrize("claim", ["false", False, None, 0])
def test_an_address_that_is_not_vouched_for_has_not_even_the_role_of_everyone(
    shared: AppTest, sample_id: str, role_file: Path, claim: object
) -> None:
    role_file.write_text(f'everyone = "annotator"\n{ROLES}')
    at = sign_in(shared, "rita@example.org", email_verified=claim)
    at.switch_page("pages/variants.py").run()
    assert "no role" in letters(at.error[0].value)
    assert not at.selectbox


FOLDERS = ["likelihood: /etc", "Likelihood:likelihood:\u2003~", "likelihood:../x"]


@pytest.mark.parametrize("name", [*FOLDERS, "gpt-9", "gpt-9@http://127.0.0.1:9/v1"])
def test_a_viewer_names_only_models_of_the_list(
    shared: AppTest, fresh_store: Store, sample_id: str, name: str
) -> None:
    at = sign_in(shared, "vic@example.org").switch_page("pages/quiz.py").run()
    at.session_state["quiz_models"] = ["embedded", name]  # as no click on the list does
    at.run()
    assert not at.exception
    said = letters(" ".join(warning.value for warning in at.warning))
    assert "There is no model at" not in said
    assert set(frame_with(at, "model")["model"]) == {"embedded"}


@pytest.mark.parametrize("name", FOLDERS)
def test_nobody_names_a_folder_of_a_shared_server(
    shared: AppTest, fresh_store: Store, sample_id: str, name: str
) -> None:
    sign_in(shared, "rita@example.org")
    at = shared.switch_page("pages/quiz.py").run()
    at.multiselect(key="quiz_models").set_value(["embedded", name]).run()
    assert not at.exception
    assert "Nobody names a folder" in letters(at.warning[0].value)
    assert set(frame_with(at, "model")["model"]) == {"embedded"}
    at = shared.switch_page("pages/settings.py").run()
    at.text_input(key="settings_model").set_value(name)
    at.button(key="settings_call").click().run()
    assert "Nobody names a folder" in letters(at.error[0].value)


def test_a_folder_that_was_asked_before_is_on_the_list(
    shared: AppTest, fresh_store: Store, sample_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "likelihood:/models/ours"
    monkeypatch.setattr(run_progress, "models", lambda store: [name])
    at = sign_in(shared, "vic@example.org").switch_page("pages/quiz.py").run()
    at.multiselect(key="quiz_models").set_value([name]).run()
    assert set(frame_with(at, "model")["model"]) == {name}


def test_a_runner_types_other_names(
    shared: AppTest, fresh_store: Store, sample_id: str, provider: FakeProvider
) -> None:
    at = sign_in(shared, "rita@example.org").switch_page("pages/quiz.py").run()
    at.multiselect(key="quiz_models").set_value(["always-a"]).run()
    assert not at.button(key="quiz_start").disabled
