"""What a provider sends to its SQLite database."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import event

from oidc.storage.database import Database

_VALUES: Final = re.compile(r"[xX]?'(?:[^']|'')*'|\b\d+\b")


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """Write down every statement but commits, without its values, while the context lasts."""
    sent: list[str] = []

    def note(statement: str) -> None:
        if not statement.startswith("COMMIT"):
            sent.append(_VALUES.sub("?", statement))

    def listen(connection: Any, _record: object) -> None:
        connection.set_trace_callback(note)

    database.close()  # connections that were kept open are opened again
    event.listen(database.engine, "connect", listen)
    yield sent
    event.remove(database.engine, "connect", listen)
    database.close()
