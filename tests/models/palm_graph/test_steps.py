"""Each step from picture to template, as numpy and the ONNX graph compute it.

They are the numpy reference, which also trains, and the ONNX graph that serves.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from engine.features.code_bytes import directions_of, first_codes, seen_of
from engine.features.competitive_code import (
    Lines,
    blind_spots,
    describe_lines,
    find_lines,
    normalise,
)
from engine.hand.detector import Network
from engine.networks.onnx_model import OnnxModel
from engine.parameters import CODE_DIRECTIONS, CODE_SCALES, ROI_SIZE_PX
from engine.roi import landmarks_on_square
from engine.settings import EngineSettings
from engine.types import Hand, PalmSample
from models.synthesis.crop.style import Variation
from models.training.sample_store import LINE_UNIT, cells_of, draw_samples
from tests.onnx_web.golden import golden_hands
from tests.support.palms.reference_extractor import cut_roi, encode_lines

Crop = NDArray[np.uint8]
Steps = dict[str, NDArray[Any]]


CELLS = np.s_[..., 2::4, 2::4]
"""The pixels that the code takes."""

WITHIN = {
    "region": 1e-2,
    "normalised": 1e-3,
    "seen": 0,
    "responses": 1e-2,
    "energy": 1e-4,
    "thin": 2e-2,
}
"""Largest difference in a step, about five times what single precision leaves.

Grey levels; deviations; responses, of which a line has about -7; vectors of length 1.
"""

INSIDE = {
    "normalised": "even",
    "responses": "responses",
    "seen": "lit",
    "energy": "energy_vector",
    "thin": "thin_responses",
    "mask": "seen",
}
"""Names of steps inside the graph."""


@cache
def palms() -> tuple[Crop, ...]:
    """Return regions of drawn hands, and drawn regions, one with a sleeve."""
    regions = [
        np.round(cut_roi(each.sample, each.landmarks).pixels).astype(np.uint8)
        for each in golden_hands()
    ]
    drawn = draw_samples(3, range(2), 2, Variation()).reshape(-1, ROI_SIZE_PX, ROI_SIZE_PX)
    drawn[0, :40] = 0
    return (*regions, *drawn)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Network:
    """Return the graph, its steps among the outputs."""
    model = onnx.load(EngineSettings().weights_dir / "palm_print_net.onnx")
    for name in INSIDE.values():
        made = onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
        model.graph.output.append(made)
    data = model.SerializeToString()
    path = Path(tmp_path_factory.mktemp("graph")) / "steps.onnx"
    path.write_bytes(data)
    return OnnxModel(path, sha256=sha256(data).hexdigest())


def of_reference(crop: Crop) -> Steps:
    """Return the steps as the readable reference takes them."""
    sample = PalmSample(np.repeat(crop[..., None], 3, axis=2))
    region = cut_roi(sample, landmarks_on_square(crop.shape, Hand.LEFT)).pixels
    lines = find_lines(region)
    energy = describe_lines(lines)
    return {
        "region": region,
        "normalised": normalise(region, blind_spots(region)),
        "seen": lines.seen,
        "responses": lines.responses,
        "code": encode_lines(lines),
        "energy": energy,
        "thin": find_lines(region, CODE_SCALES[1]).responses[..., ::2, ::2],
    }


def of_graph(crop: Crop, graph: Network) -> Steps:
    """Return the steps as the served graph takes them."""
    given = graph.run(
        {
            "picture": np.repeat(crop[..., None], 3, axis=2),
            "landmarks": landmarks_on_square(crop.shape, Hand.LEFT).points,
            "right": np.zeros((), np.bool_),
        }
    )
    inside = {step: given[name] for step, name in INSIDE.items()}
    return {"region": given["region"], "code": first_codes(given["code"]), **inside}


def require_same(given: Steps, expected: Steps) -> None:
    """Compare the steps that both have; a cell's direction may differ in a tie."""
    for step in WITHIN.keys() & given.keys():
        np.testing.assert_allclose(
            given[step], expected[step], rtol=0, atol=WITHIN[step], err_msg=step
        )
    seen = seen_of(given["code"])
    assert not np.any(seen & ~seen_of(expected["code"])), "a cell shows no skin"
    require_least(directions_of(given["code"]), expected, WITHIN["responses"], seen)


def require_least(
    directions: NDArray[np.uint8], expected: Steps, within: float, seen: NDArray[np.bool_]
) -> None:
    """Require the direction of the least response at each cell, but for ties."""
    at_cells = expected["responses"][CELLS].clip(-40, 40)
    chosen = np.take_along_axis(at_cells, directions[None].astype(np.int64), axis=0)[0]
    behind = (chosen - at_cells.min(axis=0))[seen]
    assert behind.max() <= 2 * within, "another direction than that of the line"


@pytest.mark.parametrize("number", range(9))
def test_the_graph_takes_the_steps_of_the_reference(number: int, graph: Network) -> None:
    """The graph in use computes the same as the readable code."""
    crop = palms()[number]
    given, expected = of_graph(crop, graph), of_reference(crop)
    # What looks like a cover counts in no energy either.
    uncovered = Lines(expected["responses"], given.pop("mask") > 0)
    expected["energy"] = describe_lines(uncovered)

    assert given.keys() == expected.keys()
    require_same(given, expected)


@pytest.mark.parametrize("number", range(9))
def test_a_training_stores_the_lines_of_the_reference(number: int) -> None:
    """Eight bits may name another direction in a tie only."""
    expected = of_reference(palms()[number])
    stored = cells_of(Lines(expected["responses"], expected["seen"]))

    at_cells = expected["responses"][CELLS].clip(-40, 40)
    np.testing.assert_allclose(stored[:CODE_DIRECTIONS] * LINE_UNIT, at_cells, atol=LINE_UNIT)
    np.testing.assert_array_equal(stored[CODE_DIRECTIONS], expected["seen"][CELLS])
    winners = stored[:CODE_DIRECTIONS].argmin(axis=0)
    require_least(winners, expected, LINE_UNIT, seen_of(expected["code"]))
