"""Collects ONNX nodes and constants while a network is converted, and names them.

Names are numbers in the order of the operators, so the same network gives the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import helper, numpy_helper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from onnx import NodeProto, TensorProto


class OnnxBuilder:
    """The ONNX graph under construction."""

    def __init__(self, names: dict[int, str]) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: dict[str, TensorProto] = {}
        self._names = names
        self._count = 0

    def value(self, index: int) -> str:
        """Return the name of the value that holds this tensor."""
        return self._names.setdefault(index, f"t{index}")

    def add_constant(self, numbers: np.ndarray[Any, Any], what: str) -> str:
        """Add weights and return their name."""
        name = self._fresh(what)
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(numbers), name)
        return name

    def add_between(self, kind: str, *inputs: str, **attributes: Any) -> str:  # noqa: ANN401
        """Add a node whose result is no tensor of the file; return the result's name."""
        target = self._fresh(kind.lower())
        self.nodes.append(helper.make_node(kind, inputs, [target], **attributes))
        return target

    def add(
        self,
        kind: str,
        inputs: Sequence[str],
        output: int,
        *,
        activation: tuple[str, tuple[float, ...]] | None = None,
        **attributes: Any,  # noqa: ANN401 - the attributes of an ONNX node
    ) -> None:
        """Add a node that computes a tensor of the file, followed by its activation."""
        target = self.value(output)
        if activation is None:
            self.nodes.append(helper.make_node(kind, inputs, [target], **attributes))
            return
        linear = self._fresh("linear")
        self.nodes.append(helper.make_node(kind, inputs, [linear], **attributes))
        name, bounds = activation
        limits = [self.add_constant(np.array(b, np.float32), "bound") for b in bounds]
        self.nodes.append(helper.make_node(name, [linear, *limits], [target]))

    def _fresh(self, what: str) -> str:
        self._count += 1
        return f"{what}_{self._count}"
