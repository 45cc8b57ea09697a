"""Picture and landmarks → region of interest, its geometry and its quality.

See ``engine/roi`` and ``engine/quality``. ``Fragment`` is a step of the graph: ONNX text and
the constants it names.

A similarity is linear in its four numbers, so the fit is one constant matrix. The picture is
cropped first, so the cost does not grow with it. Landmarks are relative to a pixel in their
middle, where single precision suffices.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine import parameters as tuned
from engine.parameters import FOCUS_FLOOR
from engine.quality import CLIPPED_LIMITS, GATES
from engine.types import Quality

Constants = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Fragment:
    """One step: its nodes in ONNX text, and its initialisers by name."""

    text: str
    constants: Mapping[str, NDArray[Any]] = field(repr=False)


def real(**numbers: ArrayLike) -> Constants:
    """Return float32 constants."""
    return {name: np.asarray(value, np.float32) for name, value in numbers.items()}


def whole(**numbers: ArrayLike) -> Constants:
    """Return int64 constants: axes, shapes, indices."""
    return {name: np.asarray(value, np.int64) for name, value in numbers.items()}


F64 = NDArray[np.float64]

_REGION_TEXT: Final = """
  flip = Where (right, mirrored, upright)
  six = Gather <axis = 0> (landmarks, fit_landmarks)
  mean_place = ReduceMean (six, axis_0)
  middle = Floor (mean_place)
  from_middle = Sub (six, middle)
  palm = Mul (from_middle, flip)
  observed = Reshape (palm, column)
  similarity = MatMul (fit, observed)
  u_column = MatMul (pick_u, similarity)
  v_column = MatMul (pick_v, similarity)
  t_column = MatMul (pick_t, similarity)
  u_row = Reshape (u_column, row)
  v_row = Reshape (v_column, row)
  t_row = Reshape (t_column, row)
  u = Mul (u_row, flip)
  v = Mul (v_row, flip)
  t = Mul (t_row, flip)
  unit = ReduceL2 <keepdims = 0> (u)
  scale_px = Mul (unit, square_side)

  even_similarity = MatMul (fit_evenly, observed)
  even_u = MatMul (pick_u, even_similarity)
  even_unit = ReduceL2 <keepdims = 0> (even_u)
  misfit = MatMul (misfit_of, observed)
  misfit_sum = ReduceSumSquare <keepdims = 0> (misfit)
  misfit_mean = Div (misfit_sum, landmark_count)
  misfit_px = Sqrt (misfit_mean)
  residual = Div (misfit_px, even_unit)

  corners_u = Mul (square_x, u)
  corners_v = Mul (square_y, v)
  corners_uv = Add (corners_u, corners_v)
  corners_t = Add (corners_uv, t)
  corners = Add (corners_t, middle)

  shape = Shape <start = 0, end = 2> (picture)
  shape_float = Cast <to = 1> (shape)
  size_xy = Gather <axis = 0> (shape_float, swap)
  least = ReduceMin <keepdims = 0> (corners, axis_0)
  most = ReduceMax <keepdims = 0> (corners, axis_0)
  least_spaced = Sub (least, two)
  most_spaced = Add (most, two)
  least_wide = Floor (least_spaced)
  most_wide = Ceil (most_spaced)
  last = Sub (size_xy, one)
  least_inside = Max (least_wide, nought)
  low = Min (least_inside, last)
  low_end = Add (low, one)
  most_end = Max (most_wide, low_end)
  high = Min (most_end, size_xy)
  low_yx = Gather <axis = 0> (low, swap)
  high_yx = Gather <axis = 0> (high, swap)
  starts = Cast <to = 7> (low_yx)
  ends = Cast <to = 7> (high_yx)
  window = Slice (picture, starts, ends, axes_01)
  window_float = Cast <to = 1> (window)
  grey = MatMul (window_float, luma)
  planes = Transpose <perm = [2, 0, 1]> (grey)
  plane = Unsqueeze (planes, axis_0)

  window_size = Sub (high, low)
  per_pixel = Div (two, window_size)
  u_scaled = Mul (u, per_pixel)
  v_scaled = Mul (v, per_pixel)
  middle_from_low = Sub (middle, low)
  t_from_low = Add (t, middle_from_low)
  t_scaled = Mul (t_from_low, per_pixel)
  t_grid = Sub (t_scaled, one)

  spacing = Mul (unit, spacing_per_unit)
  density_wanted = Ceil (spacing)
  density = Clip (density_wanted, one, max_density)
  parts = Range (nought, density, one)
  parts_middle = Add (parts, half)
  parts_share = Div (parts_middle, density)
  parts_column = Unsqueeze (parts_share, axis_1)
  along = Add (pixels, parts_column)
  along_scaled = Mul (along, pixel_side)
  x_flat = Sub (along_scaled, half_width)
  y_flat = Add (along_scaled, top)
  x_places = Unsqueeze (x_flat, axis_2)
  steps_u = Mul (x_places, u_scaled)
  row_first = Add (steps_u, t_grid)
  row_size = Shape (row_first)
  row_down = Expand (v_scaled, row_size)
  row_pairs = Concat <axis = 1> (row_first, row_down)
  rows = Reshape (row_pairs, rows_shape)
  y_places = Unsqueeze (y_flat, axes_13)
  row_weights = Pad (y_places, weight_before, one, pad_axis)
  grid_parts = MatMul (row_weights, rows)
  grid = Reshape (grid_parts, grid_shape)
  fine = GridSample <mode = "linear", padding_mode = "zeros", align_corners = 0> (plane, grid)
  layers = Reshape (fine, layers_shape)
  region = ReduceMean <keepdims = 0> (layers, axis_0)

  u_planes = Reshape (u, planes_shape)
  v_planes = Reshape (v, planes_shape)
  t_planes = Reshape (t, planes_shape)
  middle_planes = Reshape (middle, planes_shape)
  size_planes = Reshape (size_xy, planes_shape)
  centre_x = Mul (centres_x, u_planes)
  centre_y = Mul (centres_y, v_planes)
  centre_xy = Add (centre_x, centre_y)
  centre_t = Add (centre_xy, t_planes)
  centres = Add (centre_t, middle_planes)
  is_past = GreaterOrEqual (centres, nought)
  is_before = LessOrEqual (centres, size_planes)
  is_within = And (is_past, is_before)
  within = Cast <to = 1> (is_within)
  within_both = ReduceMin <keepdims = 0> (within, axis_0)
  inside_share = ReduceMean <keepdims = 0> (within_both)
"""


def region_fragment() -> Fragment:
    """Return the step from picture, landmarks and right to region and geometry."""
    x, y = np.array(tuned.ROI_MEAN_PALM).T
    predict = _predict(x, y)
    root = np.sqrt(np.repeat(tuned.ROI_FIT_WEIGHTS, 2))[:, None]
    evenly = np.linalg.pinv(predict)
    side = 2 * tuned.ROI_HALF_WIDTH / tuned.ROI_SIZE_PX
    centres = (np.arange(tuned.ROI_SIZE_PX) + 0.5) * side
    constants = {
        **real(
            one=1, two=2, nought=0, half=0.5, mirrored=(-1, 1), upright=(1, 1),
            fit=np.linalg.pinv(root * predict) * root.T, fit_evenly=evenly,
            misfit_of=predict @ evenly - np.eye(len(predict)), landmark_count=len(x),
            pick_u=[[1, 0, 0, 0], [0, 1, 0, 0]], pick_v=[[0, -1, 0, 0], [1, 0, 0, 0]],
            pick_t=[[0, 0, 1, 0], [0, 0, 0, 1]], square_side=2 * tuned.ROI_HALF_WIDTH,
            square_x=np.array([[-1], [1], [1], [-1]]) * tuned.ROI_HALF_WIDTH,
            square_y=np.array([[0], [0], [2], [2]]) * tuned.ROI_HALF_WIDTH + tuned.ROI_TOP,
            luma=np.array(tuned.ROI_LUMA)[:, None],
            spacing_per_unit=side / tuned.ROI_SAMPLING_PX, max_density=tuned.ROI_MAX_DENSITY,
            pixels=np.arange(tuned.ROI_SIZE_PX)[None], pixel_side=side,
            half_width=tuned.ROI_HALF_WIDTH, top=tuned.ROI_TOP,
            centres_x=(centres - tuned.ROI_HALF_WIDTH)[None, None, :],
            centres_y=(centres + tuned.ROI_TOP)[None, :, None],
        ),
        **whole(
            fit_landmarks=tuned.ROI_FIT_LANDMARKS, column=(12, 1), row=(1, 2), swap=(1, 0),
            axis_0=(0,), axis_1=(1,), axis_2=(2,), axes_01=(0, 1), axes_13=(1, 3),
            rows_shape=(1, -1, 2, 2 * tuned.ROI_SIZE_PX), weight_before=(1, 0), pad_axis=(3,),
            grid_shape=(1, -1, tuned.ROI_SIZE_PX, 2),
            layers_shape=(-1, tuned.ROI_SIZE_PX, tuned.ROI_SIZE_PX), planes_shape=(2, 1, 1),
        ),
    }  # fmt: skip
    return Fragment(_REGION_TEXT, constants)


def _predict(x: F64, y: F64) -> F64:
    """Return the matrix that maps (a, b, tx, ty) to points: a x − b y + tx, b x + a y + ty."""
    nought, one = np.zeros_like(x), np.ones_like(x)
    predict = np.empty((2 * len(x), 4))
    predict[0::2] = np.stack([x, -y, one, nought], axis=1)
    predict[1::2] = np.stack([y, x, nought, one], axis=1)
    return predict


MEASURES: Final = (
    "focus", "exposure", "clipped_share", "residual", "inside_share", "scale_px", "noise",
    "texture",
)  # fmt: skip
"""Numbers of the output ``quality``, as in ``engine.types.Quality``."""

MERITS: Final = (*(gate.reason.value for gate in GATES), "clipped")
"""Numbers of the output ``merits``: 1 perfect, 0 at the gate's limit, below 0 or NaN if failed.
Clipped pixels are too dark or too bright; the exposure tells which."""

_BLUR: Final = """
  blur_{name} = Gather <axis = 0> (blurs, place_{name})
  blur_{name}_turned = Transpose (blur_{name})
  {name}_rows = MatMul (blur_{name}, region)
  {name} = MatMul ({name}_rows, blur_{name}_turned)
"""

_QUALITY_TEXT: Final = """
  band_fine = Sub (fine_detail, middle_detail)
  band_coarse = Sub (middle_detail, coarse_detail)
  depth_fine = Abs (band_fine)
  depth_coarse = Abs (band_coarse)
  texture = ReduceMean <keepdims = 0> (depth_fine)
  mean_coarse = ReduceMean <keepdims = 0> (depth_coarse)
  mean_floored = Add (mean_coarse, focus_floor)
  focus = Div (texture, mean_floored)
  from_fine = Sub (region, fine_detail)
  depth_finest = Abs (from_fine)
  mean_finest = ReduceMean <keepdims = 0> (depth_finest)
  texture_floored = Add (texture, focus_floor)
  noise = Div (mean_finest, texture_floored)
  exposure = ReduceMean <keepdims = 0> (region)
  clipped_share = ReduceMean <keepdims = 0> (clipped)
  {alone}
  quality = Concat <axis = 0> ({together})
  judged = Gather <axis = 0> (quality, judged_measures)
  from_limit = Sub (judged, limits)
  merit = Div (from_limit, limit_to_perfect)
  merits = Min (merit, one)
"""


def quality_fragment() -> Fragment:
    """Return the step to ``quality``, see ``MEASURES``, and ``merits``, see ``MERITS``."""
    blurs = ("fine_detail", "middle_detail", "coarse_detail")
    text = "".join(_BLUR.format(name=name) for name in blurs) + _QUALITY_TEXT.format(
        alone="\n  ".join(f"{name}_1 = Unsqueeze ({name}, axis_0)" for name in MEASURES),
        together=", ".join(f"{name}_1" for name in MEASURES),
    )
    limits = np.array([*(gate.limits for gate in GATES), CLIPPED_LIMITS])
    constants = {
        **real(
            focus_floor=FOCUS_FLOOR, limits=limits[:, 0],
            limit_to_perfect=limits[:, 1] - limits[:, 0],
        ),
        # The first of the filters even out contrast.
        **whole(
            **{f"place_{name}": n for n, name in enumerate(blurs, len(tuned.CODE_SCALES))}
        ),
        **whole(judged_measures=[*_judged(), MEASURES.index("clipped_share")]),
    }  # fmt: skip
    return Fragment(text, constants)


def _judged() -> list[int]:
    numbered = Quality(0, None, *range(len(MEASURES)))
    return [round(gate.measure(numbered)) for gate in GATES]
