"""Acquisition: from the bytes of a picture to a template, with bounded memory.

Decoding a picture takes up to 300 MB, so only ``workers`` pictures are processed at once. A few
may wait, each in a thread that other requests need; others get ``ServiceBusy``. No picture is
stored.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from engine.errors import ExtractorMismatch, TemplateRefused
from engine.features.code_bytes import require_shown
from engine.template_codec import decode_template, split_templates
from mobile_api.errors import ServiceBusy, TemplateNotAccepted
from mobile_api.recognition.load import Recognition
from mobile_api.types import CapturedPalm

QUEUE_PER_WORKER: Final = 5
"""Pictures in progress or waiting, for each worker."""

ATTEMPT_FRAMES: Final = 3
"""Most templates of one attempt: every comparison raises the threshold."""

T = TypeVar("T")


class Acquisition:
    """Turns what a phone sends into templates, of both extractors while people move."""

    def __init__(
        self,
        recognition: Recognition,
        is_migrating: Callable[[], bool],
        *,
        workers: int,
        wait_s: float,
        accept_templates: bool,
    ) -> None:
        self._recognition, self._is_migrating = recognition, is_migrating
        self._worker_slots = threading.BoundedSemaphore(workers)
        self._queue_slots = threading.BoundedSemaphore(workers * QUEUE_PER_WORKER)
        self._wait_s, self._accept_templates = wait_s, accept_templates

    def from_picture(self, image: bytes) -> CapturedPalm:
        """Return the palm in a picture.

        Raises ServiceBusy, SampleRefused or FailureToAcquire.
        """
        return self.in_turn(lambda: self._capture(image))

    def in_turn(self, work: Callable[[], T]) -> T:
        """Work on pictures when a worker is free. Raises ServiceBusy."""
        with _slot(self._queue_slots, 0.0), _slot(self._worker_slots, self._wait_s):
            return work()

    def from_template(self, data: bytes, *, most: int = 1) -> CapturedPalm:
        """Return the palm of templates made on the phone, one after the other.

        Raises TemplateNotAccepted, TemplateRefused, ExtractorMismatch or QualityTooLow.
        """
        if not self._accept_templates:
            raise TemplateNotAccepted("this service accepts only pictures")
        frames = split_templates(data)
        if not 1 <= len(frames) <= most:
            raise TemplateRefused("an attempt has no template, or too many")
        template, *more = (decode_template(frame) for frame in frames)
        for each in (template, *more):
            require_shown(each.code)
        kind = template.extractor, template.hand
        if any((each.extractor, each.hand) != kind for each in more):
            raise TemplateRefused("the templates are of two hands or extractors")
        if template.extractor not in {each.extractor for each in self._recognition.extractors}:
            raise ExtractorMismatch("this service does not run the template's extractor")
        return CapturedPalm(template, more=more)

    def _capture(self, image: bytes) -> CapturedPalm:
        pipeline = self._recognition.pipeline
        if len(self._recognition.extractors) > 1 and self._is_migrating():
            current, previous = pipeline.extract_each(image)
            return CapturedPalm(current.template, previous.template, current.quality.score)
        extraction = pipeline.extract(image)
        return CapturedPalm(extraction.template, None, extraction.quality.score)


@contextmanager
def _slot(semaphore: threading.BoundedSemaphore, wait_s: float) -> Iterator[None]:
    if not semaphore.acquire(timeout=wait_s):
        raise ServiceBusy("too many pictures are being processed")
    try:
        yield
    finally:
        semaphore.release()
