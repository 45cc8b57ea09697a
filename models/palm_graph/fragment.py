"""A step of the graph: ONNX text and the constants it names."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Constants = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Fragment:
    """One step: its nodes in ONNX text, and its initialisers by name."""

    text: str
    constants: Mapping[str, NDArray[Any]] = field(repr=False)


def real(**numbers: ArrayLike) -> Constants:
    """Return float32 constants."""
    return {name: np.asarray(value, np.float32) for name, value in numbers.items()}


def whole(**numbers: ArrayLike) -> Constants:
    """Return int64 constants: axes, shapes, indices."""
    return {name: np.asarray(value, np.int64) for name, value in numbers.items()}
