"""A few pictures at a time, and templates only where they are wanted."""

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice

import pytest

from engine.errors import PresentationAttack, QualityTooLow, TemplateRefused
from engine.template_codec import encode_template
from engine.types import Extraction, Hand
from mobile_api.errors import ServiceBusy, TemplateNotAccepted
from mobile_api.frames import ATTEMPT_FRAMES
from mobile_api.recognition.acquisition import QUEUE_PER_WORKER, Acquisition
from mobile_api.recognition.load import LoadedExtractor, Recognition
from tests.support.palms.fake_engine import (
    DARK,
    FAKE_DIMENSION,
    FAKE_EXTRACTOR,
    NO_HAND,
    FakePipeline,
    partly_covered,
    picture,
    template,
)
from tests.support.service.mobile_api import FakeThresholds


class SlowPipeline(FakePipeline):
    """Works until it may finish, and notes how many work at once."""

    def __init__(self) -> None:
        super().__init__()
        self.finish, self.started = threading.Event(), threading.Semaphore(0)
        self.working = self.most = 0

    def extract(self, image: bytes) -> Extraction:
        """Wait."""
        self.working += 1
        self.most = max(self.most, self.working)
        self.started.release()
        self.finish.wait(60)
        self.working -= 1
        return super().extract(image)


def acquisition(
    pipeline: FakePipeline, *, wait_s: float = 60, accept_templates: bool = True
) -> Acquisition:
    """Return an acquisition with two workers."""
    return Acquisition(
        Recognition(
            pipeline, [LoadedExtractor(FAKE_EXTRACTOR, FAKE_DIMENSION, FakeThresholds())]
        ),
        lambda: False,
        workers=2,
        wait_s=wait_s,
        accept_templates=accept_templates,
    )


def test_no_more_pictures_are_looked_at_together_than_there_are_workers() -> None:
    """A picture takes hundreds of megabytes while it is decoded."""
    pipeline = SlowPipeline()
    acquire = acquisition(pipeline)
    with ThreadPoolExecutor(6) as pool:
        waiting = [pool.submit(acquire.from_picture, picture(n)) for n in range(6)]
        for _ in range(2):
            pipeline.started.acquire(timeout=60)
        pipeline.finish.set()
        done = [each.result() for each in waiting]

    assert len(done) == 6
    assert pipeline.most == 2


def test_a_picture_that_waited_too_long_is_asked_to_come_back() -> None:
    """A clear answer now is better than one after the login has expired."""
    pipeline = SlowPipeline()
    acquire = acquisition(pipeline, wait_s=0.05)
    with ThreadPoolExecutor(2) as pool:
        busy = [pool.submit(acquire.from_picture, picture(n)) for n in range(2)]
        for _ in range(2):
            pipeline.started.acquire(timeout=60)
        with pytest.raises(ServiceBusy):
            acquire.from_picture(picture(3))
        pipeline.finish.set()
        for each in busy:
            each.result()

    assert acquire.from_picture(picture(3)).template.extractor == FAKE_EXTRACTOR


def test_a_picture_that_fails_gives_its_turn_back() -> None:
    """Three bad pictures must not stop the service."""
    pipeline = FakePipeline()
    pipeline.fault = RuntimeError()
    acquire = acquisition(pipeline, wait_s=0.05)
    for _ in range(3):
        with pytest.raises(RuntimeError):
            acquire.from_picture(picture(1))


def test_templates_are_not_even_read_where_pictures_are_demanded() -> None:
    """The answer is the same for good and bad ones."""
    acquire = acquisition(FakePipeline(), accept_templates=False)
    for data in (b"", encode_template(template(1))):
        with pytest.raises(TemplateNotAccepted):
            acquire.from_template(data)


def test_an_attempt_has_up_to_three_templates_of_one_hand() -> None:
    """What a phone sends is not trusted to be one palm; an enrolment takes one at a time."""
    acquire = acquisition(FakePipeline())
    frames = [encode_template(template(1, shot=shot)) for shot in range(4)]
    other = encode_template(template(1, Hand.LEFT))

    captured = acquire.from_template(b"".join(frames[:3]), most=ATTEMPT_FRAMES)

    assert len(captured.more) == 2
    for data in (b"", b"".join(frames), frames[0] + other):
        with pytest.raises(TemplateRefused):
            acquire.from_template(data, most=ATTEMPT_FRAMES)
    with pytest.raises(TemplateRefused):
        acquire.from_template(frames[0] + frames[1])


def test_a_template_of_a_covered_palm_is_refused_as_its_picture_is() -> None:
    """A frame that is refused spoils no other: what is compared are the others."""
    acquire = acquisition(FakePipeline())
    bare, half, hidden = (
        encode_template(partly_covered(template(1, shot=n), rows))
        for n, rows in enumerate((0, 16, 20))
    )

    shown = acquire.from_template(hidden + half + bare, most=ATTEMPT_FRAMES)

    assert len(shown.more) == 1
    with pytest.raises(QualityTooLow, match="covered"):
        acquire.from_template(hidden + hidden, most=ATTEMPT_FRAMES)


def test_an_attempt_without_a_palm_says_why_the_first_picture_has_none() -> None:
    """An artefact in any picture refuses all of them."""
    pipeline = FakePipeline()
    acquire = acquisition(pipeline)
    with pytest.raises(QualityTooLow):
        acquire.from_frames([picture(1, defect=DARK), picture(1, defect=NO_HAND)])
    pipeline.fault = PresentationAttack()
    with pytest.raises(PresentationAttack):
        acquire.from_frames([picture(1), picture(1, shot=1)])


def test_only_a_few_pictures_wait_and_the_others_are_refused_at_once() -> None:
    """A waiting request holds a thread: one phone must not stop all others."""
    pipeline = SlowPipeline()
    acquire = acquisition(pipeline)
    count = 2 * QUEUE_PER_WORKER + 3
    with ThreadPoolExecutor(count) as pool:
        sent = [pool.submit(acquire.from_picture, picture(n)) for n in range(count)]
        refused = list(islice(as_completed(sent, timeout=60), 3))
        pipeline.finish.set()
        answered = [each.exception() for each in sent]

    assert all(isinstance(each.exception(), ServiceBusy) for each in refused)
    assert sum(fault is None for fault in answered) == 2 * QUEUE_PER_WORKER
