"""A camera that shows what a test puts before it: pictures of drawn hands, bit for bit.

The page's ``getUserMedia`` is replaced by the stream of a canvas. Whoever can run a script in
the page can do just that: the origin of a picture cannot be trusted.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from playwright.sync_api import BrowserContext, Page

    Frame = NDArray[np.uint8]

WIDTH: Final = 1280
HEIGHT: Final = 720

BACKGROUND: Final = (96, 104, 112)
"""Of a frame, RGB: a wall."""

SCRIPT: Final = Path(__file__).with_suffix(".js")
"""Runs before the page's own scripts. Its canvas has the size of a frame."""


class TestCamera:
    """What stands before a page's camera.

    Args:
        context: the browser profile whose camera it is.
    """

    __test__ = False

    def __init__(self, context: BrowserContext) -> None:
        self._scenes: dict[str, bytes] = {}
        self._shown = ""
        context.expose_function("sceneOfTest", lambda: self._shown)
        context.add_init_script(path=SCRIPT)
        context.route(
            "**/scene/*.png",
            lambda route: route.fulfill(
                body=self._scenes[route.request.url.split("/")[-1].removesuffix(".png")],
                content_type="image/png",
            ),
        )

    def show(self, frame: Frame) -> None:
        """Put a frame before the camera: shape (720, 1280, 3), uint8, RGB."""
        name = f"scene{len(self._scenes)}"
        done, packed = cv2.imencode(".png", frame[..., ::-1])
        assert done
        self._scenes[name] = packed.tobytes()
        self._shown = name


def refuse(page: Page, fault: str | None) -> None:
    """Let the camera of a page fail with a DOMException of this name; None: let it work."""
    page.evaluate("fault => { seenByTest.fault = fault }", fault)


def keep_frames(page: Page) -> None:
    """Keep every frame that a template is made of from now on."""
    page.evaluate("() => { seenByTest.keep = true }")


def kept_frames(page: Page) -> list[tuple[Frame, bytes]]:
    """Return the frames that templates were made of, RGB, and the templates."""
    pack = """() => seenByTest.frames.map(({ pixels, template }) => {
      const text = (bytes) => {
        let all = "";
        for (let at = 0; at < bytes.length; at += 32768) {
          all += String.fromCharCode(...bytes.subarray(at, at + 32768));
        }
        return btoa(all);
      };
      return JSON.stringify({ pixels: text(new Uint8Array(pixels)), template: text(template) });
    })"""
    return [_unpacked(json.loads(text)) for text in page.evaluate(pack)]


def _unpacked(packed: dict[str, Any]) -> tuple[Frame, bytes]:
    pixels = np.frombuffer(base64.b64decode(packed["pixels"]), np.uint8)
    rgba = pixels.reshape(HEIGHT, WIDTH, 4)
    return np.ascontiguousarray(rgba[..., :3]), base64.b64decode(packed["template"])


def frame_of(
    picture: bytes, *, size: float = 0.96, x: float = 0.5, light: float = 1.0
) -> Frame:
    """Return a frame with the picture of a hand in it.

    Args:
        picture: an encoded picture.
        size: its height, in heights of the frame.
        x: where its middle is, in widths of the frame.
        light: what all levels are multiplied with.
    """
    decoded = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    assert decoded is not None
    scale = min(size * HEIGHT / decoded.shape[0], size * WIDTH / decoded.shape[1])
    hand = cv2.resize(decoded, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)[
        ..., ::-1
    ]
    height, width = hand.shape[:2]
    frame = np.full((HEIGHT, WIDTH, 3), BACKGROUND, np.uint8)
    top, left = (HEIGHT - height) // 2, int(np.clip(x * WIDTH - width / 2, 0, WIDTH - width))
    frame[top : top + height, left : left + width] = hand
    lit: Frame = np.clip(frame * light, 0, 255).astype(np.uint8)
    return lit


def nothing() -> Frame:
    """Return a frame without a hand."""
    return np.full((HEIGHT, WIDTH, 3), BACKGROUND, np.uint8)
