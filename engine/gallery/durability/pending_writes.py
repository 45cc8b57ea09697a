"""What is not in the files yet: the open step, and the age of unwritten erasures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.gallery.durability.steps import Step
from engine.gallery.rows.columns import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.gallery.rows.columns import Shape
    from engine.types import Reference, ReferenceId


class PendingStep:
    """References removed and added since the last step; written when the outer change ends."""

    def __init__(self) -> None:
        self._removed: dict[ReferenceId, None] = {}
        self._added: dict[ReferenceId, Reference] = {}
        self._written_sequence = -1

    def add(self, references: Sequence[Reference]) -> None:
        """Record added references."""
        self._added.update((reference.reference_id, reference) for reference in references)

    def remove(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Record removed references; drop those added in this step."""
        self._removed.update(dict.fromkeys(reference_ids))
        for reference_id in reference_ids:
            self._added.pop(reference_id, None)

    def reset(self, sequence: int) -> None:
        """Start a step: the files have, or will have, this database change."""
        self._removed, self._added, self._written_sequence = {}, {}, sequence

    def pop_step(self, sequence: int, mark: bytes, shape: Shape) -> Step | None:
        """Return the step and reset it; None if nothing changed."""
        removed, added = self._removed, list(self._added.values())
        is_new = bool(removed) or bool(added) or sequence != self._written_sequence
        self.reset(sequence)
        if not is_new:
            return None
        names = b"".join(name.bytes for name in removed)
        left = np.frombuffer(names, np.uint8).reshape(-1, 16)
        came = columns_of(added, range(1, 1 + len(added)), shape)
        return Step(sequence, mark, left, came)


class ErasureAge:
    """How long files have held erased references; ``clock`` gives seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._since: float | None = None

    def start(self) -> None:
        """Start counting, unless it counts already."""
        if self._since is None:
            self._since = self._clock()

    def age(self) -> float:
        """Return seconds since the first erasure still in files; 0: none."""
        since = self._since
        return 0.0 if since is None else self._clock() - since

    def clear(self) -> None:
        """Stop: no file holds erased references once the current write counts."""
        self._since = None

    def since(self) -> float | None:
        """Return when counting started, for ``restore``."""
        return self._since

    def restore(self, since: float | None) -> None:
        """Undo ``clear`` after a failed write."""
        self._since = self._since if since is None else since
