"""A person who follows a challenge, in time: what the hand does at each moment.

Poses bend real joints in one person's way; small unwanted movements are added: tremor, drift,
the sway of a phone in a hand.
"""

from dataclasses import dataclass, field, fields, replace
from typing import Final, TypeVar

import numpy as np

from engine.presentation_attack.challenge import Challenge, Motion, Outline, Step
from engine.presentation_attack.session import Phase
from models.synthesis.anatomy import F64
from models.synthesis.pose import FAN, Pose, sample_pose

Way = TypeVar("Way", Pose, Outline)


def relaxed_pose(rng: np.random.Generator) -> Pose:
    """Draw how one person holds an open, relaxed hand."""
    curl = np.array([0.20, 0.18, 0.10]) * np.exp(rng.normal(0, 0.45))
    pose = sample_pose(rng)
    return replace(
        pose,
        spread=FAN * rng.normal(0.055, 0.02) + rng.normal(0, 0.015, 4),
        curl=np.clip(rng.normal(curl, 0.05, (4, 3)), 0, 0.7),
        thumb_swing=float(rng.normal(0.0, 0.10)),
        thumb_curl=np.array([0.06, 0.05, 0.06]) + rng.normal(0, 0.04, 3),
    )


def moved_pose(rng: np.random.Generator, open_pose: Pose, motion: Motion) -> Pose:
    """Draw one person's end of a motion that starts from the open hand."""
    reach = float(np.clip(rng.normal(1.0, 0.08), 0.8, 1.15))
    match motion:
        case Motion.FOLD_THUMB:
            return replace(
                open_pose,
                thumb_fold=reach * np.array([0.35, 0.75, 0.55]),
                thumb_curl=reach * np.array([0.50, 0.10, 0.10]),
            )
        case Motion.SPREAD_FINGERS:
            return replace(
                open_pose,
                spread=FAN * (0.055 + 0.155 * reach),
                curl=0.5 * open_pose.curl,
                thumb_swing=open_pose.thumb_swing + 0.25 * reach,
            )
        case Motion.CLOSE_FINGERS:
            return replace(
                open_pose,
                spread=FAN * (-0.042 * reach),
                curl=np.repeat(open_pose.curl.mean(axis=0, keepdims=True), 4, axis=0),
                thumb_swing=open_pose.thumb_swing - 0.15 * reach,
            )
        case Motion.LOOSE_FIST:
            return replace(
                open_pose,
                spread=FAN * -0.02,
                curl=reach * np.array([[1.05, 1.30, 0.75]] * 4) + rng.normal(0, 0.06, (4, 3)),
                thumb_fold=np.array([0.20, 0.45, 0.35]),
                thumb_curl=np.array([0.35, 0.15, 0.10]),
            )


def between(start: Way, end: Way, share: float) -> Way:
    """Return the pose, or the place, at a share of the way."""
    mixed = {
        f.name: (1 - share) * getattr(start, f.name) + share * getattr(end, f.name)
        for f in fields(start)
    }
    return replace(start, **mixed)


_WAVES = 5


class Wander:
    """A smooth random path: a few waves of one band of frequencies."""

    def __init__(
        self, rng: np.random.Generator, amplitude: F64, low_hz: float, high_hz: float
    ) -> None:
        """``amplitude``: standard deviation of each coordinate."""
        shape = (_WAVES, len(amplitude))
        self._frequency = 2 * np.pi * rng.uniform(low_hz, high_hz, shape)
        self._phase = rng.uniform(0, 2 * np.pi, shape)
        self._amplitude = amplitude * np.sqrt(2 / _WAVES)

    def at(self, time_s: float) -> F64:
        """Return the path's place at a time."""
        waves = np.sin(self._frequency * time_s + self._phase)
        place: F64 = self._amplitude * waves.sum(axis=0)
        return place


def eased(share: float) -> float:
    """Return how far a movement of people is: slow, fast, slow."""
    s = min(max(share, 0.0), 1.0)
    return s * s * s * (10 - 15 * s + 6 * s * s)


LOCATED_WIDER: Final = 0.05
"""By how much landmarks 5 and 17 are located too far apart on drawn hands, relative: people
correct it, since the page shows them what it locates."""

_LOOK_S: Final = 0.1
"""From one look of the page to the next."""

_NEAR: Final = 0.02
"""Largest distance from its outline at which the page takes a palm, less landmarks' error."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The time at which a phone keeps a frame; ``at_s`` counts from receiving the step."""

    step: int
    phase: Phase
    at_s: float


@dataclass(frozen=True, slots=True)
class HandState:
    """A hand at one moment.

    Attributes:
        tilt: shape (3,), axis and angle in the picture: x right, y down, z to the camera.
        outline: where the palm is and how large.
        share: how far the motion is, 0 (open) to 1.
        time_s: since the session began.
    """

    pose: Pose
    tilt: F64 = field(repr=False)
    outline: Outline
    share: float
    time_s: float


@dataclass(frozen=True, slots=True)
class _Times:
    """The times of the parts of one step, seconds since it was shown."""

    arrived: float
    begun: float
    moved: float
    released: float
    back: float
    tilting: float
    tilted: float


class Performance:
    """One person's answer to one challenge.

    Attributes:
        open_pose: how the open hand is held.
        places: where the palm rests in each step.
        added: frames that the page would not have kept.
    """

    def __init__(self, rng: np.random.Generator, challenge: Challenge) -> None:
        self.challenge = challenge
        self.added: list[Moment] = []
        self._steps = challenge.steps
        slowness = float(np.exp(abs(rng.normal(0, 0.35))))
        self._times = [_times(rng, step, slowness) for step in self._steps]
        self.open_pose = relaxed_pose(rng)
        self._moved = [moved_pose(rng, self.open_pose, step.motion) for step in self._steps]
        self.places = [_missed(rng, step.outline) for step in self._steps]
        self._tilts = [_tilt(rng, step.tilt_deg) for step in self._steps]
        self._seen_at = float(rng.uniform(0.5, 0.85))
        tremor = float(np.exp(rng.normal(np.log(0.008), 0.6)))
        self._tremor = Wander(rng, np.full(6, tremor), 4, 9)
        self._drift = Wander(rng, np.full(6, 0.035), 0.1, 0.7)

    def moments(self, step: int) -> list[Moment]:
        """Return the frames that the page keeps: open, on the way, held, back, tilted."""
        times = self._times[step]
        way = times.begun + self._seen_at * (times.moved - times.begun)
        kept = [
            Moment(step, Phase.OPEN, self._seen_in_place(step)),
            Moment(step, Phase.MOVED, way),
            Moment(step, Phase.MOVED, times.moved + self._steps[step].hold_s),
            Moment(step, Phase.BACK, times.back + 0.1),
        ]
        if self._steps[step].tilt_deg is not None:
            kept.append(Moment(step, Phase.TILTED, times.tilted + 0.1))
        kept += [one for one in self.added if one.step == step]
        return sorted(kept, key=lambda one: one.at_s)

    def _seen_in_place(self, step: int) -> float:
        """Return when the page takes the open hand: in its outline, or nearest to it."""
        times = self._times[step]
        looks: list[float] = np.arange(times.arrived + 0.1, times.begun, _LOOK_S).tolist()
        return min(looks, key=lambda at_s: max(_NEAR, self._off(step, at_s)))

    def _off(self, step: int, at_s: float) -> float:
        """Return how far the palm is from its outline, largest share of width or height."""
        asked, place = self._steps[step].outline, self.at(step, at_s).outline
        return max(abs(place.x - asked.x), abs(place.y - asked.y))

    def length_s(self, step: int) -> float:
        """Return how long a step lasts, until the next one is shown."""
        return self._times[step].tilted + 0.4

    def start_s(self, step: int) -> float:
        """Return when a step is shown, seconds since the first one."""
        return sum(map(self.length_s, range(step)))

    def at(self, step: int, at_s: float) -> HandState:
        """Return the hand at a moment of a step."""
        times = self._times[step]
        share = _progress(at_s, times.begun, times.moved)
        share -= _progress(at_s, times.released, times.back)
        pose = between(self.open_pose, self._moved[step], share)
        arrived = eased(at_s / times.arrived)
        last = self._tilts[step - 1] * (1 - arrived) if step else np.zeros(3)
        tilt = last + self._tilts[step] * _progress(at_s, times.tilting, times.tilted)
        place = self.places[step] if arrived == 1 else self._between(step, arrived)
        time_s = self.start_s(step) + at_s
        return self._trembling(HandState(pose, tilt, place, share, time_s))

    def _between(self, step: int, share: float) -> Outline:
        """Return the place on the way from the step before."""
        if step == 0:
            return self.places[0]
        return between(self.places[step - 1], self.places[step], share)

    def _trembling(self, state: HandState) -> HandState:
        moved = self._tremor.at(state.time_s) + self._drift.at(state.time_s)
        pose, place = state.pose, state.outline
        return replace(
            state,
            pose=replace(
                pose,
                roll=pose.roll + moved[0],
                pitch=pose.pitch + moved[1],
                yaw=pose.yaw + moved[2],
            ),
            outline=Outline(
                place.x + place.size * moved[3],
                place.y + place.size * moved[4],
                place.size * (1 + 0.5 * moved[5]),
            ),
        )


def _progress(at_s: float, start: float, end: float) -> float:
    return eased((at_s - start) / max(end - start, 1e-6))


def _times(rng: np.random.Generator, step: Step, slowness: float) -> _Times:
    """Draw how long one person takes; a slow one is slow in everything but the hold."""
    low = (0.4, 0.35, 0.35, 0.15, 0.3, 0.3, 0.4)
    high = (0.9, 0.8, 0.7, 0.35, 0.6, 0.6, 0.7)
    drawn = (slowness * rng.uniform(low, high)).tolist()
    arrive, react, move, release, back, turn_after, turn = drawn
    begun = arrive + 0.1 + react
    moved = begun + move
    released = moved + step.hold_s + release
    opened = released + back
    if step.tilt_deg is None:
        return _Times(arrive, begun, moved, released, opened, opened, opened)
    tilting = opened + 0.2 + turn_after
    return _Times(arrive, begun, moved, released, opened, tilting, tilting + turn)


def _missed(rng: np.random.Generator, outline: Outline) -> Outline:
    """Return where a hand rests that aims at an outline."""
    x, y = np.array([outline.x, outline.y]) + np.clip(rng.normal(0, 0.012, 2), -0.022, 0.022)
    nearer = np.clip(rng.normal(0, 0.03), -0.05, 0.05) - LOCATED_WIDER
    return Outline(float(x), float(y), float(outline.size * np.exp(nearer)))


def _tilt(rng: np.random.Generator, direction_deg: float | None) -> F64:
    """Return axis times angle that turns the palm to face towards a direction."""
    if direction_deg is None:
        return np.zeros(3)
    towards = np.radians(direction_deg + rng.normal(0, 8))
    angle = np.radians(np.clip(rng.normal(25, 3.5), 17, 36))
    axis: F64 = angle * np.array([np.sin(towards), np.cos(towards), 0.0])
    return axis
