"""The species of attacks: what is shown, and how it is moved."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np

from engine.presentation_attack.challenge import SHOWN, Motion
from engine.presentation_attack.session import Phase
from models.synthesis.anatomy import F32
from models.synthesis.presentations.artefacts import Print, Screen
from models.synthesis.presentations.cameras import Scene
from models.synthesis.presentations.living_hand import LivingHand
from models.synthesis.presentations.performance import Moment, Performance
from models.synthesis.presentations.puppet import Handling, PaperPuppet, ShownSheet
from models.synthesis.presentations.sources import (
    ClipLibrary,
    Recaptured,
    Still,
    Victim,
    film,
    stolen_picture,
)
from models.synthesis.presentations.warped import Injected, Spliced, WarpedStill

BONA_FIDE: Final = "bona_fide"
"""The species of a living hand that follows the challenge."""

CONTROL: Final = "recapture_without_trace"
"""No attack: a bona fide session through two cameras, without paper or screen between. What
calls it an attack has learned the drawing of cameras."""


class Presenter(Protocol):
    """The living hand or the artefact before the camera."""

    def seen(self, scene: Scene, moment: Moment) -> F32:
        """Return the linear light that reaches the camera."""
        ...


_Range = tuple[float, float]
_Look = Callable[[np.random.Generator], Print | Screen]
_Make = Callable[[np.random.Generator, Victim, Performance], Presenter]


@dataclass(frozen=True, slots=True)
class Species:
    """One way to attack.

    Attributes:
        is_kept_out: from everything that is tuned.
        motions: that are not left out of the challenge.
    """

    name: str
    make: _Make
    is_kept_out: bool = False
    motions: Collection[Motion] = tuple(Motion)


def _photo(rng: np.random.Generator) -> Print:
    """Inkjet on photo paper."""
    return Print(gamut=rng.uniform(0.75, 0.9), gloss=rng.uniform(0.0, 0.04))


def _laser(rng: np.random.Generator) -> Print:
    return Print(gamut=rng.uniform(0.7, 0.85), dots_per_mm=rng.uniform(4.2, 5.9), gloss=0.004)


def _grey(rng: np.random.Generator) -> Print:
    return Print(grey=True, dots_per_mm=rng.uniform(4.2, 5.9), gloss=0.004)


def _cut_out(rng: np.random.Generator) -> Print:
    return replace(_photo(rng), cut=True)


def _screen(
    pitch: _Range, size: _Range, flicker: float
) -> Callable[[np.random.Generator], Screen]:
    """Return how to draw a screen with pixels of such a pitch and palms of such a size, mm."""

    def draw(rng: np.random.Generator) -> Screen:
        return Screen(
            pixel_mm=rng.uniform(*pitch),
            nits=rng.uniform(200, 550),
            mm_per_unit=rng.uniform(*size),
            bezel=rng.uniform(0.05, 0.15),
            flicker=rng.uniform(0.0, flicker),
            glare=rng.choice([0.0, 0.0, 0.1]) * rng.uniform(0.2, 1.0),
        )

    return draw


_phone = _screen((0.055, 0.075), (26, 38), 0.06)
_tablet = _screen((0.090, 0.115), (45, 62), 0.03)
_desktop = _screen((0.155, 0.280), (50, 75), 0.05)


def _sheet(look: _Look, handling: Handling) -> _Make:
    """Return how to show the victim's photo on something, handled in one way."""

    def make(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
        source = Still(stolen_picture(rng, victim))
        return ShownSheet(rng, look(rng), source, handling, performance)

    return make


def _film(look: _Look, *, same_motions: bool) -> _Make:
    """Return how to show a film of the victim, who answered another challenge."""

    def make(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
        source = film(rng, victim, performance.challenge, same_motions=same_motions)
        return ShownSheet(rng, look(rng), source, Handling(), performance)

    return make


def _puppet(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
    return PaperPuppet(rng, _cut_out(rng), stolen_picture(rng, victim), performance)


@dataclass(frozen=True, slots=True)
class _Swap:
    """The attacker's own hand moves; the victim's copy is shown when the hand is open."""

    own: Presenter
    copy: Presenter
    performance: Performance

    def seen(self, scene: Scene, moment: Moment) -> F32:
        """Return the light of whichever is shown."""
        moving = self.performance.at(moment.step, moment.at_s).share > 0.05
        return (self.own if moving else self.copy).seen(scene, moment)


_OTHER_PERSON: Final = 500_000
"""Added to the victim's seed for the attacker's own hand."""


def _own_hand(look: _Look) -> _Make:
    def make(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
        own = LivingHand(rng, victim.person_seed + _OTHER_PERSON, victim.hand, performance)
        return _Swap(own, _sheet(look, Handling())(rng, victim, performance), performance)

    return make


def _own_hand_and_still(*, in_motion: bool) -> _Make:
    """Return how to put a still among frames of one's own hand.

    ``in_motion``: for every open hand and the first frame of a motion; else one frame more.
    """

    def make(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
        own = LivingHand(rng, victim.person_seed + _OTHER_PERSON, victim.hand, performance)
        still = stolen_picture(rng, victim)
        if in_motion:
            return Spliced(
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
        return Spliced(own, still, performance, added.__eq__)

    return make


_APART_S: Final = 0.12


def _is_before_motion(performance: Performance, moment: Moment) -> bool:
    moved = [one for one in performance.moments(moment.step) if one.phase is Phase.MOVED]
    return moment == moved[0] or moment.phase in (Phase.OPEN, Phase.BACK)


def _warped(*, cut_out: bool = False) -> _Make:
    def make(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
        source = WarpedStill(stolen_picture(rng, victim), performance)
        return Injected(source, performance, cut_out=cut_out)

    return make


def _warped_on_screen(
    rng: np.random.Generator, victim: Victim, performance: Performance
) -> Presenter:
    source = WarpedStill(stolen_picture(rng, victim), performance)
    return ShownSheet(rng, _phone(rng), source, Handling(is_tilted=False), performance)


def _library(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
    return Injected(ClipLibrary(rng, victim, performance), performance)


_MOVED = Handling(turn_rad=0.7, shift=0.4)
"""Turned by up to 40 degrees about each axis instead of the motion."""

_CURLED = Handling(turn_rad=0.3, shift=0.2, bend=0.5, bend_more=0.7)
"""Held bent, and bent to a radius of some 50 mm instead of the motion."""

SPECIES: Final = (
    Species("print_still", _sheet(_photo, Handling())),
    Species("print_grey_still", _sheet(_grey, Handling()), is_kept_out=True),
    Species("print_moved", _sheet(_laser, _MOVED)),
    Species("print_photo_moved", _sheet(_photo, _MOVED), is_kept_out=True),
    Species("print_bent", _sheet(_photo, _CURLED)),
    Species("cut_out", _sheet(_cut_out, _MOVED)),
    Species("cut_out_bent", _sheet(_cut_out, _CURLED), is_kept_out=True),
    Species("screen_phone", _sheet(_phone, _MOVED)),
    Species("screen_tablet", _sheet(_tablet, _MOVED), is_kept_out=True),
    Species("screen_desktop", _sheet(_desktop, Handling()), is_kept_out=True),
    Species("video_phone", _film(_phone, same_motions=False)),
    Species("video_desktop", _film(_desktop, same_motions=False), is_kept_out=True),
    Species("clips_phone", _film(_phone, same_motions=True)),
    Species("clips_tablet", _film(_tablet, same_motions=True), is_kept_out=True),
    Species("paper_fingers", _puppet, is_kept_out=True),
    Species("own_hand_print", _own_hand(_photo)),
    Species("own_hand_screen", _own_hand(_phone), is_kept_out=True),
    Species("own_hand_still_added", _own_hand_and_still(in_motion=False)),
    Species("own_hand_in_motion", _own_hand_and_still(in_motion=True), is_kept_out=True),
    Species("warped_two", _warped(), motions=SHOWN),
    Species("warped_four", _warped()),
    Species("warped_screen", _warped_on_screen, is_kept_out=True),
    Species("warped_in_room", _warped(cut_out=True)),
    Species("clips_library", _library, is_kept_out=True),
)


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
        return Recaptured(rng, victim, performance)
    if species == BONA_FIDE:
        return LivingHand(rng, victim.person_seed, victim.hand, performance)
    return {s.name: s.make for s in SPECIES}[species](rng, victim, performance)
