"""What the files of a gallery do not say yet: the step under way, and since when they lie.

A step is written to the journal as a whole, when the outermost change ends. What was erased
stays in older files until a checkpoint has written everything anew: how long, is told here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.gallery.durability.journal import JournalRecord
from engine.gallery.rows.columns import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.gallery.rows.columns import Shape
    from engine.types import Reference, ReferenceId


class PendingStep:
    """Who left and who came since the last step."""

    def __init__(self) -> None:
        self._removed: dict[ReferenceId, None] = {}
        self._added: dict[ReferenceId, Reference] = {}
        self._written_sequence = -1

    def add(self, references: Sequence[Reference]) -> None:
        """Note who came."""
        self._added.update((reference.reference_id, reference) for reference in references)

    def remove(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Note who left, and who came only to leave again."""
        self._removed.update(dict.fromkeys(reference_ids))
        for reference_id in reference_ids:
            self._added.pop(reference_id, None)

    def reset(self, sequence: int) -> None:
        """Take it that files are, or will be, up to a change of the database."""
        self._removed, self._added, self._written_sequence = {}, {}, sequence

    def pop_record(self, sequence: int, mark: bytes, shape: Shape) -> JournalRecord | None:
        """Return, once, the step as the journal keeps it; None if there is nothing to tell.

        Args:
            sequence: of the change of the database up to which everything is.
            mark: of that change.
            shape: what a row consists of.
        """
        removed, added = self._removed, list(self._added.values())
        is_new = bool(removed) or bool(added) or sequence != self._written_sequence
        self.reset(sequence)
        if not is_new:
            return None
        names = b"".join(name.bytes for name in removed)
        left = np.frombuffer(names, np.uint8).reshape(-1, 16)
        came = columns_of(added, range(1, 1 + len(added)), shape)
        return JournalRecord(sequence, mark, left, came)


class ErasureAge:
    """How long files have held what was erased.

    Args:
        clock: seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._since: float | None = None

    def start(self) -> None:
        """Something was erased that files hold."""
        if self._since is None:
            self._since = self._clock()

    def age(self) -> float:
        """Return for how many seconds they have held it; 0: they do not."""
        since = self._since
        return 0.0 if since is None else self._clock() - since

    def clear(self) -> None:
        """No file holds it any more, or will when what is being written counts."""
        self._since = None

    def since(self) -> float | None:
        """Return when the first of it was erased, for ``restore``."""
        return self._since

    def restore(self, since: float | None) -> None:
        """What was being written does not count: files hold what they held."""
        self._since = self._since if since is None else since
