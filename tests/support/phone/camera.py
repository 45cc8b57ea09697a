"""Cameras that show what a test puts before them: pictures of drawn hands.

One is the browser's own, fed from a file. The other is injected: the page's ``getUserMedia`` is
replaced by the stream of a canvas, which shows frames bit for bit and fails on demand.
Every script in the page can do that: no picture's origin can be trusted.
"""

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import BrowserContext, Page

from tests.support.phone.camera_file import HEIGHT as CAMERA_HEIGHT
from tests.support.phone.camera_file import WIDTH as CAMERA_WIDTH
from tests.support.phone.camera_file import CameraFile, framed, wall

Frame = NDArray[np.uint8]


WIDTH: Final = 1280
HEIGHT: Final = 720

SCRIPT: Final = Path(__file__).with_suffix(".js")
"""Runs before the page's own scripts. Its canvas has the size of a frame."""


class Camera(Protocol):
    """A camera that shows a page the frames of a test."""

    def show(self, *frames: Frame) -> None:
        """Put frames before it, in turn: each (720, 1280, 3), uint8, RGB."""


class FileCamera:
    """The browser's own camera, fed from a file; it sees the middle of what is shown.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self.file = CameraFile(path)

    def show(self, *frames: Frame) -> None:
        """Put frames before it."""
        self.file.show(*map(_as_camera_sees, frames))


class InjectedCamera:
    """A canvas in the place of a page's camera.

    Args:
        context: the browser profile whose camera it is.
    """

    def __init__(self, context: BrowserContext) -> None:
        self._scenes: dict[str, bytes] = {}
        self._shown: Iterator[str] = cycle([""])
        context.expose_function("sceneOfTest", lambda: next(self._shown))
        context.add_init_script(path=SCRIPT)
        context.route(
            "**/scene/*.png",
            lambda route: route.fulfill(
                body=self._scenes[route.request.url.split("/")[-1].removesuffix(".png")],
                content_type="image/png",
            ),
        )

    def show(self, *frames: Frame) -> None:
        """Put frames before it, a new one at each look."""
        names = []
        for frame in frames:
            names.append(f"scene{len(self._scenes)}")
            done, packed = cv2.imencode(".png", frame[..., ::-1])
            assert done
            self._scenes[names[-1]] = packed.tobytes()
        self._shown = cycle(names)


def _as_camera_sees(frame: Frame) -> Frame:
    """Cut the middle out of a wide frame, and bring it to the camera's size."""
    aside = (WIDTH - HEIGHT * CAMERA_WIDTH // CAMERA_HEIGHT) // 2
    middle = frame[:, aside : WIDTH - aside]
    size = (CAMERA_WIDTH, CAMERA_HEIGHT)
    return np.asarray(cv2.resize(middle, size, interpolation=cv2.INTER_AREA), np.uint8)


def refuse(page: Page, fault: str | None) -> None:
    """Let a page's camera fail: a DOMException of this name, or "play"; None: let it work."""
    page.evaluate("fault => { seenByTest.fault = fault }", fault)


def frame_of(
    picture: bytes, *, size: float = 0.96, x: float = 0.5, light: float = 1.0
) -> Frame:
    """Return a frame of 1280 × 720 with the picture of a hand in it, see ``framed``."""
    return framed(picture, size=size, x=x, light=light, shape=(HEIGHT, WIDTH))


def nothing() -> Frame:
    """Return a frame without a hand."""
    return wall((HEIGHT, WIDTH))
