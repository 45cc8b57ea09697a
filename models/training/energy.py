"""Oriented energy of many crops in torch, as ``engine.features.oriented_energy``.

Filtering in the frequency domain takes a fifth of the time.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from torch.nn import functional

from engine.features.competitive_code import gabor_kernels
from engine.features.oriented_energy import ENERGY_DIMENSION, cell_windows
from engine.parameters import CODE_KERNEL_PX, ENERGY_POWER, ENERGY_TIE, ROI_SIZE_PX
from models.training.lines import normalise_contrast

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

    F32 = NDArray[np.float32]
    U8 = NDArray[np.uint8]

_REACH: Final = CODE_KERNEL_PX // 2
_PADDED_PX: Final = ROI_SIZE_PX + 2 * _REACH
_BATCH: Final = 64


def describe_crops(crops: U8) -> F32:
    """Return the oriented energy of crops before whitening, shape (n, 384), float32, norm 1.

    Crops have shape (n, 128, 128), uint8. One without lines gives a constant vector.
    """
    parts = [_described(crops[i : i + _BATCH]) for i in range(0, len(crops), _BATCH)]
    return np.concatenate(parts)


@torch.no_grad()
def _described(crops: U8) -> F32:
    normalised, near = normalise_contrast(crops)
    responses = responses_of_all(normalised)
    strongest = responses.amin(dim=1, keepdim=True)
    seen = torch.from_numpy((near == 0).astype(np.float32))
    strength = functional.relu(-strongest) ** ENERGY_POWER * seen[:, None]
    energy = functional.relu(1 - (responses - strongest) / ENERGY_TIE) * strength
    window = torch.from_numpy(cell_windows(ROI_SIZE_PX))
    gathered = torch.sqrt(window @ energy @ window.T)
    contrast = (gathered - gathered.mean(dim=(2, 3), keepdim=True)).flatten(1)
    void = contrast.norm(dim=1) < torch.finfo(torch.float32).eps
    described = functional.normalize(contrast, dim=1)
    described[void] = ENERGY_DIMENSION**-0.5
    return np.asarray(described.numpy(), np.float32)


def responses_of_all(normalised: Tensor) -> Tensor:
    """Filter normalised planes, shape (n, 128, 128), at every pixel, shape (n, 6, 128, 128)."""
    padded = functional.pad(normalised[:, None], (_REACH,) * 4, mode="reflect")
    spectrum = torch.fft.rfft2(padded) * _kernel_spectra()
    size = (_PADDED_PX, _PADDED_PX)
    return torch.fft.irfft2(spectrum, s=size)[..., :ROI_SIZE_PX, :ROI_SIZE_PX]


@cache
def _kernel_spectra() -> Tensor:
    kernels = torch.from_numpy(np.stack(gabor_kernels()).astype(np.float32))
    return torch.fft.rfft2(kernels, s=(_PADDED_PX, _PADDED_PX)).conj()
