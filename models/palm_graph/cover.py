"""Region → which cells something covers, and the final ``seen``. Trained on drawn palms.

A small network (``models.training.covers``) looks at the relative contrast in four bands. What
it finds is widened, because a filter beside an edge sees the edge, and hidden like what is too
dark; so is contrast deeper than a crease's, as of a shadow's edge, which the network's inputs
do not reach. Where nothing is found, code and vector are to the bit what they were without.
"""

from pathlib import Path
from typing import Final

import numpy as np

from engine import parameters as tuned
from models.palm_graph.lines import widen
from models.palm_graph.region import Fragment, real, whole

WEIGHTS: Final = Path(__file__).with_name("cover_weights.npz")
"""Half precision, by layer: ``layers.N.weight`` and ``layers.N.bias``."""

DILATIONS: Final = (1, 2, 4, 8)
"""Of the layers between the two that halve the picture and the last."""

STRIDED: Final = ((5, 2), (3, 2))
"""Side of the first two layers' kernels, and their step."""

_BANDS: Final = """
  cover_light = Add (coarse_detail, cover_floor)
  cover_mean = Add (exposure, cover_floor)
  from_mean = Sub (coarse_detail, exposure)
  band_0 = Div (from_fine, cover_light)
  band_1 = Div (band_fine, cover_light)
  band_2 = Div (band_coarse, cover_light)
  band_3 = Div (from_mean, cover_mean)
  band_0_plane = Unsqueeze (band_0, axes_01)
  band_1_plane = Unsqueeze (band_1, axes_01)
  band_2_plane = Unsqueeze (band_2, axes_01)
  band_3_plane = Unsqueeze (band_3, axes_01)
  bands = Concat <axis = 1> (band_0_plane, band_1_plane, band_2_plane, band_3_plane)
  bands_scaled = Mul (bands, cover_gains)
  cover_0 = Clip (bands_scaled, cover_least, cover_most)
"""

_LAYER: Final = """
  kernel_{n} = Cast <to = 1> (kernel_{n}_half)
  offset_{n} = Cast <to = 1> (offset_{n}_half)
  cover_{n}_sum = Conv <kernel_shape = [{side}, {side}], strides = [{step}, {step}],
    pads = [{pad}, {pad}, {pad}, {pad}], dilations = [{apart}, {apart}]>
    (cover_{n}, kernel_{n}, offset_{n})
"""

_HIDE: Final = """
  is_thing = Greater (cover_{last}_sum, cover_limit)
  things = Cast <to = 1> (is_thing)
  depths = Abs (bands)
  depth_cells = MaxPool <kernel_shape = [{cell}, {cell}], strides = [{cell}, {cell}]> (depths)
  is_deep = Greater (depth_cells, cover_depths)
  deep = Cast <to = 1> (is_deep)
  deepest = ReduceMax (deep, axis_1)
  covers = Max (things, deepest)
{widened}
  cover_columns = Reshape (covers_wide, cover_cells)
  cover_spread = Expand (cover_columns, cover_spread_size)
  covered = Reshape (cover_spread, cover_size)
  uncovered = Sub (one, covered)
  seen = Mul (lit, uncovered)
"""


def cover_fragment() -> Fragment:
    """Return the step from ``region``, its details and ``lit`` to ``seen`` (128, 128)."""
    shapes = [(side, step, side // 2, 1) for side, step in STRIDED]
    shapes += [(3, 1, apart, apart) for apart in DILATIONS]
    shapes.append((1, 1, 0, 1))
    last = len(shapes) - 1
    text = _BANDS
    for n, (side, step, pad, apart) in enumerate(shapes):
        text += _LAYER.format(n=n, side=side, step=step, pad=pad, apart=apart)
        text += f"  cover_{n + 1} = Relu (cover_{n}_sum)\n" if n < last else ""
    cells, step = tuned.CODE_CELLS, tuned.ROI_SIZE_PX // tuned.CODE_CELLS
    widened = widen("covers", "covers_wide", tuned.COVER_REACH_CELLS)
    text += _HIDE.format(last=last, cell=step, widened=widened)
    constants = {
        **real(
            cover_floor=tuned.COVER_FLOOR, cover_limit=tuned.COVER_LIMIT,
            cover_depths=np.array(tuned.COVER_DEPTHS).reshape(1, -1, 1, 1),
            cover_gains=np.array(tuned.COVER_GAINS).reshape(1, -1, 1, 1),
            cover_least=-tuned.COVER_BOUND, cover_most=tuned.COVER_BOUND,
        ),
        **whole(
            cover_cells=(cells, 1, cells, 1), cover_spread_size=(cells, step, cells, step),
            cover_size=(tuned.ROI_SIZE_PX, tuned.ROI_SIZE_PX),
        ),
    }  # fmt: skip
    with np.load(WEIGHTS) as weights:
        for n in range(len(shapes)):
            constants[f"kernel_{n}_half"] = weights[f"layers.{n}.weight"]
            constants[f"offset_{n}_half"] = weights[f"layers.{n}.bias"]
    return Fragment(text, constants)
