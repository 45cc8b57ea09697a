"""A gallery of everybody at once, as one that is read from disk: enrolments take far longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.gallery.codebook import packed_bits
from engine.gallery.columns import HANDS, Columns
from engine.gallery.packing import Encoder
from engine.gallery.rotation import fixed_rotation
from engine.types import Hand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.search.people import People
    from engine.gallery.code_store import CodeStore
    from engine.gallery.packed import PackedGallery


def fill(people: People, gallery: PackedGallery, codes: CodeStore) -> None:
    """Put everybody into an empty gallery.

    Args:
        people: who.
        gallery: empty, of the bits that suit its dimension.
        codes: the gallery's.
    """
    gallery.dump.load(_columns(people, codes))


def twin(gallery: PackedGallery, other: PackedGallery) -> None:
    """Put everybody of a gallery into an empty one that has the same codes."""
    dump = gallery.dump
    other.dump.load(dump.block(number) for number in range(dump.block_count))


def _columns(people: People, codes: CodeStore) -> Iterator[Columns]:
    """Yield blocks of rows; their codes go where they belong."""
    first = 0
    for names, vectors, block_codes in people.blocks():
        slots = np.arange(first, first + len(names))
        codes.put(slots, block_codes, names)
        encoder = Encoder(vectors.shape[1], packed_bits(vectors.shape[1]))
        nibbles = encoder.encode(vectors @ fixed_rotation(vectors.shape[1]))
        yield Columns(
            names=names,
            born=slots + 1,
            sides=np.full(len(slots), HANDS.index(Hand.LEFT), np.uint8),
            vectors=vectors.astype(np.float16),
            packed=nibbles[:, 0::2] | (nibbles[:, 1::2] << np.uint8(4)),
            codes=np.zeros((len(slots), 0), np.uint8),
        )
        first += len(slots)
