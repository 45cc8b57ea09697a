"""The shipped graph with the network in it: what stays as it was, and what it is for."""

import onnx

from engine.networks.manifest import read_manifest
from engine.settings import PALM_GRAPH, EngineSettings


def test_the_shipped_graph_does_not_tell_where_it_was_made():
    """An exporter notes the files and folders of its machine in every node."""
    entry = read_manifest(EngineSettings().manifest)[PALM_GRAPH]
    model = onnx.load(EngineSettings().weights_dir / entry.file)

    parts = (model, model.graph, *model.graph.node, *model.graph.initializer)
    assert not any(part.doc_string or part.metadata_props for part in parts)
