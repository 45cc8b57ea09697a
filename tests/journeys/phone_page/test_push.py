"""Our own push service notifies a phone of a request for trust."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from mobile_api.push import CONTENT
from tests.journeys.phone_page.conftest import NewPhone
from tests.support.phone.push import PushBrowser
from tests.support.phone.screen import PhoneScreen
from tests.support.servers.recording import recording
from tests.support.service.journey import Person, Serve, World

pytestmark = [pytest.mark.browser, pytest.mark.pictures]

ADA, BEN = range(2)

SUBSCRIBES = """PushManager.prototype.subscribe = async (given) => {
  if (given.applicationServerKey.length !== 87) throw new Error("refused");
  return { toJSON: () => (%s) };
};"""
"""What a push service answers to a browser."""

SHOWN = """async () => {
  const worker = await navigator.serviceWorker.ready;
  for (let look = 0; look < 50; look++) {
    const [shown] = await worker.getNotifications();
    if (shown) return [shown.title, shown.body];
    await new Promise((is) => setTimeout(is, 100));
  }
  return null;
}"""


SAVES_EARLIER_WORDS = """() => new Promise((is) => {
  indexedDB.open("thenar", 1).onsuccess = ({ target: { result: database } }) => {
    const saved = database.transaction("device", "readwrite").objectStore("device");
    saved.put({ title: "Request", body: "It shows the number undefined" }, "notification")
      .onsuccess = () => is();
  };
})"""
"""What an earlier page saved; a visit replaces it."""


@pytest.fixture(scope="module")
def hasty(serve: Serve) -> Iterator[World]:
    """Give a service that sends at once."""
    with serve(THENAR_MOBILE_PUSH_SPREAD_S="0") as world:
        yield world


RENEWS = """async () => {
  PushManager.prototype.subscribe = async () => ({ toJSON: () => (%s) });
  const changed = new Event("pushsubscriptionchange");
  changed.waitUntil = (renewed) => (self.renewed = renewed);
  self.dispatchEvent(changed);
  await self.renewed;
}"""
"""What happens in the service worker when the browser ends its subscription."""


def turn_on(world: World, phone: PhoneScreen, person: Person) -> None:
    """Switch messages on."""
    phone.becomes(world, person)
    for action, screen in (("push", "push"), ("push_on", "home")):
        phone.press(action)
        phone.shows(screen)


def deliver(page: Page, content: bytes) -> list[str]:
    """Have Chromium pass a message to the page's service worker; return what it shows.

    One that never reaches the worker, on a busy machine, is passed again; one that does must be
    shown.
    """
    (worker,) = page.context.service_workers
    worker.evaluate("self.pushes = 0; self.addEventListener('push', () => self.pushes++)")
    session, found = page.context.new_cdp_session(page), []
    session.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda said: found.extend(said["registrations"]),
    )
    session.send("ServiceWorker.enable")
    while not found:
        page.wait_for_timeout(100)
    message = {"registrationId": found[0]["registrationId"], "data": content.decode()}
    origin = page.evaluate("location.origin")
    for _ in range(20):
        if not worker.evaluate("self.pushes"):
            session.send("ServiceWorker.deliverPushMessage", {"origin": origin, **message})
        if shown := page.evaluate(SHOWN):
            return list(shown)
    raise AssertionError("no message led to a notification")


def test_a_phone_that_allowed_it_shows_a_request_for_trust(
    hasty: World, new_phone: NewPhone
) -> None:
    """In the person's language, from a message that says nothing else."""
    person = hasty.person(ADA)
    with recording("/push/of-ada") as recorder:
        recorder.status = 201
        browser = PushBrowser(recorder.address)
        given = {"endpoint": recorder.address, "keys": browser.subscription}
        old = new_phone(SUBSCRIBES % json.dumps(given), permissions=["notifications"])
        turn_on(hasty, old, person)
        old.page.evaluate(SAVES_EARLIER_WORDS)
        old.goes_home(hasty)
        expect(old.page.locator('[data-action="push"]')).to_be_visible()
        hasty.new_phone().ask_trust(person.palm)
        while not recorder.received:
            old.page.wait_for_timeout(500)
            # On a busy machine the first delivery may have come too late.
            hasty.in_database("UPDATE push_subscriptions SET due_at = 0")
    message = recorder.received[0]
    title, body = deliver(old.page, browser.read(message.body))

    assert browser.read(message.body) == CONTENT
    assert title == "A new phone asks to be trusted"
    assert "refuse" in body
    assert "undefined" not in body
    old.press("push")
    old.press("push_off")
    old.shows("home")
    assert hasty.in_database("SELECT count(*) FROM push_subscriptions") == [(0,)]
    expect(old.page.locator('[data-action="push"]')).to_be_visible()
    old.page.context.clear_permissions()
    old.press("push")
    old.press("push_on")
    old.shows("push_denied")


def test_a_subscription_that_ended_is_renewed_or_said_to_be_off(
    hasty: World, new_phone: NewPhone
) -> None:
    """Its service worker and its next visit renew it, unless the browser forbids it."""
    with recording("/push/of-ben") as recorder:
        browser = PushBrowser(recorder.address)
        given = json.dumps({"endpoint": recorder.address, "keys": browser.subscription})
        phone = new_phone(SUBSCRIBES % given, permissions=["notifications"])
        turn_on(hasty, phone, hasty.person(BEN))
        row = phone.page.locator('[data-action="push"]')
        (worker,) = phone.page.context.service_workers
        end, count = "DELETE FROM push_subscriptions", "SELECT count(*) FROM push_subscriptions"

        hasty.in_database(end)
        worker.evaluate(RENEWS % given)
        assert hasty.in_database(count) == [(1,)]
        hasty.in_database(end)
        phone.goes_home(hasty)
        expect(row).to_contain_text("On")
        assert hasty.in_database(count) == [(1,)]
        phone.page.context.clear_permissions()
        phone.goes_home(hasty)
        expect(row).to_contain_text("Off")
