"""Fill a gallery at once, as from disk: enrolments take far longer."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.search.population.people import BATCH_PALMS, REFERENCES
from engine.gallery.protection.rotation import fixed_rotation
from engine.gallery.rows.coarse_codes import coarse_codes
from engine.gallery.rows.columns import HANDS, Columns
from engine.gallery.search.codebook import packed_bits
from engine.gallery.search.pq_layout import Encoder
from engine.types import Hand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from benchmarks.search.population.people import People
    from engine.gallery.rows.code_store import CodeStore
    from engine.gallery.search.packed import PackedGallery


_QUEUED_BLOCKS: Final = 16
"""Waiting blocks: about 50 MB."""


class RepeatedCodes:
    """A ``CodeStore`` that repeats the codes of its first slots.

    Ten million encrypted codes would take minutes to make and tell no more: reading and
    decrypting one costs the same. Only the first slots can be written or erased.
    """

    def __init__(
        self,
        codes: CodeStore,
        count: int,
        names_of: Callable[[NDArray[np.int64]], NDArray[np.uint8]],
    ) -> None:
        self._codes, self._count, self._names_of = codes, count, names_of

    def put(
        self, slots: NDArray[np.int64], codes: NDArray[np.uint8], names: NDArray[np.uint8]
    ) -> None:
        """Write codes of the first slots."""
        first = slots < self._count
        self._codes.put(slots[first], codes[first[: len(codes)]], names[first])

    def get(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return codes. See ``CodeStore.get``."""
        again = slots % self._count
        is_own = (slots < self._count)[:, None]
        return self._codes.get(again, np.where(is_own, names, self._names_of(again)))

    def erase(self, slots: NDArray[np.int64], names: NDArray[np.uint8]) -> None:
        """Erase codes of the first slots."""
        first = slots < self._count
        self._codes.erase(slots[first], names[first])


def fill(people: People, gallery: PackedGallery, codes: CodeStore) -> None:
    """Load all palms into an empty gallery."""
    gallery.slot_columns.load(columns(people, codes, people.rows))


def copy_gallery(gallery: PackedGallery, other: PackedGallery) -> None:
    """Copy a gallery into an empty one with the same codes."""
    dump = gallery.slot_columns
    other.slot_columns.load(dump.block(number) for number in range(dump.block_count))


def columns(people: People, codes: CodeStore, coded: int) -> Iterator[Columns]:
    """Yield blocks of rows; write the codes of the first ``coded`` rows.

    Further blocks repeat their coarse codes, as ``RepeatedCodes`` does the whole ones. Blocks
    are made on all cores, some ahead.
    """
    coarse: list[NDArray[np.uint8]] = []
    for number, block in enumerate(_made(people, coded)):
        if len(block.codes):
            codes.put(block.changes - 1, block.codes, block.names)
            coarse.append(coarse_codes(block.codes))
        yield replace(block, codes=coarse[number % len(coarse)])


def _made(people: People, coded: int) -> Iterator[Columns]:
    make, firsts = partial(_block, people, coded), range(0, people.count, BATCH_PALMS)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting: deque[Future[Columns]] = deque()
        for first in firsts:
            waiting.append(pool.submit(make, first))
            if len(waiting) > _QUEUED_BLOCKS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _block(people: People, coded: int, first: int) -> Columns:
    names, vectors, codes = people.block(first, coded)
    encoder = Encoder(vectors.shape[1], packed_bits(vectors.shape[1]))
    nibbles = encoder.encode(vectors @ fixed_rotation(vectors.shape[1]))
    slots = REFERENCES * first + np.arange(len(names))
    return Columns(
        names=names,
        changes=slots + 1,
        sides=np.full(len(slots), HANDS.index(Hand.LEFT), np.uint8),
        vectors=vectors.astype(np.float16),
        packed=nibbles[:, 0::2] | (nibbles[:, 1::2] << np.uint8(4)),
        codes=codes,
    )
