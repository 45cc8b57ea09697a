"""packing: a row is written exactly where FAISS would have written it."""

import faiss
import numpy as np
import pytest

from engine.errors import GalleryFault
from engine.gallery.protection import fixed_rotation
from engine.gallery.search.pq_layout import (
    BLOCK_ROWS,
    POINTS,
    Encoder,
    Segment,
    centroids,
    check_addressing,
    new_index,
)

ROTATION_SUM = 67414.97691631317
"""Of the magnitudes that 0, 1, …, 383 are rotated into: says that no number has changed."""

SIZES = [(16, 2), (16, 1), (256, 2), (256, 1), (384, 2), (384, 1), (512, 2), (512, 1)]


def vectors(count: int, dimension: int, seed: int = 0) -> np.ndarray:
    """Random vectors of unit length."""
    rows = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


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


@pytest.mark.parametrize(("dimension", "bits"), [(256, 2), (512, 1)])
def test_changed_rows_are_found_as_in_a_fresh_index(dimension, bits):
    """After hundreds of replacements and removals the scan says what a fresh index says."""
    rng, encoder = np.random.default_rng(1), Encoder(dimension, bits)
    rows, segment = vectors(200, dimension), Segment(dimension, bits, 256)
    segment.write(np.arange(200), encoder.encode(rows))
    count = 200
    for step in range(300):
        slot = int(rng.integers(count))
        if step % 3 == 0:
            count -= 1
            segment.write(np.array([slot]), segment.read(count))
            segment.write(np.array([count]), np.zeros((1, encoder.parts), np.uint8))
            rows[slot] = rows[count]
        else:
            rows[slot] = vectors(1, dimension, seed=step)[0]
            segment.write(np.array([slot]), encoder.encode(rows[slot][None]))
    segment.show(count)
    fresh = new_index(dimension, bits)
    fresh.add(encoder.rotated(rows[:count]))
    expected = faiss.vector_to_array(fresh.codes).reshape(-1, segment.octets.shape[1])

    assert np.array_equal(segment.octets[: len(expected)], expected)
    assert not segment.octets[len(expected) :].any()
    probes = encoder.rotated(rows[:3])
    estimates, slots = segment.scan(probes, 10)
    expected_estimates, expected_slots = fresh.search(probes, 10)
    assert np.array_equal(estimates, expected_estimates)
    assert np.array_equal(slots, expected_slots)


def test_a_scan_sees_the_shown_slots_only():
    """Rows behind the last shown one do not count yet."""
    encoder, segment = Encoder(16, 2), Segment(16, 2, 2 * BLOCK_ROWS)
    rows = vectors(40, 16)
    segment.write(np.arange(40), encoder.encode(rows))

    assert segment.scan(rows[:2], 5)[1].shape == (2, 0)
    segment.show(33)
    assert set(segment.scan(rows[39:], 99)[1][0].tolist()) == set(range(33))


@pytest.mark.parametrize("bits", POINTS)
def test_the_codebook_cannot_be_bettered(bits):
    """Each point is the mean of what it stands for: the fixed point of Lloyd's algorithm."""
    points = np.array(POINTS[bits])
    samples = np.random.default_rng(5).standard_normal((100_000, points.shape[1]))
    nearest = ((points**2).sum(axis=1) / 2 - samples @ points.T).argmin(axis=1)
    means = np.array([samples[nearest == n].mean(axis=0) for n in range(16)])
    lost = np.mean((samples - points[nearest]) ** 2)

    assert np.abs(means - points).max() < 0.04
    assert lost == pytest.approx({2: 0.1086, 1: 0.341}[bits], rel=0.01)
    assert centroids(256, bits).shape == (64 * bits, 16, 4 // bits)


def test_the_rotation_is_orthonormal_and_the_same_everywhere():
    """Cosines must not change, and codes of two machines must agree."""
    rotation = fixed_rotation(384)

    assert np.abs(rotation.T @ rotation - np.eye(384)).max() < 1e-5
    assert rotation[0, :3].tolist() == fixed_rotation(384)[0, :3].tolist()
    assert not rotation.flags.writeable
    assert float(np.abs(rotation.astype(np.float64) @ np.arange(384)).sum()) == pytest.approx(
        ROTATION_SUM, rel=1e-9
    )
