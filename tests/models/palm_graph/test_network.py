"""A trained network in place of oriented energy: joint of the graph that is shipped."""

from hashlib import sha256

import numpy as np
import onnx
import pytest
from onnx import numpy_helper, parser

from engine.networks.onnx_model import OnnxModel, load_model
from engine.settings import PALM_GRAPH, EngineSettings
from models.console import ModelsError
from models.palm_graph.build import palm_network_model
from models.palm_graph.template import NETWORK_PREFIX
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


@pytest.mark.parametrize(
    "change", [{"responses": "picture"}, {"directions": 8}, {"dimension": "d"}]
)
def test_a_network_that_does_not_fit_is_refused(change):
    """The graph would be built, and fail at the first palm."""
    with pytest.raises(ModelsError):
        palm_network_model(network(**change))


def shipped():
    """Return the graph that is served."""
    return onnx.load(EngineSettings().weights_dir / "palm_print_net.onnx")


def test_the_shipped_graph_does_not_tell_where_it_was_made():
    """An exporter notes the files and folders of its machine in every node."""
    graph = shipped().graph

    parts = (shipped(), graph, *graph.node, *graph.initializer)
    assert not any(part.doc_string or part.metadata_props for part in parts)


def test_the_shipped_network_takes_a_byte_a_number():
    """A phone's page that carried it would have 9 MB for everything."""
    own = [e for e in shipped().graph.initializer if e.name.startswith(NETWORK_PREFIX)]
    large = [each for each in own if np.prod(each.dims) >= 4096]

    assert {each.data_type for each in large} == {onnx.TensorProto.INT8}
