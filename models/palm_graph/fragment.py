"""A step of the graph: lines of ONNX text, and the constants they name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    Constants = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Fragment:
    """One step.

    Attributes:
        text: its nodes, in ONNX's text.
        constants: its initialisers, by the names that the text uses.
    """

    text: str
    constants: Mapping[str, NDArray[Any]] = field(repr=False)


def real(**numbers: ArrayLike) -> Constants:
    """Return constants of float32."""
    return {name: np.asarray(value, np.float32) for name, value in numbers.items()}


def whole(**numbers: ArrayLike) -> Constants:
    """Return constants of int64: axes, shapes, indices."""
    return {name: np.asarray(value, np.int64) for name, value in numbers.items()}
