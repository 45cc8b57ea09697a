"""The page in Firefox and in WebKit, the engine of every browser on an iPhone.

Enrol, sign in, approve: every page within a phone's width; and templates are the service's.
"""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from mobile_api.api.page import BUILT
from tests.support.browser.firefox import Firefox, open_firefox
from tests.support.browser.template_distance import cosine_distance, templates_of
from tests.support.browser.webkit import WebKit, open_webkit
from tests.support.phone.camera import frame_of
from tests.support.service.journey import World

pytestmark = [pytest.mark.browser]

BEN, NEWCOMER = 1, 2

Engine = Firefox | WebKit

PHONES: Final = ((375, 667), (390, 844))
"""Widths and heights of small iPhones and of most others, in points."""

DRAWN: Final = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

OVERLAID: Final = """(() => {
  const { videoWidth, videoHeight } = document.querySelector("video");
  const { clientWidth, clientHeight } = document.querySelector(".viewfinder");
  return Math.abs(videoWidth / videoHeight - clientWidth / clientHeight);
})()"""
"""By how much the shape of the camera's picture differs from what the outline is drawn over."""


@pytest.fixture(params=[open_firefox, open_webkit], ids=["firefox", "webkit"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """Start a browser with a new profile."""
    if not (BUILT / "index.html").is_file():
        pytest.skip("the phone's page is not built: python -m mobile_api.page_build")
    with (
        tempfile.TemporaryDirectory(prefix="thenar-") as profile,
        request.param(Path(profile)) as started,
    ):
        yield started


class Watched:
    """A phone's page: each screen that is waited for is drawn, and as wide as the phone."""

    def __init__(self, engine: Engine, artefacts: Path) -> None:
        self.engine = engine
        self._drawn = f"{artefacts}/{type(engine).__name__.lower()}"

    def shows(self, screen: str, mark: str = "") -> None:
        """Wait for a screen, or what another page has."""
        mark = mark or f'#stage[data-screen="{screen}"]'
        self.engine.wait_for(f"document.querySelector({json.dumps(mark)})")
        for width, height in PHONES:
            self.engine.resize(width, height)
            self.engine.wait_for(f"innerWidth === {width}")
            self.engine.run(DRAWN)
            self.engine.shoot(Path(f"{self._drawn}-{screen}-{width}.png"))
            assert self.engine.run("document.documentElement.scrollWidth") <= width, screen
        # A screen reader follows the focus: it must stand on what is new.
        assert mark == "#qr" or self.engine.run("document.activeElement.tagName") == "H1"

    def press(self, action: str, then: str) -> None:
        """Press a button and wait for a screen."""
        self.engine.press(action)
        self.shows(then)


def test_a_palm_is_enrolled_and_signs_in(world: World, engine: Engine, artefacts: Path) -> None:
    """With one stream of the camera for a whole set-up."""
    person = world.people[NEWCOMER + isinstance(engine, WebKit)]
    page = Watched(engine, artefacts)
    engine.open(f"{world.service.issuer}/m")
    page.shows("home")
    assert "Trust this device" in engine.run("document.body.innerText"), "this is no phone"
    page.press("set_up", "consent")
    engine.run("document.getElementById('agreed').click()")
    page.press("agree", "palm_right")
    engine.hold(frame_of(person.enrolment[2]))
    engine.wait_for("document.querySelector('#mode')")
    engine.press("start_camera")
    page.shows("palm_left")
    engine.hold(frame_of(person.enrolment[0]))
    page.press("start_camera", "capture_left")
    page.shows("enrolled")
    assert engine.run("openedOfTest") == 1
    page.press("show_code", "enrolled")

    engine.open(world.shop.authorization_url())
    page.shows("asks", "#qr")
    with world.begin() as login:
        engine.open(login.link.removesuffix("&here"))
        page.shows("who_asks")
        engine.wait_for("document.querySelector('#mode')")
        engine.hold(frame_of(person.palm), (720, 1280))  # upright
        engine.press("show_palm")
        engine.wait_for("document.querySelector('video')?.videoWidth")
        assert engine.run(OVERLAID) < 0.02
        page.shows("approve")
        page.press("approve", "end_go")
        assert "code" in login.finish().parameters

    frames = [frame_of(shot) for shot in world.people[BEN].shots]
    assert getattr(engine, "complaints", []) == []
    made = zip(frames, templates_of(engine, frames), strict=True)
    pipeline = load_pipeline(EngineSettings())
    assert all(cosine_distance(*each, pipeline) <= 1e-4 for each in made)
