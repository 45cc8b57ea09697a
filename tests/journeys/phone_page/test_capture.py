"""The camera: the instructions, the refusals, whose template comes out."""

import pytest
from playwright.sync_api import Route, expect

from tests.journeys.phone_page.conftest import NewPhone
from tests.support.browser.shots import picture_of
from tests.support.palms.drawn_palms import spoilt
from tests.support.phone.camera import frame_of, refuse
from tests.support.phone.screen import PhoneScreen
from tests.support.service.journey import Login, Serve, World

pytestmark = [pytest.mark.browser]

ADA = 0


LITTLE_MEMORY = """{ const { Memory } = WebAssembly;
  WebAssembly.Memory = function (asked) {
    if (asked.maximum > 16384) throw new RangeError("Out of memory");
    return new Memory(asked);
  };
}"""


def with_little_memory(route: Route) -> None:
    """Let a script run where WebAssembly gets a gigabyte at most."""
    answer = route.fetch()
    route.fulfill(response=answer, body=LITTLE_MEMORY + answer.text())


def at_camera(phone: PhoneScreen, login: Login) -> None:
    """Go to the camera screen with nothing before the camera."""
    phone.opens(login)
    phone.sends("template")
    phone.press("show_palm")
    phone.shows("capture")


def test_each_bad_frame_is_answered_with_its_fault(
    world: World, phone: PhoneScreen, login: Login
) -> None:
    """One short instruction at a time, none of which is sent as an attempt."""
    palm = world.people[ADA].palm
    at_camera(phone, login)
    scenes = {
        "show_palm": frame_of(spoilt("empty-large")),
        "other_side": frame_of(spoilt("back-large")),
        "closer": frame_of(palm, size=0.3),
        "hold_still": frame_of(spoilt("blurred-large")),
        "less_glare": frame_of(spoilt("bright-large")),
        "more_light": frame_of(palm, light=0.05),
    }
    for instruction, frame in scenes.items():
        phone.camera.show(frame)
        phone.says(instruction)
        picture_of(phone.page, path=phone.artefacts / f"phone-says-{instruction}.png")

    assert not any(url.endswith("/template") for url in phone.requests)


def test_the_wrong_hand_is_refused_when_one_is_named(
    world: World, phone: PhoneScreen, login: Login
) -> None:
    """Left and right are never compared: a mixed-up enrolment would never match."""
    left = world.people[ADA].enrolment[0]
    phone.opens(login)
    phone.press("first_time")
    phone.shows("consent")
    phone.press("agree")
    phone.page.wait_for_selector("#missing:not(:empty)")
    phone.agree()
    phone.shows("palm_right")
    phone.sends("template")
    phone.camera.show(frame_of(left))
    phone.press("start_camera")
    phone.says("other_hand")


@pytest.mark.pictures
@pytest.mark.parametrize(
    ("fault", "screen"),
    [
        ("NotAllowedError", "camera_denied"),
        ("NotFoundError", "camera_missing"),
        ("NotReadableError", "camera_busy"),
        ("play", "camera_paused"),
    ],
)
def test_a_camera_that_fails_is_explained_and_tried_again(
    world: World, injected_phone: PhoneScreen, login: Login, fault: str, screen: str
) -> None:
    """Each trouble has another remedy; none of them is an end."""
    phone = injected_phone
    phone.opens(login)
    refuse(phone.page, fault)
    phone.present(world.person(ADA).palm)
    phone.shows(screen)
    refuse(phone.page, None)
    phone.press("start_camera" if fault == "play" else "try_again")
    phone.shows("approve")

    assert phone.page.evaluate("[seenByTest.opened, seenByTest.stopped]") == [1, 1]


def test_a_service_that_wants_pictures_gets_them(serve: Serve, phone: PhoneScreen) -> None:
    """The page says so before the camera starts, and nothing is computed in vain."""
    with serve(THENAR_MOBILE_ACCEPT_TEMPLATES="false") as world, world.begin() as login:
        phone.opens(login)
        phone.present(world.people[ADA].palm, sends="picture")
        phone.shows("retry")  # no palm was set up here

    assert any(url.endswith(("/palm", "/frames")) for url in phone.requests)
    assert not any(url.endswith("/template") for url in phone.requests)


def test_a_browser_without_webassembly_sends_pictures(
    world: World, new_phone: NewPhone, login: Login
) -> None:
    """Some web views and locked-down phones forbid it."""
    phone, person = new_phone("delete window.WebAssembly"), world.person(ADA)
    phone.opens(login)
    phone.sends("picture")
    picture_of(phone.page, path=phone.artefacts / "phone-who-asks-picture.png")
    phone.present(person.palm, sends="picture")
    phone.shows("capture")
    phone.shows("approve")


def test_a_browser_that_is_too_old_is_named_at_once(new_phone: NewPhone, login: Login) -> None:
    """In its language, and the link stays in the address: for another browser."""
    phone = new_phone("delete AbortSignal.timeout", locale="de")
    phone.open(login.link)
    phone.shows("too_old")
    expect(phone.page.locator("main")).to_contain_text("iOS 16")
    assert phone.page.url == login.link.removesuffix("&here")


def test_a_browser_that_refuses_much_shared_memory_makes_templates(
    new_phone: NewPhone, login: Login
) -> None:
    """Safari of iOS 16 and 17."""
    phone = new_phone()
    phone.page.route("**/m/worker-*.js", with_little_memory)
    phone.opens(login)
    phone.sends("template")
