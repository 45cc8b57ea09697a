"""What a hostile page, a sent link and a repeated request get from the phone's page."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Route, expect

from tests.support.phone.screen import PhoneScreen
from tests.support.service.journey import Login, World

pytestmark = [pytest.mark.browser]

MARKUP = '<img src="m/icon.svg" onerror="alert(1)">'

TAKE_KEY = """async () => {
  const opened = (request) =>
    new Promise((done) => (request.onsuccess = () => done(request.result)));
  const database = await opened(indexedDB.open("thenar", 1));
  const pair = await opened(database.transaction("device").objectStore("device").get("key"));
  const taken = ["pkcs8", "jwk"].map((format) => crypto.subtle
    .exportKey(format, pair.privateKey).then(() => "taken", (fault) => fault.name));
  return [pair.privateKey.extractable, ...(await Promise.all(taken))];
}"""

ASK = """(url) => fetch(url).then((answer) => answer.status, (fault) => fault.name)"""


def hostile_page(phone: PhoneScreen, world: World, html: str) -> str:
    """Open a page of another origin on the same machine; return the service's address."""
    service = world.service.issuer
    strange = service.replace("127.0.0.1", "localhost")
    assert strange != service
    phone.page.route(
        f"{strange}/strange", lambda route: route.fulfill(body=html, content_type="text/html")
    )
    phone.page.goto(f"{strange}/strange")
    return service


def test_the_key_cannot_be_taken_out_of_the_browser(world: World, phone: PhoneScreen) -> None:
    """Not even a script in the page itself can carry the key to another machine."""
    phone.open(f"{world.service.issuer}/m")
    phone.shows("home")

    assert phone.page.evaluate(TAKE_KEY) == [False, "InvalidAccessError", "InvalidAccessError"]


def test_a_hostile_page_cannot_read_the_api(
    world: World, phone: PhoneScreen, complaints: list[str]
) -> None:
    """Another origin gets no answer; the same request of the page's own origin gets one."""
    service = hostile_page(phone, world, "<p>strange</p>")
    nonce = f"{service}/mobile/v1/nonce"

    assert phone.page.evaluate(ASK, nonce) == "TypeError"
    assert "CORS policy" in complaints.pop(0)
    phone.open(f"{service}/m")
    assert phone.page.evaluate(ASK, nonce) < 300


def test_a_hostile_page_cannot_frame_the_page(world: World, phone: PhoneScreen) -> None:
    """No person presses a button that lies under another page's."""
    html = f'<iframe src="{world.service.issuer}/m"></iframe>'
    hostile_page(phone, world, html)
    phone.page.wait_for_load_state("networkidle")
    frames = [frame for frame in phone.page.frames if frame.parent_frame]

    assert len(frames) == 1
    assert frames[0].locator("#stage").count() == 0


def test_a_link_alone_opens_no_camera_and_sends_no_palm(
    login: Login, injected_phone: PhoneScreen
) -> None:
    """A person who was sent a link reads who asks, and nothing happens before they press."""
    phone = injected_phone
    sent: list[str] = []
    phone.page.on(
        "request", lambda r: sent.append(urlsplit(r.url).path) if r.method != "GET" else None
    )
    phone.opens(login)
    phone.sends("template")

    expect(phone.page.locator("#client-name")).to_have_text("Corner Bookshop")
    expect(phone.page.locator(".warning")).to_contain_text("Then decline")
    assert phone.page.evaluate("seenByTest.opened") == 0
    assert {path.removeprefix("/mobile/v1") for path in sent} == {"/devices", "/logins"}
    assert login.hint == "wait_palm"


def test_the_ticket_stays_in_no_address_and_no_store(login: Login, phone: PhoneScreen) -> None:
    """A later look at the phone finds no ticket in its address or its stores."""
    ticket = urlsplit(login.link).fragment.split("&")[0]
    phone.opens(login)
    kept = phone.page.evaluate(
        "[location.href, JSON.stringify(sessionStorage),"
        " JSON.stringify(localStorage), document.cookie].join()"
    )

    assert ticket not in kept
    assert not any(ticket in url.partition("#")[0] for url in phone.requests)


def test_a_name_with_markup_is_shown_as_text(login: Login, phone: PhoneScreen) -> None:
    """What a client calls itself can run nothing in the page."""

    def rename(route: Route) -> None:
        answer = route.fetch()
        if not answer.ok:
            route.fulfill(response=answer)
            return
        said: dict[str, Any] = answer.json()
        route.fulfill(response=answer, json=said | {"client_name": MARKUP})

    phone.page.route("**/mobile/v1/logins", rename)
    phone.opens(login)

    expect(phone.page.locator("#client-name")).to_have_text(MARKUP)
    assert phone.page.locator("#stage img").count() == 0
