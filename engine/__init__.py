"""From a picture of a palm to a template, a comparison score and a search result.

In the order of a request: ``decode`` (with ``containers``), ``hand``,
``presentation_attack``, ``extract`` (``roi``, ``quality``, ``features``) → template;
``comparison`` → score; ``gallery`` → candidates; ``decision`` → match or non-match.
``pipeline.py`` calls the steps: read it first.
The engine knows no web and no person; callers group references by an opaque ``GroupId``.
To embed the engine, read ``library.py`` alone: ``from thenar import Engine``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.library import Engine

__version__ = "0.3.0.dev0"

__all__ = ["Engine", "__version__"]


def __getattr__(name: str) -> object:
    """Load ``Engine`` on first use: some callers need settings or errors alone."""
    if name != "Engine":
        raise AttributeError(name)
    from engine.library import Engine  # noqa: PLC0415

    return Engine
