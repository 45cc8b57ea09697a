"""A phone's browser on the phone page: a video file as camera, and a person who taps.

Records when each screen appeared, by the page's clock.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from playwright.sync_api import sync_playwright

from benchmarks.phone_page.camera_file import CameraFile, framed, moving, wall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page, Request

FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

WAIT_MS: Final = 60_000

RECORD_SCREENS: Final = """
window.screensSeen = [];
const note = () => {
  const name = document.getElementById("stage")?.dataset.screen;
  const told = document.getElementById("instruction")?.dataset.instruction;
  const seen = told && name.startsWith("capture") ? `${name}:${told}` : name;
  if (seen && screensSeen.at(-1)?.[0] !== seen) screensSeen.push([seen, performance.now()]);
};
new MutationObserver(note).observe(document,
  { subtree: true, childList: true, attributes: true, attributeFilter:
    ["data-screen", "data-instruction"] });
"""

PAGE_IS_CACHED: Final = "() => navigator.serviceWorker.controller !== null"


@contextmanager
def chromium(program: Path, camera: CameraFile) -> Iterator[Browser]:
    """Run a headless Chromium with the camera file."""
    with sync_playwright() as playwright:
        flags = [*FLAGS, *camera.flags]
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        try:
            yield browser
        finally:
            browser.close()


class PhoneBrowser:
    """One person's phone: its own browser profile."""

    def __init__(self, browser: Browser, camera: CameraFile) -> None:
        self.camera = camera
        self.context: BrowserContext = browser.new_context(
            viewport={"width": 412, "height": 915}, is_mobile=True, has_touch=True, locale="en"
        )
        self.context.add_init_script(RECORD_SCREENS)
        self.page: Page = self.context.new_page()

    def open(self, address: str) -> None:
        """Open a link, as after scanning it."""
        self.page.goto(address.removesuffix("&here"))

    def wait_for_screen(self, screen: str) -> None:
        """Wait for a screen."""
        selector = f'#stage[data-screen="{screen}"]'
        self.page.wait_for_selector(selector, timeout=WAIT_MS)

    def press(self, action: str) -> None:
        """Press a button."""
        self.page.click(f'[data-action="{action}"]')

    def wait_for_disclosure(self) -> str:
        """Wait until the page says what leaves the phone; return that."""
        line = self.page.wait_for_selector("#mode", timeout=WAIT_MS)
        return "" if line is None else line.get_attribute("data-sends") or ""

    def enrol(self, page: str, right: bytes, left: bytes) -> None:
        """Enrol both palms; wait until the page has cached its files."""
        palms = {"right": right, "left": left}
        self.enrol_by(page, lambda side: self.camera.show(*moving(framed(palms[side]))))

    def enrol_by(self, page: str, show: Callable[[str], object]) -> None:
        """Enrol both palms, each shown to the open camera; wait as ``enrol``."""
        self.open(page)
        self.press("set_up")
        self.page.check("#agreed")
        self.press("agree")
        for side in ("right", "left"):
            self.wait_for_screen(f"palm_{side}")
            self.wait_for_disclosure()
            self.press("start_camera")
            show(side)
        self.wait_for_screen("enrolled")
        self.page.wait_for_function(PAGE_IS_CACHED, timeout=WAIT_MS)
        self.camera.show(wall())

    def answer(self, link: str, palm: bytes) -> dict[str, float]:
        """Follow a link, show a palm to the camera, and approve.

        Returns:
            Milliseconds from the visible palm to: frames good, palm sent, answer.
        """
        self.open(link)
        self.wait_for_screen("who_asks")
        if self.wait_for_disclosure() != "template":
            raise RuntimeError("the page sends pictures")
        self.press("show_palm")
        self.page.wait_for_selector('#instruction[data-instruction="show_palm"]')
        began = self.page.evaluate("performance.now()")
        self.camera.show(framed(palm))
        self.wait_for_screen("approve")
        screens: Sequence[tuple[str, float]] = self.page.evaluate("screensSeen")
        self.camera.show(wall())
        self.press("approve")
        self.wait_for_screen("end_go")
        names = {"good": "capture:good", "sent": "sending", "answered": "approve"}
        return {
            step: next(at for screen, at in screens if screen == name and at > began) - began
            for step, name in names.items()
            if any(screen == name and at > began for screen, at in screens)
        }


def first_visit_bytes(browser: Browser, camera: CameraFile, link: str) -> int:
    """Return the bytes on the wire of a first visit until the page can make templates.

    Headers and bodies of all responses as sent. What the page caches later comes from the
    browser's own cache.
    """
    phone = PhoneBrowser(browser, camera)
    finished: list[Request] = []
    phone.page.on("requestfinished", lambda request: finished.append(request))
    phone.open(link)
    phone.wait_for_screen("who_asks")
    phone.wait_for_disclosure()
    octets = 0
    for request in finished:
        sizes = request.sizes()
        octets += sizes["responseHeadersSize"] + sizes["responseBodySize"]
    phone.context.close()
    return octets
