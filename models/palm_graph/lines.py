"""Region → line response of each direction at each pixel, and of thin ones at every second.

See ``engine/features/competitive_code``. A disc is a union of upright rectangles, so dilation
by it is the maximum of a few poolings.

Filters along one side of the region are matrices, mirrored at the borders. The file holds the
filters' taps; the runtime expands them when it loads the graph. Filtering rows and columns is
then two matrix products.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple

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
from models.palm_graph.graph import REAL, Graph, Value

F64 = NDArray[np.float64]

_STEPS: Final = (1, ROI_SIZE_PX // DENSE_CELLS)
"""Of the responses of each of ``CODE_SCALES``, pixels."""

NEGLIGIBLE: Final = 2e-6
"""Smallest share of a kernel for which a product of two taps is kept."""


def unfold_filters(graph: Graph) -> Iterator[Value]:
    """Add the step that makes filters, shape (filters, 128, 128): last axis to the one before.

    First smoothing by each of ``CODE_SCALES`` and ``FOCUS_SIGMAS_PX``, then, of each scale,
    Gabor kernels down and across.
    """
    op, last = graph.op, ROI_SIZE_PX - 1
    position = op("Range", 0, ROI_SIZE_PX, 1)
    down = position.unsqueeze(1)
    towards, both = position - down, position + down
    far = np.int64(4 * ROI_SIZE_PX)
    low = op("Where", op("Equal", position, 0), far, op("Neg", both))
    high = op("Where", op("Equal", position, last), far, np.int64(2 * last) - both)
    blurs = [_gaussian(sigma) for sigma in (*(s[0] for s in CODE_SCALES), *FOCUS_SIGMAS_PX)]
    width = max(map(len, blurs))
    families = [np.stack([np.pad(blur, (width - len(blur)) // 2) for blur in blurs])]
    for taps in families + [each for scale in CODE_SCALES for each in separated_kernels(scale)]:
        # A zero at either end stands for everything out of reach.
        padded, reach = np.pad(taps, ((0, 0), (1, 1))), np.int64(taps.shape[1] // 2 + 1)
        direct, folded_low, folded_high = (
            op("Gather", padded, op("Clip", at + reach, 0, 2 * reach), axis=1)
            for at in (towards, low, high)
        )
        yield direct + (folded_low + folded_high)


def smoothing(graph: Graph, blurs: Value, number: int) -> Callable[[Value], Value]:
    """Return what smooths a region by one of the first filters."""
    blur = graph.op("Gather", blurs, number, axis=0)
    turned = graph.op("Transpose", blur)
    return lambda plane: blur @ plane @ turned


def separated_kernels(scale: Scale) -> tuple[F64, F64]:
    """Return the Gabor kernels as sums of products, taps down and taps across.

    Kernels of opposite slants are sum and difference of an even and an odd part: each part is
    separated once. Two arrays of shape (products, 35), in the order of ``_parts``.
    """
    terms = [term for part in _parts(scale) for term in _products(part)]
    down, across = zip(*terms, strict=True)
    return np.stack(down), np.stack(across)


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


class Lines(NamedTuple):
    """Responses, shape (6, 128, 128), thin ones (6, 64, 64), and lit and clipped pixels."""

    responses: Value
    thin: Value
    lit: Value
    clipped: Value


def find_lines(graph: Graph, region: Value, blurs: Value, gabors: list[Value]) -> Lines:
    """Add the step from the region to its lines."""
    op, (low, high) = graph.op, tuned.CODE_BLIND_LEVELS
    dark = op("LessOrEqual", region, low + 0.5)
    bright = op("GreaterOrEqual", region, high - 0.5)
    clipped = op("Or", dark, bright).to(REAL)
    sound = (1 - clipped).unsqueeze(0, 1)
    narrowed = 1 - widened(graph, sound, tuned.CODE_BLIND_MIN_PX)
    blind = widened(graph, narrowed, tuned.CODE_BLIND_MIN_PX)
    near = widened(graph, blind, 2 * tuned.CODE_BLIND_REACH_PX + 1)
    skin, lit = (1 - op("Squeeze", plane, (0, 1)) for plane in (blind, near))
    shown = region * skin
    even = [_normalised(region, skin, shown, smoothing(graph, blurs, n)) for n in range(2)]
    responses, thin = (
        _respond(even[n], gabors[2 * n], gabors[2 * n + 1], CODE_SCALES[n], _STEPS[n])
        for n in range(2)
    )
    even[0].called("even")
    return Lines(
        responses.called("responses"), thin.called("thin_responses"), lit.called("lit"), clipped
    )


def _normalised(
    region: Value, skin: Value, shown: Value, smooth: Callable[[Value], Value]
) -> Value:
    """Even out local mean and contrast."""
    share = smooth(skin) + np.finfo(np.float32).eps
    detail = (region - smooth(shown) / share) * skin
    contrast = region.graph.op("Sqrt", smooth(detail * detail) / share)
    return detail / (contrast + tuned.CODE_NORM_FLOOR)


def _respond(even: Value, down: Value, across: Value, scale: Scale, step: int) -> Value:
    """Filter at every ``step``-th pixel: sums of products, then directions of the parts."""
    graph, size, side = even.graph, (ROI_SIZE_PX,), ROI_SIZE_PX // step
    op, turned = graph.op, graph.op("Transpose", across, perm=[0, 2, 1])
    sizes = [len(_products(part)) for part in _parts(scale)]
    split = partial(graph.ops, "Split", count=len(sizes), axis=0)
    downs = split(op("Slice", down, (0,), size, (1,), (step,)), sizes)
    acrosses = split(op("Slice", turned, (0,), size, (2,), (step,)), sizes)
    parts = []
    for here, there in zip(downs, acrosses, strict=True):
        filtered = (even @ there).reshape(-1, side)
        flat = op("Transpose", here, perm=[1, 0, 2]).reshape(side, -1)
        parts.append((flat @ filtered).unsqueeze(0))
    slants = list(zip(parts[2::2], parts[3::2], strict=True))
    directions = [parts[0], *(one + other for one, other in slants), parts[1]]
    directions += [one - other for one, other in reversed(slants)]
    return op("Concat", *directions, axis=0)


def widened(graph: Graph, plane: Value, diameter_px: int) -> Value:
    """Widen a plane, shape (1, 1, h, w), by a disc."""
    widths = disc(diameter_px).sum(axis=1)
    boxes = [(int(np.sum(widths >= width)), int(width)) for width in np.unique(widths)]
    pooled = [
        graph.op("MaxPool", plane, kernel_shape=[h, w], pads=[h // 2, w // 2] * 2)
        for h, w in boxes
    ]
    return graph.op("Max", *pooled)
