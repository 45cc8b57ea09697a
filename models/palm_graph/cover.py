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
from models.palm_graph.graph import REAL, Graph, Value
from models.palm_graph.lines import widened
from models.palm_graph.region import Detail

WEIGHTS: Final = Path(__file__).with_name("cover_weights.npz")
"""Half precision, by layer: ``layers.N.weight`` and ``layers.N.bias``."""

DILATIONS: Final = (1, 2, 4, 8)
"""Of the layers between the two that halve the picture and the last."""

STRIDED: Final = ((5, 2), (3, 2))
"""Side of the first two layers' kernels, and their step."""


def hide_covers(graph: Graph, detail: Detail, lit: Value) -> Value:
    """Add the step from a region's details and ``lit`` to ``seen`` (128, 128)."""
    cells, step = tuned.CODE_CELLS, tuned.ROI_SIZE_PX // tuned.CODE_CELLS
    bands = _bands(graph, detail)
    things = graph.op("Greater", _odds(graph, bands), tuned.COVER_LIMIT).to(REAL)
    depths, limits = graph.op("Abs", bands), np.array(tuned.COVER_DEPTHS).reshape(1, -1, 1, 1)
    deepest = graph.op("MaxPool", depths, kernel_shape=[step] * 2, strides=[step] * 2)
    deep = graph.op("ReduceMax", graph.op("Greater", deepest, limits).to(REAL), (1,))
    covers = graph.op("Max", things, deep)
    wide = widened(graph, covers, tuned.COVER_REACH_CELLS).reshape(cells, 1, cells, 1)
    spread = graph.op("Expand", wide, (cells, step, cells, step))
    seen = lit * (1 - spread.reshape(tuned.ROI_SIZE_PX, tuned.ROI_SIZE_PX))
    return seen.called("seen")


def _bands(graph: Graph, detail: Detail) -> Value:
    """Return relative contrast in four bands, shape (1, 4, 128, 128)."""
    light = detail.smooth + tuned.COVER_FLOOR
    bands = [band / light for band in (detail.finest, detail.fine, detail.coarse)]
    bands.append((detail.smooth - detail.mean) / (detail.mean + tuned.COVER_FLOOR))
    four = graph.op("Concat", *(band.unsqueeze(0, 1) for band in bands), axis=1)
    return _without_noise(graph, four)


def _without_noise(graph: Graph, bands: Value) -> Value:
    """Divide each band by its noise, in multiples of what bare palms show.

    A camera's noise is everywhere: the plainest quarter of cells shows it, which a cover of
    less than three quarters does not reach.
    """
    side, step = tuned.CODE_CELLS, tuned.ROI_SIZE_PX // tuned.CODE_CELLS
    depths = graph.op("Abs", bands)
    cells = graph.op("AveragePool", depths, kernel_shape=[step] * 2, strides=[step] * 2)
    plain, _ = graph.ops(
        "TopK", cells.reshape(1, 4, side**2), [side**2 // 4], count=2, largest=0
    )
    usual = np.array(tuned.COVER_NOISE).reshape(1, -1, 1)
    noise = graph.op("ReduceMax", plain, (2,)) / usual
    return bands / graph.op("Max", noise, 1.0).reshape(1, 4, 1, 1)


def _odds(graph: Graph, bands: Value) -> Value:
    """Return the log odds of a cover, shape (1, 1, 32, 32)."""
    gains = np.array(tuned.COVER_GAINS).reshape(1, -1, 1, 1)
    seen = graph.op("Clip", bands * gains, -tuned.COVER_BOUND, tuned.COVER_BOUND)
    shapes = [(side, step, side // 2, 1) for side, step in STRIDED]
    shapes += [(3, 1, apart, apart) for apart in DILATIONS] + [(1, 1, 0, 1)]
    with np.load(WEIGHTS) as weights:
        for n, (side, step, pad, apart) in enumerate(shapes):
            seen = graph.op("Relu", seen) if n else seen
            kernel, offset = (
                graph.op("Cast", weights[f"layers.{n}.{name}"], to=REAL)
                for name in ("weight", "bias")
            )
            seen = graph.op(
                "Conv", seen, kernel, offset, kernel_shape=[side] * 2, strides=[step] * 2,
                pads=[pad] * 4, dilations=[apart] * 2,
            )  # fmt: skip
    return seen
