"""A hand before the browser's camera that follows challenges as people do: by what is shown.

All its frames are drawn before. It waits for the page's own looks: a slow machine makes it
slow, not wrong.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from engine.presentation_attack.challenge import Outline
from tests.support.phone.camera_file import grainy

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.phone.camera_file import CameraFile
    from tests.support.phone.drawn_hand import DrawnHand

WAIT_MS: Final = 60_000

FOLLOW_LIMIT_S: Final = 180
"""For one challenge: longer than the service waits for its steps."""

LOOKS: Final = 3
"""Of the page until it has certainly seen what is shown: one is underway, one is old."""

WATCH: Final = """() => {
  window.looks = 0;
  new MutationObserver((changes) => {
    window.looks += changes.some(({ target }) => target.matches(".target .palm"));
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ["transform"] });
}"""

SEEN: Final = """() => {
  const outline = document.querySelector(".target:not([hidden]) .asked");
  const drawing = outline?.closest("svg").viewBox.baseVal;
  const [, x, y, size] = /translate\\((\\S+) (\\S+)\\) scale\\((\\S+?)\\)/
    .exec(outline?.getAttribute("transform") ?? "") ?? [];
  return {
    screen: document.getElementById("stage").dataset.screen,
    says: document.getElementById("instruction")?.dataset.instruction ?? "",
    outline: size === undefined ? null : { x: x / drawing.width, y: y / drawing.height,
      size: size / Math.min(drawing.width, drawing.height) },
    looks: window.looks,
  };
}"""


MIDDLE: Final = Outline(0.5, 0.6, 0.22)
"""The outline that the page shows first, and again after a refusal."""


class ChallengeFault(Exception):
    """The page waits for something for ever."""


@dataclass(slots=True)
class FollowingHand:
    """A hand that follows the challenges of one page."""

    page: Page
    camera: CameraFile
    drawn: DrawnHand
    _outline: Outline = MIDDLE
    _motion: str = "fold_thumb"
    _shown: str = "open"
    _shown_at: int = 0

    def follow(self) -> str:
        """Follow a challenge until another screen is shown; return its name.

        Raises:
            ChallengeFault: none was; Playwright's own if there is no camera.
        """
        self.page.wait_for_selector("#instruction", timeout=WAIT_MS)
        self.page.evaluate(WATCH)
        self._outline = MIDDLE
        self._show("open", 0)
        limit = time.monotonic() + FOLLOW_LIMIT_S
        first = self._seen()["screen"]
        while (seen := self._seen())["screen"] == first:
            if time.monotonic() > limit:
                raise ChallengeFault(f"the page says {seen['says']}")
            self._obey(seen["says"], seen["looks"], seen["outline"])
            self.page.wait_for_timeout(30)
        return str(seen["screen"])

    def _seen(self) -> dict[str, Any]:
        seen: dict[str, Any] = self.page.evaluate(SEEN)
        return seen

    def _obey(self, says: str, looks: int, outline: dict[str, float] | None) -> None:
        if outline is not None and self._outline != (asked := Outline(**outline)):
            self._outline = asked
            self._show("open", looks)
        elif says in self.drawn.motions:
            self._move(says, looks)
        elif says in self.drawn.tilts:
            self._go(says, looks, after=("back",))
        elif says == "show_palm":
            self._go("back", looks, after=("way", "held"))
        elif says == "good":
            self._go("held", looks, after=("way",))

    def _move(self, motion: str, looks: int) -> None:
        """Begin the motion; finish it when the page has seen it on its way."""
        if self._shown in ("open", "back") or motion != self._motion:
            self._motion = motion
            self._show("way", looks)
        elif looks - self._shown_at >= LOOKS:
            self._go("held", looks, after=("way",))

    def _go(self, what: str, looks: int, *, after: tuple[str, ...]) -> None:
        if self._shown in after:
            self._show(what, looks)

    def _show(self, what: str, looks: int) -> None:
        self.camera.show(*grainy(self.drawn.seen(self._motion, what, self._outline)))
        self._shown, self._shown_at = what, looks
