"""Pictures of the worst errors: least similar mated, most similar non-mated pairs.

They show people: only for the page that stays with the data, never in a result.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.acquisition.acquire import region_of
from benchmarks.accuracy.plan import UNKNOWN_PALM, Plan
from benchmarks.datasets.manifest import Picture
from engine.pipeline import PalmPipeline

PAIR_COUNT: Final = 12

OF_ONE_PALM: Final = 2
"""Most pairs of the same two palms: one bad picture must not fill the page."""

PICTURE_PX: Final = 128


@dataclass(frozen=True, slots=True)
class ShownPair:
    """A pair to show.

    Attributes:
        rows: manifest rows of probe and reference.
        palms: their names in the manifest.
        pictures: regions of interest as data URLs.
    """

    score: float
    rows: tuple[int, int]
    palms: tuple[str, str] = field(repr=False)
    pictures: tuple[str, str] = field(repr=False)


def choose_pairs(
    scores: NDArray[np.float32], pairs: NDArray[np.int32], plan: Plan, *, lowest: bool
) -> list[tuple[float, int, int]]:
    """Choose the pairs to show: score, probe, reference."""
    order = _lowest(scores if lowest else -np.asarray(scores), 100 * PAIR_COUNT)
    counts: dict[tuple[int, int], int] = {}
    chosen = []
    for place in order:
        probe, reference = (int(template) for template in pairs[place])
        palms = (int(_palm(plan, probe)), int(_palm(plan, reference)))
        counts[palms] = counts.get(palms, 0) + 1
        if counts[palms] <= OF_ONE_PALM:
            chosen.append((float(scores[place]), probe, reference))
        if len(chosen) == PAIR_COUNT:
            break
    return chosen


def show_pairs(
    chosen: Sequence[tuple[float, int, int]],
    plan: Plan,
    pictures: Sequence[Picture],
    pipeline: PalmPipeline,
) -> list[ShownPair]:
    """Cut the regions of chosen pairs from their pictures."""
    shown = []
    for score, probe, reference in chosen:
        rows = (int(plan.rows[probe]), int(plan.rows[reference]))
        probe_picture, reference_picture = (pictures[row] for row in rows)
        shown.append(
            ShownPair(
                score,
                rows,
                (probe_picture.identity or "not known", reference_picture.identity),
                (_url(pipeline, probe_picture), _url(pipeline, reference_picture)),
            )
        )
    return shown


def _palm(plan: Plan, template: int) -> int:
    identity = plan.identities[template]
    return int(-1 - template if identity == UNKNOWN_PALM else identity)


def _lowest(values: NDArray[np.float32], count: int) -> NDArray[np.int_]:
    if values.size > count:
        limit = np.partition(values, count)[count]
        places = np.flatnonzero(values <= limit)
    else:
        places = np.arange(values.size)
    return places[np.argsort(values[places], kind="stable")][:count]


def _url(pipeline: PalmPipeline, picture: Picture) -> str:
    pixels = region_of(pipeline, picture).pixels.round().astype(np.uint8)
    size = (PICTURE_PX, PICTURE_PX)
    _, png = cv2.imencode(".png", cv2.resize(pixels, size, interpolation=cv2.INTER_AREA))
    return "data:image/png;base64," + base64.b64encode(bytes(png)).decode()
