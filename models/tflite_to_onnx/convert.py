"""TensorFlow Lite bytes → ONNX bytes, the same bytes on every machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import onnx
from onnx import TensorProto, helper

from models.errors import ConversionRefused
from models.tflite_to_onnx.graph import read_graph
from models.tflite_to_onnx.onnx_graph import OnnxBuilder
from models.tflite_to_onnx.operators import CONVERTERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx import ValueInfoProto

    from models.tflite_to_onnx.graph import TfliteGraph

OPSET: Final = 17
"""ONNX operator set of the result; 17 is read by every runtime since 2022."""
IR_VERSION: Final = 8
"""Version of the ONNX file format; the one that belongs to operator set 17."""
_IMAGE_RANK: Final = 4


def convert(data: bytes, *, name: str, names: Mapping[str, str]) -> bytes:
    """Convert a network.

    Pictures change from (1, height, width, channels) to (1, channels, height, width); all
    other inputs and outputs keep their shape. Weights are widened, never cut.

    Args:
        data: a TensorFlow Lite file.
        name: written into the ONNX graph.
        names: name of each input and output in the file → its name in the result.

    Raises:
        ConversionRefused: the network has something this converter does not know.
    """
    return convert_graph(read_graph(data), name=name, names=names)


def convert_graph(graph: TfliteGraph, *, name: str, names: Mapping[str, str]) -> bytes:
    """Convert a network that was read already; otherwise as ``convert``."""
    builder = OnnxBuilder(_new_names(graph, names))
    for operator in graph.operators:
        if operator.kind not in CONVERTERS:
            msg = f"operator {operator.kind} is not understood"
            raise ConversionRefused(msg)
        CONVERTERS[operator.kind](operator, graph, builder)
    model = helper.make_model(
        helper.make_graph(
            builder.nodes,
            name,
            [_value_info(builder.value(i), graph.tensors[i].shape) for i in graph.inputs],
            [_value_info(builder.value(i), graph.tensors[i].shape) for i in graph.outputs],
            list(builder.constants.values()),
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="thenar",
    )
    onnx.checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString(deterministic=True))


def _new_names(graph: TfliteGraph, names: Mapping[str, str]) -> dict[int, str]:
    ends = (*graph.inputs, *graph.outputs)
    if {graph.tensors[i].name for i in ends} != set(names):
        found = ", ".join(graph.tensors[i].name for i in ends)
        msg = f"the names to change are not the network's inputs and outputs: {found}"
        raise ConversionRefused(msg)
    return {i: names[graph.tensors[i].name] for i in ends}


def _value_info(name: str, shape: tuple[int, ...]) -> ValueInfoProto:
    if len(shape) == _IMAGE_RANK:
        shape = (shape[0], shape[3], shape[1], shape[2])
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
