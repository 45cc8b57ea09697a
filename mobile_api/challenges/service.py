"""Use case: a phone passes a challenge, and the palm shown in it answers one request.

Each challenge is charged to its phone when it is drawn, so that a phone cannot draw until an
easy one comes. The first step must show a hand; then it is charged as a palm, to the networks
too. The charge is given back when it is passed. A step is sent only after the frames of the one
before arrived. What failed is deleted, with all that was seen.
"""

import random
import secrets
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, assert_never
from uuid import UUID

from engine.presentation_attack.challenge import Challenge, Motion, Step, draw_challenge
from engine.presentation_attack.parameters import CHALLENGE_ALL_FRAMES
from engine.presentation_attack.session import Observation, Outcome, Reason, SessionDetector
from engine.types import Hand
from mobile_api.challenges.encryption import ChallengeEncryption, Progress
from mobile_api.challenges.shown import (
    Shown,
    ShownChallenge,
    ShownPictures,
    ShownTemplates,
    observe_step,
    shown_palms,
)
from mobile_api.codes import digest_of
from mobile_api.errors import (
    ChallengeFailed,
    ChallengeGone,
    ChallengeOff,
    DecryptionFailed,
    InvalidRequest,
    MotionsCodeNeeded,
    NoSuchCode,
    ServiceBusy,
    WrongStep,
)
from mobile_api.frames import ATTEMPT_FRAMES, SentFrame
from mobile_api.limits import GalleryBudget
from mobile_api.observability.metrics import Metrics
from mobile_api.recognition.acquisition import Acquisition
from mobile_api.storage.database import Database
from mobile_api.storage.stores.challenges import PendingChallenge
from mobile_api.types import CapturedPalm, ChallengeFailure, ChallengeId, Clock, Device, Purpose

MOTIONS_NEEDED: Final = 2
"""How many motions a person must be able to do: fewer leave too little to chance."""

LATE_FOR: Final = timedelta(seconds=20)
"""How long after a step's limit its frames are still answered as late."""

PASSED_FOR: Final = timedelta(seconds=30)
"""How long a challenge that was passed may be used."""

_RANDOM: Final = random.SystemRandom()

PASSED: Final = 0
"""The step of a challenge that was passed."""

CLOCKS_S: Final = 1.0
"""How much the clocks of two processes and of the phone may differ within a step."""

UPLOAD_S: Final = 10.0
"""How long frames may take to arrive: 2 MB at 1.6 Mbit/s."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The request that a phone passes a challenge for.

    Attributes:
        attempt_id: the login or enrolment; empty: none.
        cannot: motions that the person cannot do.
        motions_code: the operator's code for leaving them out.
    """

    purpose: Purpose
    attempt_id: str = ""
    hand: Hand | None = None
    cannot: Collection[Motion] = ()
    motions_code: str = field(repr=False, default="")

    def leaves_out_for_owner(self, device: Device) -> bool:
        """Return whether motions are left out by the owner of a trusted phone."""
        is_owners = device.is_trusted and self.purpose is not Purpose.ENROLMENT
        return bool(self.cannot) and is_owners


@dataclass(frozen=True, slots=True)
class NextStep:
    """A step to show; ``number`` counts from 1."""

    challenge_id: ChallengeId
    number: int
    count: int
    step: Step


@dataclass(frozen=True, slots=True)
class ChallengeService:
    """Draws, takes and redeems challenges.

    Attributes:
        detector: None if no challenges are asked.
        step_limit: how long a step may take.
    """

    detector: SessionDetector | None
    database: Database
    encryption: ChallengeEncryption
    budget: GalleryBudget
    acquisition: Acquisition
    metrics: Metrics
    clock: Clock
    step_limit: timedelta

    def begin(self, device: Device, wanted: Wanted) -> NextStep:
        """Draw a challenge and return its first step; an earlier one of this phone ends.

        Raises ChallengeOff, InvalidRequest, MotionsCodeNeeded, TooManyAttempts, or
        ChallengeGone: the phone began two at once.
        """
        challenge = self._drawn(wanted)
        self._require_choice(device, wanted)
        charge = self.budget.charge_draw(device)
        now = self.clock()
        pending = self.encryption.with_progress(
            PendingChallenge(
                device.device_id,
                ChallengeId(UUID(bytes=secrets.token_bytes(16))),
                wanted.purpose,
                wanted.attempt_id,
                wanted.hand,
                1,
                now,
                now + self.step_limit + LATE_FOR,
                charge,
                b"",
            ),
            Progress(challenge, owner_alone=wanted.leaves_out_for_owner(device)),
        )
        with self.database.write() as transaction:
            transaction.devices.hold(device.device_id)
            transaction.challenges.discard(device.device_id)
            if not transaction.challenges.put_back(pending):
                raise ChallengeGone("this phone has begun another challenge")
        return _next_step(pending, challenge)

    def answer(
        self,
        device: Device,
        challenge_id: ChallengeId,
        number: int,
        frames: Sequence[SentFrame],
    ) -> NextStep | None:
        """Take the frames of a step; return the next one, or None if all were passed.

        Raises ChallengeFailed, ChallengeGone, WrongStep, SampleRefused, TooManyAttempts or
        ServiceBusy.
        """
        detector, now = self._require_detector(), self.clock()
        pending = self._take(device, challenge_id, number, now)
        progress = self._opened(pending)
        answered_s = (now - pending.sent_at).total_seconds()
        self._require_timely(answered_s, frames)
        _require_frames(progress, frames)
        try:
            with self.acquisition.turn():
                seen = observe_step(detector, frames, _last(progress))
        except ServiceBusy:
            self._put_back(pending)  # nothing was looked at: the phone may send it again
            raise
        if number == 1:
            self._charge_hand(device, pending, seen)
        progress = replace(
            progress,
            steps=(*progress.steps, tuple(seen)),
            answered_s=(*progress.answered_s, answered_s),
        )
        if number < len(progress.challenge.steps):
            return self._go_on(pending, progress)
        self._pass(pending, progress, detector)
        return None

    def redeem(
        self, device: Device, challenge_id: ChallengeId, purpose: Purpose, attempt_id: str = ""
    ) -> list[CapturedPalm]:
        """Return the palm that was shown, in one or more views, best first: once.

        Raises ChallengeGone: unknown, used, too old, another phone's, or for something else.
        """
        now = self.clock()
        with self.database.write() as transaction:
            passed = transaction.challenges.take(device.device_id, challenge_id, PASSED, now)
        if passed is None or (passed.purpose, passed.attempt_id) != (purpose, attempt_id):
            raise ChallengeGone("no such challenge was passed just now")
        try:
            return self.encryption.palms(passed)
        except DecryptionFailed as fault:
            raise ChallengeGone("the challenge cannot be used any more") from fault

    def read(self, device: Device, shown: Shown) -> CapturedPalm:
        """Return the palm that a phone shows, as one attempt.

        Raises as ``redeem`` and ``Acquisition``.
        """
        match shown:
            case ShownPictures(images):
                return self.acquisition.from_frames(images)
            case ShownTemplates(data):
                return self.acquisition.from_template(data, most=ATTEMPT_FRAMES)
            case ShownChallenge(challenge_id, purpose, attempt_id):
                first, *others = self.redeem(device, challenge_id, purpose, attempt_id)
                return first.with_frames(others[: ATTEMPT_FRAMES - 1])
            case _:
                assert_never(shown)

    def _require_detector(self) -> SessionDetector:
        if self.detector is None:
            raise ChallengeOff("this service asks for no challenges")
        return self.detector

    def _drawn(self, wanted: Wanted) -> Challenge:
        self._require_detector()
        motions = [each for each in Motion if each not in wanted.cannot]
        if len(motions) < MOTIONS_NEEDED:
            raise InvalidRequest("a challenge needs two motions: use another way to sign in")
        return draw_challenge(_RANDOM, motions)

    def _require_choice(self, device: Device, wanted: Wanted) -> None:
        """Require that this phone may leave out motions, if it asks to."""
        if not wanted.cannot or wanted.leaves_out_for_owner(device):
            return
        with suppress(NoSuchCode), self.database.write() as transaction:
            digest = digest_of("motions", wanted.motions_code)
            if transaction.motion_codes.use(digest, device.device_id, self.clock()):
                return
        raise MotionsCodeNeeded("show every motion, or use a code of the operator")

    def _take(
        self, device: Device, challenge_id: ChallengeId, number: int, now: datetime
    ) -> PendingChallenge:
        with self.database.write() as transaction:
            pending = transaction.challenges.take(device.device_id, challenge_id, number, now)
            if pending is None or number == PASSED:
                if transaction.challenges.has(device.device_id, challenge_id, now):
                    raise WrongStep("the challenge does not wait for this step")
                raise ChallengeGone("this challenge is over, or another phone's")
        return pending

    def _opened(self, pending: PendingChallenge) -> Progress:
        try:
            return self.encryption.progress(pending)
        except DecryptionFailed as fault:
            raise ChallengeGone("the challenge cannot be read any more") from fault

    def _require_timely(self, answered_s: float, frames: Sequence[SentFrame]) -> None:
        """Require frames in time, and no times that cannot be true."""
        times = [each.at_ms for each in frames]
        underway_s = answered_s - times[-1] / 1000
        if answered_s > self.step_limit.total_seconds() or underway_s > UPLOAD_S:
            raise ChallengeFailed(ChallengeFailure.TOO_LATE)
        if times != sorted(set(times)) or underway_s < -CLOCKS_S:
            raise ChallengeFailed(ChallengeFailure.NOT_FOLLOWED)

    def _charge_hand(
        self, device: Device, pending: PendingChallenge, seen: Sequence[Observation]
    ) -> None:
        """Charge a palm, or tell nothing more: the other steps are not drawn for nothing."""
        if all(each.hand is None for each in seen):
            self.metrics.count_challenge(Outcome.CANNOT_TELL, Reason.NO_HAND)
            raise ChallengeFailed(ChallengeFailure.NOT_ONE_HAND)
        self.budget.charge_shown(device, pending.charge)

    def _go_on(self, pending: PendingChallenge, progress: Progress) -> NextStep:
        now = self.clock()
        following = replace(
            pending,
            step=pending.step + 1,
            sent_at=now,
            expires_at=now + self.step_limit + LATE_FOR,
        )
        self._put_back(self.encryption.with_progress(following, progress))
        return _next_step(following, progress.challenge)

    def _pass(
        self, pending: PendingChallenge, progress: Progress, detector: SessionDetector
    ) -> None:
        """Judge all steps; keep the palm for one request, or nothing."""
        verdict = detector.judge(progress.challenge, progress.steps, progress.answered_s)
        self.metrics.count_challenge(verdict.outcome, verdict.reason or "")
        shown = shown_palms(verdict, progress, pending.hand)
        palms = [replace(palm, owner_alone=progress.owner_alone) for palm in shown]
        passed = replace(pending, step=PASSED, expires_at=self.clock() + PASSED_FOR)
        self._put_back(self.encryption.with_palms(passed, palms), clear=True)

    def _put_back(self, pending: PendingChallenge, *, clear: bool = False) -> None:
        with self.database.write() as transaction:
            transaction.devices.hold(pending.device_id)
            if not transaction.challenges.put_back(pending):
                raise ChallengeGone("this phone has begun another challenge")
            if clear:
                transaction.attempts.give_back(pending.charge)


def _next_step(pending: PendingChallenge, challenge: Challenge) -> NextStep:
    step = challenge.steps[pending.step - 1]
    return NextStep(pending.challenge_id, pending.step, len(challenge.steps), step)


def _require_frames(progress: Progress, frames: Sequence[SentFrame]) -> None:
    """Require not too many frames in all."""
    if sum(map(len, progress.steps)) + len(frames) > CHALLENGE_ALL_FRAMES:
        raise InvalidRequest("too many frames")


def _last(progress: Progress) -> Observation | None:
    return progress.steps[-1][-1] if progress.steps else None
