"""A trained network in place of oriented energy: the joint of the shipped graph."""

from hashlib import sha256

import numpy as np
import onnx
import pytest
from onnx import numpy_helper, parser

from engine.features.competitive_code import describe_lines, find_lines
from engine.networks.onnx_model import OnnxModel, load_model
from engine.settings import PALM_GRAPH, EngineSettings
from models.console import ModelsError
from models.palm_graph.build import palm_network_model
from tests.onnx_web.golden import golden_hands

GOLDEN = golden_hands()[0]


def network(*, responses="responses", directions=6, dimension=5):
    """Return a network: a fixed linear map of what it sees, brought to norm 1."""
    model = parser.parse_model(f"""
        <ir_version: 10, opset_import: ["" : 20]>
        net (float[n, {directions}, 32, 32] {responses}, float[n, 32, 32] seen,
             float[n, 384] energy)
          => (float[n, {dimension}] template)
        {{
            skin = Unsqueeze (seen, axis)
            shown = Mul ({responses}, skin)
            cells = Flatten <axis = 1> (shown)
            flat = Concat <axis = 1> (cells, energy)
            mapped = MatMul (flat, weights)
            length = ReduceL2 (mapped, axis)
            template = Div (mapped, length)
        }}""")
    weights = np.random.default_rng(1).normal(size=(directions * 32 * 32 + 384, 5))
    for key, value in {"weights": weights.astype(np.float32), "axis": np.array([1])}.items():
        model.graph.initializer.append(numpy_helper.from_array(value, key))
    return model


def loaded(model, folder):
    """Load a model as the engine does."""
    data = model.SerializeToString()
    path = folder / "model.onnx"
    path.write_bytes(data)
    return OnnxModel(path, sha256=sha256(data).hexdigest())


def test_a_network_gives_the_vector_and_changes_nothing_else(tmp_path):
    """Code, region and quality are what they are without it."""
    whole = loaded(palm_network_model(network()), tmp_path)
    given = whole.run(GOLDEN.inputs)
    plain = load_model(PALM_GRAPH, EngineSettings()).run(GOLDEN.inputs)

    assert set(given) == set(plain)
    assert given["vector"].shape == (5,)
    assert np.linalg.norm(given["vector"]) == pytest.approx(1, abs=1e-6)
    for name in set(plain) - {"vector"}:
        assert np.array_equal(given[name], plain[name]), name


def test_the_network_sees_the_cells_of_the_code(tmp_path):
    """It is trained on them; other filters, or cells a pixel off, would be strange to it."""
    model = palm_network_model(network())
    shapes = {"line_cells": [1, 6, 32, 32], "skin_cells": [1, 32, 32], "energy_row": [1, 384]}
    for name, shape in shapes.items():
        model.graph.output.append(
            onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        )
    given = loaded(model, tmp_path).run(GOLDEN.inputs)
    lines = find_lines(given["region"])

    at = np.s_[..., 2::4, 2::4]
    np.testing.assert_allclose(given["line_cells"][0], lines.responses[at], atol=1e-2)
    np.testing.assert_array_equal(given["skin_cells"][0], lines.seen[at])
    np.testing.assert_allclose(given["energy_row"][0], describe_lines(lines), atol=1e-4)


@pytest.mark.parametrize(
    "change", [{"responses": "picture"}, {"directions": 8}, {"dimension": "d"}]
)
def test_a_network_that_does_not_fit_is_refused(change):
    """The graph would be built, and fail at the first palm."""
    with pytest.raises(ModelsError):
        palm_network_model(network(**change))
