"""Acquisition: from the bytes of a picture to a template, with bounded memory.

Decoding a picture takes up to 300 MB, so only ``workers`` pictures are processed at once. A few
may wait, each in a thread that other requests need; others get ``ServiceBusy``. No picture is
stored.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

from engine.errors import ExtractorMismatch, FailureToAcquire, SampleRefused, TemplateRefused
from engine.features.code_bytes import require_shown
from engine.template_codec import decode_template, split_templates
from engine.types import PalmTemplate
from mobile_api.errors import ServiceBusy, TemplateNotAccepted
from mobile_api.recognition.load import Recognition
from mobile_api.types import CapturedPalm

QUEUE_PER_WORKER: Final = 5
"""Pictures in progress or waiting, for each worker."""

F = TypeVar("F")
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

    def extractors(self, *, enrols: bool) -> list[str]:
        """Return whose templates are accepted; while people move, they enrol by pictures."""
        if not self._accept_templates or (enrols and self._is_migrating()):
            return []
        accepted = self._recognition.extractors
        return [each.extractor for each in (accepted[:1] if enrols else accepted)]

    def from_picture(self, image: bytes) -> CapturedPalm:
        """Return the palm in a picture.

        Raises ServiceBusy, SampleRefused or FailureToAcquire.
        """
        with self.turn():
            return self._capture(image)

    def from_frames(self, images: Sequence[bytes]) -> CapturedPalm:
        """Return the palm in the pictures of one attempt; one without a palm spoils no other.

        Raises as ``from_picture``; if all fail, what refuses the first one.
        """
        with self.turn():
            first, *others = _without_faults(self._capture, images)
        return first.with_frames(others)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until a worker is free, and work on pictures as one. Raises ServiceBusy."""
        with _slot(self._queue_slots, 0.0), _slot(self._worker_slots, self._wait_s):
            yield

    def from_template(self, data: bytes, *, most: int = 1) -> CapturedPalm:
        """Return the palm of templates made on the phone, one after the other.

        Raises TemplateNotAccepted, TemplateRefused, ExtractorMismatch or QualityTooLow.
        """
        if not self._accept_templates:
            raise TemplateNotAccepted("this service accepts only pictures")
        frames = split_templates(data)
        if not 1 <= len(frames) <= most:
            raise TemplateRefused("an attempt has no template, or too many")
        decoded = [decode_template(frame) for frame in frames]
        if len({(each.extractor, each.hand) for each in decoded}) > 1:
            raise TemplateRefused("the templates are of two hands or extractors")
        if decoded[0].extractor not in self.extractors(enrols=False):
            raise ExtractorMismatch("this service does not run the template's extractor")
        template, *more = _without_faults(_shown, decoded)
        return CapturedPalm(template, more=more)

    def _capture(self, image: bytes) -> CapturedPalm:
        pipeline = self._recognition.pipeline
        if len(self._recognition.extractors) > 1 and self._is_migrating():
            current, previous = pipeline.extract_each(image)
            return CapturedPalm(current.template, previous.template, current.quality.score)
        extraction = pipeline.extract(image)
        return CapturedPalm(extraction.template, None, extraction.quality.score)


def _shown(template: PalmTemplate) -> PalmTemplate:
    require_shown(template.code)
    return template


def _without_faults(read: Callable[[F], T], frames: Iterable[F]) -> list[T]:
    """Return what the frames of an attempt give. Raises the first fault if all have one."""
    found: list[T] = []
    faults: list[FailureToAcquire | SampleRefused] = []
    for frame in frames:
        try:
            found.append(read(frame))
        except (FailureToAcquire, SampleRefused) as fault:
            faults.append(fault)
    if not found:
        raise faults[0]
    return found


@contextmanager
def _slot(semaphore: threading.BoundedSemaphore, wait_s: float) -> Iterator[None]:
    if not semaphore.acquire(timeout=wait_s):
        raise ServiceBusy("too many pictures are being processed")
    try:
        yield
    finally:
        semaphore.release()
