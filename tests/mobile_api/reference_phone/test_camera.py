"""``thenar phone --camera``: a program shows the palm, where a picture is not enough."""

import sys
from typing import Any

import pytest
from typer.testing import Result

from tests.mobile_api.reference_phone.conftest import MAYA, Terminal
from tests.support.phone.challenges import FakeDetector

CAMERA = f"{sys.executable} -m tests.support.phone.camera_program"


@pytest.fixture
def settings() -> dict[str, Any]:
    """Give a service that asks for challenges, with a clock that stands still."""
    return {"detector": FakeDetector()}


def with_camera(
    terminal: Terminal, *arguments: str, camera: str = f"{CAMERA} {MAYA}"
) -> Result:
    """Run a command with a camera."""
    return terminal.phone("--camera", camera, *arguments)


def test_a_camera_enrols_and_signs_in(terminal: Terminal) -> None:
    """The whole way of a person on a new phone."""
    enrolled = with_camera(terminal, "enrol", "--agree")
    answered = with_camera(terminal, "answer", terminal.link(), "--approve")

    assert "3 of the right one" in enrolled.output
    assert "Go back to your computer" in answered.output
    assert terminal.phone("apps", *terminal.palm(MAYA)).exit_code == 1  # a still
    assert with_camera(terminal, "apps").exit_code == 0


@pytest.mark.parametrize("camera", ["/nowhere", "true", "false"])
def test_a_program_without_frames_gets_an_error(terminal: Terminal, camera: str) -> None:
    """It is not the service's fault."""
    result = with_camera(terminal, "enrol", "--agree", camera=camera)

    assert result.exit_code == 1
    assert "gave no frames" in result.output
