"""The camera: a page that releases it while it is being opened does not leave it on."""

from pathlib import Path

import pytest

from tests.phone_page.modules import Modules

PLAY = str(Path(__file__).with_name("camera.mjs"))


@pytest.mark.parametrize(
    ("meanwhile", "opened", "on"),
    [
        ("stop", [False, False], [False]),
        ("open", [False, True], [False, True]),
        ("refuse", [False, True], [True]),
    ],
)
def test_what_is_stopped_while_it_opens_is_off(
    modules: Modules, meanwhile: str, opened: list[bool], on: list[bool]
) -> None:
    """A page that is hidden, a camera switched twice: what comes late is let go of."""
    played = modules.call(PLAY, "interrupted", meanwhile)

    assert (played["opened"], played["on"]) == (opened, on)
    assert played["isShown"] is (meanwhile != "stop")


@pytest.mark.parametrize(
    ("low", "high", "part"),
    [
        ((400, 200), (600, 600), {"x": 340, "y": 140, "width": 320, "height": 520}),
        ((10, 100), (210, 690), {"x": 0, "y": 11, "width": 299, "height": 709}),
    ],
)
def test_of_an_attempts_picture_the_part_with_the_hand_is_sent(
    modules: Modules, low: tuple[int, int], high: tuple[int, int], part: dict[str, int]
) -> None:
    """With a margin, so that the service finds the hand again."""
    hand = {"points": [{"x": x, "y": y} for x, y in (low, high)]}
    frame = {"width": 1280, "height": 720}

    assert modules.call("capture/camera.js", "partOf", hand, frame) == part


@pytest.mark.parametrize(
    ("steps", "on"),
    [
        (["environment", "environment", "environment"], [True]),
        (["environment", "user"], [False, True]),
        (["environment", "hide", "environment"], [False, True]),
    ],
)
def test_one_stream_serves_all_steps(
    modules: Modules, steps: list[str], on: list[bool]
) -> None:
    """A set-up has eight or more, and some browsers ask for permission each time."""
    assert modules.call(PLAY, "reopened", steps) == on


@pytest.mark.parametrize(
    ("how", "kind"), [("play", "paused"), ("track", "stopped"), ("nothing", "unsupported")]
)
def test_a_picture_that_stops_is_no_camera_in_use(
    modules: Modules, how: str, kind: str
) -> None:
    """It was unplugged; a phone that saves power wants a press; some browsers have none."""
    assert modules.call(PLAY, "stopped", how) == kind
