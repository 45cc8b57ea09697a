"""The camera: the instructions, the refusals, whose template comes out."""

import cv2
import numpy as np
import pytest
from playwright.sync_api import Route, expect

from engine.pipeline import PalmPipeline, load_pipeline
from engine.settings import EngineSettings
from tests.journeys.phone_page.conftest import NewPhone
from tests.support.browser.shots import picture_of
from tests.support.browser.template_distance import cosine_distance, templates_of
from tests.support.palms.drawn_palms import spoilt
from tests.support.phone.camera import frame_of, refuse
from tests.support.phone.screen import PhoneScreen
from tests.support.service.journey import Login, Serve, World

pytestmark = [pytest.mark.browser, pytest.mark.journey, pytest.mark.hands]

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


@pytest.fixture(scope="module")
def pipeline() -> PalmPipeline:
    """Load the engine as the service does."""
    return load_pipeline(EngineSettings())


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
        "more_light": frame_of(palm, light=0.12),
    }
    for instruction, frame in scenes.items():
        phone.camera.show(frame)
        phone.says(instruction)
        picture_of(phone.page, path=phone.artefacts / f"phone-says-{instruction}.png")

    assert not any(url.endswith("/template") for url in phone.requests)


def test_a_trembling_hand_signs_in(world: World, phone: PhoneScreen, login: Login) -> None:
    """It cannot hold still; a burst takes it at its turning points, where it is sharp.

    Only blurred at first, so that the burst comes however fast this machine looks.
    """
    palm = world.person(ADA).palm
    passing = [frame_of(palm, size=0.9, x=x) for x in (0.4, 0.5, 0.6)]
    sizes = (21, 41, 21)  # the one in the middle may look like the back of a hand
    pairs = zip(passing, sizes, strict=True)
    blurred = [np.asarray(cv2.blur(frame, (n, n)), np.uint8) for frame, n in pairs]
    at_camera(phone, login)
    phone.camera.show(*blurred)
    phone.says("hold_still")
    phone.says("burst")
    phone.camera.show(passing[0], blurred[1], passing[2], blurred[1])
    phone.shoot("says_burst")
    phone.shows("approve")


def test_a_taken_frame_stays_with_its_lines_while_it_is_sent(
    world: World, phone: PhoneScreen, login: Login
) -> None:
    """Drawn in the page from the frame itself; nothing of it is sent."""
    sending: list[Route] = []
    phone.page.route("**/template", lambda route: sending.append(route))
    at_camera(phone, login)
    phone.camera.show(frame_of(world.person(ADA).palm))
    phone.shows("sending")
    expect(phone.page.locator("#stage canvas.lines")).to_be_visible()
    phone.shoot("frozen")
    for route in sending:
        route.continue_()
    phone.shows("approve")


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


def test_an_enrolment_asks_for_views_that_differ(
    world: World, phone: PhoneScreen, login: Login
) -> None:
    """A hand that only moves aside enrols, too."""
    right = world.people[ADA].enrolment[2]
    aside = [frame_of(right, size=0.9, x=0.46 + 0.002 * step) for step in range(40)]
    phone.opens(login)
    phone.press("first_time")
    phone.agree()
    phone.shows("palm_right")
    phone.sends("template")
    phone.camera.show(*aside, *reversed(aside))
    phone.press("start_camera")
    phone.says("closer")
    phone.shows("palm_left")


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


def test_the_same_frames_give_the_services_templates(
    world: World, phone: PhoneScreen, login: Login, pipeline: PalmPipeline
) -> None:
    """Grey, small, turned, dark ones: the ladder of looks is climbed alike."""
    left, right = world.people[1].shots[:2]
    plain = frame_of(left, x=0.3)
    frames = [
        plain,
        np.repeat(plain.mean(axis=2, keepdims=True).astype(np.uint8), 3, axis=2),
        np.ascontiguousarray(np.rot90(frame_of(right))),
        frame_of(right, size=0.55, light=0.6),
    ]
    phone.opens(login)
    made = list(templates_of(phone.page, frames))

    assert sum(each is not None for each in made) >= 3
    assert (
        max(cosine_distance(f, d, pipeline) for f, d in zip(frames, made, strict=True)) <= 1e-4
    )


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


def test_a_flipped_stream_is_not_what_is_looked_at(
    injected_phone: PhoneScreen, login: Login
) -> None:
    """The person sees a mirror; frames are taken as the camera gives them."""
    phone = injected_phone
    frame = np.zeros((720, 1280, 3), np.uint8)
    frame[:, :640] = 255
    at_camera(phone, login)
    phone.camera.show(frame)
    phone.page.wait_for_timeout(300)
    seen = picture_of(phone.page.locator(".viewfinder video"))
    picture = cv2.imdecode(np.frombuffer(seen, np.uint8), cv2.IMREAD_GRAYSCALE)

    assert picture is not None
    middle = picture[picture.shape[0] // 2]
    assert middle[: len(middle) // 4].mean() < middle[-len(middle) // 4 :].mean()
