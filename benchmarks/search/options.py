"""Options of the search benchmark."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Servers:
    """Addresses of servers; None: not measured."""

    pgvector: str | None = field(default=None, repr=False)
    milvus: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Options:
    """What is measured.

    Attributes:
        servers: of peers; None: no peers.
        cache: folder for built indexes, or None.
        bandwidth: of the memory, GB/s.
    """

    mates: int
    runs: int
    flat_runs: int
    changes: int
    servers: Servers | None
    cache: Path | None
    bandwidth: float
