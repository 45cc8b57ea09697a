"""How far templates of the page are from the service's, for the same frames.

The page's own worker is asked, through its whole path: pixels, landmarks, graph.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from engine.errors import FailureToAcquire
from engine.template_codec import decode_template

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from playwright.sync_api import Page

    from benchmarks.phone_page.camera_file import Frame
    from engine.pipeline import PalmPipeline

START_WORKER: Final = """async () => {
  const { worker, files } = document.documentElement.dataset;
  const whole = (address) => new URL(address, location.href).href;
  const given = JSON.parse(files);
  given.wasm = whole(given.wasm);
  for (const network of Object.values(given.networks)) network.url = whole(network.url);
  const running = new Worker(worker, { type: "module" });
  let id = 0;
  window.askWorker = (task, more, moved = []) => new Promise((resolve, reject) => {
    const asked = ++id;
    running.addEventListener("message", ({ data }) => {
      if (data.id === asked) data.fault ? reject(data.fault.code) : resolve(data.answer);
    });
    running.postMessage({ id: asked, task, ...more }, moved);
  });
  await askWorker("load", { files: given, limitMs: Infinity });
}"""

"""Starts the page's worker once more, with its networks: an expression of a function."""

MAKE_TEMPLATE: Final = """async (png) => {
  const bytes = Uint8Array.from(atob(png), (each) => each.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data, width, height } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  await askWorker("look", { frame: { data: data.buffer, width, height } }, [data.buffer]);
  const { template } = await askWorker("extract", {}).catch(() => ({ template: null }));
  return template && btoa(String.fromCharCode(...template));
}"""
"""Makes a template of a frame, see ``packed``: base64, or null where it makes nothing."""


def templates_of(page: Page, frames: Iterable[Frame]) -> Iterator[bytes | None]:
    """Yield what the page makes of frames; None where it makes nothing.

    Args:
        page: the built page, open.
        frames: each (height, width, 3), uint8, RGB.
    """
    page.evaluate(START_WORKER)
    for frame in frames:
        said = page.evaluate(MAKE_TEMPLATE, encode_frame(frame))
        yield base64.b64decode(said) if said else None


def encode_frame(frame: Frame) -> str:
    """Return a frame as ``EXTRACT`` takes it: a PNG, base64."""
    return base64.b64encode(_png(frame)).decode()


def cosine_distance(frame: Frame, ours: bytes | None, pipeline: PalmPipeline) -> float:
    """Return the cosine distance between the page's template of a frame and the service's.

    Nothing on both sides is no difference; nothing on one is the greatest.
    """
    try:
        theirs = pipeline.extract(_png(frame)).template
    except FailureToAcquire:
        return 0.0 if ours is None else 2.0
    if ours is None:
        return 2.0
    mine = decode_template(ours)
    if mine.hand is not theirs.hand:
        return 2.0
    return 1.0 - float(np.dot(mine.vector.astype(np.float64), theirs.vector))


def _png(frame: Frame) -> bytes:
    return cv2.imencode(".png", frame[..., ::-1])[1].tobytes()
