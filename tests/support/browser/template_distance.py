"""Distance between templates of the page and of the service, for the same frames.

Runs the page's own worker with all its steps: pixels, landmarks, graph.
"""

import base64
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
from playwright.sync_api import Page

from engine.errors import FailureToAcquire
from engine.pipeline import PalmPipeline
from engine.template_codec import decode_template
from tests.support.browser.driven import Driven, encode_frame
from tests.support.phone.camera_file import Frame

START_WORKER: Final = """async () => {
  const { worker, files } = document.documentElement.dataset;
  const whole = (address) => new URL(address, location.href).href;
  const given = JSON.parse(files);
  given.wasm.url = whole(given.wasm.url);
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

"""Function that starts the page's worker with its networks."""

MAKE_TEMPLATE: Final = """async (png) => {
  const bytes = Uint8Array.from(atob(png), (each) => each.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data, width, height } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  await askWorker("inspect", { frame: { data: data.buffer, width, height } }, [data.buffer]);
  const { template } = await askWorker("extract", {}).catch(() => ({ template: null }));
  return template && btoa(String.fromCharCode(...template));
}"""
"""Function that makes a template of an encoded frame: base64, or null if there is none."""


def templates_of(page: Page | Driven, frames: Iterable[Frame]) -> Iterator[bytes | None]:
    """Yield the page's template of each frame, or None.

    Args:
        page: the built page, open.
        frames: each (height, width, 3), uint8, RGB.
    """
    page.evaluate(START_WORKER)
    for frame in frames:
        said = page.evaluate(MAKE_TEMPLATE, encode_frame(frame))
        yield base64.b64decode(said) if said else None


def cosine_distance(frame: Frame, ours: bytes | None, pipeline: PalmPipeline) -> float:
    """Return the cosine distance between the page's template and the service's.

    0 if both are missing; 2, the largest, if one is.
    """
    try:
        theirs = pipeline.extract(base64.b64decode(encode_frame(frame))).template
    except FailureToAcquire:
        return 0.0 if ours is None else 2.0
    if ours is None:
        return 2.0
    mine = decode_template(ours)
    if mine.hand is not theirs.hand:
        return 2.0
    return 1.0 - float(np.dot(mine.vector.astype(np.float64), theirs.vector))
