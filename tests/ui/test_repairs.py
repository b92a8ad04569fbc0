from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from dcq.evidence.check import Topic
from dcq.store import Store
from dcq.study.repair import Repair, RepairPrice
from dcq.ui import repairs as view
from tests.support.judged import SEEN, put

pytestmark = pytest.mark.slow


def drawn(store: Store, monkeypatch: pytest.MonkeyPatch, repair: Repair) -> AppTest:
    """A result all of whose checks have one repair."""
    put(store, "rivers", SEEN)
    monkeypatch.setenv("DCQ_STORE", str(store.path))
    monkeypatch.setattr(view, "repairs", lambda *_: {Topic.CONTROLS: repair, Topic.SLOT: repair})

    def page() -> None:
        from dcq import settings
        from dcq.judging.study import findings
        from dcq.store import Store
        from dcq.ui import repairs

        store = Store(settings.load().store)
        [finding] = findings(store)
        for draw in repairs.buttons(store, finding).values():
            draw()

    return AppTest.from_function(page, default_timeout=60).run()


def texts(at: AppTest) -> list[str]:
    return [str(each.value).replace("\\", "") for each in at.caption]


def test_a_repair_is_a_button_with_its_price_and_a_command(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    price = RepairPrice(40, 0.02)
    at = drawn(fresh_store, monkeypatch, Repair("Ask", ("run", "a b"), find_price=lambda _: price))
    assert not at.exception
    assert [button.label.replace("\\", "") for button in at.button] == ["Ask: 40 calls, $0.02"]
    assert [code.value for code in at.code] == ["python -m dcq run 'a b'"]
    assert "The step under “Controls” repairs this too." in texts(at)


def test_one_that_would_not_help_says_so_and_cannot_be_pressed(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = RepairPrice(why_not="It would lead to the **same** failure.")
    at = drawn(fresh_store, monkeypatch, Repair("Ask", ("run", "a"), find_price=lambda _: same))
    [button] = at.button
    assert button.disabled
    assert button.label == "Ask"
    assert "It would lead to the **same** failure." in texts(at)


def test_what_nothing_repairs_has_a_reason(
    fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = drawn(fresh_store, monkeypatch, Repair(why_not="Nothing needs repair."))
    assert not at.button
    assert not at.code
    assert texts(at) == ["Nothing needs repair."] * 2
