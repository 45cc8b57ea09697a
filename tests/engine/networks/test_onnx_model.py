"""Loading a network: its digest first, a clear fault otherwise, and the same answers always."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from engine.networks.onnx_model import OnnxModel
from tests.support.palms.small_network import NETWORK

DIGEST = hashlib.sha256(NETWORK).hexdigest()


@pytest.fixture
def path(tmp_path):
    """Give the path of a small network."""
    path = tmp_path / "small.onnx"
    path.write_bytes(NETWORK)
    return path


def test_a_network_is_run_by_the_names_of_its_inputs_and_outputs(path):
    """Callers never count outputs."""
    model = OnnxModel(path, sha256=DIGEST)
    picture = np.array([1, -1, 2, -2, 3, -3] * 2, np.float32).reshape(1, 2, 2, 3)

    result = model.run({"picture": picture})["result"]

    assert model.inputs == {"picture": (1, 2, 2, 3)}
    assert model.outputs == {"result": (1, 2, 2, 3)}
    slope = np.array([0.25, -2.0]).reshape(1, 2, 1, 1)
    assert np.array_equal(result, np.where(picture < 0, slope * picture, picture))


def test_the_library_does_not_report_that_it_runs(path, tmp_path):
    """By default it keeps an identifier of the machine at home and reports to its maker.

    It stays silent on CI, which is therefore hidden from it.
    """
    home = tmp_path / "home"
    home.mkdir()
    load = "from engine.networks.onnx_model import OnnxModel as load; from pathlib import Path"
    code = f"{load}; load(Path({str(path)!r}), sha256={DIGEST!r})"
    subprocess.run([sys.executable, "-c", code], env={"HOME": str(home)}, check=True)  # noqa: S603

    assert list(home.rglob("*")) == []
