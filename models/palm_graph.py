"""The part of the shipped graph before the network: picture and landmarks → normalised crop.

Written in ONNX's own text: the mean palm is fitted (a similarity is linear in its four numbers,
so the fit is one constant matrix), its square is sampled over a grid finer than the crop and
averaged (against aliasing), measured, and its local contrast made even. ``engine/roi.py`` is
the readable reference of the geometry; the numbers come from ``engine/parameters.py``. The
picture is cut to the palm first, so that the cost does not grow with what surrounds it.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import compose, numpy_helper, parser

from engine.parameters import (
    CODE_BLIND_LEVELS,
    FOCUS_FLOOR,
    FOCUS_SIGMAS_PX,
    ROI_FIT_LANDMARKS,
    ROI_FIT_WEIGHTS,
    ROI_HALF_WIDTH,
    ROI_MEAN_PALM,
    ROI_SIZE_PX,
    ROI_TOP,
)
from models.synthesis.crop.normalise import (
    NORMALISE_FLOOR,
    NORMALISE_LIMIT,
    NORMALISE_WINDOW_PX,
)
from models.synthesis.crop.sample import CROP_PX

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

OPSET: Final = 20
"""ONNX operators: the first set whose GridSample is the same in both runtimes."""

SUPERSAMPLING: Final = 4
"""Places looked at for each pixel of the crop, along each side."""

QUALITY_MEASURES: Final = (
    "focus", "exposure", "clipped_share", "residual", "inside_share", "scale_px",
)  # fmt: skip
"""What the numbers of the output ``quality`` are; meanings as in ``engine.types.Quality``."""

_LUMA: Final = (0.299, 0.587, 0.114)
"""ITU-R BT.601."""

_TEXT: Final = """
<ir_version: 10, opset_import: ["" : {opset}]>
palm (uint8[height, width, 3] picture, float[21, 2] landmarks, bool right)
  => (float[1, 1, {size}, {size}] normalised, float[1, 1, {size}, {size}] crop,
      float[6] quality)
{{
  flip = Where (right, mirrored, upright)

  six = Gather <axis = 0> (landmarks, fit_landmarks)
  palm = Mul (six, flip)
  observed = Reshape (palm, column)
  similarity = MatMul (fit, observed)
  u = MatMul (pick_u, similarity)
  v = MatMul (pick_v, similarity)
  t = MatMul (pick_t, similarity)
  u_row = Reshape (u, row)
  v_row = Reshape (v, row)
  t_row = Reshape (t, row)
  unit = ReduceL2 <keepdims = 0> (u)

  u_flipped = Mul (u_row, flip)
  v_flipped = Mul (v_row, flip)
  t_flipped = Mul (t_row, flip)
  across = Mul (pixel_x, u_flipped)
  down = Mul (pixel_y, v_flipped)
  down_placed = Add (down, t_flipped)
  places = Add (across, down_placed)

  shape = Shape <start = 0, end = 2> (picture)
  shape_float = Cast <to = 1> (shape)
  size_xy = Gather <axis = 0> (shape_float, swap)
  least = ReduceMin <keepdims = 0> (places, rows_columns)
  most = ReduceMax <keepdims = 0> (places, rows_columns)
  step = Mul (unit, pixel_side)
  margin = Add (step, two)
  least_spaced = Sub (least, margin)
  least_wide = Floor (least_spaced)
  last = Sub (size_xy, one)
  least_inside = Max (least_wide, nought)
  low = Min (least_inside, last)
  most_spaced = Add (most, margin)
  most_wide = Ceil (most_spaced)
  least_end = Add (low, one)
  most_end = Max (most_wide, least_end)
  high = Min (most_end, size_xy)
  low_yx = Gather <axis = 0> (low, swap)
  high_yx = Gather <axis = 0> (high, swap)
  starts = Cast <to = 7> (low_yx)
  ends = Cast <to = 7> (high_yx)
  window = Slice (picture, starts, ends, rows_columns)
  window_float = Cast <to = 1> (window)
  grey = MatMul (window_float, luma)
  planes = Transpose <perm = [2, 0, 1]> (grey)
  plane = Unsqueeze (planes, first)

  window_size = Sub (high, low)
  per_pixel = Div (two, window_size)
  u_scaled = Mul (u_flipped, per_pixel)
  v_scaled = Mul (v_flipped, per_pixel)
  t_from_low = Sub (t_flipped, low)
  t_scaled = Mul (t_from_low, per_pixel)
  t_centred = Sub (t_scaled, one)
  grid_across = Mul (grid_x, u_scaled)
  grid_down = Mul (grid_y, v_scaled)
  grid_down_placed = Add (grid_down, t_centred)
  grid_places = Add (grid_across, grid_down_placed)
  grid = Unsqueeze (grid_places, first)
  fine = GridSample <mode = "linear", padding_mode = "zeros", align_corners = 0> (plane, grid)
  crop = AveragePool <kernel_shape = [{super}, {super}], strides = [{super}, {super}]> (fine)

  rows_fine = MatMul (blur_fine, crop)
  detail_fine = MatMul (rows_fine, blur_fine_t)
  rows_middle = MatMul (blur_middle, crop)
  detail_middle = MatMul (rows_middle, blur_middle_t)
  rows_coarse = MatMul (blur_coarse, crop)
  detail_coarse = MatMul (rows_coarse, blur_coarse_t)
  band_fine = Sub (detail_fine, detail_middle)
  band_coarse = Sub (detail_middle, detail_coarse)
  depth_fine = Abs (band_fine)
  depth_coarse = Abs (band_coarse)
  mean_fine = ReduceMean <keepdims = 0> (depth_fine)
  mean_coarse = ReduceMean <keepdims = 0> (depth_coarse)
  mean_floored = Add (mean_coarse, focus_floor)
  focus = Div (mean_fine, mean_floored)
  exposure = ReduceMean <keepdims = 0> (crop)
  is_dark = LessOrEqual (crop, dark)
  is_bright = GreaterOrEqual (crop, bright)
  is_clipped = Or (is_dark, is_bright)
  clipped = Cast <to = 1> (is_clipped)
  clipped_share = ReduceMean <keepdims = 0> (clipped)
  even_similarity = MatMul (fit_evenly, observed)
  fitted = MatMul (predict, even_similarity)
  even_u = MatMul (pick_u, even_similarity)
  even_unit = ReduceL2 <keepdims = 0> (even_u)
  misfit = Sub (fitted, observed)
  misfit_sum = ReduceSumSquare <keepdims = 0> (misfit)
  misfit_mean = Div (misfit_sum, landmark_count)
  misfit_px = Sqrt (misfit_mean)
  residual = Div (misfit_px, even_unit)
  is_past = GreaterOrEqual (places, nought)
  is_before = LessOrEqual (places, size_xy)
  is_within = And (is_past, is_before)
  within = Cast <to = 1> (is_within)
  within_both = ReduceMin <keepdims = 0> (within, last_axis)
  inside_share = ReduceMean <keepdims = 0> (within_both)
  scale_px = Mul (unit, square_side)
  focus_1 = Unsqueeze (focus, first)
  exposure_1 = Unsqueeze (exposure, first)
  clipped_share_1 = Unsqueeze (clipped_share, first)
  residual_1 = Unsqueeze (residual, first)
  inside_share_1 = Unsqueeze (inside_share, first)
  scale_px_1 = Unsqueeze (scale_px, first)
  quality = Concat <axis = 0>
    (focus_1, exposure_1, clipped_share_1, residual_1, inside_share_1, scale_px_1)

  rows_box = MatMul (box, crop)
  local_mean = MatMul (rows_box, box_t)
  flat = Sub (crop, local_mean)
  squared = Mul (flat, flat)
  rows_squared = MatMul (box, squared)
  variance = MatMul (rows_squared, box_t)
  deviation = Sqrt (variance)
  deviation_floored = Add (deviation, normalise_floor)
  even = Div (flat, deviation_floored)
  normalised = Clip (even, lowest, highest)
}}
"""


def picture_model() -> onnx.ModelProto:
    """Return the graph from a picture to its normalised crop and its quality.

    Inputs: ``picture`` (height, width, 3) uint8 RGB; ``landmarks`` (21, 2) float32, pixels of
    the picture; ``right`` whether it is a right hand. Outputs: ``normalised`` and ``crop``
    (grey levels), both (1, 1, 112, 112), and ``quality``, six numbers: ``QUALITY_MEASURES``.
    """
    text = _TEXT.format(opset=OPSET, size=CROP_PX, super=SUPERSAMPLING)
    model = parser.parse_model(text)
    for name, value in _constants().items():
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    onnx.checker.check_model(model, full_check=True)
    return model


def palm_model(network: onnx.ModelProto) -> onnx.ModelProto:
    """Return the whole graph: the network behind the picture's part.

    Args:
        network: ``normalised`` (n, 1, 112, 112) → ``template`` (n, dimension).

    Returns:
        A model with outputs ``template``, ``normalised``, ``crop`` and ``quality``.
    """
    inner = compose.add_prefix(network, "net/")
    whole = compose.merge_models(
        picture_model(), inner, io_map=[("normalised", "net/normalised")],
        outputs=["net/template", "normalised", "crop", "quality"], name="thenar palm",
    )  # fmt: skip
    for node in whole.graph.node:
        node.output[:] = ["template" if o == "net/template" else o for o in node.output]
    for output in whole.graph.output:
        if output.name == "net/template":
            output.name = "template"
            output.type.tensor_type.shape.dim[0].dim_value = 1
    onnx.checker.check_model(whole)
    return whole


def _constants() -> dict[str, NDArray[np.generic]]:
    """Every number of the graph, by its name in the text."""
    single = {
        "one": 1, "two": 2, "nought": 0, "pixel_side": 2 * ROI_HALF_WIDTH / CROP_PX,
        "dark": CODE_BLIND_LEVELS[0], "bright": CODE_BLIND_LEVELS[1],
        "focus_floor": FOCUS_FLOOR, "landmark_count": len(ROI_FIT_LANDMARKS),
        "square_side": 2 * ROI_HALF_WIDTH, "normalise_floor": NORMALISE_FLOOR,
        "lowest": -NORMALISE_LIMIT, "highest": NORMALISE_LIMIT,
    }  # fmt: skip
    whole = {
        "fit_landmarks": ROI_FIT_LANDMARKS, "column": (12, 1), "row": (2,), "swap": (1, 0),
        "rows_columns": (0, 1), "first": (0,), "last_axis": (2,),
    }  # fmt: skip
    return {
        **{name: np.array(value, np.float32) for name, value in single.items()},
        **{name: np.array(value, np.int64) for name, value in whole.items()},
        "mirrored": np.array((-1, 1), np.float32),
        "upright": np.array((1, 1), np.float32),
        "luma": np.array(_LUMA, np.float32)[:, None],
        **_geometry(),
        **_filters(),
    }


def _geometry() -> dict[str, F32]:
    """The fit and the grid. A similarity's numbers are a, b, tx, ty: x' = a x − b y + tx."""
    x, y = np.array(ROI_MEAN_PALM).T
    nought, one = np.zeros_like(x), np.ones_like(x)
    predict = np.empty((2 * len(x), 4))
    predict[0::2] = np.stack([x, -y, one, nought], axis=1)
    predict[1::2] = np.stack([y, x, nought, one], axis=1)
    root = np.sqrt(np.repeat(ROI_FIT_WEIGHTS, 2))[:, None]
    grid_x, grid_y = _steps(CROP_PX * SUPERSAMPLING)
    pixel_x, pixel_y = _steps(CROP_PX)
    values = {
        "predict": predict,
        "fit": np.linalg.pinv(root * predict) * root.T,
        "fit_evenly": np.linalg.pinv(predict),
        "pick_u": np.array([[1, 0, 0, 0], [0, 1, 0, 0]]),
        "pick_v": np.array([[0, -1, 0, 0], [1, 0, 0, 0]]),
        "pick_t": np.array([[0, 0, 1, 0], [0, 0, 0, 1]]),
        "grid_x": grid_x,
        "grid_y": grid_y,
        "pixel_x": pixel_x,
        "pixel_y": pixel_y,
    }
    return {name: value.astype(np.float32) for name, value in values.items()}


def _steps(count: int) -> tuple[F64, F64]:
    """Middles of so many cells along the square: x of columns, y of rows, to be broadcast."""
    along = (np.arange(count) + 0.5) / count * 2 * ROI_HALF_WIDTH
    return (along - ROI_HALF_WIDTH)[None, :, None], (along + ROI_TOP)[:, None, None]


def _filters() -> dict[str, F32]:
    """Filters along one side as matrices, each also turned: rows first, then columns."""
    box = _matrix(np.ones(NORMALISE_WINDOW_PX), cv2.BORDER_CONSTANT)
    matrices: dict[str, F64] = {"box": box / box.sum(axis=1, keepdims=True)}
    for name, sigma in zip(("fine", "middle", "coarse"), FOCUS_SIGMAS_PX, strict=True):
        scaled = sigma * CROP_PX / ROI_SIZE_PX
        window = 2 * int(np.ceil(4 * scaled)) + 1
        kernel = np.asarray(cv2.getGaussianKernel(window, scaled, cv2.CV_64F)[:, 0], np.float64)
        matrices[f"blur_{name}"] = _matrix(kernel, cv2.BORDER_REFLECT_101)
    turned = {f"{name}_t": np.ascontiguousarray(matrix.T) for name, matrix in matrices.items()}
    return {name: matrix.astype(np.float32) for name, matrix in (matrices | turned).items()}


def _matrix(kernel: F64, border: int) -> F64:
    """Return the matrix that filters a row of ``CROP_PX`` numbers."""
    rows = cv2.filter2D(np.eye(CROP_PX), -1, kernel[None], borderType=border)
    return np.ascontiguousarray(np.asarray(rows, np.float64).T)
