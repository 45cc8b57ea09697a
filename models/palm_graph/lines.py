"""Region → line response of each direction at each pixel, and of thin ones at every second.

See ``engine/features/competitive_code``. A disc is a union of upright rectangles, so dilation
by it is the maximum of a few poolings.

Filters along one side of the region are matrices, mirrored at the borders. The file holds the
filters' taps; the runtime expands them when it loads the graph. Filtering rows and columns is
then two matrix products.
"""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned
from engine.features.competitive_code import Scale, disc, gabor_kernels
from engine.parameters import (
    CODE_DIRECTIONS,
    CODE_SCALES,
    DENSE_CELLS,
    FOCUS_SIGMAS_PX,
    ROI_SIZE_PX,
)
from models.palm_graph.region import Fragment, real, whole

F64 = NDArray[np.float64]

NAMES: Final = ("", "thin_")
"""Prefixes of the names of ``CODE_SCALES``."""

_STEPS: Final = (1, ROI_SIZE_PX // DENSE_CELLS)
"""Of each one's responses, pixels."""

NEGLIGIBLE: Final = 2e-6
"""Smallest share of a kernel for which a product of two taps is kept."""

_FILTERS_TEXT: Final = """
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
    """Return the step that makes ``blurs``, ``gabor_down``, ``gabor_across`` and thin ones.

    Each has shape (filters, 128, 128): from the last axis to the one before.
    """
    norms = [scale[0] for scale in CODE_SCALES]
    blurs = [_gaussian(sigma) for sigma in (*norms, *FOCUS_SIGMAS_PX)]
    reach = max(len(blur) for blur in blurs) // 2
    families = {
        "blurs": np.stack([np.pad(blur, reach - len(blur) // 2) for blur in blurs]),
    }
    for name, scale in zip(NAMES, CODE_SCALES, strict=True):
        families[f"{name}gabor_down"], families[f"{name}gabor_across"] = separated_kernels(
            scale
        )
    constants = whole(
        int_0=0, int_1=1, int_size=ROI_SIZE_PX, int_last=ROI_SIZE_PX - 1,
        int_twice_last=2 * (ROI_SIZE_PX - 1), int_far=4 * ROI_SIZE_PX,
    )  # fmt: skip
    for name, taps in families.items():
        # A zero at either end stands for everything out of reach.
        constants |= real(**{f"{name}_taps": np.pad(taps, ((0, 0), (1, 1)))})
        reach = taps.shape[1] // 2 + 1
        constants |= whole(**{f"{name}_reach": reach, f"{name}_end": 2 * reach})
    return Fragment(
        _FILTERS_TEXT + "".join(_UNFOLD.format(name=n) for n in families), constants
    )


def separated_kernels(scale: Scale) -> tuple[F64, F64]:
    """Return the Gabor kernels as sums of products, taps down and taps across.

    Kernels of opposite slants are sum and difference of an even and an odd part: each part is
    separated once. Two arrays of shape (products, 35), in the order of ``_parts``.
    """
    terms = [term for part in _parts(scale) for term in _products(part)]
    down, across = zip(*terms, strict=True)
    return np.stack(down), np.stack(across)


def part_sizes(scale: Scale) -> tuple[int, ...]:
    """Return how many products each part has."""
    return tuple(len(_products(part)) for part in _parts(scale))


def _parts(scale: Scale) -> list[F64]:
    kernels = [np.asarray(kernel, np.float64) for kernel in gabor_kernels(*scale[1:])]
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


_LINES_TEXT: Final = """
  is_dark = LessOrEqual (region, dark)
  is_bright = GreaterOrEqual (region, bright)
  is_clipped = Or (is_dark, is_bright)
  clipped = Cast <to = 1> (is_clipped)
  sound = Sub (one, clipped)
  sound_plane = Unsqueeze (sound, axes_01)
{widen_sound}
  narrowed = Sub (one, sound_wide)
{widen_narrowed}
{widen_blind}
  blind = Squeeze (narrowed_wide, axes_01)
  blind_near = Squeeze (blind_wide, axes_01)
  skin = Sub (one, blind)
  lit = Sub (one, blind_near)
  shown = Mul (region, skin)
"""

_SCALE_TEXT: Final = """
  {n}blur_even = Gather <axis = 0> (blurs, int_{number})
  {n}blur_even_turned = Transpose ({n}blur_even)
  {n}skin_rows = MatMul ({n}blur_even, skin)
  {n}skin_blurred = MatMul ({n}skin_rows, {n}blur_even_turned)
  {n}share = Add ({n}skin_blurred, epsilon)
  {n}shown_rows = MatMul ({n}blur_even, shown)
  {n}shown_blurred = MatMul ({n}shown_rows, {n}blur_even_turned)
  {n}local_mean = Div ({n}shown_blurred, {n}share)
  {n}difference = Sub (region, {n}local_mean)
  {n}detail = Mul ({n}difference, skin)
  {n}squared = Mul ({n}detail, {n}detail)
  {n}squared_rows = MatMul ({n}blur_even, {n}squared)
  {n}squared_blurred = MatMul ({n}squared_rows, {n}blur_even_turned)
  {n}variance = Div ({n}squared_blurred, {n}share)
  {n}contrast = Sqrt ({n}variance)
  {n}contrast_floored = Add ({n}contrast, norm_floor)
  {n}even = Div ({n}detail, {n}contrast_floored)

  {n}gabor_across_turned = Transpose <perm = [0, 2, 1]> ({n}gabor_across)
  {n}gabor_across_kept = Slice ({n}gabor_across_turned, nothing, {n}size, axis_2, {n}step)
  {n}gabor_down_kept = Slice ({n}gabor_down, nothing, {n}size, axis_1, {n}step)
  {across_parts} = Split <axis = 0> ({n}gabor_across_kept, {n}part_sizes)
  {down_parts} = Split <axis = 0> ({n}gabor_down_kept, {n}part_sizes)
{parts}
{directions}
  {n}responses = Concat <axis = 0> ({all_directions})
"""

_PART: Final = """
  {n}filtered_{i} = MatMul ({n}even, {n}across_{i})
  {n}across_{i}_flat = Reshape ({n}filtered_{i}, {n}products_down)
  {n}down_{i}_swapped = Transpose <perm = [1, 0, 2]> ({n}down_{i})
  {n}down_{i}_flat = Reshape ({n}down_{i}_swapped, {n}products_along)
  {n}part_{i}_flat = MatMul ({n}down_{i}_flat, {n}across_{i}_flat)
  {n}part_{i} = Unsqueeze ({n}part_{i}_flat, axis_0)
"""


def lines_fragment() -> Fragment:
    """Return the step from ``region`` to ``responses``, ``thin_responses`` and ``lit``.

    Thin ones are those of every second pixel; lit pixels are not clipped.
    """
    text = _LINES_TEXT.format(
        widen_sound=widen("sound_plane", "sound_wide", tuned.CODE_BLIND_MIN_PX),
        widen_narrowed=widen("narrowed", "narrowed_wide", tuned.CODE_BLIND_MIN_PX),
        widen_blind=widen("narrowed_wide", "blind_wide", 2 * tuned.CODE_BLIND_REACH_PX + 1),
    )
    low, high = tuned.CODE_BLIND_LEVELS
    constants = {
        **real(
            dark=low + 0.5, bright=high - 0.5, epsilon=np.finfo(np.float32).eps,
            norm_floor=tuned.CODE_NORM_FLOOR,
        ),
        **whole(nothing=(0,)),
    }  # fmt: skip
    for number, (name, step) in enumerate(zip(NAMES, _STEPS, strict=True)):
        sizes = part_sizes(CODE_SCALES[number])
        text += _scale_text(name, number, range(len(sizes)))
        side = ROI_SIZE_PX // step
        numbers = {
            "size": (ROI_SIZE_PX,), "step": (step,), "part_sizes": sizes,
            "products_down": (-1, side), "products_along": (side, -1),
        }  # fmt: skip
        constants |= whole(**{f"{name}{each}": value for each, value in numbers.items()})
    return Fragment(text, constants)


def _scale_text(n: str, number: int, parts: range) -> str:
    return _SCALE_TEXT.format(
        n=n,
        number=number,
        across_parts=", ".join(f"{n}across_{i}" for i in parts),
        down_parts=", ".join(f"{n}down_{i}" for i in parts),
        parts="".join(_PART.format(n=n, i=i) for i in parts),
        directions=_directions(n),
        all_directions=", ".join(f"{n}direction_{i}" for i in range(CODE_DIRECTIONS)),
    )


def _directions(n: str) -> str:
    level = CODE_DIRECTIONS // 2
    lines = [f"  {n}direction_{i * level} = Identity ({n}part_{i})" for i in range(2)]
    for slant in range(1, level):
        pair = f"({n}part_{2 * slant}, {n}part_{2 * slant + 1})"
        lines.append(f"  {n}direction_{slant} = Add {pair}")
        lines.append(f"  {n}direction_{CODE_DIRECTIONS - slant} = Sub {pair}")
    return "\n".join(lines)


def widen(source: str, target: str, diameter_px: int) -> str:
    """Return the nodes that widen a plane, shape (1, 1, h, w), by a disc."""
    lines, names = [], []
    for number, (height, width) in enumerate(_rectangles(diameter_px)):
        names.append(f"{target}_{number}")
        pads = [height // 2, width // 2] * 2
        lines.append(
            f"  {names[-1]} = MaxPool <kernel_shape = [{height}, {width}], pads = {pads}>"
            f" ({source})"
        )
    return "\n".join([*lines, f"  {target} = Max ({', '.join(names)})"])


def _rectangles(diameter_px: int) -> list[tuple[int, int]]:
    widths = disc(diameter_px).sum(axis=1)
    return [(int(np.sum(widths >= width)), int(width)) for width in np.unique(widths)]
