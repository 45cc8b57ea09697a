"""Finds damaged codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.gallery.search.packed import PackedGallery

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

    from engine.gallery.durability.code_file import CodeFile
    from engine.gallery.durability.snapshots import SnapshotStore
    from engine.gallery.search.adaptive import AdaptiveGallery

_SCRUBBED: Final = 512
"""Codes read under one write lock."""


def check_codes(
    gallery: AdaptiveGallery, snapshots: SnapshotStore, writing: AbstractContextManager[object]
) -> tuple[int, int]:
    """Mark damaged codes, and wipe slots that should be empty.

    Takes the write lock for a few codes at a time. Returns how many are damaged, and how many
    of these belong to no reference.
    """
    codes, active = snapshots.codes, gallery.active
    faults = unowned = 0
    if codes is None or not isinstance(active, PackedGallery):
        return 0, 0
    for first in range(0, active.slot_columns.slot_count, _SCRUBBED):
        with writing:
            slots = range(first, first + _SCRUBBED)
            bad = damaged_codes(gallery, codes, slots, snapshots.unwiped_slots())
            empty = [slot for slot, name in bad if not any(name)]
            # Within the lock: a moment later the slot may be used again.
            codes.wipe(empty)
        codes.mark_damaged([slot for slot, name in bad if any(name)])
        faults, unowned = faults + len(bad), unowned + len(empty)
    return faults, unowned


def damaged_codes(
    gallery: AdaptiveGallery,
    codes: CodeFile,
    slots: Iterable[int],
    unwiped: Mapping[int, bytes],
) -> list[tuple[int, bytes]]:
    """Return slots whose code is damaged with the name in each; zeros for an empty slot.

    Call under the write lock. ``unwiped``: empty slots not overwritten yet, and whose code they
    hold, b"" if unknown.
    """
    active = gallery.active
    if not isinstance(active, PackedGallery):
        return []
    checked = [slot for slot in slots if slot < active.slot_columns.slot_count]
    names = [name.tobytes() for name in active.slot_columns.names(checked)]
    return [
        (slot, name)
        for slot, name in zip(checked, names, strict=True)
        if not _is_right(codes, slot, name, unwiped)
    ]


def _is_right(codes: CodeFile, slot: int, name: bytes, unwiped: Mapping[int, bytes]) -> bool:
    if any(name):
        return codes.is_sound(slot, name)
    if slot not in unwiped:
        return codes.is_wiped(slot)
    return not any(unwiped[slot]) or codes.is_sound(slot, unwiped[slot])
