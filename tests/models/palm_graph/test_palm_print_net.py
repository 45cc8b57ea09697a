"""The shipped graph with the network in it: what stays as it was, and what it is for."""

import numpy as np
import onnx

from benchmarks.datasets import landmarks_on_crop
from engine.features.competitive_code import describe_lines, find_lines
from engine.networks.manifest import read_manifest
from engine.networks.onnx_model import load_model
from engine.settings import PALM_GRAPH, EngineSettings
from engine.types import Hand, PalmSample
from models.synthesis.crop.style import Variation
from models.training.sample_store import draw_samples

PALMS = 24


def vectors_of(graph, crops):
    """Run crops of left hands through a graph."""
    vectors = []
    for crop in crops:
        sample = PalmSample(np.repeat(crop[..., None], 3, axis=2))
        marks = landmarks_on_crop(sample, Hand.LEFT)
        given = {
            "picture": sample.pixels,
            "landmarks": marks.points.astype(np.float32),
            "right": np.zeros((), np.bool_),
        }
        vectors.append(graph.run(given)["vector"])
    return np.stack(vectors)


def separation(vectors):
    """Return how far cosines of one palm are from those of two, in deviations of the latter."""
    first, second = vectors[0::2], vectors[1::2]
    cosines = first @ second.T
    mated = np.eye(len(first), dtype=bool)
    others = cosines[~mated]
    return float((np.median(cosines[mated]) - others.mean()) / others.std()), cosines


def test_the_network_tells_unseen_drawn_palms_apart_better_than_energy_does():
    """A broken export or another front end would not separate them."""
    crops = draw_samples(77, range(PALMS), 2, Variation()).reshape(-1, 128, 128)
    net, cosines = separation(vectors_of(load_model(PALM_GRAPH, EngineSettings()), crops))
    energy, _ = separation(
        np.stack([describe_lines(find_lines(crop)) for crop in crops.astype("f4")])
    )

    assert net > 1.5 * energy
    assert (cosines.argmax(axis=1) == np.arange(PALMS)).mean() >= 0.95


def test_the_shipped_graph_does_not_tell_where_it_was_made():
    """An exporter notes the files and folders of its machine in every node."""
    entry = read_manifest(EngineSettings().manifest)[PALM_GRAPH]
    model = onnx.load(EngineSettings().weights_dir / entry.file)

    parts = (model, model.graph, *model.graph.node, *model.graph.initializer)
    assert not any(part.doc_string or part.metadata_props for part in parts)
