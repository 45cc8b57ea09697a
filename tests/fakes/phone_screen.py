"""A phone's page in a browser, as a person uses it: what it shows, what is pressed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import Page, expect

from tests.fakes.phone_camera import TestCamera, frame_of, nothing

if TYPE_CHECKING:
    from tests.fakes.journey import Person

WAIT_MS = 30_000
"""A busy machine may need seconds for a template."""


@dataclass(slots=True)
class PhoneScreen:
    """A phone.

    Attributes:
        page: what it shows.
        camera: what stands before it.
        artefacts: folder for screenshots.
        requests: every address it asked for.
    """

    page: Page
    camera: TestCamera
    artefacts: Path
    requests: list[str] = field(default_factory=list)

    def open(self, link: str) -> None:
        """Open a link, as the camera application does after scanning; never ``&here``."""
        self.page.goto(link.removesuffix("&here"))

    def shows(self, name: str, *, shot: bool = True) -> None:
        """Wait for a screen; take a picture of it."""
        stage = self.page.locator(f'#stage[data-screen="{name}"]')
        expect(stage).to_be_visible(timeout=WAIT_MS)
        if shot:
            self.page.screenshot(path=self.artefacts / f"phone-{name.replace('_', '-')}.png")

    def press(self, action: str) -> None:
        """Press a button."""
        self.page.click(f'[data-action="{action}"]')

    def says(self, instruction: str) -> None:
        """Wait for an instruction of the camera screen."""
        line = self.page.locator(f'#instruction[data-instruction="{instruction}"]')
        expect(line).to_be_visible(timeout=WAIT_MS)

    def sends(self, what: str) -> None:
        """Wait until the page has said what leaves the phone."""
        expect(self.page.locator(f'#mode[data-sends="{what}"]')).to_be_visible(timeout=WAIT_MS)

    def enrol(self, person: Person) -> None:
        """Agree, and show both palms; the consent text is on the screen."""
        self.shows("consent")
        self.page.check("#agreed")
        self.press("agree")
        left, right = person.enrolment[0], person.enrolment[2]
        for side, palm in (("right", right), ("left", left)):
            self.shows(f"palm_{side}")
            self.camera.show(frame_of(palm))
            self.sends("template")
            self.press("start_camera")
        self.shows("enrolled")

    def present(self, palm: bytes) -> None:
        """Go on to the camera and show a palm; what follows depends on it."""
        self.camera.show(frame_of(palm))
        self.sends("template")
        self.press("continue")

    def clear(self) -> None:
        """Put nothing before the camera."""
        self.camera.show(nothing())
