"""A process that uses the databases, and what it can use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime


RENEWAL_S: Final = 15
"""After which a running process tells again that it runs."""


@dataclass(frozen=True, slots=True)
class Process:
    """A running process.

    Attributes:
        protocol: the newest migration of the protocol database that its program knows.
        biometric: the same of the biometric database; empty: it serves no phones.
    """

    host: str
    pid: int
    program: str
    protocol: str
    biometric: str
    seen_at: datetime

    def __str__(self) -> str:
        return f"Thenar {self.program} on {self.host}, process {self.pid}"


@dataclass(frozen=True, slots=True)
class Running:
    """The facts about a service in its protocol database.

    Attributes:
        is_new: the database has no tables.
        is_joined: a biometric database belongs to it.
        processes: of all hosts; none where a version cannot roll.
    """

    is_new: bool
    is_joined: bool
    processes: list[Process]
