"""Small TensorFlow Lite files, written with the schema's own builders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import flatbuffers
import numpy as np
import tflite
from numpy.typing import NDArray

_TYPES = {
    np.dtype(np.float32): tflite.TensorType.FLOAT32,
    np.dtype(np.float16): tflite.TensorType.FLOAT16,
    np.dtype(np.int32): tflite.TensorType.INT32,
    np.dtype(np.int8): tflite.TensorType.INT8,
}


@dataclass(frozen=True)
class FileTensor:
    """A tensor: its name, shape and, for a constant, its numbers."""

    name: str
    shape: tuple[int, ...]
    numbers: NDArray[np.generic] | None = None


@dataclass(frozen=True)
class FileOperator:
    """An operator by its builtin code, without options."""

    code: int
    inputs: tuple[int, ...]
    output: int


def tflite_file(
    tensors: Sequence[FileTensor],
    operators: Sequence[FileOperator],
    *,
    inputs: tuple[int, ...] = (0,),
    outputs: tuple[int, ...] | None = None,
    subgraphs: int = 1,
) -> bytes:
    """Return a file of one network; the last tensor is its output unless told otherwise."""
    builder = flatbuffers.Builder(1024)
    empty = _buffer(builder, b"")
    buffers = [empty]
    table = []
    for tensor in tensors:
        if tensor.numbers is not None:
            buffers.append(_buffer(builder, tensor.numbers.tobytes()))
        table.append(_tensor(builder, tensor, len(buffers) - 1))
    codes = [_code(builder, operator.code) for operator in operators]
    steps = [_operator(builder, i, operator) for i, operator in enumerate(operators)]
    ends = outputs if outputs is not None else (len(tensors) - 1,)
    parts = [_ints(builder, inputs), _ints(builder, ends)]
    parts += [_vector(builder, table), _vector(builder, steps)]
    tflite.SubGraphStart(builder)
    tflite.SubGraphAddInputs(builder, parts[0])
    tflite.SubGraphAddOutputs(builder, parts[1])
    tflite.SubGraphAddTensors(builder, parts[2])
    tflite.SubGraphAddOperators(builder, parts[3])
    graph = tflite.SubGraphEnd(builder)
    graphs, all_codes = _vector(builder, [graph] * subgraphs), _vector(builder, codes)
    all_buffers = _vector(builder, buffers)
    tflite.ModelStart(builder)
    tflite.ModelAddVersion(builder, 3)
    tflite.ModelAddOperatorCodes(builder, all_codes)
    tflite.ModelAddSubgraphs(builder, graphs)
    tflite.ModelAddBuffers(builder, all_buffers)
    builder.Finish(tflite.ModelEnd(builder), b"TFL3")
    return bytes(builder.Output())


def prelu_file(slope: Sequence[float] = (0.25, -2.0)) -> bytes:
    """Return a network of one PRELU whose slopes are half floats behind a DEQUANTIZE."""
    numbers = np.array(slope, np.float16).reshape(1, 1, -1)
    tensors = [
        FileTensor("input_1", (1, 2, 3, len(slope))),
        FileTensor("slope", numbers.shape, numbers),
        FileTensor("slope_dequantize", numbers.shape),
        FileTensor("Identity", (1, 2, 3, len(slope))),
    ]
    operators = [
        FileOperator(tflite.BuiltinOperator.DEQUANTIZE, (1,), 2),
        FileOperator(tflite.BuiltinOperator.PRELU, (0, 2), 3),
    ]
    return tflite_file(tensors, operators)


def _buffer(builder: flatbuffers.Builder, data: bytes) -> int:
    """Add a buffer."""
    content = builder.CreateByteVector(data) if data else None
    tflite.BufferStart(builder)
    if content is not None:
        tflite.BufferAddData(builder, content)
    return int(tflite.BufferEnd(builder))


def _tensor(builder: flatbuffers.Builder, tensor: FileTensor, buffer: int) -> int:
    """Add a tensor that points to a buffer, the empty one if it is computed."""
    name, shape = builder.CreateString(tensor.name), _ints(builder, tensor.shape)
    tflite.TensorStart(builder)
    tflite.TensorAddName(builder, name)
    tflite.TensorAddShape(builder, shape)
    dtype = np.dtype(np.float32) if tensor.numbers is None else tensor.numbers.dtype
    tflite.TensorAddType(builder, _TYPES[dtype])
    tflite.TensorAddBuffer(builder, 0 if tensor.numbers is None else buffer)
    return int(tflite.TensorEnd(builder))


def _code(builder: flatbuffers.Builder, code: int) -> int:
    """Add an operator code."""
    tflite.OperatorCodeStart(builder)
    tflite.OperatorCodeAddBuiltinCode(builder, code)
    tflite.OperatorCodeAddDeprecatedBuiltinCode(builder, min(code, 127))
    return int(tflite.OperatorCodeEnd(builder))


def _operator(builder: flatbuffers.Builder, index: int, operator: FileOperator) -> int:
    """Add an operator."""
    inputs, outputs = _ints(builder, operator.inputs), _ints(builder, (operator.output,))
    tflite.OperatorStart(builder)
    tflite.OperatorAddOpcodeIndex(builder, index)
    tflite.OperatorAddInputs(builder, inputs)
    tflite.OperatorAddOutputs(builder, outputs)
    return int(tflite.OperatorEnd(builder))


def _ints(builder: flatbuffers.Builder, numbers: Sequence[int]) -> int:
    """Add a vector of integers."""
    return int(builder.CreateNumpyVector(np.array(numbers, np.int32)))


def _vector(builder: flatbuffers.Builder, offsets: Sequence[int]) -> int:
    """Add a vector of tables."""
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return int(builder.EndVector())
