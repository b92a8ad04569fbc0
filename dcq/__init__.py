"""dcq: has this language model seen this benchmark? See docs/method.md, and docs/python.md for what
``import dcq`` gives."""

from typing import TYPE_CHECKING, Any

from dcq.version import __version__ as __version__

if TYPE_CHECKING:
    from dcq.api import (
        DcqError,
        answer,
        draw_sample,
        freeze_quiz,
        import_bundle,
        investigate,
        open_store,
        plot_results,
        read_answers,
        read_results,
        run_quiz,
        run_study,
        take_back,
        take_in,
        write_variants,
    )

__all__ = [
    "DcqError",
    "answer",
    "draw_sample",
    "freeze_quiz",
    "import_bundle",
    "investigate",
    "open_store",
    "plot_results",
    "read_answers",
    "read_results",
    "run_quiz",
    "run_study",
    "take_back",
    "take_in",
    "write_variants",
]


if not TYPE_CHECKING:  # which then know every other name for a mistake

    def __getattr__(name: str) -> Any:
        """What ``dcq.api`` has, imported when it is first asked for: commands start without it."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module("dcq.api"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
