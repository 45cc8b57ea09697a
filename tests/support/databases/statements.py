"""What is sent to a database."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event


@contextmanager
def statements(engine: Engine) -> Iterator[list[str]]:
    """Write down every statement while the context lasts."""
    sent: list[str] = []

    def note(*arguments: Any) -> None:
        sent.append(arguments[2])

    event.listen(engine, "before_cursor_execute", note)
    yield sent
    event.remove(engine, "before_cursor_execute", note)
