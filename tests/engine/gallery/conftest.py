"""Galleries that need a server of their own."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from engine.gallery.port import Gallery
from engine.types import ExtractorId
from tests.support.palms.templates import FAKE_DIMENSION, FAKE_EXTRACTOR
from tests.support.palms.vector_templates import DIMENSION, EXTRACTOR

_NUMBERS = count()


@pytest.fixture
def new_milvus_gallery(milvus_url: str) -> Iterator[Callable[[], Gallery]]:
    """Make empty galleries on a Milvus server, each with its own partitions."""
    yield from _on_milvus(milvus_url, FAKE_EXTRACTOR, FAKE_DIMENSION)


@pytest.fixture
def new_penalised_milvus_gallery(milvus_url: str) -> Iterator[Callable[[], Gallery]]:
    """Make such galleries of an extractor whose vectors lower scores."""
    yield from _on_milvus(milvus_url, EXTRACTOR, DIMENSION)


def _on_milvus(
    url: str, extractor: ExtractorId, dimension: int
) -> Iterator[Callable[[], Gallery]]:
    """Yield what makes galleries, and take them away."""
    from engine.gallery.milvus.stored import open_gallery, open_table  # noqa: PLC0415

    names = []

    def new() -> Gallery:
        names.append(f"g{next(_NUMBERS)}")
        return open_gallery(url, names[-1], extractor, dimension, key=bytes(32))

    yield new
    for name in names:
        open_table(url, name, extractor).drop()
