"""Stores a network's weights in few bits; the runtime makes floats of them when it loads.

Large ones become whole numbers of eight bits at most, with one step for each output, smaller
ones half precision. Nothing is computed in whole numbers.
"""

from typing import Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

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
