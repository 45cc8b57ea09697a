"""Picture and landmarks → region of interest, its geometry and its quality.

See ``engine/roi`` and ``engine/quality``.

A similarity is linear in its four numbers, so the fit is one constant matrix. The picture is
cropped first, so the cost does not grow with it. Landmarks are relative to a pixel in their
middle, where single precision suffices.
"""

from typing import Final, NamedTuple

import numpy as np
from onnx import TensorProto

from engine import parameters as tuned
from engine.parameters import FOCUS_FLOOR, ROI_HALF_WIDTH, ROI_SIZE_PX, ROI_TOP
from engine.quality import CLIPPED_LIMITS, GATES
from engine.types import Quality
from models.palm_graph.graph import REAL, Graph, Value
from models.palm_graph.lines import F64, smoothing

_WHOLE: Final = int(TensorProto.INT64)

_SIDE: Final = 2 * ROI_HALF_WIDTH / ROI_SIZE_PX
"""Of a pixel, in units of the mean palm."""

_SWAP: Final = (1, 0)
"""Turns rows and columns into x and y, and back."""

_COARSE: Final = (4, 4)
"""Steps between the pixels that tell how much of a colour is clipped, down and across."""


class Region(NamedTuple):
    """The region, shape (128, 128), its corners, (4, 2), and measures by name."""

    pixels: Value
    corners: Value
    measures: dict[str, Value]


class _Palm(NamedTuple):
    """Similarity from the mean palm to the picture: axes and origin, shape (1, 2).

    ``middle``: the pixel that the origin is relative to; ``unit``: length of the axes.
    """

    u: Value
    v: Value
    t: Value
    middle: Value
    unit: Value
    residual: Value


def cut_region(graph: Graph, picture: Value, landmarks: Value, right: Value) -> Region:
    """Add the step from picture, landmarks and right to the region."""
    op, palm = graph.op, _fit_palm(graph, landmarks, right)
    across = np.array([[-1], [1], [1], [-1]]) * ROI_HALF_WIDTH
    down = np.array([[0], [0], [2], [2]]) * ROI_HALF_WIDTH + ROI_TOP
    corners = across * palm.u + down * palm.v + palm.t + palm.middle
    size = op("Gather", op("Shape", picture, start=0, end=2).to(REAL), _SWAP, axis=0)
    measures = {
        "residual": palm.residual,
        "scale_px": palm.unit * (2 * ROI_HALF_WIDTH),
        "inside_share": _inside_share(graph, palm, size),
    }
    pixels = _sampled(graph, picture, palm, *_window(graph, corners, size))
    return Region(pixels.called("region"), corners.called("corners"), measures)


def _fit_palm(graph: Graph, landmarks: Value, right: Value) -> _Palm:
    op, predict = graph.op, _predict(*np.array(tuned.ROI_MEAN_PALM).T)
    root = np.sqrt(np.repeat(tuned.ROI_FIT_WEIGHTS, 2))[:, None]
    evenly = np.linalg.pinv(predict)
    flip = op("Where", right, (-1.0, 1.0), (1.0, 1.0))
    six = op("Gather", landmarks, tuned.ROI_FIT_LANDMARKS, axis=0)
    middle = op("Floor", op("ReduceMean", six, (0,)))
    observed = ((six - middle) * flip).reshape(12, 1)
    similarity = (np.linalg.pinv(root * predict) * root.T) @ observed
    picks = np.array(
        [[[1, 0, 0, 0], [0, 1, 0, 0]], [[0, -1, 0, 0], [1, 0, 0, 0]],
         [[0, 0, 1, 0], [0, 0, 0, 1]]], np.float32,
    )  # fmt: skip
    u, v, t = ((pick @ similarity).reshape(1, 2) * flip for pick in picks)
    even_unit = op("ReduceL2", picks[0] @ (evenly @ observed), keepdims=0)
    misfit = (predict @ evenly - np.eye(len(predict))) @ observed
    misfit_mean = op("ReduceSumSquare", misfit, keepdims=0) / (len(predict) // 2)
    unit = op("ReduceL2", u, keepdims=0)
    return _Palm(u, v, t, middle, unit, op("Sqrt", misfit_mean) / even_unit)


def _predict(x: F64, y: F64) -> F64:
    """Return the matrix that maps (a, b, tx, ty) to points: a x − b y + tx, b x + a y + ty."""
    nought, one = np.zeros_like(x), np.ones_like(x)
    predict = np.empty((2 * len(x), 4))
    predict[0::2] = np.stack([x, -y, one, nought], axis=1)
    predict[1::2] = np.stack([y, x, nought, one], axis=1)
    return predict


def _window(graph: Graph, corners: Value, size: Value) -> tuple[Value, Value]:
    """Return the first and the last place, x and y, of what the region needs."""
    op = graph.op
    least, most = (op(kind, corners, (0,), keepdims=0) for kind in ("ReduceMin", "ReduceMax"))
    low = op("Min", op("Max", op("Floor", least - 2), 0.0), size - 1)
    return low, op("Min", op("Max", op("Ceil", most + 2), low + 1), size)


def _sampled(graph: Graph, picture: Value, palm: _Palm, low: Value, high: Value) -> Value:
    """Resample the square: each pixel is the mean of a grid of points."""
    op, size = graph.op, ROI_SIZE_PX
    ends = [op("Gather", end, _SWAP, axis=0).to(_WHOLE) for end in (low, high)]
    window = op("Slice", picture, *ends, (0, 1))
    per_pixel = 2 / (high - low)
    origin = (palm.t + (palm.middle - low)) * per_pixel - 1
    wanted = op("Ceil", palm.unit * (_SIDE / tuned.ROI_SAMPLING_PX))
    density = op("Clip", wanted, 1.0, float(tuned.ROI_MAX_DENSITY))
    parts = (op("Range", 0.0, density, 1.0) + 0.5) / density
    along = (np.arange(size, dtype=np.float32)[None] + parts.unsqueeze(1)) * _SIDE
    first = (along - ROI_HALF_WIDTH).unsqueeze(2) * (palm.u * per_pixel) + origin
    down = op("Expand", palm.v * per_pixel, op("Shape", first))
    rows = op("Concat", first, down, axis=1).reshape(1, -1, 2, 2 * size)
    weights = op("Pad", (along + ROI_TOP).unsqueeze(1, 3), (1, 0), 1.0, (3,))
    grid = (weights @ rows).reshape(1, -1, size, 2)
    grey = window.to(REAL) @ _colour_weights(graph, window, grid, high - low)
    plane = op("Transpose", grey, perm=[2, 0, 1]).unsqueeze(0)
    how = {"mode": "linear", "padding_mode": "zeros", "align_corners": 0}
    fine = op("GridSample", plane, grid, **how).reshape(-1, size, size)
    return op("ReduceMean", fine, (0,), keepdims=0)


def _colour_weights(graph: Graph, window: Value, grid: Value, extent: Value) -> Value:
    """Return how much of each colour is in the grey, shape (3, 1): less of what is clipped."""
    op, size = graph.op, (ROI_SIZE_PX, ROI_SIZE_PX)
    places = op("Slice", grid, (0, 0), size, (1, 2), _COARSE)
    at = op("Max", op("Min", op("Floor", (places + 1) * extent / 2), extent - 1), 0.0)
    colours = op("GatherND", window, op("Gather", at, _SWAP, axis=3).to(_WHOLE)).to(REAL)
    sound = op("Less", colours, float(tuned.ROI_CLIPPED_LEVEL)).to(REAL)
    share = op("Max", op("ReduceMean", sound, (0, 1, 2), keepdims=0), 1e-3)
    weights = op("Pow", share, float(tuned.ROI_CLIPPED_POWER)) * tuned.ROI_LUMA
    return (weights / op("ReduceSum", weights, (0,))).unsqueeze(1)


def _inside_share(graph: Graph, palm: _Palm, size: Value) -> Value:
    op, centres = graph.op, (np.arange(ROI_SIZE_PX) + 0.5) * _SIDE
    u, v, t, middle, limit = (
        each.reshape(2, 1, 1) for each in (palm.u, palm.v, palm.t, palm.middle, size)
    )
    x, y = (centres - ROI_HALF_WIDTH)[None, None], (centres + ROI_TOP)[None, :, None]
    places = x * u + y * v + t + middle
    inside = op("And", op("GreaterOrEqual", places, 0.0), op("LessOrEqual", places, limit))
    both = op("ReduceMin", inside.to(REAL), (0,), keepdims=0)
    return op("ReduceMean", both, keepdims=0)


MEASURES: Final = (
    "focus", "exposure", "clipped_share", "residual", "inside_share", "scale_px", "noise",
    "texture",
)  # fmt: skip
"""Numbers of the output ``quality``, as in ``engine.types.Quality``."""

MERITS: Final = (*(gate.reason.value for gate in GATES), "clipped")
"""Numbers of the output ``merits``: 1 perfect, 0 at the gate's limit, below 0 or NaN if failed.
Clipped pixels are too dark or too bright; the exposure tells which."""


class Detail(NamedTuple):
    """What the cover network reads: bands of detail, coarse detail and mean grey."""

    finest: Value
    fine: Value
    coarse: Value
    smooth: Value
    mean: Value


def judge_quality(graph: Graph, region: Region, blurs: Value, clipped: Value) -> Detail:
    """Add the step to ``quality``, see ``MEASURES``, and ``merits``, see ``MERITS``."""
    op, pixels = graph.op, region.pixels

    def mean(plane: Value) -> Value:
        return op("ReduceMean", plane, keepdims=0)

    # The first of the filters even out contrast.
    fine, middle, coarse = (
        smoothing(graph, blurs, len(tuned.CODE_SCALES) + n)(pixels) for n in range(3)
    )
    detail = Detail(pixels - fine, fine - middle, middle - coarse, coarse, mean(pixels))
    finest, texture, depth = (mean(op("Abs", band)) for band in detail[:3])
    measures = region.measures | {
        "focus": texture / (depth + FOCUS_FLOOR),
        "exposure": detail.mean,
        "clipped_share": mean(clipped),
        "noise": finest / (texture + FOCUS_FLOOR),
        "texture": texture,
    }
    quality = op("Concat", *(measures[name].unsqueeze(0) for name in MEASURES), axis=0)
    limits = np.array([*(gate.limits for gate in GATES), CLIPPED_LIMITS], np.float64)
    numbered = Quality(0, None, *range(len(MEASURES)))
    judged = [*(round(gate.measure(numbered)) for gate in GATES)]
    at = op("Gather", quality, [*judged, MEASURES.index("clipped_share")], axis=0)
    merits = op("Min", (at - limits[:, 0]) / (limits[:, 1] - limits[:, 0]), 1.0)
    quality.called("quality")
    merits.called("merits")
    return detail
