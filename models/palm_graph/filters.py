"""Filters along one side of the region as matrices, mirrored at the borders.

The file holds the filters' taps; the runtime expands them when it loads the graph. Filtering
rows and columns is then two matrix products.
"""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.features.competitive_code import gabor_kernels
from engine.parameters import CODE_DIRECTIONS, CODE_NORM_SIGMA_PX, FOCUS_SIGMAS_PX, ROI_SIZE_PX
from models.palm_graph.fragment import Fragment, real, whole

F64 = NDArray[np.float64]

NEGLIGIBLE: Final = 2e-6
"""Smallest share of a kernel for which a product of two taps is kept."""

_TEXT: Final = """
  position = Range (int_0, int_size, int_1)
  position_down = Unsqueeze (position, axis_1)
  towards = Sub (position, position_down)
  both = Add (position, position_down)
  is_first = Equal (position, int_0)
  is_last = Equal (position, int_last)
  before_first = Neg (both)
  beyond_last = Sub (int_twice_last, both)
  mirrored_low = Where (is_first, int_far, before_first)
  mirrored_high = Where (is_last, int_far, beyond_last)
"""

_UNFOLD: Final = """
  {name}_at = Add (towards, {name}_reach)
  {name}_at_low = Add (mirrored_low, {name}_reach)
  {name}_at_high = Add (mirrored_high, {name}_reach)
  {name}_in = Clip ({name}_at, int_0, {name}_end)
  {name}_in_low = Clip ({name}_at_low, int_0, {name}_end)
  {name}_in_high = Clip ({name}_at_high, int_0, {name}_end)
  {name}_direct = Gather <axis = 1> ({name}_taps, {name}_in)
  {name}_folded_low = Gather <axis = 1> ({name}_taps, {name}_in_low)
  {name}_folded_high = Gather <axis = 1> ({name}_taps, {name}_in_high)
  {name}_folded = Add ({name}_folded_low, {name}_folded_high)
  {name} = Add ({name}_direct, {name}_folded)
"""


def filters_fragment() -> Fragment:
    """Return the step that makes ``blurs``, ``gabor_down`` and ``gabor_across``.

    Each has shape (filters, 128, 128): from the last axis to the one before.
    """
    down, across = separated_kernels()
    blurs = [_gaussian(sigma) for sigma in (CODE_NORM_SIGMA_PX, *FOCUS_SIGMAS_PX)]
    reach = max(len(blur) for blur in blurs) // 2
    families = {
        "blurs": np.stack([np.pad(blur, reach - len(blur) // 2) for blur in blurs]),
        "gabor_down": down,
        "gabor_across": across,
    }
    constants = whole(
        int_0=0, int_1=1, int_size=ROI_SIZE_PX, int_last=ROI_SIZE_PX - 1,
        int_twice_last=2 * (ROI_SIZE_PX - 1), int_far=4 * ROI_SIZE_PX,
    )  # fmt: skip
    for name, taps in families.items():
        # A zero at either end stands for everything out of reach.
        constants |= real(**{f"{name}_taps": np.pad(taps, ((0, 0), (1, 1)))})
        reach = taps.shape[1] // 2 + 1
        constants |= whole(**{f"{name}_reach": reach, f"{name}_end": 2 * reach})
    return Fragment(_TEXT + "".join(_UNFOLD.format(name=n) for n in families), constants)


def separated_kernels() -> tuple[F64, F64]:
    """Return the Gabor kernels as sums of products, taps down and taps across.

    Kernels of opposite slants are sum and difference of an even and an odd part: each part is
    separated once. Two arrays of shape (products, 35), in the order of ``_parts``.
    """
    terms = [term for part in _parts() for term in _products(part)]
    down, across = zip(*terms, strict=True)
    return np.stack(down), np.stack(across)


def part_sizes() -> tuple[int, ...]:
    """Return how many products each part has."""
    return tuple(len(_products(part)) for part in _parts())


def _parts() -> list[F64]:
    kernels = [np.asarray(kernel, np.float64) for kernel in gabor_kernels()]
    level = CODE_DIRECTIONS // 2
    parts = [kernels[0], kernels[level]]
    for slant in range(1, level):
        one, other = kernels[slant], kernels[CODE_DIRECTIONS - slant]
        parts += [(one + other) / 2, (one - other) / 2]
    return parts


def _products(part: F64) -> list[tuple[F64, F64]]:
    down, weights, across = np.linalg.svd(part)
    count = int(np.sum(weights > NEGLIGIBLE * weights[0]))
    signs = np.sign(down[np.abs(down).argmax(axis=0), np.arange(len(part))])
    roots = np.sqrt(weights) * signs
    return [(down[:, i] * roots[i], across[i] * roots[i]) for i in range(count)]


def _gaussian(sigma: float) -> F64:
    """Return OpenCV's smoothing taps for a float image."""
    size = round(8 * sigma + 1) | 1
    return np.asarray(cv2.getGaussianKernel(size, sigma, cv2.CV_64F)[:, 0], np.float64)
