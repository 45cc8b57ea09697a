"""densify: what is made spreads as what is real."""

import numpy as np

from benchmarks.search.population import SyntheticVectors


def palms(count=60, shots=4):
    """Vectors that share a mean, as templates do; some pictures are worse than others."""
    rng = np.random.default_rng(5)
    common = rng.standard_normal(48)
    made = []
    for _ in range(count):
        own = 0.8 * common + rng.standard_normal(48)
        worse = np.exp(0.3 * rng.standard_normal((shots, 1)))
        pictures = own + 0.5 * worse * rng.standard_normal((shots, 48))
        made.append(pictures / np.linalg.norm(pictures, axis=1, keepdims=True))
    return [vectors.astype(np.float32) for vectors in made]


def test_cosines_of_made_palms_have_the_quantiles_of_real_ones():
    """A search is as lossy as its cosines are crowded: kinder vectors would flatter it."""
    cosines = SyntheticVectors(palms(), 7).as_json()["cosines"]
    shares = np.array(cosines["quantiles"])
    middle = (shares > 0.02) & (shares < 0.98)

    for kind in ("mated", "non_mated"):
        real, made = np.array(cosines["real"][kind]), np.array(cosines["made"][kind])
        assert np.abs(real - made)[middle].max() < 0.05
    assert np.median(cosines["real"]["mated"]) > np.median(cosines["real"]["non_mated"]) + 0.2
