"""The state of a gallery's file: its snapshot, and the gallery that it belongs to.

The head is in the clear, so that a wrong key is not mistaken for damage; the state is encrypted
and bound to it.

``StoredState`` is for metrics and health. The shadow repeats a share of live searches exactly,
beside them, and counts differences. It shows what the packed scan does to real palms. A
difference counts only if it appears ``_ATTEMPTS`` times in a row, because the gallery may
change between two searches, and only if a reference scores as a mate does: which non-mated
groups are compared is chance.
"""

import json
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from random import SystemRandom
from threading import Lock
from typing import Any, Final, Protocol

from engine.errors import DirectoryDamaged, ForeignGallery
from engine.gallery.durability.encryption import GalleryCipher, key_name
from engine.gallery.port import Position
from engine.parameters import ALIKE_SCORE
from engine.types import Candidate, PalmTemplate

VERSION: Final = 5
SALT_BYTES: Final = 16
"""Length of a file's random name, from which its key is derived."""


@dataclass(frozen=True, slots=True)
class RowFormat:
    """Format of a gallery's rows; two formats do not mix."""

    extractor: str
    dimension: int
    code_bytes: int


@dataclass(frozen=True, slots=True)
class State:
    """The content of a gallery's snapshot.

    Attributes:
        position: the last database change in the blocks.
        tags: of all blocks, in order: each is unique to its block's content.
    """

    position: Position
    tags: tuple[str, ...] = field(repr=False)


def encode_head(state: State, rows: RowFormat, key: bytes, salt: bytes) -> tuple[bytes, bytes]:
    """Return the head in the clear and the encrypted state."""
    clear = json.dumps({"key": key_name(key), "salt": salt.hex(), "rows": asdict(rows)})
    sequence, change_id = state.position
    content = json.dumps([sequence, change_id.hex(), state.tags])
    encrypted = GalleryCipher(key, salt).encrypt(content.encode(), clear.encode())
    return clear.encode(), encrypted


def decode_head(
    clear: bytes, encrypted: bytes, rows: RowFormat, key: bytes
) -> tuple[State, bytes]:
    """Return the state and the file's salt.

    Raises:
        ForeignGallery: it is another gallery's.
        DirectoryDamaged: it is damaged.
    """
    try:
        head: Any = json.loads(clear)
        salt = bytes.fromhex(head["salt"])
        named, kind = head["key"], head["rows"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise DirectoryDamaged("the head of the gallery's file is damaged") from fault
    if named != key_name(key) or kind != asdict(rows):
        raise ForeignGallery("the gallery's file is of another key or extractor")
    content = json.loads(GalleryCipher(key, salt).decrypt(encrypted, clear))
    sequence, change_id, tags = content
    return State(Position(sequence, bytes.fromhex(change_id)), tuple(tags)), salt


_QUEUE_LIMIT: Final = 8
"""Searches that may wait; more are dropped and counted, so probes do not pile up."""

_ATTEMPTS: Final = 3
"""How often a difference must be seen in a row."""


class AuditableGallery(Protocol):
    """A gallery that can also search exactly."""

    def find(
        self, probes: Sequence[PalmTemplate], *, count: int, exact: bool
    ) -> list[Candidate]:
        """Find the most similar groups, best first."""
        ...


@dataclass(frozen=True, slots=True)
class ShadowCounts:
    """Counts since start, as reported by the metrics.

    Attributes:
        repeated: searches repeated exactly.
        differing: of these, searches with another best candidate.
        dropped: searches not repeated because the queue was full.
        failed: searches that raised when repeated.
    """

    repeated: int = 0
    differing: int = 0
    dropped: int = 0
    failed: int = 0


class ShadowSearch:
    """Queues a ``share`` of searches, 0 to 1; ``chance`` returns numbers, 0 to below 1."""

    def __init__(self, share: float, *, chance: Callable[[], float] | None = None) -> None:
        self._share, self._chance = share, chance or SystemRandom().random
        self._waiting: deque[Sequence[PalmTemplate]] = deque()
        self._counts: Counter[str] = Counter()
        self._lock = Lock()

    @property
    def counts(self) -> ShadowCounts:
        """Counts so far."""
        return ShadowCounts(**self._counts)

    def offer(self, probes: Sequence[PalmTemplate]) -> None:
        """Queue a share of the searches that are offered."""
        if self._chance() >= self._share:
            return
        with self._lock:
            if len(self._waiting) < _QUEUE_LIMIT:
                self._waiting.append(probes)
            else:
                self._counts["dropped"] += 1

    def repeat(self, gallery: AuditableGallery) -> None:
        """Repeat the searches that wait; call every few seconds."""
        for _ in range(len(self._waiting)):
            probes = self._waiting.popleft()
            try:
                differs = all(_misses(gallery, probes) for _ in range(_ATTEMPTS))
            except Exception:  # whatever it is, maintenance must go on
                self._counts["failed"] += 1
            else:
                self._counts["repeated"] += 1
                self._counts["differing"] += differs


def _misses(gallery: AuditableGallery, probes: Sequence[PalmTemplate]) -> bool:
    found, exact = (gallery.find(probes, count=1, exact=exact) for exact in (False, True))
    return found != exact and any(each.score >= ALIKE_SCORE for each in (*found, *exact))


@dataclass(frozen=True, slots=True)
class StoredState:
    """State of a stored gallery.

    Attributes:
        rows: references that are searched.
        sequence: of the last database change in them.
        disk_bytes: of the gallery's files.
        erasure_age_s: how long the files have held erased references; 0: none.
        damage_count: damaged parts read so far.
        fault: code of the last disk fault; empty after a successful write.
        is_reachable: false while the server that holds the gallery does not answer.
        shadow: results of repeated searches.
    """

    rows: int
    sequence: int
    disk_bytes: int
    erasure_age_s: float
    damage_count: int
    fault: str
    is_reachable: bool = True
    shadow: ShadowCounts = field(default_factory=ShadowCounts)
