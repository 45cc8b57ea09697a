"""The species of attacks: what is shown, and how it is moved."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from engine.presentation_attack.session import Phase
from models.synthesis.anatomy import F32
from models.synthesis.presentations.artefacts import Print, Screen
from models.synthesis.presentations.cameras import Scene
from models.synthesis.presentations.living_hand import LivingHand
from models.synthesis.presentations.performance import Moment, Performance
from models.synthesis.presentations.puppet import Handling, Presenter, ShownSheet, paper_puppet
from models.synthesis.presentations.sources import Victim, film, recaptured, stolen_picture
from models.synthesis.presentations.warped import injected, spliced, warped_still

BONA_FIDE: Final = "bona_fide"
"""The species of a living hand that follows the challenge."""

CONTROL: Final = "recapture_without_trace"
"""No attack: a bona fide session through two cameras, without paper or screen between. What
calls it an attack has learned the drawing of cameras."""


_Look = Callable[[np.random.Generator], Print | Screen]
_Make = Callable[[np.random.Generator, Victim, Performance], Presenter]


@dataclass(frozen=True, slots=True)
class Species:
    """One way to attack.

    Attributes:
        is_kept_out: from everything that is tuned.
        is_injected: pictures are sent by a script, past the camera.
    """

    name: str
    make: _Make
    is_kept_out: bool = False
    is_injected: bool = False


def _photo(rng: np.random.Generator) -> Print:
    """Inkjet on photo paper."""
    return Print(gamut=rng.uniform(0.75, 0.9), gloss=rng.uniform(0.0, 0.04))


def _laser(rng: np.random.Generator) -> Print:
    return Print(gamut=rng.uniform(0.7, 0.85), dots_per_mm=rng.uniform(4.2, 5.9), gloss=0.004)


def _cut_out(rng: np.random.Generator) -> Print:
    return replace(_photo(rng), cut=True)


def _phone(rng: np.random.Generator) -> Screen:
    return Screen(
        pixel_mm=rng.uniform(0.055, 0.075),
        nits=rng.uniform(200, 550),
        mm_per_unit=rng.uniform(26, 38),
        bezel=rng.uniform(0.05, 0.15),
        flicker=rng.uniform(0.0, 0.06),
        glare=rng.choice([0.0, 0.0, 0.1]) * rng.uniform(0.2, 1.0),
    )


def _sheet(look: _Look, handling: Handling) -> _Make:
    """Return how to show the victim's photo on something, handled in one way."""

    def make(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
        picture = stolen_picture(rng, victim)
        return ShownSheet(rng, look(rng), lambda _: picture, handling, performance).seen

    return make


def _clips(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
    """Show a film of the victim, who made the asked motions, on a phone."""
    source = film(rng, victim, performance.challenge)
    return ShownSheet(rng, _phone(rng), source, Handling(), performance).seen


def _puppet(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
    return paper_puppet(rng, _cut_out(rng), stolen_picture(rng, victim), performance)


_OTHER_PERSON: Final = 500_000
"""Added to the victim's seed for the attacker's own hand."""


def _own_hand(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
    """Move the attacker's own hand; show the victim's copy when the hand is open."""
    own = LivingHand(rng, victim.person_seed + _OTHER_PERSON, victim.hand, performance).seen
    copy = _sheet(_photo, Handling())(rng, victim, performance)

    def seen(scene: Scene, moment: Moment) -> F32:
        moving = performance.at(moment.step, moment.at_s).share > 0.05
        return (own if moving else copy)(scene, moment)

    return seen


def _own_hand_and_still(*, in_motion: bool) -> _Make:
    """Return how to put a still among frames of one's own hand.

    ``in_motion``: for every open hand and the first frame of a motion; else one frame more.
    """

    def make(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
        own = LivingHand(rng, victim.person_seed + _OTHER_PERSON, victim.hand, performance)
        still = stolen_picture(rng, victim)
        if in_motion:
            return spliced(
                own, still, performance, lambda one: _is_before_motion(performance, one)
            )
        # A step with a tilt has as many frames as a step may have.
        free = [
            n for n, step in enumerate(performance.challenge.steps) if step.tilt_deg is None
        ]
        kept = performance.moments(free[-1] if free else 0)
        back = next(one for one in kept if one.phase is Phase.BACK)
        added = replace(back, at_s=back.at_s + _APART_S)
        performance.added.append(added)
        return spliced(own, still, performance, added.__eq__)

    return make


_APART_S: Final = 0.12


def _is_before_motion(performance: Performance, moment: Moment) -> bool:
    moved = [one for one in performance.moments(moment.step) if one.phase is Phase.MOVED]
    return moment == moved[0] or moment.phase in (Phase.OPEN, Phase.BACK)


def _warped(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
    return injected(warped_still(stolen_picture(rng, victim), performance), performance)


_MOVED = Handling(turn_rad=0.7, shift=0.4)
"""Turned by up to 40 degrees about each axis instead of the motion."""

_CURLED = Handling(turn_rad=0.3, shift=0.2, bend=0.5, bend_more=0.7)
"""Held bent, and bent to a radius of some 50 mm instead of the motion."""

SPECIES: Final = (
    Species("print_moved", _sheet(_laser, _MOVED)),
    Species("print_bent", _sheet(_photo, _CURLED)),
    Species("cut_out", _sheet(_cut_out, _MOVED), is_kept_out=True),
    Species("screen_phone", _sheet(_phone, _MOVED)),
    Species("clips_phone", _clips, is_kept_out=True),
    Species("paper_fingers", _puppet, is_kept_out=True),
    Species("own_hand_print", _own_hand),
    Species("own_hand_still_added", _own_hand_and_still(in_motion=False)),
    Species("own_hand_in_motion", _own_hand_and_still(in_motion=True), is_kept_out=True),
    Species("warped_four", _warped, is_kept_out=True, is_injected=True),
)
"""Each is refused by another rule, or passes: see engine/docs/attack-detection.md."""


NAMES: Final = (BONA_FIDE, CONTROL, *(one.name for one in SPECIES))
"""All that a session can be."""


def present(
    species: str, rng: np.random.Generator, victim: Victim, performance: Performance
) -> Presenter:
    """Return who shows what in a session of a species.

    Raises:
        KeyError: an unknown species.
    """
    if species == CONTROL:
        return recaptured(rng, victim, performance)
    if species == BONA_FIDE:
        return LivingHand(rng, victim.person_seed, victim.hand, performance).seen
    return {s.name: s.make for s in SPECIES}[species](rng, victim, performance)
