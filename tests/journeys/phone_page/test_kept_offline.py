"""The second visit: files from the phone itself, the sign-in from the network."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from mobile_api.api.page import BUILT
from tests.support.phone.screen import WAIT_MS, PhoneScreen
from tests.support.service.journey import Login, World

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.hands]

KEPT = """async () => {
  const names = await caches.keys();
  const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return all.flat().map((request) => new URL(request.url).pathname);
}"""


def visited(world: World, phone: PhoneScreen) -> None:
    """Open a link, and wait until the page keeps its files."""
    with world.begin() as login:
        phone.opens(login)
        phone.sends("template")
        phone.page.wait_for_function(
            "() => navigator.serviceWorker.controller !== null", timeout=WAIT_MS
        )
        phone.press("decline")
        phone.shows("end_declined")


def test_everything_is_kept_after_the_first_visit_and_nothing_of_the_api(
    world: World, phone: PhoneScreen
) -> None:
    """Megabytes are fetched once; what a person does is kept nowhere."""
    visited(world, phone)
    kept = set(phone.page.evaluate(KEPT))
    others = re.compile(r"(?!en)[a-z]{2}-.*|.*\.br|index\.html|sw\.js")
    files = {f"/m/{path.name}" for path in BUILT.iterdir() if not others.fullmatch(path.name)}

    assert kept == files | {"/m"}


def test_the_page_opens_without_a_network(
    world: World, phone: PhoneScreen, complaints: list[str]
) -> None:
    """An installed page must not be blank in the underground."""
    visited(world, phone)
    phone.page.context.set_offline(offline=True)
    phone.page.goto(f"{world.service.issuer}/m")
    phone.shows("home")

    assert complaints == []


def test_a_second_visit_fetches_no_file_again(world: World, phone: PhoneScreen) -> None:
    """Only the page itself is asked for anew, to learn of a newer one."""
    visited(world, phone)
    asked: list[str] = []
    phone.page.on(
        "response",
        lambda r: asked.append(r.url) if not r.from_service_worker and "/m/" in r.url else None,
    )
    with world.begin() as login:
        phone.opens(login)
        phone.sends("template")

    assert [url for url in asked if "/scene/" not in url and "sw.js" not in url] == []


def test_networks_that_a_lost_connection_cut_off_are_fetched_again(
    login: Login, phone: PhoneScreen, complaints: list[str]
) -> None:
    """Nobody is told that their browser cannot do what only the connection did not do."""
    for cut_off in ("**/hand_landmarks-*.bin", "**/sw.js"):
        phone.page.route(cut_off, lambda route: route.abort(), times=1)
    phone.open(login.link)
    phone.sends("template")

    assert any("ERR_FAILED" in each for each in complaints)


def test_a_login_goes_on_after_a_reload_without_a_network(
    world: World, phone: PhoneScreen
) -> None:
    """Resume, not restart: even where the phone threw the page away in the meantime."""
    visited(world, phone)
    with world.begin() as login:
        phone.opens(login)
        phone.page.context.set_offline(offline=True)
        phone.page.reload()
        expect(phone.page.locator("#connection")).to_be_visible(timeout=WAIT_MS)
        phone.page.context.set_offline(offline=False)
        phone.shows("who_asks")
        phone.press("decline")
        phone.shows("end_declined")
