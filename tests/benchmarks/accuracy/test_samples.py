"""Crops, odd formats and networks: what pictures of a set are turned into."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from benchmarks.accuracy.acquisition import PalmNetwork
from benchmarks.datasets import landmarks_on_crop, read_sample
from engine.errors import SampleUnreadable
from engine.types import Hand, PalmSample
from models.palm_graph.build import palm_network_model
from models.palm_graph.graph import OPSET
from tests.engine.test_extract import palm
from tests.support.palms.reference_extractor import cut_roi


def crop(height: int, width: int) -> PalmSample:
    """Return a crop of a drawn palm."""
    square = palm(1, size=max(height, width))
    return PalmSample(np.ascontiguousarray(square[:height, :width]))


@pytest.mark.parametrize(("height", "width"), [(128, 128), (300, 200), (150, 260)])
@pytest.mark.parametrize("hand", Hand)
def test_the_region_of_a_crop_is_its_largest_square(height, width, hand):
    """Nothing of a crop is thrown away that needs not be, and nothing is made up."""
    sample = crop(height, width)
    roi = cut_roi(sample, landmarks_on_crop(sample, hand))

    side = min(height, width)
    assert roi.scale_px == pytest.approx(side, rel=1e-5)
    assert roi.inside_share == pytest.approx(1, abs=1e-4)
    assert roi.residual < 1e-6
    assert roi.corners.mean(axis=0) == pytest.approx((width / 2, height / 2), abs=1e-3)


def network_file(folder: Path) -> Path:
    """Write a palm graph whose vector is the energy of the lines in the picture."""
    lines: dict[str, list[str | int]] = {
        "responses": ["n", 6, 32, 32],
        "seen": ["n", 32, 32],
        "energy": ["n", 384],
    }
    values = [
        helper.make_tensor_value_info(key, onnx.TensorProto.FLOAT, shape)
        for key, shape in lines.items()
    ]
    out = helper.make_tensor_value_info("template", onnx.TensorProto.FLOAT, ["n", 384])
    nodes = [helper.make_node("Flatten", ["energy"], ["template"])]
    graph = helper.make_graph(nodes, "net", values, [out])
    opsets = [helper.make_opsetid("", OPSET)]
    network = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    onnx.save(palm_network_model(network), folder / "net.onnx")
    onnx.save(network, folder / "lines.onnx")
    return folder / "net.onnx"


def test_a_palm_graph_gets_the_picture_and_gives_a_vector_of_length_1(tmp_path):
    """The right hand's picture is mirrored by the graph, not by the benchmark."""
    network = PalmNetwork(network_file(tmp_path))
    sample = crop(300, 300)
    mirrored = PalmSample(np.ascontiguousarray(sample.pixels[:, ::-1]))

    left = network.vector_of(sample, landmarks_on_crop(sample, Hand.LEFT))
    right = network.vector_of(mirrored, landmarks_on_crop(mirrored, Hand.RIGHT))

    assert left.shape == (384,)
    assert np.linalg.norm(left) == pytest.approx(1, abs=1e-5)
    assert left == pytest.approx(right, abs=1e-3)


def test_an_empty_file_is_no_picture(tmp_path):
    """It counts as a failure to acquire, like every other file that cannot be read."""
    (tmp_path / "palm.jpg").touch()

    with pytest.raises(SampleUnreadable):
        read_sample(tmp_path / "palm.jpg")
