"""Region → line response of each direction at each pixel.

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
from engine.features.competitive_code import disc, gabor_kernels
from engine.parameters import CODE_DIRECTIONS, CODE_NORM_SIGMA_PX, FOCUS_SIGMAS_PX, ROI_SIZE_PX
from models.palm_graph.region import Fragment, real, whole

F64 = NDArray[np.float64]

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
    return Fragment(
        _FILTERS_TEXT + "".join(_UNFOLD.format(name=n) for n in families), constants
    )


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

  blur_even = Gather <axis = 0> (blurs, int_0)
  blur_even_turned = Transpose (blur_even)
  skin_rows = MatMul (blur_even, skin)
  skin_blurred = MatMul (skin_rows, blur_even_turned)
  share = Add (skin_blurred, epsilon)
  shown = Mul (region, skin)
  shown_rows = MatMul (blur_even, shown)
  shown_blurred = MatMul (shown_rows, blur_even_turned)
  local_mean = Div (shown_blurred, share)
  difference = Sub (region, local_mean)
  detail = Mul (difference, skin)
  squared = Mul (detail, detail)
  squared_rows = MatMul (blur_even, squared)
  squared_blurred = MatMul (squared_rows, blur_even_turned)
  variance = Div (squared_blurred, share)
  contrast = Sqrt (variance)
  contrast_floored = Add (contrast, norm_floor)
  even = Div (detail, contrast_floored)

  gabor_across_turned = Transpose <perm = [0, 2, 1]> (gabor_across)
  {across_parts} = Split <axis = 0> (gabor_across_turned, part_sizes)
  {down_parts} = Split <axis = 0> (gabor_down, part_sizes)
{parts}
{directions}
  responses = Concat <axis = 0> ({all_directions})
"""

_PART: Final = """
  filtered_{i} = MatMul (even, across_{i})
  across_{i}_flat = Reshape (filtered_{i}, products_down)
  down_{i}_swapped = Transpose <perm = [1, 0, 2]> (down_{i})
  down_{i}_flat = Reshape (down_{i}_swapped, products_along)
  part_{i}_flat = MatMul (down_{i}_flat, across_{i}_flat)
  part_{i} = Unsqueeze (part_{i}_flat, axis_0)
"""


def lines_fragment() -> Fragment:
    """Return the step from ``region`` to ``responses``, and to ``lit``, not clipped."""
    sizes = part_sizes()
    count = range(len(sizes))
    text = _LINES_TEXT.format(
        widen_sound=widen("sound_plane", "sound_wide", tuned.CODE_BLIND_MIN_PX),
        widen_narrowed=widen("narrowed", "narrowed_wide", tuned.CODE_BLIND_MIN_PX),
        widen_blind=widen("narrowed_wide", "blind_wide", 2 * tuned.CODE_BLIND_REACH_PX + 1),
        across_parts=", ".join(f"across_{i}" for i in count),
        down_parts=", ".join(f"down_{i}" for i in count),
        parts="".join(_PART.format(i=i) for i in count),
        directions=_directions(),
        all_directions=", ".join(f"direction_{i}" for i in range(tuned.CODE_DIRECTIONS)),
    )
    low, high = tuned.CODE_BLIND_LEVELS
    constants = {
        **real(
            dark=low + 0.5, bright=high - 0.5, epsilon=np.finfo(np.float32).eps,
            norm_floor=tuned.CODE_NORM_FLOOR,
        ),
        **whole(
            part_sizes=sizes, products_down=(-1, tuned.ROI_SIZE_PX),
            products_along=(tuned.ROI_SIZE_PX, -1),
        ),
    }  # fmt: skip
    return Fragment(text, constants)


def _directions() -> str:
    level = tuned.CODE_DIRECTIONS // 2
    lines = ["  direction_0 = Identity (part_0)", f"  direction_{level} = Identity (part_1)"]
    for slant in range(1, level):
        even, odd = f"part_{2 * slant}", f"part_{2 * slant + 1}"
        lines += [
            f"  direction_{slant} = Add ({even}, {odd})",
            f"  direction_{tuned.CODE_DIRECTIONS - slant} = Sub ({even}, {odd})",
        ]
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
