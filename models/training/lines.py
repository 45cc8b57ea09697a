"""Crops → the network's input: line responses at the cells of the competitive code.

Same filters as ``engine.features.competitive_code``, in torch. Stored in eight bits.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from engine.features.competitive_code import disc, gabor_kernels
from engine.parameters import (
    CODE_BLIND_MIN_PX,
    CODE_BLIND_REACH_PX,
    CODE_CELLS,
    CODE_DIRECTIONS,
    CODE_KERNEL_PX,
    CODE_NORM_FLOOR,
    CODE_NORM_SIGMA_PX,
    ROI_SIZE_PX,
)
from engine.roi import is_clipped

U8 = NDArray[np.uint8]
I8 = NDArray[np.int8]

LINE_PLANES: Final = CODE_DIRECTIONS + 1
"""Responses of all directions, and where skin is seen."""

LINE_UNIT: Final = 40 / 127
"""Response of one step of eight bits; stronger ones are clipped."""

_STEP: Final = ROI_SIZE_PX // CODE_CELLS
_MIDDLE: Final = _STEP // 2
_BATCH: Final = 128


def find_cells(crops: U8) -> I8:
    """Return the lines of crops, shape (n, LINE_PLANES, 32, 32), int8.

    Responses in steps of ``LINE_UNIT``, lower for darker lines; then 1 where skin is seen.
    Crops have shape (n, 128, 128), uint8.
    """
    parts = [_found(crops[i : i + _BATCH]) for i in range(0, len(crops), _BATCH)]
    return np.concatenate(parts)


def split(cells: Tensor) -> tuple[Tensor, Tensor]:
    """Return responses, shape (n, 6, 32, 32), and skin, shape (n, 32, 32), as float32."""
    planes = cells.float()
    return planes[:, :CODE_DIRECTIONS] * LINE_UNIT, planes[:, CODE_DIRECTIONS]


def normalise_contrast(crops: U8) -> tuple[Tensor, U8]:
    """Normalise local mean and contrast of crops, shape (n, 128, 128), uint8.

    Returns float32, 0 in blind spots, and uint8, not 0 near a blind spot.
    """
    blind = np.stack([_blind(crop) for crop in crops])
    near = np.stack([cv2.dilate(b, disc(2 * CODE_BLIND_REACH_PX + 1)) for b in blind])
    skin = torch.from_numpy(1 - blind.astype(np.float32))
    return _normalised(torch.from_numpy(crops).float(), skin), near.astype(np.uint8)


def responses_of(normalised: Tensor) -> Tensor:
    """Filter normalised planes, shape (n, 128, 128), at the cells, shape (n, 6, 32, 32)."""
    half = CODE_KERNEL_PX // 2
    padded = functional.pad(normalised[:, None], (half,) * 4, mode="reflect")
    kernels = torch.from_numpy(np.stack(gabor_kernels())[:, None])
    return functional.conv2d(padded[..., _MIDDLE:, _MIDDLE:], kernels, stride=_STEP)


@torch.no_grad()
def _found(crops: U8) -> I8:
    normalised, near = normalise_contrast(crops)
    responses = responses_of(normalised)
    cells = np.empty((len(crops), LINE_PLANES, CODE_CELLS, CODE_CELLS), np.int8)
    cells[:, :CODE_DIRECTIONS] = (responses / LINE_UNIT).round().clamp(-127, 127).numpy()
    cells[:, CODE_DIRECTIONS] = near[:, _MIDDLE::_STEP, _MIDDLE::_STEP] == 0
    return cells


def _blind(crop: U8) -> U8:
    """Return 1 where no skin is seen."""
    spots = cv2.morphologyEx(
        is_clipped(crop.astype(np.float32)).astype(np.uint8), cv2.MORPH_OPEN,
        disc(CODE_BLIND_MIN_PX), borderType=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    return np.asarray(spots, np.uint8)


def _normalised(grey: Tensor, skin: Tensor) -> Tensor:
    """Even out local mean and contrast, shape (n, 128, 128)."""
    blur = _blur()
    share = blur @ skin @ blur.T + torch.finfo(torch.float32).eps
    detail = (grey - (blur @ (grey * skin) @ blur.T) / share) * skin
    contrast = torch.sqrt((blur @ (detail * detail) @ blur.T) / share)
    return detail / (contrast + CODE_NORM_FLOOR)


@cache
def _blur() -> Tensor:
    """Return the matrix that blurs a column, shape (128, 128)."""
    size = 2 * int(np.ceil(4 * CODE_NORM_SIGMA_PX)) + 1
    kernel = cv2.getGaussianKernel(size, CODE_NORM_SIGMA_PX, cv2.CV_64F)
    rows = cv2.filter2D(np.eye(ROI_SIZE_PX), -1, kernel.T, borderType=cv2.BORDER_REFLECT_101)
    # Filtering in the frequency domain may leave tiny negative values.
    rows = np.maximum(rows, 0)
    return torch.from_numpy(np.ascontiguousarray(rows.T, np.float32))
