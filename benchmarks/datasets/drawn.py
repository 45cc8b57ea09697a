"""Templates of drawn palms, as written by ``thenar models templates``."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets.manifest import DatasetFault
from engine.types import ExtractorId

EXTRACTOR: Final = ExtractorId("palmnet-2")
"""The extractor that made the vectors."""

_PLAN_FILE: Final = "templates.json"
_PARTS: Final = "part-*.npz"


@dataclass(frozen=True, slots=True)
class DrawnTemplates:
    """Drawn palms; neighbours share a family and a sensor.

    Attributes:
        vectors: shape (palms, views, 384), float16, L2 norm 1.
        codes: shape (palms, views, 512), uint8.
    """

    vectors: NDArray[np.float16] = field(repr=False)
    codes: NDArray[np.uint8] = field(repr=False)
    plan: dict[str, Any]

    def unit_vectors(self) -> NDArray[np.float32]:
        """Return the vectors as the extractor makes them, float32."""
        wide = self.vectors.astype(np.float32)
        return np.asarray(wide / np.linalg.norm(wide, axis=2, keepdims=True))

    def digest(self) -> str:
        """Return the SHA-256 of all templates, hexadecimal."""
        return hashlib.sha256(self.codes.tobytes() + self.vectors.tobytes()).hexdigest()

    def require_graph(self, sha256: str) -> None:
        """Raise DatasetFault if another palm graph made the vectors."""
        if self.plan.get("graph") != sha256:
            raise DatasetFault(
                "these templates are of another network: run thenar models templates"
            )


def read_drawn(folder: Path) -> DrawnTemplates:
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
    vectors, codes = (column.reshape(-1, views, column.shape[1]) for column in columns)
    return DrawnTemplates(vectors, codes, plan)


_ARRAYS: Final = ("network", "code")


def _read_part(path: Path) -> dict[str, NDArray[Any]]:
    with np.load(path) as part:
        return {name: part[name] for name in _ARRAYS}
