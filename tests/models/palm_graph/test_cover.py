"""Something on a palm is hidden, a bare palm is not, and one thing makes no two palms alike."""

from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from benchmarks.robustness.covers import covered
from engine.comparison.compare import compare
from engine.decision.calibration import load_calibration
from engine.extract import load_extractor
from engine.features.code_bytes import HIDDEN, fields_of, first_codes, seen_of
from engine.features.competitive_code import find_lines
from engine.networks.onnx_model import load_model
from engine.parameters import CODE_CELLS
from engine.roi import landmarks_on_square
from engine.settings import PALM_GRAPH, EngineSettings
from engine.types import Hand, PalmSample
from models.palm_graph.build import embedded_network, palm_network_model
from models.palm_graph.cover import WEIGHTS
from models.synthesis.crop.style import Variation
from models.training.sample_store import draw_samples
from tests.support.palms.reference_extractor import encode_lines

PALMS = 12

EXTRACTOR = load_extractor(EngineSettings())


@cache
def crops() -> NDArray[np.uint8]:
    """Return drawn regions, two of each palm, with nothing on them."""
    return draw_samples(5, range(PALMS), 2, Variation(covered_share=0.0))


def shown(crop: NDArray[np.uint8], kind: str = "", share: float = 0.3, seed: int = 1) -> Any:
    """Return what the graph takes of a region with something on it, if there is a kind."""
    sample = PalmSample(np.repeat(crop[..., None], 3, axis=2))
    landmarks = landmarks_on_square(crop.shape, Hand.LEFT)
    if kind:
        sample = covered(kind, sample, landmarks, share, np.random.default_rng(seed))
    return sample, landmarks


def ran(crop: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
    """Run the graph."""
    sample, landmarks = shown(crop)
    points, is_right = landmarks.points, np.zeros((), np.bool_)
    given = {"picture": sample.pixels, "landmarks": points, "right": is_right}
    return load_model(PALM_GRAPH, EngineSettings()).run(given)


def test_bare_palms_have_the_codes_that_they_always_had() -> None:
    """Their references were enrolled before anything was hidden. Drawn creases are deep."""
    found = [ran(crop) for crop in crops()[:, 0]]
    now, before = (
        np.stack([fields_of(code, CODE_CELLS) for code in codes])
        for codes in (
            [first_codes(each["code"]) for each in found],
            [encode_lines(find_lines(each["region"])) for each in found],
        )
    )

    assert np.mean(now == HIDDEN) < 0.12
    assert np.mean((now != before) & (now != HIDDEN)) == 0


def test_a_clipped_colour_hides_no_lines() -> None:
    """Too much light makes skin's red white first, then its green; blue still shows lines."""
    sample, landmarks = shown(crops()[0, 0])
    bright = sample.pixels | np.array([255, 255, 0], np.uint8)

    plain, bright_one = (EXTRACTOR.extract(PalmSample(each), landmarks).template.code
                         for each in (sample.pixels, bright))  # fmt: skip
    assert np.mean(plain != bright_one) < 0.01


def test_noise_is_no_cover() -> None:
    """A cheap webcam shows as much, and a phone in the dark."""
    noise = np.random.default_rng(1).normal(0, 24, crops()[:, 0].shape)
    noisy = np.clip(crops()[:, 0] + noise, 0, 255).astype(np.uint8)

    assert np.mean([seen_of(first_codes(ran(crop)["code"])) for crop in noisy]) > 0.9


@pytest.mark.parametrize(
    ("kind", "share"),
    [
        *((each, 0.3) for each in ("printed", "striped", "QR-like", "text", "sticker")),
        ("bar shadow", 0.1),
    ],
)
def test_two_people_with_the_same_thing_do_not_match(kind: str, share: float) -> None:
    """A person who wears it, or stands behind a blind, would sign in as all who enrolled so."""
    threshold = load_calibration(EXTRACTOR.extractor_id).threshold_for_fmr(1e-4)
    worn = [
        EXTRACTOR.extract(*shown(crop, kind, share, seed=n)).template
        for n, crop in enumerate(crops()[:, 0])
    ]

    scores = [compare(one, other) for n, one in enumerate(worn) for other in worn[:n]]
    assert max(scores) < threshold
    assert np.mean([seen_of(each.code).mean() for each in worn]) < 0.8


def test_the_shipped_graph_is_the_built_one_around_its_network() -> None:
    """What is read here is what runs; the network needs no torch to be carried over."""
    shipped = onnx.load(EngineSettings().weights_dir / "palm_print_net.onnx")

    assert _formulas(palm_network_model(embedded_network(shipped))) == _formulas(shipped)
    assert WEIGHTS.stat().st_size < 64_000


def _formulas(model: onnx.ModelProto) -> dict[str, str]:
    """Return a digest of all that each output is computed by, whatever its steps are called."""
    known = {each.name: each.name for each in model.graph.input}
    for each in model.graph.initializer:
        values = onnx.numpy_helper.to_array(each)
        known[each.name] = _digest(values.dtype, values.shape, values.tobytes())
    for node in model.graph.node:
        said = [
            node.op_type,
            *sorted(map(str, node.attribute)),
            *(known[n] for n in node.input),
        ]
        is_same = node.op_type == "Identity"
        for place, name in enumerate(node.output):
            known[name] = known[node.input[0]] if is_same else _digest(place, *said)
    return {each.name: known[each.name] for each in model.graph.output}


def _digest(*said: Any) -> str:
    return sha256(repr(said).encode()).hexdigest()
