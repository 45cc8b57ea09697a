"""Region → line response of each direction at each pixel.

See ``engine/features/competitive_code``. A disc is a union of upright rectangles, so dilation
by it is the maximum of a few poolings.
"""

from typing import Final

import numpy as np

from engine import parameters as tuned
from engine.features.competitive_code import disc
from models.palm_graph.filters import part_sizes
from models.palm_graph.fragment import Fragment, real, whole

_TEXT: Final = """
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
    text = _TEXT.format(
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
