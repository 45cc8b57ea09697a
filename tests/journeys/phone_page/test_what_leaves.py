"""Template or picture: what leaves the phone, and that it was said before."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Request, expect

from mobile_api.frames import FRAMES_TYPE
from mobile_api.messages import TEMPLATE_TYPE
from tests.journeys.phone_page.conftest import PALM_ALONE
from tests.support.phone.camera import frame_of
from tests.support.phone.screen import PhoneScreen
from tests.support.service.journey import Serve, World

pytestmark = [pytest.mark.browser]

ADA, CLEO = 0, 2

KINDS = {TEMPLATE_TYPE: "template", "image/jpeg": "picture", FRAMES_TYPE: "picture"}


@pytest.fixture(scope="module")
def careful(serve: Serve) -> Iterator[World]:
    """Give a service as it comes: a template speaks for the owner of a trusted phone only."""
    with serve(**PALM_ALONE) as world:
        world.person(ADA)
        yield world


@pytest.fixture
def sent(phone: PhoneScreen) -> list[str]:
    """Collect what the phone sends of palms."""
    sent: list[str] = []

    def note(request: Request) -> None:
        kind = KINDS.get(request.headers.get("content-type", ""))
        if kind is not None:
            sent.append(kind)

    phone.page.on("request", note)
    return sent


def look_at_apps(phone: PhoneScreen, palm: bytes) -> None:
    """Open *my applications*, and read that the picture stays on the phone now."""
    phone.camera.show(frame_of(palm))
    phone.press("home")
    phone.press("my_apps")
    phone.shows("ready")
    phone.sends("template")
    phone.press("start_camera")
    phone.shows("my_apps")


def test_an_unknown_phone_says_that_it_will_send_the_picture(
    careful: World, phone: PhoneScreen, sent: list[str]
) -> None:
    """The notice is never late; also once the phone has an account, until it is trusted.

    Nor waits for networks, which a picture needs none of: here they never come.
    """
    palm = careful.people[ADA].palm
    phone.page.route("**/hand_landmarks-*.bin", lambda _: None)
    phone.camera.show(frame_of(palm))
    for why in ("not linked to you yet", "not trusted yet"):
        with careful.begin() as login:
            phone.open(login.link)
            phone.sends("picture")
            expect(phone.page.locator("#mode")).to_contain_text(why)
            phone.press("show_palm")
            phone.shows("approve")
            phone.press("approve")
            phone.shows("end_go")
    assert sent == ["picture", "picture"]


def test_what_one_sign_in_refused_binds_no_other(
    careful: World, phone: PhoneScreen, sent: list[str]
) -> None:
    """A borrowed phone sends a picture for its guest, once, and says so before it does."""
    owner, guest = careful.people[CLEO], careful.people[ADA]
    phone.goes_home(careful)
    phone.press("set_up")
    phone.enrol(owner, sends="picture")
    phone.press("continue")
    phone.shows("home")
    assert set(sent) == {"picture"}
    sent.clear()
    with careful.begin() as login:
        phone.opens(login)
        phone.present(guest.palm)
        phone.shows("ready")
        phone.sends("picture")
        phone.shoot("ready_refused")
        phone.press("start_camera")
        phone.shows("approve")
        phone.press("decline")
        phone.shows("end_declined")
    assert sent == ["template", "picture"]

    look_at_apps(phone, owner.palm)
    assert sent == ["template", "picture", "template"]
