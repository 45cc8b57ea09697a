"""What tests do alike with a tab of any browser."""

import base64
import json
import time
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import cv2
from playwright.sync_api import Error

from tests.support.phone.camera_file import Frame

HOLD: Final = """async ({ png, size: [width, height] }) => {
  const bytes = Uint8Array.from(atob(png), (each) => each.charCodeAt(0));
  const hand = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = (window.canvasOfTest ??= document.createElement("canvas"));
  Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d", { alpha: false });
  context.fillStyle = "#606870";
  const draw = () => {
    const time = performance.now();
    const [turn, away] = [0.14 * Math.sin(time / 700), 0.12 * Math.cos(time / 1900)];
    context.resetTransform();
    context.fillRect(0, 0, width, height);
    context.translate(width / 2, height / 2);
    context.rotate(turn);
    context.scale(0.88 + away, 0.85 + away);
    context.drawImage(hand, -hand.width / 2, -hand.height / 2);
  };
  clearInterval(window.drawingOfTest);
  window.drawingOfTest = setInterval(draw, 70);
  MediaDevices.prototype.getUserMedia = async () => {
    window.openedOfTest = (window.openedOfTest ?? 0) + 1;
    draw();
    return canvas.captureStream(15);
  };
}"""
"""A canvas in the place of the camera, with a hand that turns, comes and goes: neither Firefox
nor WebKitGTK has a camera made of a file."""


LIMIT_S: Final = 90
"""A busy machine is no fault of the page."""


def encode_frame(frame: Frame) -> str:
    """Encode a frame for a script: a PNG, base64."""
    return base64.b64encode(cv2.imencode(".png", frame[..., ::-1])[1].tobytes()).decode()


class DriverFault(Exception):
    """A command failed."""


class Driven:
    """One tab."""

    __slots__ = ()

    @abstractmethod
    def open(self, address: str) -> None:
        """Go to an address."""

    @abstractmethod
    def run(self, script: str) -> Any:
        """Return what an expression gives."""

    @abstractmethod
    def reached(self) -> list[str]:
        """Return where it went."""

    def evaluate(self, function: str, given: object = None) -> Any:
        """Return what a function gives, promises awaited."""
        return self.run(f"({function})({json.dumps(given)})")

    def wait_until(self, condition: Callable[[], object]) -> None:
        """Wait until something is true; a page that gives way to the next says nothing.

        Raises:
            TimeoutError: it was not in time.
        """
        end = time.perf_counter() + LIMIT_S
        while time.perf_counter() < end:
            with suppress(DriverFault, Error):
                if condition():
                    return
            time.sleep(0.1)
        raise TimeoutError(f"waited on {self.run('document.body.innerText')}")

    def wait_for(self, condition: str) -> None:
        """Wait until an expression is true."""
        self.wait_until(lambda: self.is_true(condition))

    def is_true(self, condition: str) -> bool:
        """Return whether an expression is true."""
        return bool(self.run(f"Boolean({condition})"))

    def press(self, action: str) -> None:
        """Press a button of the phone's page."""
        self.wait_for(f"document.querySelector('[data-action=\"{action}\"]')")
        self.run(f"document.querySelector('[data-action=\"{action}\"]').click()")

    def hold(self, frame: Frame, size: tuple[int, int] = (1280, 720)) -> None:
        """Hold what a frame shows before the camera, until the page is left."""
        self.evaluate(HOLD, {"png": encode_frame(frame), "size": size})
