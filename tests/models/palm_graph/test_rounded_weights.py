"""Rounded weights: a smaller file, and nearly the same numbers at run time."""

from hashlib import sha256

import numpy as np
import onnx
from onnx import numpy_helper, parser

from engine.networks.onnx_model import OnnxModel
from engine.settings import EngineSettings
from models.palm_graph.template import NETWORK_PREFIX


def network():
    """Return a network of one matrix, a column of it empty, and one bias."""
    model = parser.parse_model("""
        <ir_version: 10, opset_import: ["" : 20]>
        net (float[n, 96] given) => (float[n, 96] made)
        { turned = MatMul (given, joint_matrix)
          made = Add (turned, bias) }""")
    chance = np.random.default_rng(1)
    matrix = chance.normal(size=(96, 96)).astype(np.float32)
    matrix[:, 5] = 0
    bias = chance.normal(size=96).astype(np.float32)
    for name, value in {"joint_matrix": matrix, "bias": bias}.items():
        model.graph.initializer.append(numpy_helper.from_array(value, name))
    return model


def run(model, folder, given):
    """Run a model as the engine does."""
    data = model.SerializeToString()
    path = folder / "network.onnx"
    path.write_bytes(data)
    return OnnxModel(path, sha256=sha256(data).hexdigest()).run({"given": given})["made"]


def test_the_shipped_network_takes_a_byte_a_number():
    """A phone's page that carried it would have 9 MB for everything."""
    model = onnx.load(EngineSettings().weights_dir / "palm_print_net.onnx")
    own = [each for each in model.graph.initializer if each.name.startswith(NETWORK_PREFIX)]
    large = [each for each in own if np.prod(each.dims) >= 4096]

    assert {each.data_type for each in large} == {onnx.TensorProto.INT8}
