"""packing: a row is written exactly where FAISS would have written it."""

import numpy as np
import pytest

from engine.errors import GalleryFault
from engine.gallery.protection import fixed_rotation
from engine.gallery.search.pq_layout import Segment, check_addressing, new_index

ROTATION_SUM = 67414.97691631317
"""Of the magnitudes that 0, 1, …, 383 are rotated into: says that no number has changed."""

SIZES = [(16, 2), (16, 1), (256, 2), (256, 1), (384, 2), (384, 1), (512, 2), (512, 1)]


@pytest.mark.parametrize(("dimension", "bits"), SIZES)
def test_this_release_of_faiss_packs_rows_as_we_do(dimension, bits):
    """A row at every offset of a block is replaced and the block compared octet by octet."""
    check_addressing(dimension, bits)


def test_faiss_has_the_fields_that_a_segment_sets():
    """They are in no manual: how many rows are scanned, and how wide a block is."""
    index = new_index(16, 2)

    assert [getattr(index, name) for name in ("ntotal", "ntotal2", "M2")] == [0, 0, index.pq.M]


class OtherSegment(Segment):
    """Takes the upper rows of a block for the lower ones, as FAISS does in larger blocks."""

    def write(self, slots, codes):
        """Write somewhere else."""
        super().write(np.where(len(slots) > 1, slots, slots ^ 16), codes)


def test_other_addressing_is_refused():
    """A gallery that would destroy another row must not start."""
    with pytest.raises(GalleryFault, match="packs rows"):
        check_addressing(16, 2, new_segment=OtherSegment)


@pytest.mark.parametrize(("dimension", "bits"), [(15, 2), (6, 2), (0, 2), (16, 3), (1024, 2)])
def test_what_cannot_be_packed_is_refused(dimension, bits):
    """Sums of more than 256 parts would overflow and rank at random."""
    with pytest.raises(GalleryFault):
        new_index(dimension, bits)


def test_the_rotation_is_orthonormal_and_the_same_everywhere():
    """Cosines must not change, and codes of two machines must agree."""
    rotation = fixed_rotation(384)

    assert np.abs(rotation.T @ rotation - np.eye(384)).max() < 1e-5
    assert rotation[0, :3].tolist() == fixed_rotation(384)[0, :3].tolist()
    assert not rotation.flags.writeable
    assert float(np.abs(rotation.astype(np.float64) @ np.arange(384)).sum()) == pytest.approx(
        ROTATION_SUM, rel=1e-9
    )
