"""State of a stored gallery, for metrics and health."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.gallery.shadow import ShadowCounts


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
