"""judging: who follows is let through; each kind of bad input and attack has its own reason.

Landmarks are simulated: 21 points with noise, seen by a pinhole camera. Drawn sessions are
judged by ``thenar bench attack``.
"""

import random
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from engine.presentation_attack.challenge import Challenge, Motion, Step, draw_challenge
from engine.presentation_attack.judging import SessionJudge
from engine.presentation_attack.session import Observation, Outcome, Phase, Reason
from engine.types import Hand
from tests.support.palms.hand_models import open_palm
from tests.support.palms.pipeline import fake_pipeline
from tests.support.palms.templates import template_of

SIZE = 640, 480
FINGERS = ((5, 6, 7, 8), (9, 10, 11, 12), (13, 14, 15, 16), (17, 18, 19, 20))
FAN = (1.0, 0.35, -0.35, -1.0)
CHALLENGE = draw_challenge(random.Random(3))  # noqa: S311 -- repeatable


@dataclass
class Hand3d:
    """A hand with its own noise; ``rigid`` hands are copies that do nothing."""

    rigid: bool = False
    noise: float = 0.006
    seed: int = 1

    def __post_init__(self) -> None:
        """Start the noise."""
        self.rng = np.random.default_rng(self.seed)

    def points(self, step: Step, share: float, tilt_deg: float = 0.0) -> np.ndarray:
        """Landmarks in the outline, a share of the motion done."""
        palm = open_palm(width=1.0)
        flat = palm - palm[[0, 5, 17]].mean(axis=0)
        depth = np.zeros(21)
        depth[1:5] = 0.3
        for number, finger in enumerate(FINGERS):
            depth[list(finger)] = np.array([0, 0.12, 0.25, 0.4])
            if not self.rigid:
                flat[list(finger)] = _moved(flat[list(finger)], step.motion, share, number)
        if not self.rigid and step.motion is Motion.FOLD_THUMB:
            flat[4] += share * np.array([1.2, 0.2])
            flat[3] += share * np.array([0.7, 0.1])
        if not self.rigid and step.motion is Motion.LOOSE_FIST:
            flat[4] += share * np.array([0.9, 0.2])
        angle = np.radians(tilt_deg)
        depth = 0.0 * depth if self.rigid else depth
        x = flat[:, 0] * np.cos(angle) + depth * np.sin(angle)
        away = 1 + (flat[:, 0] * np.sin(angle) - depth * np.cos(angle)) / 8
        seen = np.column_stack([x, flat[:, 1]]) / away[:, None]
        width, height = SIZE
        scale = step.outline.size * min(SIZE) / np.hypot(*(seen[5] - seen[17]))
        place = np.array([step.outline.x * width, step.outline.y * height])
        seen = (seen - seen[[0, 5, 17]].mean(axis=0)) * scale + place
        noise = self.rng.normal(0, self.noise * scale, (21, 2))
        return np.asarray(seen + noise, np.float32)


def _moved(finger: np.ndarray, motion: Motion, share: float, number: int) -> np.ndarray:
    root = finger[0]
    turn_deg = {Motion.SPREAD_FINGERS: 11.0, Motion.CLOSE_FINGERS: -9.0}.get(motion, 0.0)
    angle = np.radians(-FAN[number] * turn_deg * share)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turned = (finger - root) @ turn.T + root
    if motion is Motion.LOOSE_FIST:
        curled = root + np.array([[0, 0], [0, -0.2], [0, 0.1], [0, 0.35]])
        turned = (1 - share) * turned + share * curled
    return np.asarray(turned)


def session(
    hand: Hand3d | None = None, challenge: Challenge = CHALLENGE, *, palm: int = 1
) -> list[list[Observation]]:
    """The observations of someone who follows a challenge."""
    hand = hand or Hand3d()
    steps = []
    for number, step in enumerate(challenge.steps):
        looks = [
            (Phase.OPEN, 0.9, 0.0, 0.0),
            (Phase.MOVED, 1.8, 0.5, 0.0),
            (Phase.MOVED, 2.9, 1.0, 0.0),
            (Phase.BACK, 3.6, 0.0, 0.0),
        ]
        if step.tilt_deg is not None:
            looks.append((Phase.TILTED, 4.4, 0.0, 25.0))
        steps.append(
            [
                Observation(
                    at_s=at_s,
                    phase=phase,
                    size=SIZE,
                    digest=f"{number}{at_s}".encode(),
                    hands=1,
                    hand=Hand.LEFT,
                    points=hand.points(step, share, tilt),
                    presence=1.0,
                    templates=(template_of(palm, noise=0.2, sample=number),),
                    quality=80,
                    colour=np.array([0.5, 0.4, 0.35], np.float32),
                    traces=np.array([4, 10, 10], np.float32),
                    look=np.full(576, np.nan, np.float32),
                )
                for phase, at_s, share, tilt in looks
            ]
        )
    return steps


JUDGE = SessionJudge(fake_pipeline().locator, [])


def changed(
    steps: list[list[Observation]], at: tuple[int, int], **changes: Any
) -> list[list[Observation]]:
    """The same session with one frame changed."""
    step, frame = at
    copy = [list(each) for each in steps]
    copy[step][frame] = replace(copy[step][frame], **changes)
    return copy


def every(phases: Collection[Phase] = tuple(Phase), **changes: Any) -> list[list[Observation]]:
    """The good session with all frames of some phases changed."""
    return [
        [replace(one, **changes) if one.phase in phases else one for one in step]
        for step in GOOD
    ]


GOOD = session()
TILTED = next(n for n, step in enumerate(CHALLENGE.steps) if step.tilt_deg is not None)


def challenge_of(motion: Motion) -> Challenge:
    """Ask for one motion in each step."""
    steps = tuple(replace(step, motion=motion) for step in CHALLENGE.steps)
    return replace(CHALLENGE, steps=steps)


PLAIN = (TILTED + 1) % 3


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("noise", [0.004, 0.012])
def test_a_hand_that_follows_is_bona_fide(seed, noise):
    """Whatever is asked, with the noise that landmarks have."""
    asked = draw_challenge(random.Random(seed))  # noqa: S311 -- repeatable

    verdict = JUDGE.judge(asked, session(Hand3d(noise=noise, seed=seed), asked))

    assert (verdict.outcome, verdict.reason) == (Outcome.BONA_FIDE, None)
    assert verdict.score > 0.5


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("noise", [0.004, 0.03])
def test_a_rigid_copy_is_never_bona_fide_however_it_is_moved(seed, noise):
    """A print cannot fold its thumb, and noise must not do it for the print."""
    asked = draw_challenge(random.Random(seed))  # noqa: S311 -- repeatable

    verdict = JUDGE.judge(asked, session(Hand3d(rigid=True, noise=noise, seed=seed), asked))

    assert verdict.outcome is not Outcome.BONA_FIDE
    assert verdict.score < 0.5


@pytest.mark.parametrize(
    ("frame", "share", "reason"),
    [
        (3, 0.3, None),
        (3, 0.6, Reason.NOT_FOLLOWED),
        (2, 0.2, None),
        (2, 0.1, Reason.NOT_FOLLOWED),
    ],
)
def test_a_motion_need_neither_end_where_it_began_nor_stay_at_its_most(frame, share, reason):
    """Spread fingers do not come back all the way; who lets go has not held the motion."""
    hand, asked = Hand3d(noise=0.0), challenge_of(Motion.SPREAD_FINGERS)
    points = hand.points(asked.steps[PLAIN], share)
    seen = changed(session(hand, asked), (PLAIN, frame), points=points)

    assert JUDGE.judge(asked, seen).reason is reason


@pytest.mark.parametrize("asked", sorted({*Motion} - {Motion.LOOSE_FIST}))
def test_a_fist_is_no_other_motion(asked):
    """It folds the thumb and closes the fingers, too: a film of it would answer three."""
    filmed = session(Hand3d(noise=0.0), challenge_of(Motion.LOOSE_FIST))

    verdict = JUDGE.judge(challenge_of(asked), filmed)

    assert verdict.reason is Reason.NOT_FOLLOWED


def test_a_still_print_is_called_rigid():
    """A flat copy explains every frame of it."""
    verdict = JUDGE.judge(CHALLENGE, session(Hand3d(rigid=True)))

    assert (verdict.outcome, verdict.reason) == (Outcome.ATTACK, Reason.RIGID)


def test_a_recording_of_another_challenge_is_not_followed():
    """All is alive in it, and the motions are others."""
    motions = [step.motion for step in CHALLENGE.steps]
    others = tuple(
        replace(step, motion=motion)
        for step, motion in zip(CHALLENGE.steps, motions[1:] + motions[:1], strict=True)
    )

    verdict = JUDGE.judge(CHALLENGE, session(challenge=replace(CHALLENGE, steps=others)))

    assert (verdict.outcome, verdict.reason) == (Outcome.ATTACK, Reason.NOT_FOLLOWED)


NOWHERE = np.zeros((21, 2), np.float32)
BACKGROUND_LOOK = np.random.default_rng(1).uniform(size=576).astype(np.float32)
UNTILTED = next(n for n, step in enumerate(CHALLENGE.steps) if step.tilt_deg is None)
STILL = replace(GOOD[UNTILTED][3], at_s=3.8, digest=b"still", templates=(template_of(2),))
STILL_ADDED = [GOOD[UNTILTED][n] for n in (0, 2, 3)] + [STILL]


def _with_still_first(share: float) -> list[list[Observation]]:
    """The attacker's own hand shows the motion after a copy that seems to do some of it."""
    hand, own, steps = Hand3d(noise=0.0), (template_of(2),), []
    for asked, step in zip(CHALLENGE.steps, GOOD, strict=True):
        still = replace(step[1], points=hand.points(asked, share))
        steps.append([step[0], still, replace(step[2], templates=own), *step[3:]])
    return steps


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([], Reason.NO_FRAMES),
        ([[], [], []], Reason.NO_FRAMES),
        ([GOOD[0][:1]], Reason.TOO_FEW),
        (GOOD[:2], Reason.TOO_FEW),
        ([*GOOD[:2], GOOD[2][:2]], Reason.TOO_FEW),
        ([*GOOD, GOOD[0]], Reason.TOO_MANY),
        ([GOOD[0] + GOOD[0], *GOOD[1:]], Reason.TOO_MANY),
        ([GOOD[0][::-1], *GOOD[1:]], Reason.ORDER),
        ([*GOOD[:UNTILTED], STILL_ADDED, *GOOD[UNTILTED + 1 :]], Reason.ORDER),
        (changed(GOOD, (1, 1), at_s=0.5), Reason.TIMES),
        (changed(GOOD, (1, 1), at_s=float("nan")), Reason.TIMES),
        (changed(GOOD, (1, 0), at_s=-1.0), Reason.TIMES),
        (changed(GOOD, (1, 3), digest=GOOD[0][0].digest), Reason.REPEATED),
        (changed(GOOD, (2, 1), size=(480, 640)), Reason.TWO_CAMERAS),
        (changed(GOOD, (0, 1), hand=None, hands=0, points=NOWHERE), Reason.NO_HAND),
        (changed(GOOD, (2, 0), hands=2), Reason.TWO_HANDS),
        (changed(GOOD, (1, 0), hand=Hand.RIGHT), Reason.TWO_HANDS),
        ([*GOOD[:2], session(palm=2)[2]], Reason.TWO_PEOPLE),
        (changed(GOOD, (1, 3), templates=(template_of(2),)), Reason.SWAPPED),
        (changed(changed(GOOD, (1, 0), templates=()), (1, 3), templates=()), Reason.UNUSABLE),
        (changed(GOOD, (1, 0), points=GOOD[1][0].points + 60), Reason.NOT_IN_PLACE),
        (changed(GOOD, (1, 3), at_s=60.0), Reason.TOO_LATE),
        (every(traces=np.array([90, 9, 9], np.float32)), Reason.TRACES),
        (every(points=NOWHERE), Reason.NOT_IN_PLACE),
        # A copy shows the palm, the attacker's own hand does the motions.
        (every([Phase.MOVED], templates=(template_of(2),)), Reason.SWAPPED),
        # The copy is the first frame of each motion, too, and is no proof of a living hand.
        (_with_still_first(0.0), Reason.SWAPPED),
        (_with_still_first(0.3), Reason.SWAPPED),
        (every(look=BACKGROUND_LOOK), Reason.BACKGROUND),
        # What moves is blurred in every step.
        (every([Phase.MOVED], templates=()), Reason.UNUSABLE),
    ],
)
def test_each_kind_of_bad_input_has_its_own_reason(steps, reason):
    """The log says what was tried; the phone learns nothing of it."""
    verdict = JUDGE.judge(CHALLENGE, steps)

    assert verdict.reason is reason
    assert verdict.outcome is not Outcome.BONA_FIDE


def test_times_that_the_service_did_not_wait_are_forged():
    """A step that was answered after two seconds has no frame of the fourth."""
    assert JUDGE.judge(CHALLENGE, GOOD, [5.0, 5.0, 5.0]).reason is None
    assert JUDGE.judge(CHALLENGE, GOOD, [5.0, 2.0, 5.0]).reason is Reason.TIMES
