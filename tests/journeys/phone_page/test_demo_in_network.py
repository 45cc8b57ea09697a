"""``thenar demo --lan`` at another address of loopback: a phone meets it by https."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.phone_page.conftest import NewPhone
from tests.support.phone.screen import scanned
from tests.support.servers.demo import Demo, running
from tests.support.service.journey import World
from tests.support.service.process import free_port

pytestmark = [pytest.mark.browser, pytest.mark.pictures]

HOST = "127.0.0.2"

BEN = 1


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """Give a demo at an address that is not this machine's usual one."""
    folder = tmp_path_factory.mktemp("network")
    ports = (free_port(), free_port())
    with running(1, folder / "demo", ports, host=HOST) as demo:
        yield demo


@pytest.fixture
def computer(chromium: Browser) -> Iterator[Page]:
    """Give a computer's browser that has accepted the certificate."""
    context = chromium.new_context(ignore_https_errors=True)
    yield context.new_page()
    context.close()


def test_a_phone_in_the_network_enrols_and_signs_in(
    world: World, demo: Demo, new_phone: NewPhone, computer: Page
) -> None:
    """Its browser gives the camera to secure pages only."""
    ben, phone = world.people[BEN], new_phone(ignore_https_errors=True)
    phone.open(f"https://{HOST}:{demo.ports[0]}/m")
    phone.press("set_up")
    phone.enrol(ben)
    computer.goto(demo.shop)
    computer.click("#sign-in")
    phone.open(scanned(computer))
    phone.shows("who_asks")
    phone.present(ben.palm)
    phone.shows("approve")
    phone.press("approve")
    phone.shows("end_go")
    computer.wait_for_url(f"{demo.shop}/")

    expect(computer.locator("#subject")).not_to_be_empty()
    assert all(
        each in demo.printed for each in (f"https://{HOST}:{demo.ports[0]}/m", "SSL_CERT")
    )
