"""Lines → competitive code and oriented energy.

See the modules of ``engine/features``. Octets are computed in floats, exact up to 256.

A trained network gets cells of the competitive code, and oriented energy, as in training
(``models.training.sample_store``) but without rounding to eight bits.
"""

from typing import Final

import numpy as np
from onnx import TensorProto

from engine.features.code_bytes import DIRECTION_BITS
from engine.features.competitive_code import ENERGY_DIMENSION, cell_windows
from engine.parameters import (
    CODE_CELLS,
    CODE_DIRECTIONS,
    DENSE_CELLS,
    ENERGY_POWER,
    ENERGY_TIE,
    ROI_SIZE_PX,
)
from models.palm_graph.graph import Graph, Value
from models.palm_graph.lines import Lines

NETWORK_INPUTS: Final = {
    "responses": (CODE_DIRECTIONS, CODE_CELLS, CODE_CELLS),
    "seen": (CODE_CELLS, CODE_CELLS),
    "energy": (ENERGY_DIMENSION,),
}
"""Inputs of a network by name, with their shape for one region."""

NETWORK_PREFIX: Final = "network/"
"""Prefix of every name of an embedded network."""

NETWORK_LINES: Final = ("line_cells", "skin_cells", "energy_row")
"""The graph's names for the network's inputs, in that order."""


def pack_codes(graph: Graph, lines: Lines, seen: Value) -> None:
    """Add the step to ``code`` (1024,) and ``dense`` (4096,), uint8.

    A dense code has twice as many cells as the code, and the code's among them.
    """
    op, step = graph.op, ROI_SIZE_PX // DENSE_CELLS
    at_dense = _cells(graph, lines.responses, 0, step, 1)
    shown = _cells(graph, seen, 0, step, 0)
    winners = [op("ArgMin", each, axis=0, keepdims=0) for each in (at_dense, lines.thin)]
    planes = [op("Gather", np.array(DIRECTION_BITS, np.float32).T, each, axis=1) * shown
              for each in winners]  # fmt: skip
    mask = shown.unsqueeze(0)
    bits = op("Concat", planes[0], mask, planes[1], mask, axis=0)
    for name, each in (("dense", bits), ("code", _cells(graph, bits, 1, 2, 1))):
        octets = each.reshape(-1, 8) @ 2.0 ** np.arange(8)
        octets.to(int(TensorProto.UINT8)).called(name)


def _cells(graph: Graph, planes: Value, start: int, step: int, axis: int) -> Value:
    """Return every ``step``-th cell along two axes."""
    ends, axes = (ROI_SIZE_PX, ROI_SIZE_PX), (axis, axis + 1)
    return graph.op("Slice", planes, (start, start), ends, axes, (step, step))


def describe_lines(graph: Graph, responses: Value, seen: Value) -> Value:
    """Add the step to ``energy_vector`` (384,) of norm 1."""
    op = graph.op
    strongest = op("ReduceMin", responses, (0,))
    strength = op("Pow", op("Max", op("Neg", strongest), 0.0), ENERGY_POWER) * seen
    tied = op("Max", 1 - (responses - strongest) / ENERGY_TIE, 0.0)
    windows = cell_windows(ROI_SIZE_PX)
    energy = windows @ (tied * strength) @ op("Transpose", windows)
    gathered = op("Sqrt", energy)
    descriptor = (gathered - op("ReduceMean", gathered, (1, 2))).reshape(-1)
    length, least = op("ReduceL2", descriptor, (0,)), np.finfo(np.float32).eps
    even = descriptor / op("Max", length, least)
    vector = op("Where", op("Less", length, least), ENERGY_DIMENSION**-0.5, even)
    return vector.called("energy_vector")


def network_inputs(graph: Graph, lines: Lines, seen: Value, energy: Value) -> dict[str, Value]:
    """Add the step to a network's inputs, one region."""
    step = ROI_SIZE_PX // CODE_CELLS
    values = (
        _cells(graph, lines.responses, step // 2, step, 1),
        _cells(graph, seen, step // 2, step, 0),
        energy,
    )
    named = zip(NETWORK_INPUTS, values, NETWORK_LINES, strict=True)
    return {name: value.unsqueeze(0).called(line) for name, value, line in named}
