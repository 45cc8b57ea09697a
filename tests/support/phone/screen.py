"""A phone's page in a browser, as a person uses it: what it shows, what is pressed."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from playwright.sync_api import Page, expect

from tests.support.browser import axe
from tests.support.browser.chromium import WAIT_MS
from tests.support.browser.shots import picture_of
from tests.support.phone.camera import Camera, frame_of, nothing
from tests.support.phone.camera_file import moving
from tests.support.service.journey import Login, Person, World

CONTROLS = """() => [...document.querySelectorAll("button, input, select, a, [tabindex='0']")]
  .filter((each) => each.checkVisibility())
  .map((each) => each.dataset.action ?? each.dataset.handle ?? each.id)"""

FOCUSED = """() => {
  const { dataset, id } = document.activeElement;
  return dataset.action ?? dataset.handle ?? id;
}"""


TAKES_KEY: Final = """async ({ d, ...open }) => {
  const part = (key, use) => crypto.subtle.importKey(
    "jwk", key, { name: "ECDSA", namedCurve: "P-256" }, use === "verify", [use]);
  const privateKey = await part({ ...open, d }, "sign");
  const key = { privateKey, publicKey: await part(open, "verify") };
  await new Promise((is) => (indexedDB.open("thenar", 1).onsuccess = ({ target }) => {
    const store = target.result.transaction("device", "readwrite").objectStore("device");
    const saved = { key, registered: true, trust: "trusted" };
    for (const [name, value] of Object.entries(saved)) store.put(value, name);
    store.transaction.oncomplete = () => is(target.result.close());
  }));
}"""

LOOKS: Final = 60
"""Pictures that a phone takes in 30 s, of six codes: not every code can be read."""


def scanned(page: Page) -> str:
    """Return what a camera reads off a computer's screen."""
    for _ in range(LOOKS):
        picture = cv2.imdecode(np.frombuffer(picture_of(page), np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        text, _, _ = cv2.QRCodeDetector().detectAndDecode(picture)
        if text:
            return text
        page.wait_for_timeout(500)
    raise AssertionError("no code could be read off the screen")


@dataclass(slots=True)
class PhoneScreen:
    """A phone.

    Attributes:
        page: what it shows.
        camera: what stands before it.
        artefacts: folder for screenshots.
        judged: screens that were looked at for barriers before, by this phone or another; None
            where axe-core is missing.
        sending: what it sends of palms once it is trusted: "template" or "picture".
        barriers: what was found.
        requests: every address it requested.
    """

    page: Page
    camera: Camera
    artefacts: Path
    judged: set[str] | None = None
    sending: str = "template"
    barriers: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, link: str) -> None:
        """Open a link, as the camera application does after scanning; never ``&here``."""
        self.page.goto(link.removesuffix("&here"))

    def shows(self, name: str) -> None:
        """Wait for a screen, and look at it."""
        stage = self.page.locator(f'#stage[data-screen="{name}"]')
        expect(stage).to_be_visible()
        self.look(name)

    def look(self, name: str) -> None:
        """The first time that a screen is shown so, take a picture and look for barriers."""
        if self.judged is not None and name not in self.judged:
            self.judged.add(name)
            self.shoot(name)
            self._judge(name)

    def opens(self, login: Login) -> None:
        """Open the link of a login, and see who asks."""
        self.open(login.link)
        self.shows("who_asks")

    def goes_home(self, world: World) -> None:
        """Open the page again without a link."""
        self.page.goto("about:blank")
        self.open(f"{world.service.issuer}/m")
        self.shows("home")

    def agree(self) -> None:
        """Agree to the consent text."""
        self.shows("consent")
        self.page.check("#agreed")
        self.press("agree")

    def shoot(self, name: str) -> None:
        """Take a picture of what is shown."""
        picture_of(self.page, path=self.artefacts / f"phone-{name.replace('_', '-')}.png")

    def _judge(self, name: str) -> None:
        """Look for barriers in light and dark colours; take a picture of the dark page."""
        for scheme in ("dark", "light"):
            self.page.emulate_media(color_scheme=scheme)
            self.barriers += [f"{name}, {scheme}: {each}" for each in axe.barriers(self.page)]
            if scheme == "dark":
                self.shoot(f"{name}-night")
        filled = self.page.locator("main button:not(.outlined, .quiet)").count()
        self.barriers += [f"{name}: {filled} filled buttons"] if filled > 1 else []
        self.barriers += [f"{name}: no key reaches {each}" for each in self._unreached()]

    def _unreached(self) -> list[str]:
        """Return controls that the tabulator key does not reach; none if the screen went."""
        screen = self.page.get_attribute("#stage", "data-screen")
        controls = set(self.page.evaluate(CONTROLS))
        reached = set()
        for _ in range(len(controls) + 1):
            self.page.keyboard.press("Tab")
            reached.add(self.page.evaluate(FOCUSED))
        self.page.evaluate("() => document.querySelector('h1').focus()")
        if self.page.get_attribute("#stage", "data-screen") != screen:
            return []
        return sorted(controls - reached)

    def press(self, action: str) -> None:
        """Press a button."""
        self.page.click(f'[data-action="{action}"]')

    def says(self, instruction: str) -> None:
        """Wait for an instruction of the camera screen, looking at every frame of the browser.

        Some are shown for less than a second.
        """
        line = self.page.locator(f'#instruction[data-instruction="{instruction}"]')
        line.wait_for(state="visible", timeout=WAIT_MS)

    def sends(self, what: str | None = None) -> None:
        """Wait until the page has said what leaves the phone."""
        expect(self.page.locator(f'#mode[data-sends="{what or self.sending}"]')).to_be_visible()

    def enrol(self, person: Person, *, end: str = "enrolled", sends: str | None = None) -> None:
        """Agree, and show both palms; the consent text is on the screen."""
        self.agree()
        left, right = person.enrolment[0], person.enrolment[2]
        for side, palm, following in (("right", right, "palm_left"), ("left", left, end)):
            self.shows(f"palm_{side}")
            self.hold(palm)
            self.sends(sends)
            self.press("start_camera")
            self._move_until(following, palm)
        self.shows(end)

    def enrol_one(self, person: Person) -> None:
        """Agree, and show the right palm without the other one."""
        self.agree()
        self.shows("palm_right")
        self.hold(person.enrolment[2])
        self.sends()
        self.press("start_camera")
        self.shows("palm_left")
        self.press("skip_hand")

    def _move_until(self, screen: str, palm: bytes) -> None:
        """Move the hand as the page asks: a slow machine sees the same frames again."""
        shown = self.page.locator(f'#stage[data-screen="{screen}"]')
        asked = self.page.locator('#instruction[data-instruction="move_hand"]')
        for turn in range(1, 20):
            expect(shown.or_(asked)).to_be_visible()
            if not asked.is_visible():
                return
            self.camera.show(*moving(frame_of(palm, x=0.5 + 0.005 * turn)))
            expect(asked).not_to_be_visible()

    def becomes(self, world: World, person: Person) -> None:
        """Become the phone with which an enrolled person enrolled, and open the page's start.

        Enrolling before the camera takes a quarter of a minute: few tests are about it.
        """
        self.goes_home(world)
        self.page.evaluate(TAKES_KEY, person.phone.key.as_dict(private=True))
        self.goes_home(world)

    def hold(self, palm: bytes) -> None:
        """Hold a palm before the camera as people do: never quite still."""
        self.camera.show(*moving(frame_of(palm)))

    def show(self, palm: bytes) -> None:
        """Put a palm before the camera."""
        self.camera.show(frame_of(palm))

    def present(self, palm: bytes, *, sends: str | None = None) -> None:
        """Go on to the camera and show a palm; what follows depends on it."""
        self.show(palm)
        self.sends(sends)
        self.press("show_palm")

    def sign_in(self, login: Login, palm: bytes) -> None:
        """Open a login, show a palm and approve."""
        self.opens(login)
        self.present(palm)
        self.approve()

    def approve(self) -> None:
        """Approve the sign-in that the page shows after the palm was recognised."""
        self.shows("approve")
        self.press("approve")
        self.shows("end_go")

    def claims(self, world: World, palm: bytes) -> dict[str, Any]:
        """Sign in; return what the app learns, and stay at the end."""
        with world.begin() as login:
            self.sign_in(login, palm)
            return login.redeem().claims

    def clear(self) -> None:
        """Show the camera an empty picture."""
        self.camera.show(nothing())
