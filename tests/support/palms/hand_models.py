"""The third-party hand networks for tests, and simple fakes that return what a test sets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.hand.landmarks import LandmarkLocator
from engine.networks.onnx_model import OnnxModel, load_model
from engine.settings import EngineSettings


@cache
def hand_model(name: str) -> OnnxModel:
    """Return a hand network, loaded once."""
    return load_model(name, EngineSettings())


@cache
def locator() -> LandmarkLocator:
    """Return the real locator, loaded once."""
    return LandmarkLocator(hand_model("hand_detector"), hand_model("hand_landmarks"))


@dataclass
class SeeingDetector:
    """A detector that reports one box in its square, from the ``patience``-th look on.

    Attributes:
        row: shape (18,), pixels of the square: centre, size, seven key points.
        patience: how many looks find nothing first.
        looks: what it was shown, shape (1, 3, 192, 192) each.
    """

    row: NDArray[np.float64]
    patience: int = 0
    looks: list[NDArray[Any]] = field(default_factory=list)

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Report the box at the first anchor, whose centre is (4, 4)."""
        self.looks.append(inputs["picture"])
        boxes, logits = np.zeros((1, 2016, 18)), np.full((1, 2016, 1), -10.0)
        pairs = self.row.reshape(9, 2).copy()
        pairs[[0, *range(2, 9)]] -= 4.0
        boxes[0, 0] = pairs.reshape(18)
        if len(self.looks) > self.patience:
            logits[0, 0] = 10.0
        return {"boxes": boxes, "logits": logits}


@dataclass
class SeeingLandmarks:
    """A landmark network that reports the same points in every crop.

    Attributes:
        points: shape (21, 2), pixels of the crop.
        presence: what it says of each reading in turn; the last is repeated.
        right: its certainty of a right hand.
        lift: how far the thumb lies before the palm, in widths of the palm.
    """

    points: NDArray[np.float64]
    presence: tuple[float, ...] = (1.0,)
    right: float = 0.0
    lift: float = 0.4
    readings: int = 0

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Report the points."""
        assert inputs["picture"].shape == (1, 3, 224, 224)
        presence = self.presence[min(self.readings, len(self.presence) - 1)]
        self.readings += 1
        landmarks = np.column_stack([self.points, np.zeros(21)]).reshape(1, 63)
        width = np.hypot(*(self.points[17] - self.points[5]))
        depth = np.where(np.isin(np.arange(21), (1, 2, 3, 4)), -self.lift * width, 0.0)
        world = np.column_stack([self.points, depth]).reshape(1, 63)
        return {
            "landmarks": landmarks.astype(np.float32),
            "presence": np.array([[presence]], np.float32),
            "handedness": np.array([[self.right]], np.float32),
            "world_landmarks": world.astype(np.float32),
        }


def open_palm(*, width: float = 60.0) -> NDArray[np.float64]:
    """Return the landmarks of an open left palm, upright in the middle of a crop.

    Args:
        width: distance of landmarks 5 and 17, pixels of the crop.
    """
    places = (
        *((0.26, 1.43), (-0.31, 1.26), (-0.76, 0.89), (-1.0, 0.6), (-1.2, 0.3)),
        *((-0.50, 0.06), (-0.55, -0.5), (-0.57, -0.8), (-0.6, -1.1)),
        *((-0.17, -0.06), (-0.18, -0.7), (-0.19, -1.0), (-0.2, -1.3)),
        *((0.16, -0.05), (0.18, -0.6), (0.19, -0.9), (0.2, -1.2)),
        *((0.50, 0.06), (0.55, -0.4), (0.6, -0.6), (0.63, -0.8)),
    )
    return np.array(places) * width + (112.0, 100.0)
