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
