"""Finds damaged codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.gallery.search.packed import PackedGallery

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from engine.gallery.durability.stored_codes import StoredCodes
    from engine.gallery.search.adaptive import AdaptiveGallery

_CHECKED: Final = 512
"""Codes read under one write lock."""


def check_codes(
    gallery: AdaptiveGallery, codes: StoredCodes | None, writing: AbstractContextManager[object]
) -> tuple[int, int]:
    """Mark damaged codes, and erase those in slots that should be empty.

    Takes the write lock for a few codes at a time. Returns how many are damaged, and how many
    of these belong to no reference.
    """
    active = gallery.active
    if codes is None or not isinstance(active, PackedGallery):
        return 0, 0
    faults = unowned = 0
    for first in range(0, active.slot_columns.slot_count, _CHECKED):
        with writing:
            bad = damaged_codes(gallery, codes, range(first, first + _CHECKED))
            codes.forget([slot for slot, name in bad if not any(name)])
        codes.mark_damaged([slot for slot, name in bad if any(name)])
        faults += len(bad)
        unowned += sum(not any(name) for _, name in bad)
    with writing:
        extra = codes.erase_beyond(active.slot_columns.slot_count)
    return faults + extra, unowned + extra


def damaged_codes(
    gallery: AdaptiveGallery, codes: StoredCodes, slots: Iterable[int]
) -> list[tuple[int, bytes]]:
    """Return slots whose code is damaged with the name in each; zeros for an empty slot.

    Call under the write lock.
    """
    active = gallery.active
    if not isinstance(active, PackedGallery):
        return []
    checked = [slot for slot in slots if slot < active.slot_columns.slot_count]
    names = [name.tobytes() for name in active.slot_columns.names(checked)]
    by_slot = dict(zip(checked, names, strict=True))
    return [(slot, by_slot[slot]) for slot in codes.unsound(by_slot)]
