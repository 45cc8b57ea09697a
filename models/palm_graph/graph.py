"""An ONNX graph written as expressions: ``a + b`` of two values adds a node.

A number or an array in place of a value becomes a constant of the file: whole numbers int64,
others float32. Beside an operator a Python number is always float32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import onnx
from onnx import compose, helper, numpy_helper

OPSET: Final = 20
"""ONNX operator set: the first whose GridSample is the same in both runtimes."""

REAL: Final = int(onnx.TensorProto.FLOAT)

Operand: TypeAlias = Any
"""A ``Value``, a number, or an array; or an attribute of a node."""


class Value:
    """A value of a graph; ``name`` is its name in the file."""

    __array_ufunc__ = None
    """Has numpy leave an operator with an array on its left to this class."""

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph, self.name = graph, name

    def called(self, name: str) -> Value:
        """Give it a name that others know."""
        self.name = name
        return self

    def to(self, kind: int) -> Value:
        """Return it as another type of ``onnx.TensorProto``."""
        return self.graph.op("Cast", self, to=kind)

    def reshape(self, *shape: int) -> Value:
        """Return it in another shape."""
        return self.graph.op("Reshape", self, shape)

    def unsqueeze(self, *axes: int) -> Value:
        """Return it with more axes."""
        return self.graph.op("Unsqueeze", self, axes)

    def __add__(self, other: Operand) -> Value:
        return self.graph.op("Add", self, _real(other))

    def __radd__(self, other: Operand) -> Value:
        return self.graph.op("Add", _real(other), self)

    def __sub__(self, other: Operand) -> Value:
        return self.graph.op("Sub", self, _real(other))

    def __rsub__(self, other: Operand) -> Value:
        return self.graph.op("Sub", _real(other), self)

    def __mul__(self, other: Operand) -> Value:
        return self.graph.op("Mul", self, _real(other))

    def __rmul__(self, other: Operand) -> Value:
        return self.graph.op("Mul", _real(other), self)

    def __truediv__(self, other: Operand) -> Value:
        return self.graph.op("Div", self, _real(other))

    def __rtruediv__(self, other: Operand) -> Value:
        return self.graph.op("Div", _real(other), self)

    def __matmul__(self, other: Operand) -> Value:
        return self.graph.op("MatMul", self, other)

    def __rmatmul__(self, other: Operand) -> Value:
        return self.graph.op("MatMul", other, self)


class Graph:
    """Collects nodes and constants. Given the graph's inputs, as ``declared`` returns them."""

    def __init__(self, *inputs: onnx.ValueInfoProto) -> None:
        self._inputs = inputs
        self._nodes: list[tuple[onnx.NodeProto, list[Value], list[Value]]] = []
        self._constants: dict[tuple[str, tuple[int, ...], bytes], Value] = {}
        self._initializers: list[onnx.TensorProto] = []

    @property
    def inputs(self) -> list[Value]:
        """The inputs as values."""
        return [Value(self, each.name) for each in self._inputs]

    def op(self, kind: str, *operands: Operand, **attributes: Operand) -> Value:
        """Add a node of one output."""
        return self.ops(kind, *operands, count=1, **attributes)[0]

    def ops(
        self, kind: str, *operands: Operand, count: int, **attributes: Operand
    ) -> list[Value]:
        """Add a node of several outputs."""
        node = helper.make_node(kind, [], [], **attributes)
        first = sum(len(outputs) for _, _, outputs in self._nodes)
        made = [Value(self, f"v{first + n}") for n in range(count)]
        self._nodes.append((node, [self._value(each) for each in operands], made))
        return made

    def include(
        self, network: onnx.ModelProto, prefix: str, given: Mapping[str, Value]
    ) -> dict[str, Value]:
        """Add the nodes of a network under a prefix; return its outputs by name."""
        inner = compose.add_prefix(network, prefix).graph
        values = {f"{prefix}{name}": value for name, value in given.items()}
        for node in inner.node:
            ends = [
                [values.setdefault(name, Value(self, name)) for name in names]
                for names in (node.input, node.output)
            ]
            del node.input[:], node.output[:]
            self._nodes.append((node, *ends))
        self._initializers += inner.initializer
        return {each.name.removeprefix(prefix): values[each.name] for each in inner.output}

    def to_model(self, name: str, outputs: Sequence[onnx.ValueInfoProto]) -> onnx.ModelProto:
        """Return the checked model; its outputs are values that have these names."""
        for node, inputs, made in self._nodes:
            node.input[:] = [each.name for each in inputs]
            node.output[:] = [each.name for each in made]
        nodes = [node for node, _, _ in self._nodes]
        made_graph = helper.make_graph(nodes, name, self._inputs, outputs, self._initializers)
        kind = helper.make_opsetid("", OPSET)
        model = helper.make_model(made_graph, opset_imports=[kind], ir_version=10)
        onnx.checker.check_model(model, full_check=True)
        return model

    def _value(self, operand: Operand) -> Value:
        if isinstance(operand, Value):
            return operand
        array = np.asarray(operand)
        array = array.astype(np.float32) if array.dtype == np.float64 else array
        key = array.dtype.str, array.shape, array.tobytes()
        if key not in self._constants:
            self._constants[key] = Value(self, f"c{len(self._constants)}")
            self._initializers.append(numpy_helper.from_array(array, self._constants[key].name))
        return self._constants[key]


def declared(kind: int, **shapes: Sequence[int | str]) -> list[onnx.ValueInfoProto]:
    """Return inputs or outputs of a type of ``onnx.TensorProto``, by name with their shapes."""
    return [helper.make_tensor_value_info(name, kind, s) for name, s in shapes.items()]


def _real(operand: Operand) -> Operand:
    return np.float32(operand) if isinstance(operand, int | float) else operand
