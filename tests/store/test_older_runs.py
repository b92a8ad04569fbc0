from dcq import settings
from dcq.asking import prepare
from dcq.models.endpoints import resolve
from dcq.quiz.method import QUIZ
from dcq.store import Store, runs


def test_runs_of_earlier_releases_are_quizzes(fresh_store: Store, quiz_id: str) -> None:
    endpoint = resolve("tester@http://127.0.0.1:9/v1", settings.load())
    run_id = prepare.plan_run(fresh_store, QUIZ, quiz_id, endpoint)
    with fresh_store.write() as db:  # as a release before m017 left it
        db.execute("ALTER TABLE run DROP COLUMN method")
        db.execute("DELETE FROM migration WHERE name = 'm017_method_of_a_run'")
    assert runs.load(Store(fresh_store.path), run_id).plan.method == "quiz"
