"""Stills and films that software fits to the challenge: no paper, no screen, no camera."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from models.synthesis.anatomy import F32, U8
from models.synthesis.hand.body import Grid
from models.synthesis.hand.identity import to_linear, to_srgb
from models.synthesis.pose import tilted
from models.synthesis.presentations.artefacts import Picture
from models.synthesis.presentations.cameras import Scene, lay_over
from models.synthesis.presentations.living_hand import LivingHand
from models.synthesis.presentations.performance import HandState, Moment, Performance, between
from models.synthesis.presentations.puppet import Presenter, Puppet, Source, paste
from models.synthesis.presentations.sheet import Placement, Seen
from models.synthesis.texture import resize

_DISTANCE: Final = 5.0
"""Of the pretended camera, palm units."""

_CURL: Final = (0.22, 0.35)
"""How far the fingers of the still are taken to be bent, radians: they show depth at a tilt."""

_BOLD: Final = 1.3
"""How far motions go, of a hand's."""

_FOLDED: Final = np.array([1.3, 0.7, 0.3])
"""Most bend of each joint, radians: a fist's fingertips end up flat on the palm."""

_COARSE: Final = 8
"""Pixels of the still per pixel of what is filled in."""


def warped_still(picture: Picture, performance: Performance) -> Source:
    """Return a still whose fingers follow the challenge; all else of it stays as it is."""
    puppet, behind = Puppet(picture, performance), _without_hand(picture)
    height, width = picture.mask.shape
    grid = Grid(width, height, picture.scale, tuple(picture.middle.tolist()), _DISTANCE)
    still = performance.open_pose

    def at(moment: Moment) -> Picture:
        state = performance.at(moment.step, moment.at_s)
        leaning = Placement(tilted(state.tilt)[:, :3], np.zeros(3))
        tone, mask = behind.copy(), np.zeros_like(behind)
        pose = between(still, state.pose, _BOLD)
        pose = replace(pose, curl=np.minimum(pose.curl, still.curl + _FOLDED))
        for part in puppet.parts(replace(state, pose=pose), _CURL):
            paste(tone, part, grid, leaning, _shown)
            paste(mask, part, grid, leaning, _covered)
        return replace(picture, tone=tone, mask=np.ascontiguousarray(mask[..., 0]))

    return at


def _shown(cut: Picture, seen: Seen) -> tuple[F32, F32]:
    return cut.at(seen, cut.tone), cut.at(seen, cut.mask)


def _covered(cut: Picture, seen: Seen) -> tuple[F32, F32]:
    mask = cut.at(seen, cut.mask)
    return np.ones((*mask.shape, 3), np.float32), mask


def _without_hand(picture: Picture) -> F32:
    """Return the picture, where the hand is filled with what is round it."""
    height, width = picture.mask.shape
    wide = cv2.dilate(picture.mask, np.ones((9, 9), np.uint8))
    hand = np.asarray(wide, np.float32)
    small = _levels(resize(picture.tone, width // _COARSE, height // _COARSE))
    hidden = (resize(hand, width // _COARSE, height // _COARSE) > 0).astype(np.uint8)
    filled = to_linear(cv2.inpaint(small, hidden, 3, cv2.INPAINT_TELEA).astype(float))
    return lay_over(picture.tone.copy(), resize(filled.astype(np.float32), width, height), hand)


def _levels(light: F32) -> U8:
    return np.asarray(to_srgb(np.clip(light, 0, 1)) * 255 + 0.5, np.uint8)


def injected(source: Source, performance: Performance) -> Presenter:
    """Return pictures that a script sends in place of a camera's, the palm in its outline."""

    def seen(scene: Scene, moment: Moment) -> F32:
        return placed(source(moment), scene, performance.at(moment.step, moment.at_s))[0]

    return seen


def sent(light: F32) -> U8:
    """Return the pixels that a script sends: no lens, no noise."""
    return _levels(light)


def placed(picture: Picture, scene: Scene, state: HandState) -> tuple[F32, F32]:
    """Return tone and mask of a picture whose palm is moved to where a hand is."""
    place, size = state.outline, scene.camera.size_px
    scale = place.size * scene.camera.short_px / picture.scale
    angle = 0.3 * state.pose.roll
    turn = scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    shift = np.array([place.x * size[0], place.y * size[1]]) - turn @ picture.middle
    matrix = np.column_stack([turn, shift])
    tone, mask = (
        cv2.warpAffine(layer, matrix, size, flags=cv2.INTER_AREA, borderMode=border)
        for layer, border in (
            (picture.tone, cv2.BORDER_REPLICATE),
            (picture.mask, cv2.BORDER_CONSTANT),
        )
    )
    return np.asarray(tone, np.float32), np.asarray(mask, np.float32)


def spliced(
    own: LivingHand,
    still: Picture,
    performance: Performance,
    is_still: Callable[[Moment], bool],
) -> Presenter:
    """Return an attacker's own hand; in some frames the victim's still in its place."""

    def seen(scene: Scene, moment: Moment) -> F32:
        state = performance.at(moment.step, moment.at_s)
        background, hand = scene.background(state.time_s), own.drawn(scene, moment)
        if not is_still(moment):
            return hand.over(background)
        tone, mask = placed(still, scene, state)
        alike = _mean(hand.colour, hand.coverage) / _mean(tone, mask)
        return lay_over(background, tone * alike, mask)

    return seen


def _mean(colour: F32, coverage: F32) -> F32:
    return np.asarray(colour[coverage > 0.9].mean(axis=0), np.float32)
