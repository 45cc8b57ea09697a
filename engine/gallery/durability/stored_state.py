"""How a gallery that is also on disk is doing."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.gallery.shadow import ShadowCounts


@dataclass(frozen=True, slots=True)
class StoredState:
    """How a stored gallery is doing: the metric.

    Attributes:
        rows: references that are searched.
        sequence: of the last change that is in them.
        disk_bytes: of all files.
        is_journaled: whether changes reach the disk; if not, the next checkpoint is awaited.
        erasure_age_s: how long ago something was erased that files may still hold; 0: nothing.
        damage_count: how often something was read that is not what was written.
        fault: code of the last fault of the disk; empty since it could be written again.
        is_reachable: false while the server that holds the gallery does not answer.
        shadow: what searches that were made again exactly have shown.
    """

    rows: int
    sequence: int
    disk_bytes: int
    is_journaled: bool
    erasure_age_s: float
    damage_count: int
    fault: str
    is_reachable: bool = True
    shadow: ShadowCounts = field(default_factory=ShadowCounts)
