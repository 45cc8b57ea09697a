"""One function for each operator of the hand networks: TensorFlow Lite in, ONNX nodes out.

Every four-dimensional value is held channels first (N, C, H, W), which is what ONNX's
convolution wants; only RESHAPE, which reads values in memory order, is given its channels
last by a Transpose. Refuses options that the two networks do not use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import tflite

from models.errors import ConversionRefused

if TYPE_CHECKING:
    from collections.abc import Callable

    from models.tflite_to_onnx.graph import Operator, TfliteGraph
    from models.tflite_to_onnx.onnx_graph import OnnxBuilder

_CHANNELS_FIRST: Final = (0, 3, 1, 2)
_CHANNELS_LAST: Final = (0, 2, 3, 1)


def convert_convolution(op: Operator, graph: TfliteGraph, out: OnnxBuilder) -> None:
    """CONV_2D: weights (out, height, width, in) become (out, in, height, width)."""
    weights = _constant(graph, op.inputs[1]).transpose(_CHANNELS_FIRST)
    _add_convolution(op, graph, out, weights, groups=1)


def convert_depthwise(op: Operator, graph: TfliteGraph, out: OnnxBuilder) -> None:
    """DEPTHWISE_CONV_2D: weights (1, height, width, channels) become one filter a group."""
    if op.option("DepthMultiplier") != 1:
        msg = "DEPTHWISE_CONV_2D: only a depth multiplier of 1 is understood"
        raise ConversionRefused(msg)
    weights = _constant(graph, op.inputs[1]).transpose(3, 0, 1, 2)
    _add_convolution(op, graph, out, weights, groups=weights.shape[0])


def convert_prelu(op: Operator, graph: TfliteGraph, out: OnnxBuilder) -> None:
    """PRELU, as slope · x + (1 - slope) · max(x, 0), with one slope a channel.

    Written with one-by-one depthwise convolutions and not as ONNX's PRelu: onnxruntime keeps
    convolutions in its blocked layout and fuses their sum, so the values are never reordered.
    """
    slope = _constant(graph, op.inputs[1]).reshape(-1)
    source = out.value(op.inputs[0])
    scaled = _add_channel_scale(out, source, slope)
    positive = out.add_between("Relu", source)
    rest = _add_channel_scale(out, positive, np.float32(1) - slope)
    out.add("Add", [rest, scaled], op.outputs[0])


def convert_add(op: Operator, graph: TfliteGraph, out: OnnxBuilder) -> None:
    """ADD of two values of one shape."""
    first, second = (graph.tensors[i].shape for i in op.inputs)
    if first != second:
        msg = f"ADD of {first} and {second}: broadcasting is not understood"
        raise ConversionRefused(msg)
    out.add("Add", [out.value(i) for i in op.inputs], op.outputs[0], activation=_activation(op))


def convert_max_pool(op: Operator, graph: TfliteGraph, out: OnnxBuilder) -> None:
    """MAX_POOL_2D."""
    kernel = (op.option("FilterHeight"), op.option("FilterWidth"))
    out.add(
        "MaxPool",
        [out.value(op.inputs[0])],
        op.outputs[0],
        activation=_activation(op),
        kernel_shape=kernel,
        strides=_strides(op),
        pads=_pads(op, graph, kernel),
    )


def convert_pad(op: Operator, graph: TfliteGraph, out: OnnxBuilder) -> None:
    """PAD with zeros: pairs in order N, H, W, C become starts, then ends, in N, C, H, W."""
    pairs = _constant(graph, op.inputs[1])[list(_CHANNELS_FIRST)]
    pads = out.add_constant(pairs.T.astype(np.int64).reshape(-1), "pads")
    out.add("Pad", [out.value(op.inputs[0]), pads], op.outputs[0], mode="constant")


def convert_resize(op: Operator, graph: TfliteGraph, out: OnnxBuilder) -> None:
    """RESIZE_BILINEAR with half-pixel centres, by a whole factor."""
    if not op.option("HalfPixelCenters") or op.option("AlignCorners"):
        msg = "RESIZE_BILINEAR: only half-pixel centres are understood"
        raise ConversionRefused(msg)
    _, height, width, _ = graph.tensors[op.inputs[0]].shape
    _, new_height, new_width, _ = graph.tensors[op.outputs[0]].shape
    factors = np.array([1, 1, new_height / height, new_width / width], np.float32)
    out.add(
        "Resize",
        [out.value(op.inputs[0]), "", out.add_constant(factors, "scales")],
        op.outputs[0],
        mode="linear",
        coordinate_transformation_mode="half_pixel",
    )


def convert_reshape(op: Operator, graph: TfliteGraph, out: OnnxBuilder) -> None:
    """RESHAPE: values are read channels last, as the file means them."""
    source = out.value(op.inputs[0])
    if len(graph.tensors[op.inputs[0]].shape) == len(_CHANNELS_LAST):
        source = out.add_between("Transpose", source, perm=_CHANNELS_LAST)
    shape = np.array(graph.tensors[op.outputs[0]].shape, np.int64)
    out.add("Reshape", [source, out.add_constant(shape, "shape")], op.outputs[0])


def convert_concatenation(op: Operator, graph: TfliteGraph, out: OnnxBuilder) -> None:
    """CONCATENATION."""
    rank = len(graph.tensors[op.outputs[0]].shape)
    axis = op.option("Axis") % rank
    if rank == len(_CHANNELS_FIRST):
        axis = _CHANNELS_FIRST.index(axis)
    out.add("Concat", [out.value(i) for i in op.inputs], op.outputs[0], axis=axis)


def convert_fully_connected(op: Operator, graph: TfliteGraph, out: OnnxBuilder) -> None:
    """FULLY_CONNECTED: weights (out, in)."""
    weights = out.add_constant(_constant(graph, op.inputs[1]), "weights")
    bias = out.add_constant(_constant(graph, op.inputs[2]), "bias")
    inputs = [out.value(op.inputs[0]), weights, bias]
    out.add("Gemm", inputs, op.outputs[0], activation=_activation(op), transB=1)


def convert_logistic(op: Operator, graph: TfliteGraph, out: OnnxBuilder) -> None:
    """LOGISTIC."""
    del graph
    out.add("Sigmoid", [out.value(op.inputs[0])], op.outputs[0])


def convert_mean(op: Operator, graph: TfliteGraph, out: OnnxBuilder) -> None:
    """MEAN over height and width: a global average pool, its empty axes dropped."""
    axes = sorted(int(axis) for axis in _constant(graph, op.inputs[1]))
    if axes != [1, 2] or op.option("KeepDims"):
        msg = "MEAN: only the mean over height and width is understood"
        raise ConversionRefused(msg)
    pooled = out.add_between("GlobalAveragePool", out.value(op.inputs[0]))
    out.add("Flatten", [pooled], op.outputs[0], axis=1)


CONVERTERS: Final[dict[str, Callable[[Operator, TfliteGraph, OnnxBuilder], None]]] = {
    "CONV_2D": convert_convolution,
    "DEPTHWISE_CONV_2D": convert_depthwise,
    "PRELU": convert_prelu,
    "ADD": convert_add,
    "MAX_POOL_2D": convert_max_pool,
    "PAD": convert_pad,
    "RESIZE_BILINEAR": convert_resize,
    "RESHAPE": convert_reshape,
    "CONCATENATION": convert_concatenation,
    "FULLY_CONNECTED": convert_fully_connected,
    "LOGISTIC": convert_logistic,
    "MEAN": convert_mean,
}
"""Every operator of the two networks; DEQUANTIZE is folded when the file is read."""


def _add_convolution(
    op: Operator,
    graph: TfliteGraph,
    out: OnnxBuilder,
    weights: np.ndarray[Any, Any],
    *,
    groups: int,
) -> None:
    kernel = weights.shape[2:]
    bias = out.add_constant(_constant(graph, op.inputs[2]), "bias")
    out.add(
        "Conv",
        [out.value(op.inputs[0]), out.add_constant(weights, "weights"), bias],
        op.outputs[0],
        activation=_activation(op),
        group=groups,
        kernel_shape=kernel,
        strides=_strides(op),
        dilations=(op.option("DilationHFactor"), op.option("DilationWFactor")),
        pads=_pads(op, graph, kernel),
    )


def _add_channel_scale(out: OnnxBuilder, source: str, scale: np.ndarray[Any, Any]) -> str:
    channels = scale.shape[0]
    weights = out.add_constant(scale.reshape(channels, 1, 1, 1), "scale")
    return out.add_between("Conv", source, weights, group=channels, kernel_shape=(1, 1))


def _constant(graph: TfliteGraph, index: int) -> np.ndarray[Any, Any]:
    tensor = graph.tensors[index]
    if tensor.constant is None:
        msg = f"{tensor.name} is computed where a constant was expected"
        raise ConversionRefused(msg)
    return tensor.constant


def _strides(op: Operator) -> tuple[int, int]:
    return op.option("StrideH"), op.option("StrideW")


def _pads(op: Operator, graph: TfliteGraph, kernel: tuple[int, ...]) -> tuple[int, ...]:
    """Return top, left, bottom and right padding; SAME pads the odd one below and right."""
    if op.option("Padding") == tflite.Padding.VALID:
        return 0, 0, 0, 0
    starts, ends = [], []
    for axis, (size, stride) in enumerate(zip(kernel, _strides(op), strict=True), start=1):
        length = graph.tensors[op.inputs[0]].shape[axis]
        steps = -(-length // stride)
        total = max((steps - 1) * stride + size - length, 0)
        starts.append(total // 2)
        ends.append(total - total // 2)
    return *starts, *ends


def _activation(op: Operator) -> tuple[str, tuple[float, ...]] | None:
    activation = op.option("FusedActivationFunction")
    if activation == tflite.ActivationFunctionType.NONE:
        return None
    if activation == tflite.ActivationFunctionType.RELU6:
        return "Clip", (0.0, 6.0)
    msg = f"{op.kind}: fused activation {activation} is not understood"
    raise ConversionRefused(msg)
