"""Golden vectors: what the palm graphs gave for drawn hands when they were released.

``golden.npz`` holds the hands as JPEG, where their joints are, and what the graph said of them.
A template made today must equal one made then, in every runtime. Written again only when an
extractor gets a new name, or hides more cells, by ``python -m tests.onnx_web.golden``. Two
hands were given their template again when clipped colours began to count less.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.networks.onnx_model import load_model
from engine.settings import PALM_GRAPH, EngineSettings
from engine.types import Hand, PalmLandmarks, PalmSample
from models.synthesis.photo import draw_photo

FILE: Final = Path(__file__).with_name("golden.npz")

KEPT: Final = ("vector", "code", "dense", "corners", "quality", "merits")
"""Outputs that are kept; the region is what they are made of."""

_DRAWN: Final = (
    (1, Hand.LEFT, 320), (2, Hand.RIGHT, 320), (3, Hand.LEFT, 480), (4, Hand.RIGHT, 480),
    (5, Hand.LEFT, 800),
)  # fmt: skip
"""Person, hand and long side, pixels: from one place looked at for a pixel to four."""


@dataclass(frozen=True, slots=True)
class GoldenHand:
    """A drawn hand and what the graph said of it.

    Attributes:
        name: for messages.
        sample: the picture.
        landmarks: where the joints are.
        expected: outputs of the shipped graph by name.
    """

    name: str
    sample: PalmSample
    landmarks: PalmLandmarks
    expected: dict[str, NDArray[Any]] = field(repr=False)

    @property
    def inputs(self) -> dict[str, NDArray[Any]]:
        """What the graph is given."""
        return {
            "picture": self.sample.pixels,
            "landmarks": self.landmarks.points,
            "right": np.array(self.landmarks.hand is Hand.RIGHT),
        }


def golden_hands() -> list[GoldenHand]:
    """Read the golden vectors."""
    with np.load(FILE) as data:
        names = sorted({key.split("/")[0] for key in data})
        return [_read(name, data) for name in names]


def _read(name: str, data: Any) -> GoldenHand:
    """Read one hand."""
    picture = cv2.imdecode(data[f"{name}/jpeg"], cv2.IMREAD_COLOR)
    assert picture is not None
    pixels = np.ascontiguousarray(picture[..., ::-1], np.uint8)
    hand = Hand.RIGHT if data[f"{name}/right"] else Hand.LEFT
    landmarks = PalmLandmarks(data[f"{name}/landmarks"], hand, 1.0)
    expected = {output: data[f"{name}/{output}"] for output in KEPT}
    return GoldenHand(name, PalmSample(pixels), landmarks, expected)


def _drawn() -> Iterator[tuple[str, NDArray[np.uint8], NDArray[np.float32], Hand]]:
    """Draw the hands, and two that leave the picture or wear a black sleeve."""
    for person, hand, size in _DRAWN:
        photo = draw_photo(person, hand, 1, size_px=size)
        points = photo.joints.astype(np.float32)
        yield f"{person}-{hand.value}", photo.pixels, points, hand
    photo = draw_photo(6, Hand.RIGHT, 1, size_px=400)
    points = photo.joints.astype(np.float32)
    middle = points[[0, 9]].mean(axis=0).astype(int)
    yield "6-cut", photo.pixels[:, : middle[0] + 20], points, Hand.RIGHT
    pixels = photo.pixels.copy()
    pixels[middle[1] + 10 :] = 0
    yield "7-sleeve", pixels, points, Hand.RIGHT


def write() -> None:
    """Draw the hands and keep what the graphs say of them."""
    graph = load_model(PALM_GRAPH, EngineSettings())
    kept: dict[str, NDArray[Any]] = {}
    for name, pixels, points, hand in _drawn():
        _, jpeg = cv2.imencode(".jpg", pixels[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 85])
        kept[f"{name}/jpeg"] = np.asarray(jpeg, np.uint8).reshape(-1)
        kept[f"{name}/landmarks"] = points
        kept[f"{name}/right"] = np.array(hand is Hand.RIGHT)
        kept |= {f"{name}/{output}": np.zeros(0) for output in KEPT}
        inputs = _read(name, kept).inputs
        given = graph.run(inputs)
        kept |= {f"{name}/{output}": given[output] for output in KEPT}
    np.savez_compressed(FILE, **kept)  # type: ignore[arg-type]


if __name__ == "__main__":
    write()
