"""The engine's settings: from the environment, checked, and then never changed."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from engine.settings import EngineSettings


def test_every_setting_is_read_from_its_variable(monkeypatch):
    """Operators set nothing else."""
    monkeypatch.setenv("THENAR_ENGINE_WEIGHTS_DIR", "/srv/weights")
    monkeypatch.setenv("THENAR_ENGINE_TARGET_FPIR", "0.01")
    monkeypatch.setenv("THENAR_ENGINE_THREADS", "4")

    settings = EngineSettings()

    assert settings.weights_dir == Path("/srv/weights")
    assert (settings.target_fpir, settings.threads) == (0.01, 4)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TARGET_FPIR", "0"),
        ("TARGET_FPIR", "1"),
        ("TARGET_FMR", "-0.1"),
        ("TARGET_FMR", "nan"),
        ("TARGET_FMR", "1e-12"),
        ("THREADS", "0"),
        ("THREADS", "many"),
    ],
)
def test_a_value_out_of_range_stops_the_start(monkeypatch, name, value):
    """A rate of zero would refuse everybody, one of one would let everybody in."""
    monkeypatch.setenv(f"THENAR_ENGINE_{name}", value)

    with pytest.raises(ValidationError, match=name.lower()):
        EngineSettings()
