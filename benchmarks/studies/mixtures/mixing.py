"""Makes one palm of several people's: by cells of the code, or by parts of the picture.

The forger has all pictures of all people, cuts them by one layout, and makes light and contrast
of the parts equal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from benchmarks.datasets.samples import landmarks_on_crop
from engine.features.code_bytes import directions_of, pack_code, seen_of
from engine.parameters import CODE_CELLS, CODE_NORM_SIGMA_PX, ROI_SIZE_PX
from engine.types import Hand, PalmSample

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from engine.extract import Extractor
    from engine.types import PalmTemplate

    Owners = NDArray[np.int64]
    Layout = Callable[[int, np.random.Generator], Owners]

FEATHER_PX: Final = 3.0
"""Gaussian between the parts of a picture: a sharp edge would be a line."""

GREY: Final = 128.0
CONTRAST: Final = 28.0
"""Mean and deviation of a part, grey levels, as in pictures of hands."""

SMALLEST_TILE: Final = 3
LARGEST_TILE: Final = 12
"""Cells."""

PATCHES_OF_EACH: Final = 3

BLEND: Final = "blend"
"""Pictures only: one laid over the other."""


def _places(rng: np.random.Generator) -> tuple[Owners, Owners]:
    """Return rows and columns, either way round."""
    rows, columns = np.indices((CODE_CELLS, CODE_CELLS))
    return (rows, columns) if rng.random() < 0.5 else (columns, rows)


def _halves(people: int, rng: np.random.Generator) -> Owners:
    return _places(rng)[0] * people // CODE_CELLS


def _stripes(people: int, rng: np.random.Generator) -> Owners:
    return _places(rng)[0] // 4 % people


def _checks(cells: int) -> Layout:
    def layout(people: int, rng: np.random.Generator) -> Owners:
        rows, columns = _places(rng)
        return (rows // cells + columns // cells) % people

    return layout


def _tiles(people: int, rng: np.random.Generator) -> Owners:
    cells = int(rng.integers(SMALLEST_TILE, LARGEST_TILE + 1))
    rows, columns = np.indices((CODE_CELLS, CODE_CELLS)) // cells
    per_side = -(-CODE_CELLS // cells)
    owners = rng.permutation(np.arange(per_side**2) % people).reshape(per_side, per_side)
    return owners[rows, columns]


def _patches(people: int, rng: np.random.Generator) -> Owners:
    """Return the cells that are nearest to each person's points."""
    points = rng.random((PATCHES_OF_EACH * people, 2)) * CODE_CELLS
    away = np.stack(_places(rng), axis=-1)[:, :, None] - points
    return np.asarray((away**2).sum(axis=-1).argmin(axis=-1) % people, np.int64)


LAYOUTS: Final[Mapping[str, Layout]] = {
    "halves": _halves,
    "stripes-4": _stripes,
    "checks-8": _checks(8),
    "checks-4": _checks(4),
    "checks-1": _checks(1),
    "tiles": _tiles,
    "patches": _patches,
}
"""Return whose each cell is, shape (32, 32), 0 to people − 1. Numbers are cells."""


def mix_templates(parts: Sequence[PalmTemplate], owners: Owners) -> PalmTemplate:
    """Return a code whose cells are their owners', with the mean of all vectors."""
    directions = np.stack([directions_of(part.code) for part in parts])
    seen = np.stack([seen_of(part.code) for part in parts])
    rows, columns = np.indices(owners.shape)
    code = pack_code(directions[owners, rows, columns], seen[owners, rows, columns])
    mean = np.mean([part.vector for part in parts], axis=0)
    unit = (mean / np.linalg.norm(mean)).astype(np.float32)
    return replace(parts[0], code=code, vector=unit)


def mix_regions(
    regions: Sequence[NDArray[np.float32]], owners: Owners | None
) -> NDArray[np.uint8]:
    """Return a picture of regions, shape (128, 128); without owners all are laid over it."""
    details = np.stack([_equalised(region) for region in regions])
    if owners is None:
        mixed = details.mean(axis=0) * np.sqrt(len(details))
    else:
        mixed = (details * _weights(owners, len(details))).sum(axis=0)
    return np.asarray(np.clip(GREY + CONTRAST * mixed, 0, 255).round(), np.uint8)


def template_of_region(
    pixels: NDArray[np.uint8], hand: Hand, extractor: Extractor
) -> PalmTemplate:
    """Extract a composed picture's template. Raises ``FailureToAcquire``."""
    # Regions of right hands are mirrored; the extractor does it again.
    if hand is Hand.RIGHT:
        pixels = pixels[:, ::-1]
    sample = PalmSample(np.ascontiguousarray(np.repeat(pixels[..., None], 3, axis=2)))
    landmarks = landmarks_on_crop(sample, hand)
    return extractor.extract(sample, landmarks).template


def _equalised(region: NDArray[np.float32]) -> NDArray[np.float32]:
    detail = region - cv2.GaussianBlur(region, (0, 0), CODE_NORM_SIGMA_PX)
    contrast = np.sqrt(cv2.GaussianBlur(detail * detail, (0, 0), CODE_NORM_SIGMA_PX))
    return np.asarray(detail / (contrast + 2), np.float32)


def _weights(owners: Owners, people: int) -> NDArray[np.float32]:
    scale = ROI_SIZE_PX // CODE_CELLS
    large = owners.repeat(scale, axis=0).repeat(scale, axis=1)
    shares = [(large == person).astype(np.float32) for person in range(people)]
    soft = np.stack([cv2.GaussianBlur(share, (0, 0), FEATHER_PX) for share in shares])
    return np.asarray(soft / soft.sum(axis=0), np.float32)
