"""Prints and screens in an attacker's hands, whole or cut into a puppet.

A puppet is a photo cut into pieces whose fingers and thumb turn and fold on hinges; one is of
paper.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

import cv2
import numpy as np

from models.synthesis import anatomy
from models.synthesis.anatomy import F32, F64
from models.synthesis.hand.body import Grid
from models.synthesis.pose import about, compose, tilted
from models.synthesis.presentations.artefacts import (
    Picture,
    Print,
    Screen,
    lit_print,
    lit_screen,
)
from models.synthesis.presentations.cameras import PALM_MM, Scene, lay_over, streaked
from models.synthesis.presentations.performance import HandState, Moment, Performance
from models.synthesis.presentations.sheet import Placement, Seen, look_at, turned

_SHUTTER_S: Final = 0.012


@dataclass(frozen=True, slots=True)
class Handling:
    """The movement of a sheet in place of the fingers'.

    Attributes:
        turn_rad: how far it is turned and tilted while the motion is asked.
        shift: how far it is moved then, palm units.
        bend: its curvature throughout, largest 1 / radius in palm units.
        bend_more: how much more it is bent while the motion is asked.
    """

    turn_rad: float = 0.0
    shift: float = 0.0
    bend: float = 0.0
    bend_more: float = 0.0


Presenter = Callable[[Scene, Moment], F32]
"""The living hand or the artefact before the camera: its linear light at a moment."""

Source = Callable[[Moment], Picture]
"""Pictures to be printed or shown on a screen; those of a step have the same landmarks."""


class ShownSheet:
    """A picture on paper or on a screen, held where the palm is asked to be."""

    def __init__(
        self,
        rng: np.random.Generator,
        look: Print | Screen,
        source: Source,
        handling: Handling,
        performance: Performance,
    ) -> None:
        self._look, self._source, self._performance = look, source, performance
        self._held = rng.normal(0, 0.05, 3)
        self._turn = handling.turn_rad * rng.uniform(0.5, 1.0, 3) * rng.choice([-1, 1], 3)
        self._shift = handling.shift * rng.uniform(-1, 1, 2)
        sign = rng.choice([-1.0, 1.0])
        self._bend = sign * handling.bend * rng.uniform(0.4, 1.0)
        self._bend_more = sign * handling.bend_more * rng.uniform(0.5, 1.0)
        self._bend_rad = float(rng.choice([0.0, np.pi / 2, rng.uniform(0, np.pi)]))

    def seen(self, scene: Scene, moment: Moment) -> F32:
        """Return the linear light that reaches the camera at a moment."""
        state = self._performance.at(moment.step, moment.at_s)
        later = self._performance.at(moment.step, moment.at_s + _SHUTTER_S)
        grid, placement = self._placed(scene, state)
        moved = grid.project(self._placed(scene, later)[1].at) - grid.project(placement.at)
        lit, coverage = self._lit(scene, moment, look_at(grid, placement), state.time_s)
        lit, coverage = streaked(lit, coverage, moved)
        return lay_over(scene.background(state.time_s), lit, coverage)

    def _lit(self, scene: Scene, moment: Moment, seen: Seen, time_s: float) -> tuple[F32, F32]:
        look, picture = self._look, self._source(moment)
        if isinstance(look, Print):
            return lit_print(look, picture, seen, scene.lighting.lamp, PALM_MM, scene.camera)
        return lit_screen(look, picture, seen, scene.lighting, scene.camera, time_s)

    def _placed(self, scene: Scene, state: HandState) -> tuple[Grid, Placement]:
        """Return the grid and where the sheet is: its palm as the outline asks."""
        grid, placement = held(scene, state, self._held + state.share * self._turn)
        return grid, replace(
            placement,
            at=placement.at + np.append(state.share * self._shift, 0.0),
            curvature=float(self._bend + state.share * self._bend_more),
            bend_rad=self._bend_rad,
        )


def held(scene: Scene, state: HandState, turn: F64) -> tuple[Grid, Placement]:
    """Return the grid and a sheet whose palm is where the state has it; yaw, pitch, roll."""
    width, height = scene.camera.size_px
    palm_px = state.outline.size * scene.camera.short_px
    middle = np.array([(state.outline.x - 0.5) * width, (state.outline.y - 0.5) * height])
    yaw, pitch, roll = turn + _tremble(state)
    placement = Placement(
        turn=tilted(state.tilt)[:, :3] @ turned(yaw, pitch, roll),
        at=np.append(middle / palm_px, 0.0),
    )
    distance = scene.camera.focal_px / palm_px
    return Grid(width, height, palm_px, (width / 2, height / 2), distance), placement


def _tremble(state: HandState) -> F64:
    """Return how the performer's hand shakes: what it holds shakes as much."""
    return 0.3 * np.array([state.pose.yaw, state.pose.pitch, state.pose.roll])


Lit = Callable[[Picture, Seen], tuple[F32, F32]]
"""Returns the light from a piece where it is seen, and its coverage."""

_Z: Final = np.array([0.0, 0.0, 1.0])
_HALF_WIDTH: Final = 0.21
"""Of a paper finger, palm units."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of the photo.

    Attributes:
        corners: shape (4, 2), of the box that holds it, pixels of the photo.
    """

    picture: Picture
    corners: F64 = field(repr=False)


@dataclass(frozen=True, slots=True)
class Part:
    """One piece: the palm, or half of a digit.

    Attributes:
        piece: the photo, cut to this piece.
        turn: shape (3, 4), where its hinges turned it, on the palm's sheet.
    """

    piece: _Piece
    turn: F64 = field(repr=False)


def paper_puppet(
    rng: np.random.Generator, look: Print, picture: Picture, performance: Performance
) -> Presenter:
    """Return a puppet of the victim's photo that answers the challenge."""
    turn, puppet = rng.normal(0, 0.05, 3), Puppet(picture, performance)

    def seen(scene: Scene, moment: Moment) -> F32:
        def lit(cut: Picture, at: Seen) -> tuple[F32, F32]:
            return lit_print(look, cut, at, scene.lighting.lamp, PALM_MM, scene.camera)

        state = performance.at(moment.step, moment.at_s)
        grid, placement = held(scene, state, turn)
        image = scene.background(state.time_s)
        for part in puppet.parts(state):
            paste(image, part, grid, placement, lit)
        return image

    return seen


class Puppet:
    """A picture in pieces, as a performance moves them."""

    def __init__(self, picture: Picture, performance: Performance) -> None:
        self._performance = performance
        self._pieces = _cut(picture)
        joints = (picture.joints - picture.middle) / picture.scale
        self._hinges = np.hstack([joints, np.zeros((21, 1))])
        first, last = joints[5] - joints[0], joints[17] - joints[0]
        self._side = 1.0 if first[0] * last[1] > first[1] * last[0] else -1.0

    def parts(self, state: HandState, folded: tuple[float, float] = (0.0, 0.0)) -> list[Part]:
        """Return the pieces, farthest first; ``folded``: how far fingers always are."""
        still = self._performance.open_pose
        parts = [Part(self._pieces[0], np.eye(3, 4))]
        for digit, chain in enumerate((anatomy.THUMB, *anatomy.FINGERS)):
            if digit == 0:
                swing = (state.pose.thumb_fold - still.thumb_fold).sum() * 0.8
                swing -= state.pose.thumb_swing - still.thumb_swing
                folds = (0.0, 0.0)
            else:
                swing = -(state.pose.spread - still.spread)[digit - 1]
                bend = (state.pose.curl - still.curl)[digit - 1]
                folds = (folded[0] + max(bend[0], 0.0), folded[1] + max(bend[1] + bend[2], 0.0))
            parts.extend(self._digit(digit, chain, self._side * swing, folds))
        return parts

    def _digit(
        self, digit: int, chain: tuple[int, ...], swing: float, folds: tuple[float, float]
    ) -> list[Part]:
        base, middle, tip = (self._hinges[chain[i]] for i in (0, 1, 3))
        if digit == 0:
            base, middle = self._hinges[chain[1]], self._hinges[chain[2]]
        across = np.cross(_Z, tip - base)
        across /= np.linalg.norm(across)
        near = compose(about(_Z, swing, base), about(across, -folds[0], base))
        far = compose(near, about(across, -folds[1], middle))
        pieces = self._pieces[1 + 2 * digit : 3 + 2 * digit]
        return [Part(p, t) for p, t in zip(pieces, (near, far), strict=True)]


def _cut(picture: Picture) -> list[_Piece]:
    """Cut the photo into the palm and two pieces of each digit, from the thumb on."""
    labels = np.zeros(picture.mask.shape, np.uint8)
    width = int(2 * _HALF_WIDTH * picture.scale)
    for digit, chain in enumerate((anatomy.THUMB, *anatomy.FINGERS)):
        base, middle, end, tip = (picture.joints[i] for i in chain)
        if digit == 0:
            base, middle = middle, end
        start = base + 0.30 * (middle - base)
        beyond = tip + 0.4 * (tip - picture.joints[chain[2]])
        for number, (a, b) in enumerate(((start, middle), (middle, beyond))):
            ends = [np.round(p).astype(int).tolist() for p in (a, b)]
            cv2.line(labels, ends[0], ends[1], 1 + 2 * digit + number, width)
    pieces = []
    for number in range(11):
        own = cv2.GaussianBlur((labels == number).astype(np.float32), (0, 0), 1.0)
        if number:
            own = cv2.dilate(own, np.ones((3, 3), np.uint8))
        mask = picture.mask * np.asarray(own, np.float32)
        pieces.append(_Piece(replace(picture, mask=mask), _corners(mask)))
    return pieces


def _corners(mask: F32) -> F64:
    left, top, width, height = cv2.boundingRect((mask > 0.02).astype(np.uint8))
    ends = (left, left + width - 1), (top, top + height - 1)
    return np.array([(x, y) for x in ends[0] for y in ends[1]], float)


def paste(image: F32, part: Part, grid: Grid, placement: Placement, lit: Lit) -> None:
    """Draw a piece where it is seen, in its own window of the picture."""
    where = replace(
        placement,
        turn=placement.turn @ part.turn[:, :3],
        at=placement.turn @ part.turn[:, 3] + placement.at,
    )
    rows, columns = _window(part.piece, where, grid)
    if rows.start >= rows.stop or columns.start >= columns.stop:
        return
    seen = look_at(grid.cropped(rows, columns), where)
    lay_over(image, *lit(part.piece.picture, seen), (rows, columns))


def _window(piece: _Piece, where: Placement, grid: Grid) -> tuple[slice, slice]:
    picture = piece.picture
    flat = np.hstack([(piece.corners - picture.middle) / picture.scale, np.zeros((4, 1))])
    seen = grid.project(flat @ where.turn.T + where.at)
    left, top = np.maximum(np.floor(seen.min(axis=0)).astype(int) - 2, 0)
    right, bottom = np.ceil(seen.max(axis=0)).astype(int) + 3
    return (
        slice(int(top), int(min(bottom, grid.height))),
        slice(int(left), int(min(right, grid.width))),
    )
