"""A store that another program takes while a page is open: whatever is pressed then is answered
with a sentence, and nothing stands in the place of the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Never

import pytest
from streamlit.testing.v1 import AppTest

from dcq.errors import StoreLockedError
from dcq.store import Store

HELD = "The store is held by another process"


def _held(store: Store) -> Never:
    raise StoreLockedError(HELD)


@contextmanager
def _taken_by_another() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "read", _held)
        patch.setattr(Store, "write", _held)
        yield


@pytest.mark.parametrize("name", ["variants", "quiz", "dataset"])
def test_each_button_says_that_the_store_is_held(app: AppTest, quiz_id: str, name: str) -> None:
    at = app.switch_page(f"pages/{name}.py").run()
    pressed = [button.key for button in at.button if button.key and not button.disabled]
    assert pressed
    for key in pressed:
        at = app.switch_page(f"pages/{name}.py").run()
        if key not in {button.key for button in at.button}:
            continue  # a step before has opened another view
        with _taken_by_another():
            at.button(key=key).click().run()
        assert not at.exception, key
        said = [str(element.value) for element in (*at.error, *at.warning, *at.toast)]
        assert any(HELD in sentence for sentence in said), (key, said)
    assert not at.run().exception  # and the page is there again


def test_a_store_that_is_gone_is_not_begun_anew(app: AppTest, fresh_store: Store) -> None:
    at = app.switch_page("pages/quiz.py").run()
    fresh_store.path.unlink()
    for _ in range(2):
        at.run()
        assert [error.value for error in at.error if "is gone" in str(error.value)]
        assert not fresh_store.path.exists()
