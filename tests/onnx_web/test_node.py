"""The palm graph in onnxruntime-web, as a phone's browser runs it: the same templates."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from engine.settings import PALM_GRAPH, EngineSettings
from tests import node_packages
from tests.onnx_web.golden import KEPT, golden_hands

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What the shipped graph gives in WASM for each golden hand, in order."""
    return run_in_wasm(PALM_GRAPH, tmp_path_factory.mktemp("pictures"))


def run_in_wasm(name, folder):
    """Run a graph of the manifest under Node."""
    missing = node_packages.what_is_missing(HERE)
    if missing:
        pytest.skip(missing)
    requests = [_request(folder, golden) for golden in golden_hands()]
    (folder / "requests.jsonl").write_text("\n".join(map(json.dumps, requests)))
    graph = EngineSettings().weights_dir / f"{name}.onnx"
    command = [node_packages.NODE, "run_graph.mjs", graph, folder / "requests.jsonl"]
    done = subprocess.run(  # noqa: S603 -- our own script
        command, cwd=HERE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_browser_makes_the_template_that_was_released(answers):
    """Vector within 1e-4, every bit of the code: it does not matter who makes a template."""
    for golden, answer in zip(golden_hands(), answers, strict=False):
        assert answer["code"] == golden.expected["code"].tolist(), golden.name
        for name in KEPT:
            difference = np.abs(np.array(answer[name]) - golden.expected[name].reshape(-1))
            assert difference.max() <= 1e-4 * max(1, np.abs(golden.expected[name]).max()), name


def _request(folder, golden):
    """Return what the script is asked about one hand."""
    picture = folder / f"{golden.name}.rgb"
    picture.write_bytes(golden.sample.pixels.tobytes())
    height, width = golden.sample.pixels.shape[:2]
    return {
        "picture": str(picture),
        "height": height,
        "width": width,
        "landmarks": golden.landmarks.points.reshape(-1).tolist(),
        "right": bool(golden.inputs["right"]),
    }
