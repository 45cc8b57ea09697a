"""A phone's browser, with a camera that shows what a test puts before it."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Route

from mobile_api.api.page import BUILT
from tests.support.browser import axe
from tests.support.browser.chromium import open_chromium
from tests.support.phone.camera import FileCamera, InjectedCamera
from tests.support.phone.screen import PhoneScreen
from tests.support.servers.bookshop import open_bookshop
from tests.support.service.journey import Login, Serve, World

LOADING = re.compile(
    "Failed to load resource|.* violates the following Content Security Policy"
    "|An (SSL certificate|unknown) error occurred when fetching the script"
)
"""What a browser complains about when a test makes the service refuse something, or accepts a
certificate that no authority signed: a browser keeps no such page for later."""

PALM_ALONE = {"THENAR_OIDC_PALM_ALONE": "allow"}
"""Settings with which an untrusted phone signs in at a client that accepts that."""

NO_TEMPLATES = ";delete window.WebAssembly;"

PHONE = {
    "viewport": {"width": 412, "height": 915},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
    "locale": "en-GB",
}


@pytest.fixture(scope="session")
def camera(tmp_path_factory: pytest.TempPathFactory) -> FileCamera:
    """Give what stands before the browser's camera."""
    return FileCamera(tmp_path_factory.mktemp("camera") / "camera.y4m")


@pytest.fixture(scope="session")
def judged() -> set[str] | None:
    """Collect the screens that were looked at for barriers; None where axe-core is missing."""
    return None if axe.what_is_missing() else set()


@pytest.fixture(scope="module")
def chromium(camera: FileCamera) -> Iterator[Browser]:
    """Start Debian's Chromium, if there is a built page to look at."""
    if not (BUILT / "index.html").is_file():
        pytest.skip("the phone's page is not built: python -m mobile_api.page_build")
    with open_chromium(*camera.file.flags) as browser:
        yield browser


@pytest.fixture(scope="session")
def world(serve: Serve) -> Iterator[World]:
    """Give a service that takes palms and templates of every phone: most begin on a new one.

    What a proxy says of addresses is believed; without one, no network is known.
    """
    settings = {"THENAR_MOBILE_TEMPLATE_TRUST": "any_device", **PALM_ALONE}
    settings["THENAR_MOBILE_TRUSTED_PROXIES"] = "127.0.0.1"
    with serve(**settings) as shared:
        yield shared


@pytest.fixture(scope="session")
def named(serve: Serve) -> Iterator[World]:
    """Give a service with a name: there are no passkeys for addresses of numbers."""
    with serve(host="localhost") as shared:
        yield shared


@pytest.fixture(scope="module")
def bookshop(world: World) -> Iterator[str]:
    """Open the demo's relying party."""
    with open_bookshop(world.service, "Corner Bookshop", "--accept-palm-alone") as address:
        yield address


@pytest.fixture
def login(world: World) -> Iterator[Login]:
    """Open a login that waits for a phone."""
    with world.begin() as begun:
        yield begun


@pytest.fixture
def computer(chromium: Browser) -> Iterator[Page]:
    """Give a computer's browser, with its own profile."""
    context = chromium.new_context(viewport={"width": 1100, "height": 900})
    yield context.new_page()
    context.close()


@pytest.fixture
def complaints() -> list[str]:
    """Collect what browsers complain about."""
    return []


NewPhone = Callable[..., PhoneScreen]


def without_clock(route: Route) -> None:
    """Let a worker find that its first template took no time: no machine is too slow."""
    with suppress(Error):  # the phone was closed meanwhile
        answer = route.fetch()
        route.fulfill(response=answer, body="performance.now = () => 0;" + answer.text())


@contextmanager
def phones(
    chromium: Browser,
    camera: FileCamera,
    judged: set[str] | None,
    artefacts: Path,
    complaints: list[str],
    sending: str = "template",
) -> Iterator[NewPhone]:
    """Give a way to get another phone: a fresh profile with a page and a camera.

    All look through the browser's camera; with ``is_injected`` a phone has its own. What is to
    send pictures has no WebAssembly, as some web views.
    """
    screens: list[PhoneScreen] = []
    with ExitStack() as closing:

        def start(script: str = "", *, is_injected: bool = False, **given: Any) -> PhoneScreen:
            context = chromium.new_context(**{**PHONE, **given})
            closing.callback(context.close)
            own = InjectedCamera(context) if is_injected else camera
            context.route("**/m/worker-*.js", without_clock)
            context.add_init_script(script + NO_TEMPLATES * (sending == "picture"))
            phone = PhoneScreen(context.new_page(), own, artefacts, judged, sending)
            screens.append(phone)
            listen(phone, complaints)
            phone.clear()
            return phone

        yield start
    assert [each for phone in screens for each in phone.barriers] == []
    assert [each for each in complaints if not LOADING.match(each)] == []


@pytest.fixture
def new_phone(
    request: pytest.FixtureRequest,
    chromium: Browser,
    camera: FileCamera,
    judged: set[str] | None,
    artefacts: Path,
    complaints: list[str],
) -> Iterator[NewPhone]:
    """Give a way to get another phone."""
    sending = "picture" if request.node.get_closest_marker("pictures") else "template"
    with phones(chromium, camera, judged, artefacts, complaints, sending) as start:
        yield start


@pytest.fixture
def phone(new_phone: NewPhone) -> PhoneScreen:
    """Give a phone that was never here."""
    return new_phone()


@pytest.fixture
def injected_phone(new_phone: NewPhone) -> PhoneScreen:
    """Give a phone whose camera is a canvas: bit for bit, and it can fail on demand."""
    return new_phone(is_injected=True)


def is_wrong(line: ConsoleMessage) -> bool:
    """Return whether a line of the console is a complaint."""
    return line.type == "error" and "status of 409" not in line.text


def listen(phone: PhoneScreen, complaints: list[str]) -> None:
    """Write down errors of scripts, policies and loading, and every requested address.

    A busy machine's camera repeats a picture (409): the page takes another, as it should.
    """
    page = phone.page
    page.on("console", lambda m: complaints.append(m.text) if is_wrong(m) else None)
    page.on("pageerror", lambda fault: complaints.append(str(fault)))
    page.on("request", lambda request: phone.requests.append(request.url))


def refusing(
    status: int, error: str | None = None, *, wait_s: int = 0
) -> Callable[[Route], None]:
    """Answer in the place of the service, with the nonce that the page waits for."""
    headers = {"DPoP-Nonce": "of-the-test", "Retry-After": f"{wait_s}"}
    body = "oops" if error is None else json.dumps({"error": error})
    return lambda route: route.fulfill(status=status, body=body, headers=headers)
