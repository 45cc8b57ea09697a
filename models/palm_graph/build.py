"""Joins the steps into a model.

A network's weights are stored in few bits; the runtime makes floats of them when it loads.
Large ones become whole numbers of eight bits at most, with one step for each output, smaller
ones half precision. Nothing is computed in whole numbers.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import onnx
import onnx.shape_inference
import onnx.utils
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from engine.parameters import CODE_BYTES, CODE_SCALES, DENSE_BYTES, ROI_SIZE_PX
from models.console import ModelsError
from models.palm_graph.cover import hide_covers
from models.palm_graph.graph import REAL, Graph, declared
from models.palm_graph.lines import find_lines, unfold_filters
from models.palm_graph.region import MEASURES, MERITS, cut_region, judge_quality
from models.palm_graph.template import (
    NETWORK_INPUTS,
    NETWORK_LINES,
    NETWORK_PREFIX,
    describe_lines,
    network_inputs,
    pack_codes,
)

_OCTET: Final = int(TensorProto.UINT8)


def palm_network_model(network: onnx.ModelProto) -> onnx.ModelProto:
    """Return the graph of an extractor, whose vector is a network's.

    Inputs: ``picture`` (height, width, 3) uint8 RGB; ``landmarks`` (21, 2) float32, pixels of
    the picture; ``right``, whether it is a right hand. Outputs: ``vector`` (dimension,) float32
    of norm 1; ``code`` (1024,) and ``dense`` (4096,) uint8, packed as
    ``engine/features/code_bytes`` does; ``region`` (128, 128) float32, grey levels; ``corners``
    (4, 2) float32, of the region in the picture; ``quality`` and ``merits``, see
    ``models.palm_graph.region``.

    Args:
        network: ``NETWORK_INPUTS`` of n regions → ``template`` (n, dimension), of norm 1.

    Raises:
        ModelsError: the network has another input or output.
    """
    dimension = _network_dimension(network)
    graph = Graph(
        *declared(_OCTET, picture=("height", "width", 3)),
        *declared(REAL, landmarks=(21, 2)),
        *declared(int(TensorProto.BOOL), right=()),
    )
    region = cut_region(graph, *graph.inputs)
    blurs, *gabors = unfold_filters(graph)
    lines = find_lines(graph, region.pixels, blurs, gabors)
    detail = judge_quality(graph, region, blurs, lines.clipped)
    seen = hide_covers(graph, detail, lines.lit)
    pack_codes(graph, lines, seen)
    energy = describe_lines(graph, lines.responses, seen)
    taken = network_inputs(graph, lines, seen, energy)
    graph.include(network, NETWORK_PREFIX, taken)["template"].reshape(-1).called("vector")
    return graph.to_model(
        "palm_print",
        [
            *declared(REAL, vector=(dimension,)),
            *declared(_OCTET, code=(len(CODE_SCALES) * CODE_BYTES,), dense=(DENSE_BYTES,)),
            *declared(REAL, region=(ROI_SIZE_PX, ROI_SIZE_PX), corners=(4, 2)),
            *declared(REAL, quality=(len(MEASURES),), merits=(len(MERITS),)),
        ],
    )


def _network_dimension(network: onnx.ModelProto) -> int:
    """Return the length of a network's output.

    Raises:
        ModelsError: the network has other inputs or outputs.
    """
    taken, given = _shapes(network.graph.input), _shapes(network.graph.output)
    if set(given) != {"template"} or {n: s[1:] for n, s in taken.items()} != NETWORK_INPUTS:
        raise ModelsError("a network takes `responses`, `seen`, `energy` and gives `template`")
    template = given["template"]
    if len(template) != 2 or template[1] < 1:
        raise ModelsError("a network gives (n, dimension), the dimension fixed")
    return template[1]


def embedded_network(graph: onnx.ModelProto) -> onnx.ModelProto:
    """Return the network of an extractor's graph, as ``palm_network_model`` takes it."""
    known = onnx.shape_inference.infer_shapes(graph)
    found = onnx.utils.Extractor(known).extract_model(
        list(NETWORK_LINES), [f"{NETWORK_PREFIX}template"]
    )
    names = dict(zip(NETWORK_LINES, NETWORK_INPUTS, strict=True))
    names |= {
        name: name.removeprefix(NETWORK_PREFIX)
        for node in found.graph.node
        for name in (*node.input, *node.output)
        if name.startswith(NETWORK_PREFIX)
    }
    for node in found.graph.node:
        node.name = node.name.removeprefix(NETWORK_PREFIX)
        for several in (node.input, node.output):
            several[:] = [names.get(name, name) for name in several]
    for value in (*found.graph.input, *found.graph.output, *found.graph.initializer):
        value.name = names.get(value.name, value.name)
    del found.graph.value_info[:]
    return found


def _shapes(values: Sequence[onnx.ValueInfoProto]) -> dict[str, tuple[int, ...]]:
    """Return the shape of each value; what is not fixed is 0."""
    return {v.name: tuple(d.dim_value for d in v.type.tensor_type.shape.dim) for v in values}


LEVELS: Final = (("stem", 127), ("reduce", 127), ("joint", 127), ("body.3", 26), ("", 52))
"""Largest whole number by part of the network, the first that a name contains: 8, 8, 8, 6 and 7
bits. By what each costs a template of drawn palms, and 1.1 MB in all."""

LARGE: Final = 4096
"""Numbers of a tensor from which they become whole."""

SMALL: Final = 64
"""Numbers of a tensor below which they stay as they are."""


def round_weights(model: onnx.ModelProto) -> onnx.ModelProto:
    """Round the weights of a network in place, and return it.

    DequantizeLinear would be computed again for each palm: onnxruntime does not fold it.
    """
    graph, widening = model.graph, []
    for weights in list(graph.initializer):
        values = numpy_helper.to_array(weights)
        if values.dtype != np.float32 or values.size < SMALL:
            continue
        name = weights.name
        if values.size < LARGE:
            graph.initializer.append(
                numpy_helper.from_array(values.astype("f2"), f"{name}.half")
            )
            widening.append(_cast(f"{name}.half", name))
        else:
            whole, step = _whole(values, name)
            graph.initializer.append(numpy_helper.from_array(whole, f"{name}.whole"))
            graph.initializer.append(numpy_helper.from_array(step, f"{name}.step"))
            widening.append(_cast(f"{name}.whole", f"{name}.wide"))
            widening.append(helper.make_node("Mul", [f"{name}.wide", f"{name}.step"], [name]))
        graph.initializer.remove(weights)
    nodes = [*widening, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    return model


def _whole(
    values: NDArray[np.float32], name: str
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return whole numbers, shaped like the values, and the step of each output."""
    most = next(levels for part, levels in LEVELS if part in name)
    output = 1 if "joint" in name else 0
    others = tuple(axis for axis in range(values.ndim) if axis != output)
    step = np.abs(values).max(axis=others, keepdims=True) / np.float32(most)
    step = np.maximum(step, np.finfo(np.float32).tiny).astype(np.float32)
    return np.rint(values / step).astype(np.int8), step


def _cast(narrow: str, wide: str) -> onnx.NodeProto:
    return helper.make_node("Cast", [narrow], [wide], to=onnx.TensorProto.FLOAT)
