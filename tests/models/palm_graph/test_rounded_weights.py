"""Rounded weights: a smaller file, and nearly the same numbers at run time."""

import numpy as np
import onnx

from engine.settings import EngineSettings
from models.palm_graph.template import NETWORK_PREFIX


def test_the_shipped_network_takes_a_byte_a_number():
    """A phone's page that carried it would have 9 MB for everything."""
    model = onnx.load(EngineSettings().weights_dir / "palm_print_net.onnx")
    own = [each for each in model.graph.initializer if each.name.startswith(NETWORK_PREFIX)]
    large = [each for each in own if np.prod(each.dims) >= 4096]

    assert {each.data_type for each in large} == {onnx.TensorProto.INT8}
