"""The second visit: files from the phone itself, the sign-in from the network."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from mobile_api.api.page import BUILT
from tests.journeys.phone_page.conftest import phones
from tests.support.browser.chromium import WAIT_MS
from tests.support.phone.camera import FileCamera
from tests.support.phone.screen import PhoneScreen
from tests.support.service.journey import Login, World

pytestmark = [pytest.mark.browser]

KEPT = """async () => {
  const names = await caches.keys();
  const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return all.flat().map((request) => new URL(request.url).pathname);
}"""


@pytest.fixture(scope="module")
def returning(
    world: World,
    chromium: Browser,
    camera: FileCamera,
    judged: set[str] | None,
    artefacts: Path,
) -> Iterator[PhoneScreen]:
    """Give a phone that was here once, and keeps the page's files."""
    with phones(chromium, camera, judged, artefacts, []) as start, world.begin() as login:
        phone = start()
        phone.opens(login)
        phone.sends("template")
        phone.page.wait_for_function(
            "() => navigator.serviceWorker.controller !== null", timeout=WAIT_MS
        )
        phone.press("decline")
        phone.shows("end_declined")
        yield phone


@contextmanager
def offline(phone: PhoneScreen) -> Iterator[None]:
    """Take the network away for a while."""
    phone.page.context.set_offline(offline=True)
    try:
        yield
    finally:
        phone.page.context.set_offline(offline=False)


def test_everything_is_kept_after_the_first_visit_and_nothing_of_the_api(
    returning: PhoneScreen,
) -> None:
    """Megabytes are fetched once; what a person does is kept nowhere."""
    kept = set(returning.page.evaluate(KEPT))
    others = re.compile(r"(?!en)[a-z]{2}-.*|.*\.br|index\.html|sw\.js")
    files = {f"/m/{path.name}" for path in BUILT.iterdir() if not others.fullmatch(path.name)}

    assert kept == files | {"/m"}


def test_a_second_visit_fetches_no_file_again(world: World, returning: PhoneScreen) -> None:
    """Only the page itself is requested again, to learn of a newer one."""
    asked: list[str] = []
    returning.page.on(
        "response",
        lambda r: asked.append(r.url) if not r.from_service_worker and "/m/" in r.url else None,
    )
    with world.begin() as login:
        returning.opens(login)
        returning.sends("template")
        returning.press("decline")
        returning.shows("end_declined")

    assert [url for url in asked if "sw.js" not in url] == []


AGES = """() => {
  const kept = JSON.parse(sessionStorage.getItem("thenar-login"));
  kept.savedAt -= 600_000;
  sessionStorage.setItem("thenar-login", JSON.stringify(kept));
}"""
"""Let ten minutes pass since a login was saved."""


def test_a_login_goes_on_after_a_reload_without_a_network(
    world: World, returning: PhoneScreen
) -> None:
    """Resume, not restart: even where the phone threw the page away in the meantime.

    The request is then as old as it is.
    """
    with world.begin() as login:
        returning.opens(login)
        returning.page.evaluate(AGES)
        with offline(returning):
            returning.page.reload()
            expect(returning.page.locator("#connection")).to_be_visible()
        returning.shows("who_asks")
        expect(returning.page.locator("#origin")).to_contain_text(
            re.compile(r"1\d minutes ago")
        )
        returning.press("decline")
        returning.shows("end_declined")


def test_networks_that_a_lost_connection_cut_off_are_fetched_again(
    login: Login, phone: PhoneScreen, complaints: list[str]
) -> None:
    """The page does not blame the browser for a fault of the connection."""
    for cut_off in ("**/hand_landmarks-*.bin", "**/sw.js"):
        phone.page.route(cut_off, lambda route: route.abort(), times=1)
    phone.open(login.link)
    phone.sends("template")

    assert any("ERR_FAILED" in each for each in complaints)
