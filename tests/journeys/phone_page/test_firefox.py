"""The page in Firefox: guidance on its own camera, a whole sign-in, the same templates."""

import base64
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from mobile_api.api.page import BUILT
from tests.support.browser.firefox import Firefox, open_firefox
from tests.support.browser.template_distance import (
    MAKE_TEMPLATE,
    START_WORKER,
    cosine_distance,
    encode_frame,
)
from tests.support.phone.camera import frame_of
from tests.support.phone.camera_file import Frame
from tests.support.service.journey import World

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.hands]

ADA, BEN = 0, 1

KEY = """new Promise((done) => {
  const request = indexedDB.open("thenar", 1);
  request.onsuccess = () => {
    const get = request.result.transaction("device").objectStore("device").get("key");
    get.onsuccess = () => crypto.subtle.exportKey("pkcs8", get.result.privateKey)
      .then(() => done("taken"), (fault) => done(fault.name));
  };
})"""

SHOW_FRAME = """(async (png) => {
  const bytes = Uint8Array.from(atob(png), (each) => each.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = Object.assign(document.createElement("canvas"), { width: 1280, height: 720 });
  const draw = () => canvas.getContext("2d").drawImage(bitmap, 0, 0);
  navigator.mediaDevices.getUserMedia = async () => {
    draw();
    setInterval(draw, 70);
    return canvas.captureStream(15);
  };
})"""
"""A canvas in the place of the camera: Firefox has no camera made of a file."""


@pytest.fixture
def firefox() -> Iterator[Firefox]:
    """Start Firefox with a new profile."""
    if not (BUILT / "index.html").is_file():
        pytest.skip("the phone's page is not built: python -m mobile_api.page_build")
    with (
        tempfile.TemporaryDirectory(prefix="thenar-firefox-") as profile,
        open_firefox(Path(profile)) as started,
    ):
        yield started


def at_login(firefox: Firefox, link: str) -> None:
    """Open a link, and wait until the networks run."""
    firefox.open(link.removesuffix("&here"))
    firefox.shows("who_asks")
    firefox.wait_for("document.querySelector('#mode[data-sends=\"template\"]')")


def test_a_palm_signs_in_with_firefox(world: World, firefox: Firefox, artefacts: Path) -> None:
    """From the camera to the app; and its templates are the service's.

    The browser's own camera shows no hand: the page says so, keeps its key to itself, lets go.
    """
    person = world.person(ADA)
    with world.begin() as login:
        at_login(firefox, login.link)
        firefox.press("show_palm")
        firefox.shows("capture")
        firefox.wait_for("document.querySelector('[data-instruction=\"show_palm\"]')")
        assert firefox.run(KEY) == "InvalidAccessError"
        firefox.press("cancel")
        firefox.shows("who_asks")
        firefox.run(f"{SHOW_FRAME}({json.dumps(encode_frame(frame_of(person.palm)))})")
        firefox.press("show_palm")
        firefox.shows("approve")
        firefox.shoot(artefacts / "firefox-approve.png")
        firefox.press("approve")
        firefox.shows("end_go")
        assert "code" in login.finish().parameters

    frames = [frame_of(shot) for shot in world.people[BEN].shots]
    assert all(distance <= 1e-4 for distance in distances(firefox, frames))
    assert firefox.complaints == []


def distances(firefox: Firefox, frames: list[Frame]) -> Iterator[float]:
    """Yield how far Firefox's templates are from the service's."""
    pipeline = load_pipeline(EngineSettings())
    firefox.run(f"({START_WORKER})()")
    for frame in frames:
        made = firefox.run(f"({MAKE_TEMPLATE})({json.dumps(encode_frame(frame))})")
        yield cosine_distance(frame, base64.b64decode(made) if made else None, pipeline)
