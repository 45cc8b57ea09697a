"""A TensorFlow Lite file as plain values: tensors and operators, in the order they run.

Weights stored as half floats behind a DEQUANTIZE operator are unfolded here, so the rest of
the converter meets single precision only. Refuses files of several subgraphs and operators
that the two hand networks do not have.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import tflite

from models.errors import ConversionRefused

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DTYPES: Final[dict[int, np.dtype[Any]]] = {
    tflite.TensorType.FLOAT32: np.dtype("<f4"),
    tflite.TensorType.FLOAT16: np.dtype("<f2"),
    tflite.TensorType.INT32: np.dtype("<i4"),
}
_OPTIONS: Final = {
    "CONV_2D": tflite.Conv2DOptions,
    "DEPTHWISE_CONV_2D": tflite.DepthwiseConv2DOptions,
    "MAX_POOL_2D": tflite.Pool2DOptions,
    "ADD": tflite.AddOptions,
    "FULLY_CONNECTED": tflite.FullyConnectedOptions,
    "CONCATENATION": tflite.ConcatenationOptions,
    "RESIZE_BILINEAR": tflite.ResizeBilinearOptions,
    "MEAN": tflite.ReducerOptions,
}
_OPERATOR_NAMES: Final = {
    code: name for name, code in vars(tflite.BuiltinOperator).items() if isinstance(code, int)
}


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of the file.

    Attributes:
        name: unique within the graph.
        shape: as in the file, channels last.
        constant: the weights, single precision or integer; None if the value is computed.
    """

    name: str
    shape: tuple[int, ...]
    constant: NDArray[Any] | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator; its options are read by the name they have in TensorFlow Lite's schema."""

    kind: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: Any = field(repr=False)

    def option(self, name: str) -> int:
        """Return an option's number, or raise if the operator carries none at all."""
        if self.options is None:
            msg = f"{self.kind} carries no options"
            raise ConversionRefused(msg)
        return int(getattr(self.options, name)())


@dataclass(frozen=True, slots=True)
class TfliteGraph:
    """A network: its tensors, its operators in order, its inputs and outputs by index."""

    tensors: tuple[Tensor, ...]
    operators: tuple[Operator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def read_graph(data: bytes) -> TfliteGraph:
    """Read a TensorFlow Lite file and fold its DEQUANTIZE operators into the weights.

    Raises:
        ConversionRefused: no such file, several subgraphs, or an unknown type of number.
    """
    if not tflite.Model.ModelBufferHasIdentifier(data, 0):
        msg = "the bytes are no TensorFlow Lite file"
        raise ConversionRefused(msg)
    model = tflite.Model.GetRootAs(data, 0)
    if model.SubgraphsLength() != 1:
        msg = f"{model.SubgraphsLength()} subgraphs: only one is understood"
        raise ConversionRefused(msg)
    subgraph = model.Subgraphs(0)
    tensors = [_read_tensor(model, subgraph, i) for i in range(subgraph.TensorsLength())]
    operators = [_read_operator(model, subgraph, i) for i in range(subgraph.OperatorsLength())]
    return TfliteGraph(
        tensors=tuple(_dequantized(tensors, operators)),
        operators=tuple(op for op in operators if op.kind != "DEQUANTIZE"),
        inputs=tuple(int(i) for i in subgraph.InputsAsNumpy()),
        outputs=tuple(int(i) for i in subgraph.OutputsAsNumpy()),
    )


def _read_tensor(model: Any, subgraph: Any, index: int) -> Tensor:  # noqa: ANN401 - untyped library
    tensor = subgraph.Tensors(index)
    shape = tuple(int(n) for n in tensor.ShapeAsNumpy()) if tensor.ShapeLength() else ()
    name = tensor.Name().decode()
    buffer = model.Buffers(tensor.Buffer())
    if not buffer.DataLength():
        return Tensor(name, shape, None)
    if tensor.Type() not in _DTYPES:
        msg = f"tensor {name}: type {tensor.Type()} is not known"
        raise ConversionRefused(msg)
    numbers = np.frombuffer(buffer.DataAsNumpy().tobytes(), _DTYPES[tensor.Type()])
    return Tensor(name, shape, numbers.reshape(shape))


def _read_operator(model: Any, subgraph: Any, index: int) -> Operator:  # noqa: ANN401
    operator = subgraph.Operators(index)
    codes = model.OperatorCodes(operator.OpcodeIndex())
    code = max(codes.BuiltinCode(), codes.DeprecatedBuiltinCode())
    kind = _OPERATOR_NAMES.get(code, f"operator {code}")
    options, table = None, operator.BuiltinOptions()
    if kind in _OPTIONS and table is not None:
        options = _OPTIONS[kind]()
        options.Init(table.Bytes, table.Pos)
    return Operator(
        kind=kind,
        inputs=tuple(int(i) for i in operator.InputsAsNumpy()),
        outputs=tuple(int(i) for i in operator.OutputsAsNumpy()),
        options=options,
    )


def _dequantized(tensors: list[Tensor], operators: list[Operator]) -> list[Tensor]:
    folded = list(tensors)
    for operator in operators:
        if operator.kind != "DEQUANTIZE":
            continue
        source, target = tensors[operator.inputs[0]], operator.outputs[0]
        if source.constant is None or source.constant.dtype != np.float16:
            msg = f"DEQUANTIZE of {source.name}: only half-float weights are understood"
            raise ConversionRefused(msg)
        weights = source.constant.astype(np.float32)
        folded[target] = Tensor(tensors[target].name, tensors[target].shape, weights)
    return folded
