"""Make a million vectors from some hundred palms, with the cosines of real ones.

A new palm is the mean of all palms plus a random mixture of differences from it. Its pictures
add a real picture's difference from its palm. Both are scaled so that mated and non-mated
cosines have the quantiles of real ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

SHARES: Final = (0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999, 0.9999)

_PARENTS: Final = 8
"""Palms that a new one is mixed from."""

_TRIAL_PALMS: Final = 800
_SPREADS: Final = (0.95, 1.0)
_CHANGES: Final = (0.85, 0.9, 0.95, 1.0)
_UNEVENNESSES: Final = (0.0, 0.15, 0.3, 0.45)


@dataclass(frozen=True, slots=True)
class Noise:
    """Parameters of new palms and pictures.

    Attributes:
        spread: of palms around their mean; 1: as measured.
        change: of a picture from its palm; 1: as measured.
        unevenness: standard deviation of the logarithm of a picture's change.
    """

    spread: float
    change: float
    unevenness: float


class SyntheticVectors:
    """Palms by number, and pictures of them; a seed gives the same palms.

    A batch of palms is named by its first number.

    Args:
        palms: vectors of real palms, each (pictures, dimension), at least two pictures.
        seed: of the palms.
    """

    def __init__(self, palms: Sequence[Vectors], seed: int) -> None:
        self._seed = seed
        vectors = [palm.astype(np.float64) for palm in palms]
        centres = np.stack([palm.mean(axis=0) for palm in vectors])
        # A mean of n pictures keeps 1/n of their variance.
        apart = [(v - v.mean(axis=0)) * (len(v) / (len(v) - 1)) ** 0.5 for v in vectors]
        self._middle = centres.mean(axis=0).astype(np.float32)
        self._directions = (centres - centres.mean(axis=0)).astype(np.float32)
        self._changes = np.concatenate(apart).astype(np.float32)
        self.real = _real_quantiles(vectors)
        self.noise = min(
            (Noise(*tried) for tried in product(_SPREADS, _CHANGES, _UNEVENNESSES)),
            key=self._deviation,
        )

    def pictures(self, palms: NDArray[np.int64], shot: int) -> Vectors:
        """Return one picture of each palm, shape (palms, dimension), L2 norm 1."""
        return self._drawn(palms, shot, self.noise)

    def as_json(self) -> dict[str, Any]:
        """Return the parameters, and the cosines of made and real palms."""
        made = self._quantiles(self.noise)
        tables = {"quantiles": SHARES, "real": self.real, "made": made}
        return {
            "parents": _PARENTS,
            "spread": self.noise.spread,
            "change": self.noise.change,
            "unevenness": self.noise.unevenness,
            "cosines": {name: _rounded(table) for name, table in tables.items()},
        }

    def _drawn(self, palms: NDArray[np.int64], shot: int, noise: Noise) -> Vectors:
        rng = self._rng(palms, shot)
        which = rng.integers(len(self._changes), size=len(palms))
        sizes = noise.change * np.exp(noise.unevenness * rng.standard_normal(len(palms)))
        sizes *= rng.choice((-1.0, 1.0), len(palms))
        vectors = self._middle + noise.spread * self._mixture(palms)
        vectors = vectors + self._changes[which] * sizes[:, None].astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors, np.float32)

    def _mixture(self, palms: NDArray[np.int64]) -> Vectors:
        rng, shape = self._rng(palms), (len(palms), _PARENTS)
        parents = rng.integers(len(self._directions), size=shape)
        weights = rng.standard_normal(shape, np.float32)
        weights /= np.linalg.norm(weights, axis=1, keepdims=True)
        together = np.einsum("np,npd->nd", weights, self._directions[parents])
        return np.asarray(together, np.float32)

    def _rng(self, palms: NDArray[np.int64], *more: int) -> np.random.Generator:
        return np.random.default_rng((self._seed, int(palms[0]), *more))

    def _deviation(self, noise: Noise) -> float:
        made = self._quantiles(noise)
        return float(sum(np.abs(made[kind] - self.real[kind]).mean() for kind in made))

    def _quantiles(self, noise: Noise) -> dict[str, NDArray[np.float64]]:
        palms = np.arange(_TRIAL_PALMS)
        first, second = (self._drawn(palms, shot, noise) for shot in (0, 1))
        every = first @ second.T
        apart = every[~np.eye(len(every), dtype=np.bool_)]
        return {
            "mated": np.quantile(np.diag(every), SHARES),
            "non_mated": np.quantile(apart, SHARES),
        }


def _real_quantiles(vectors: list[NDArray[np.float64]]) -> dict[str, NDArray[np.float64]]:
    labels = np.repeat(np.arange(len(vectors)), [len(palm) for palm in vectors])
    every = np.concatenate(vectors)
    cosines = every @ every.T
    first, second = np.triu_indices(len(every), 1)
    mated = labels[first] == labels[second]
    cosines = cosines[first, second]
    return {
        "mated": np.quantile(cosines[mated], SHARES),
        "non_mated": np.quantile(cosines[~mated], SHARES),
    }


def _rounded(table: Any) -> Any:  # noqa: ANN401 - a table of numbers or tables of them
    if isinstance(table, dict):
        return {name: _rounded(row) for name, row in table.items()}
    return [round(float(number), 4) for number in table]
