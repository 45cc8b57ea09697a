"""Galleries that need a server of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from engine.gallery.port import Gallery
from tests.fakes.templates import FAKE_DIMENSION, FAKE_EXTRACTOR

_NUMBERS = count()


@pytest.fixture
def new_milvus_gallery(milvus_url: str) -> Iterator[Callable[[], Gallery]]:
    """Make empty galleries on a Milvus server, each with partitions of its own."""
    from engine.gallery.milvus.connect import open_gallery, open_table  # noqa: PLC0415

    names = []

    def new() -> Gallery:
        names.append(f"g{next(_NUMBERS)}")
        return open_gallery(
            milvus_url, names[-1], FAKE_EXTRACTOR, FAKE_DIMENSION, key=bytes(32)
        )

    yield new
    for name in names:
        open_table(milvus_url, name, FAKE_EXTRACTOR).drop()
