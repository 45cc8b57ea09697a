"""A hand before the camera that follows a challenge: drawn when the page is told a step.

The page's requests are held while a step's frames are drawn; then the hand follows the page's
words at once, as nobody does: what is timed is the page and the service.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import cv2
import numpy as np

from benchmarks.phone_page.camera_file import HEIGHT, WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from playwright.sync_api import Page, Route

    from benchmarks.phone_page.camera_file import CameraFile, Frame

CHALLENGES: Final = re.compile(r"/mobile/v1/challenges(/\w+/steps/\d+)?$")

PAGE_LIMIT_MS: Final = 60_000

NUDGE: Final = 0.02
"""How far a hand moves when it is told to, share of the frame."""

# As in a mirror: the browser's camera faces the person.
NUDGES: Final = {
    "move_left": (NUDGE, 0.0, 1.0),
    "move_right": (-NUDGE, 0.0, 1.0),
    "move_up": (0.0, -NUDGE, 1.0),
    "move_down": (0.0, NUDGE, 1.0),
    "closer": (0.0, 0.0, 1.05),
    "further": (0.0, 0.0, 1 / 1.05),
}

GRAINS: Final = 32
"""Frames with different noise: no two of a camera are the same."""

NOISE_LEVELS: Final = 1.0
"""Standard deviation, grey levels; the drawn camera has noise of its own."""


class Draw(Protocol):
    """Draws what a person shows when told the steps so far."""

    def __call__(self, steps: Sequence[Mapping[str, Any]]) -> Sequence[tuple[str, Frame]]:
        """Return phase and frame (height, width, 3), uint8, RGB, of the last step's moments."""
        ...


class ChallengeFault(Exception):
    """The service refused a challenge."""


@dataclass(slots=True)
class FollowingHand:
    """Follows the challenges of one page.

    Attributes:
        held_s: how long requests were held while frames were drawn.
    """

    page: Page
    camera: CameraFile
    draw: Draw
    held_s: float = 0.0
    _steps: list[dict[str, Any]] = field(default_factory=list)
    _shown: dict[str, list[list[Frame]]] = field(default_factory=dict, repr=False)
    _end: str = ""

    def begin(self) -> None:
        """Wait for the page's challenges from now on."""
        self.page.route(CHALLENGES, lambda route: self._answered(route))

    def show_open(self, frame: Frame) -> None:
        """Show an open palm, at which the page asks for a challenge."""
        self._steps, self._end = [], ""
        self.camera.show(*grainy(_sized(frame)))

    def follow(self) -> None:
        """Follow all steps.

        Raises:
            ChallengeFault: the challenge was refused.
        """
        done = 0
        while not self._end:
            if len(self._steps) == done:
                self.page.wait_for_timeout(20)
                continue
            done += 1
            self._perform(self._steps[-1])
        if self._end != "passed":
            raise ChallengeFault(self._end)

    def _perform(self, step: Mapping[str, Any]) -> None:
        self._place(step["motion"])
        for frames in self._shown["moved"]:
            self.camera.show(*frames)
            self.page.wait_for_timeout(250)
        self._told("show_palm")
        self.camera.show(*self._shown["back"][0])
        if step["tilt_deg"] is not None:
            self.page.wait_for_selector('[data-instruction^="tilt_"]', timeout=PAGE_LIMIT_MS)
            self.camera.show(*self._shown["tilted"][0])

    def _place(self, motion: str) -> None:
        """Move the palm into its outline, as the page says, until it asks for the motion."""
        while (told := self._instruction()) != motion:
            if told in NUDGES:
                for shown in self._shown.values():
                    shown[:] = [grainy(nudged(each[0], *NUDGES[told])) for each in shown]
                self.camera.show(*self._shown["open"][0])
                self.page.wait_for_timeout(900)  # words on the way change slowly
            self.page.wait_for_timeout(30)

    def _instruction(self) -> str:
        script = "() => document.getElementById('instruction')?.dataset.instruction ?? ''"
        return str(self.page.evaluate(script))

    def _told(self, instruction: str) -> None:
        selector = f'#instruction[data-instruction="{instruction}"]'
        self.page.wait_for_selector(selector, timeout=PAGE_LIMIT_MS)

    def _answered(self, route: Route) -> None:
        """Let a request through; before its answer, put the next step before the camera."""
        answer = route.fetch()
        said = answer.json()
        step = said.get("step")
        if step is not None:
            began = time.perf_counter()
            self._take(step)
            self.held_s += time.perf_counter() - began
        elif "error" in said and said["error"] != "use_dpop_nonce":
            self._end = f"{said['error']}: {said.get('reason')}"
        elif said.get("passed"):
            self._end = "passed"
        route.fulfill(response=answer)

    def _take(self, step: dict[str, Any]) -> None:
        self._shown = {}
        for phase, frame in self.draw([*self._steps, step]):
            self._shown.setdefault(phase, []).append(grainy(_sized(frame)))
        self.camera.show(*self._shown["open"][0])
        self._steps.append(step)


def grainy(frame: Frame) -> list[Frame]:
    """Return two seconds of a still frame with a sensor's noise."""
    height, width = frame.shape[:2]
    noise = np.random.default_rng(0).normal(0, NOISE_LEVELS, (height, width + GRAINS, 3))
    levels = noise.round().astype(np.int16)
    return [
        np.clip(frame + levels[:, at : at + width], 0, 255).astype(np.uint8)
        for at in range(GRAINS)
    ]


def nudged(frame: Frame, right: float, down: float, larger: float) -> Frame:
    """Return a frame whose content is moved and scaled about its middle."""
    height, width = frame.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), 0, larger)
    matrix[:, 2] += right * width, down * height
    border = cv2.BORDER_REPLICATE
    return np.asarray(
        cv2.warpAffine(frame, matrix, (width, height), borderMode=border), np.uint8
    )


def _sized(frame: Frame) -> Frame:
    """Bring a landscape frame to the camera's size."""
    if frame.shape[:2] == (HEIGHT, WIDTH):
        return frame
    if frame.shape[0] * WIDTH != frame.shape[1] * HEIGHT:
        raise ValueError(f"a frame of {frame.shape} does not fit the camera")
    size = (WIDTH, HEIGHT)
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)
