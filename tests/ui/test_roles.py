from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dcq.errors import InputError
from dcq.store import Store, runs, samples, variants
from dcq.store.variants import Decision
from dcq.ui.roles import Role, find_role, read_roles
from tests.conftest import KEY
from tests.support.provider import Provider

ROLES = """
[people]
"Rita@example.org" = "runner"
"vic@example.org" = "viewer"
[domains]
"example.org" = "annotator"
"""


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
        ("", {}),
        ("rita@example.org@elsewhere.org", {}),
    ],
)
def test_who_has_no_role_sees_nothing(
    shared: AppTest, sample_id: str, email: str, claims: dict[str, object]
) -> None:
    at = sign_in(shared, email, **claims).switch_page("pages/variants.py").run()
    assert "no role" in at.error[0].value
    assert not at.selectbox


def test_a_viewer_reads_and_changes_nothing(
    shared: AppTest, fresh_store: Store, sample_id: str
) -> None:
    seq = first(fresh_store, sample_id).seq
    at = sign_in(shared, "vic@example.org").switch_page("pages/variants.py").run()
    assert not at.exception
    assert "6 of 6 instances are ready" in "".join(m.value for m in at.markdown)
    reject = at.button(key=f"variants_Reject_{seq}")
    assert "annotators" in reject.help
    closed = [f"variants_Reject_{seq}", "variants_accept", f"variants_regenerate_{seq}"]
    assert all(at.button(key=key).disabled for key in closed)
    assert at.text_area(key=f"variants_text_{seq}").disabled
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
    assert "changed by annotators" in at.toast[0].value
    assert first(fresh_store, sample_id).decision is Decision.OPEN
    role_file.write_text(ROLES)
    at = at.run()
    role_file.write_text(ROLES.replace("annotator", "viewer"))
    at.text_area(key=f"variants_text_{seq}").set_value("Mine.").run()
    assert "changed by annotators" in at.toast[0].value
    assert first(fresh_store, sample_id).text != "Mine."


def test_an_annotator_reviews_under_their_own_name_and_asks_no_model(
    shared: AppTest, fresh_store: Store, sample_id: str, provider: Provider
) -> None:
    sign_in(shared, "ana@EXAMPLE.org", name="Ana *A*")
    at = shared.switch_page("pages/variants.py").run()
    at.button(key=f"variants_Reject_{first(fresh_store, sample_id).seq}").click().run()
    assert not at.exception
    now = first(fresh_store, sample_id)
    assert (now.decision, now.reviewer) == (Decision.REJECTED, "Ana *A*")
    at.segmented_control(key="variants_by").set_value("A model").run()
    assert at.button(key=f"variants_regenerate_{now.seq}").disabled
    at = shared.switch_page("pages/quiz.py").run()
    at.multiselect(key="quiz_models").set_value(["always-d"]).run()
    assert at.button(key="quiz_start").disabled
    assert "asked by runners" in at.button(key="quiz_start").help
    assert shared.switch_page("pages/settings.py").run().button(key="settings_call").disabled


def test_a_runner_who_is_none_any_more_starts_nothing(
    shared: AppTest, fresh_store: Store, sample_id: str, role_file: Path, provider: Provider
) -> None:
    at = sign_in(shared, "rita@example.org").switch_page("pages/quiz.py").run()
    at.multiselect(key="quiz_models").set_value(["always-d"]).run()
    assert not at.button(key="quiz_start").disabled
    at.button(key="quiz_start").click()
    role_file.write_text(ROLES.replace("runner", "viewer"))
    at.run()
    assert runs.listing(fresh_store) == []
    assert provider.counts.total() == 0


def test_a_runner_calls_models(shared: AppTest, provider: Provider) -> None:
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
    assert "sign-in is not configured" in at.error[0].value
    assert not at.button


def test_sign_in_without_roles_lets_nobody_in(app: AppTest) -> None:
    at = sign_in(app, "rita@example.org").switch_page("pages/dataset.py").run()
    assert "name a role file in DCQ_ROLES" in at.error[0].value
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
    assert find_role(roles, "RITA@example.org") is Role.RUNNER
    assert find_role(roles, "vic@example.org") is Role.VIEWER
    assert find_role(roles, "ana@Example.ORG") is Role.ANNOTATOR
    assert find_role(roles, "ana@sub.example.org") is None
    assert find_role({**roles, "everyone": "viewer"}, "") is Role.VIEWER
