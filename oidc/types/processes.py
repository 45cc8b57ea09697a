"""A process that uses the databases, and what it can use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Process:
    """A running process.

    Attributes:
        protocol: the newest migration of the protocol database that its program knows.
        biometric: the same of the biometric database.
    """

    host: str
    pid: int
    program: str
    protocol: str
    biometric: str
    seen_at: datetime

    def __str__(self) -> str:
        return f"Thenar {self.program} on {self.host}, process {self.pid}"
