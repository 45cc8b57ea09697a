"""The engine's settings: from the environment, checked, and then never changed."""

import pytest
from pydantic import ValidationError

from engine.settings import EngineSettings


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
