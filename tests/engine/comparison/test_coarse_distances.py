"""coarse: distances of coarse codes, which order the list of those who are compared."""

import hashlib

import numpy as np

from engine.comparison.kernels.coarse import coarse_distances
from engine.features.code_bytes import coarse_codes, pack_code
from engine.parameters import CODE_CELLS, CODE_DIRECTIONS


def code_of(seed, *, seen=0.9):
    """A random code with holes."""
    rng = np.random.default_rng(seed)
    directions = rng.integers(0, CODE_DIRECTIONS, (CODE_CELLS, CODE_CELLS))
    return pack_code(directions, rng.random((CODE_CELLS, CODE_CELLS)) < seen)


def test_no_distance_has_changed_by_a_bit():
    """Of whole probes, of probes with holes, and of one that shows nothing.

    The digest is of distances that were once computed step by step in numpy, too.
    """
    probes = [code_of(0, seen=seen) for seen in (1.0, 0.7, 0.0)]
    found = coarse_distances(coarse_codes(np.stack([code_of(n) for n in range(1, 6)])), probes)

    assert hashlib.sha256(found.astype("<f4").tobytes()).hexdigest() == (
        "819addf1b04ec90906caf25f4b1b4eb1bb28b1c11cf71b2f626e91ed05a77f55"
    )


def test_each_probe_is_compared_with_each_row():
    """The buffers of one probe leave nothing to the next."""
    codes = [code_of(n) for n in range(20)]
    rows = coarse_codes(np.stack(codes))
    found = coarse_distances(rows, codes[3:5])

    assert found.argmin(axis=1).tolist() == [3, 4]
    assert np.array_equal(found[1:], coarse_distances(rows, codes[4:5]))
