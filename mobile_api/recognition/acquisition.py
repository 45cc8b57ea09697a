"""From the bytes of a picture to a template, a few at a time.

A picture takes up to three hundred megabytes while it is decoded, so only as many as there are
workers are looked at together. A few more wait for a while; all others are asked to come back
at once, because whoever waits holds a thread that other requests need. Nothing of a picture is
kept.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from engine.errors import ExtractorMismatch
from engine.template_codec import decode_template
from engine.types import Extraction, ExtractorId
from mobile_api.errors import ServiceBusy, TemplateNotAccepted
from mobile_api.types import CapturedPalm

QUEUE_PER_WORKER: Final = 5
"""Pictures that are looked at or wait, for each worker."""


class Pipeline(Protocol):
    """What is needed of ``engine.pipeline.PalmPipeline``."""

    def extract(self, image: bytes) -> Extraction:
        """Return what a picture gives, or raise one of the engine's errors."""


class PairPipeline(Protocol):
    """What is needed of ``engine.pipeline.PairedPipeline``."""

    def extract_pair(self, image: bytes) -> tuple[Extraction, Extraction]:
        """Return what two extractors see in a picture, the previous one last."""


@dataclass(frozen=True, slots=True)
class PreviousExtractor:
    """The extractor that people move from.

    Attributes:
        pipeline: of both extractors.
        extractor: the previous one's name.
        are_needed: tells whether anybody is still enrolled by it.
    """

    pipeline: PairPipeline
    extractor: ExtractorId
    is_needed: Callable[[], bool]


class Acquisition:
    """Turns what a phone sends into templates.

    Args:
        pipeline: from a picture to a template.
        extractor: whose templates are compared here.
        workers: pictures looked at together.
        wait_s: how long a picture waits for its turn.
        accept_templates: whether phones may make templates themselves.
        previous: looks at pictures, too, while people move.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        extractor: ExtractorId,
        *,
        workers: int,
        wait_s: float,
        accept_templates: bool,
        previous: PreviousExtractor | None = None,
    ) -> None:
        self._pipeline, self._extractor = pipeline, extractor
        self._previous = previous
        self._worker_slots = threading.BoundedSemaphore(workers)
        self._queue_slots = threading.BoundedSemaphore(workers * QUEUE_PER_WORKER)
        self._wait_s, self._accept_templates = wait_s, accept_templates

    def from_picture(self, image: bytes) -> CapturedPalm:
        """Return what a picture shows.

        Raises:
            ServiceBusy: too many wait, or it did not get its turn in time.
            SampleRefused: the bytes are no acceptable picture.
            FailureToAcquire: the picture gives no template.
        """
        with _slot(self._queue_slots, 0.0), _slot(self._worker_slots, self._wait_s):
            if self._previous is None or not self._previous.is_needed():
                seen = self._pipeline.extract(image)
                return CapturedPalm(seen.template, None, seen.quality.score)
            seen, before = self._previous.pipeline.extract_pair(image)
            return CapturedPalm(seen.template, before.template, seen.quality.score)

    def from_template(self, data: bytes) -> CapturedPalm:
        """Return a template that a phone made.

        Raises:
            TemplateNotAccepted: the operator demands pictures.
            TemplateRefused: the bytes are no valid template.
            ExtractorMismatch: it is of no extractor that is run.
        """
        if not self._accept_templates:
            raise TemplateNotAccepted("this service wants pictures")
        template = decode_template(data)
        before = None if self._previous is None else self._previous.extractor
        if template.extractor not in (self._extractor, before):
            raise ExtractorMismatch("the template is of another extractor than this service's")
        return CapturedPalm(template)


@contextmanager
def _slot(semaphore: threading.BoundedSemaphore, wait_s: float) -> Iterator[None]:
    if not semaphore.acquire(timeout=wait_s):
        raise ServiceBusy("too many pictures are being looked at")
    try:
        yield
    finally:
        semaphore.release()
