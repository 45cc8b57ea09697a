"""The gallery port on Milvus.

Within one process every promise of the port holds: changes are exclusive, and searches are
strongly consistent for ``STALENESS_S`` after each. Changes of other processes appear within
seconds (bounded staleness).

Milvus has no transactions: a process that dies in a change leaves part of it. All changes are
repeatable, so the owner of the references repeats the group's change.

The readers-writer lock is there because a search must not see a change that is half made.
"""

import base64
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Condition, Lock
from time import monotonic
from typing import Final, TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from engine.errors import (
    DirectoryDamaged,
    DuplicateReference,
    GalleryFault,
    TemplateRefused,
    UnknownReference,
)
from engine.features.code_bytes import coarse_codes
from engine.gallery.durability.encryption import GalleryCipher
from engine.gallery.milvus.table import Level, MilvusTable, NearRow, Row
from engine.gallery.rows import HANDS, TemplateValidator
from engine.gallery.search.ranking import likest_rows, ranked
from engine.parameters import COARSE_ROWS, COMPARED_GROUPS
from engine.template_codec import require_valid
from engine.types import (
    Candidate,
    ExtractorId,
    GroupId,
    Hand,
    PalmTemplate,
    Reference,
    ReferenceId,
)


class ReadersWriterLock:
    """Admits readers together, a writer alone. Not re-entrant."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._left = Condition()
        self._reader_count = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock with other readers."""
        with self._turn, self._left:
            self._reader_count += 1
        try:
            yield
        finally:
            with self._left:
                self._reader_count -= 1
                self._left.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock alone."""
        with self._turn:
            with self._left:
                self._left.wait_for(lambda: self._reader_count == 0)
            yield


R = TypeVar("R", Row, NearRow)
T = TypeVar("T")

_COARSE: Final = b"coarse"
"""Ends the associated data of coarse codes."""

STALENESS_S: Final = 10.0
"""How long searches are strong after a change: twice Milvus's default bound of 5 s."""


class MilvusGallery:
    """Implements ``Gallery`` on Milvus."""

    def __init__(
        self,
        table: MilvusTable,
        extractor: ExtractorId,
        dimension: int,
        cipher: GalleryCipher,
    ) -> None:
        self._table, self._extractor = table, extractor
        self._validator = TemplateValidator(extractor, dimension)
        self._cipher = cipher
        self._lock = ReadersWriterLock()
        self._changed_at = monotonic()
        self._undecryptable: dict[ReferenceId, None] = {}
        table.create(dimension)

    def enrol(self, references: Sequence[Reference]) -> None:
        """Add references."""
        sound = self._validator.references(references)
        with self._lock.writing():
            held = self._existing_rows(sound)
            names = {reference.reference_id.hex for reference in sound}
            there = [row for row in held if row.reference in names]
            if self._decrypted(there):
                raise DuplicateReference("a reference is already enrolled")
            self._exchange(there, sound, held)

    def erase(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Remove references."""
        names = [reference_id.hex for reference_id in reference_ids]
        with self._lock.writing():
            held = self._table.find(names, [], level=Level.STRONG)
            self._exchange(_named(reference_ids, held), [], [])

    def search(
        self, probes: Sequence[PalmTemplate], *, count: int = COMPARED_GROUPS
    ) -> list[Candidate]:
        """Find the most similar groups, best first."""
        ours = self._validator.probes(probes, count)
        side = HANDS.index(ours[0].hand)
        vectors = np.stack([probe.vector for probe in ours])
        with self._lock.reading():
            level = self._level()
            near = self._table.nearest(side, vectors, COARSE_ROWS, level=level)
            owners = self._owners_to_compare(ours, near, max(count, COMPARED_GROUPS))
            whole = self._table.find([], owners, level=level)
        ours_too = [row for row in whole if row.side == side]
        return ranked(ours, self._decrypted(ours_too))[:count]

    def _owners_to_compare(
        self, probes: Sequence[PalmTemplate], near: Sequence[NearRow], count: int
    ) -> list[str]:
        """Return the groups, at most ``count``, that a local gallery would compare, too."""
        read = self._read(near, self._coarse)
        if not read:
            return []
        # Of a row that only another probe found no more is known than that it is no nearer.
        least = [min(row.cosines.get(n, 1.0) for row, _ in read) for n in range(len(probes))]
        cosines = [[row.cosines.get(n, far) for row, _ in read] for n, far in enumerate(least)]
        chosen = likest_rows(
            np.array(cosines, np.float32),
            np.stack([coarse for _, coarse in read]),
            np.stack([np.frombuffer(bytes.fromhex(row.owner), np.uint8) for row, _ in read]),
            [probe.code for probe in probes],
            count,
        )
        return [read[number][0].owner for number in chosen]

    def references_of(self, group_id: GroupId) -> list[Reference]:
        """Return a group's references."""
        with self._lock.reading():
            rows = self._table.find([], [group_id.hex], level=self._level())
        return self._decrypted(sorted(rows, key=lambda row: row.born))

    def row_count(self, hand: Hand) -> int:
        """Return how many references of one hand are enrolled."""
        with self._lock.reading():
            return self._table.count(HANDS.index(hand), level=self._level())

    def __len__(self) -> int:
        """Return how many references are enrolled."""
        return sum(self.row_count(hand) for hand in HANDS)

    def pop_undecryptable(self) -> list[ReferenceId]:
        """Return and clear the references whose rows did not decrypt."""
        suspects, self._undecryptable = self._undecryptable, {}
        return list(suspects)

    def remove_damaged(self) -> int:
        """Remove rows that do not decrypt: of another key, or changed on the server.

        Returns:
            How many; their owner enrols them again.
        """
        count = 0
        with self._lock.writing():
            for rows in self._table.all_rows():
                unsound = [row for row in rows if not self.is_sound(row)]
                self._table.delete(unsound)
                count += len(unsound)
            self._changed_at = monotonic()
        return count

    def _level(self) -> Level:
        """Return the consistency that shows what this process changed.

        Not Session: the client does not record the time of its removals.
        """
        is_young = monotonic() - self._changed_at < STALENESS_S
        return Level.STRONG if is_young else Level.BOUNDED

    def _existing_rows(self, references: Sequence[Reference]) -> list[Row]:
        names = [reference.reference_id.hex for reference in references]
        owners = list(dict.fromkeys(reference.group_id.hex for reference in references))
        return self._table.find(names, owners, level=Level.STRONG)

    def _exchange(
        self, leaving: Sequence[Row], references: Sequence[Reference], held: Sequence[Row]
    ) -> None:
        first = 1 + max((row.born for row in held), default=0)
        rows = [self._row(each, first + place) for place, each in enumerate(references)]
        self._changed_at = monotonic()
        try:
            self._table.delete(leaving)
            self._table.insert(rows)
        except GalleryFault:
            self._table.delete(rows)
            self._table.insert(leaving)
            raise
        finally:
            self._changed_at = monotonic()

    def _row(self, reference: Reference, born: int) -> Row:
        template = reference.template
        place = _associated_data(reference.reference_id, reference.group_id, template.hand)
        (coarse,) = coarse_codes(template.code[None])
        return Row(
            reference.reference_id.hex,
            reference.group_id.hex,
            HANDS.index(template.hand),
            born,
            template.vector.tolist(),
            self._sealed(template.code, place),
            self._sealed(coarse, place + _COARSE),
        )

    def _sealed(self, code: NDArray[np.uint8], place: bytes) -> str:
        return base64.b64encode(self._cipher.encrypt(code.tobytes(), place)).decode()

    def is_sound(self, row: Row) -> bool:
        """Return whether a row decrypts under this key."""
        return bool(self._decrypted([row]))

    def _decrypted(self, rows: Sequence[Row]) -> list[Reference]:
        return [reference for _, reference in self._read(rows, self._reference)]

    def _read(self, rows: Sequence[R], read: Callable[[R], T]) -> list[tuple[R, T]]:
        """Read rows; note those that do not decrypt."""
        found = []
        for row in rows:
            try:
                found.append((row, read(row)))
            except (DirectoryDamaged, TemplateRefused, IndexError, ValueError):
                self._undecryptable[ReferenceId(UUID(hex=row.reference))] = None
        return found

    def _reference(self, row: Row) -> Reference:
        self._coarse(row)
        vector, code = np.array(row.vector, np.float32), self._opened(row, row.sealed)
        template = PalmTemplate(self._extractor, HANDS[row.side], vector, code)
        return Reference(*_names(row), require_valid(template))

    def _coarse(self, row: Row | NearRow) -> NDArray[np.uint8]:
        return self._opened(row, row.coarse, _COARSE)

    def _opened(self, row: Row | NearRow, sealed: str, kind: bytes = b"") -> NDArray[np.uint8]:
        place = _associated_data(*_names(row), HANDS[row.side]) + kind
        code = self._cipher.decrypt(base64.b64decode(sealed, validate=True), place)
        return np.frombuffer(code, np.uint8)


def _names(row: Row | NearRow) -> tuple[ReferenceId, GroupId]:
    return ReferenceId(UUID(hex=row.reference)), GroupId(UUID(hex=row.owner))


def _named(reference_ids: Sequence[ReferenceId], held: Sequence[Row]) -> list[Row]:
    names = {reference_id.hex for reference_id in reference_ids}
    rows = [row for row in held if row.reference in names]
    if len(rows) < len(names):
        raise UnknownReference(f"{len(names) - len(rows)} of the references are not enrolled")
    return rows


def _associated_data(reference_id: ReferenceId, group_id: GroupId, hand: Hand) -> bytes:
    """Bind an encrypted code to its owner, so that it cannot be moved to another."""
    return reference_id.bytes + group_id.bytes + hand.value.encode()
