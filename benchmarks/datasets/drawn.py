"""Templates of drawn palms, as written by ``thenar models templates``."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.datasets.manifest import DatasetFault
from engine.features.whitening import whiten

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_PLAN_FILE: Final = "templates.json"
_PARTS: Final = "part-*.npz"


@dataclass(frozen=True, slots=True)
class DrawnTemplates:
    """Drawn palms; neighbours share a family and a sensor.

    Attributes:
        network: the palm network's vectors, shape (palms, views, 384), float16, L2 norm 1.
        energy: oriented energy before whitening, same shape.
        codes: shape (palms, views, 512), uint8.
    """

    network: NDArray[np.float16] = field(repr=False)
    energy: NDArray[np.float16] = field(repr=False)
    codes: NDArray[np.uint8] = field(repr=False)
    plan: dict[str, Any]

    def whitened(self) -> NDArray[np.float32]:
        """Return the vectors of ``palm_print``, shaped like ``energy``, float32."""
        return whiten(self.energy)


def read_drawn(folder: Path, *, palms: int | None = None) -> DrawnTemplates:
    """Read a folder of templates."""
    parts = sorted(folder.glob(_PARTS))
    if not parts or not (folder / _PLAN_FILE).is_file():
        raise DatasetFault(
            f"{folder.name} holds no drawn templates: run thenar models templates"
        )
    plan = json.loads((folder / _PLAN_FILE).read_text("utf-8"))
    views = int(plan["views"])
    read = [_read_part(path) for path in parts]
    columns = [np.concatenate([part[name] for part in read]) for name in _ARRAYS]
    network, energy, codes = (
        column.reshape(-1, views, column.shape[1])[:palms] for column in columns
    )
    return DrawnTemplates(network, energy, codes, plan)


_ARRAYS: Final = ("network", "energy", "code")


def _read_part(path: Path) -> dict[str, NDArray[Any]]:
    with np.load(path) as part:
        return {name: part[name] for name in _ARRAYS}
