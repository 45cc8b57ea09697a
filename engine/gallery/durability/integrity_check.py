"""Reads codes and tells which are not what was written."""

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
"""Codes that are read while nobody may write."""


def check_codes(
    gallery: AdaptiveGallery, snapshots: SnapshotStore, writing: AbstractContextManager[object]
) -> tuple[int, int]:
    """Read all codes; damaged ones become suspects, what nobody needs is overwritten.

    Args:
        gallery: whose codes.
        snapshots: of its files.
        writing: keeps writers out; held for a few codes at a time.

    Returns:
        How many are not what was written, and how many of these are nobody's.
    """
    codes, active = snapshots.codes, gallery.active
    faults = nobodys = 0
    if codes is None or not isinstance(active, PackedGallery):
        return 0, 0
    for first in range(0, active.slot_columns.slot_count, _SCRUBBED):
        with writing:
            slots = range(first, first + _SCRUBBED)
            bad = damaged_codes(gallery, codes, slots, snapshots.unwiped_slots())
            empty = [slot for slot, name in bad if not any(name)]
            # Still within the lock: a moment later the slot may be somebody's.
            codes.wipe(empty)
        codes.mark_damaged([slot for slot, name in bad if any(name)])
        faults, nobodys = faults + len(bad), nobodys + len(empty)
    return faults, nobodys


def damaged_codes(
    gallery: AdaptiveGallery,
    codes: CodeFile,
    slots: Iterable[int],
    unwiped: Mapping[int, bytes],
) -> list[tuple[int, bytes]]:
    """Return slots whose code is damaged, and the name in each; zeros for an empty slot.

    Nobody may write to the gallery meanwhile.

    Args:
        gallery: whose slots.
        codes: of the gallery.
        slots: to look at.
        unwiped: empty slots that still hold something, and whose that is; empty if anything
            may be there.
    """
    active = gallery.active
    if not isinstance(active, PackedGallery):
        return []
    looked_at = [slot for slot in slots if slot < active.slot_columns.slot_count]
    names = [name.tobytes() for name in active.slot_columns.names(looked_at)]
    return [
        (slot, name)
        for slot, name in zip(looked_at, names, strict=True)
        if not _is_right(codes, slot, name, unwiped)
    ]


def _is_right(codes: CodeFile, slot: int, name: bytes, unwiped: Mapping[int, bytes]) -> bool:
    """Tell whether a slot holds what it should."""
    if any(name):
        return codes.is_sound(slot, name)
    if slot not in unwiped:
        return codes.is_wiped(slot)
    return not any(unwiped[slot]) or codes.is_sound(slot, unwiped[slot])
