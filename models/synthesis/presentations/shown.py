"""A print or a screen in an attacker's hands."""

from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np

from models.synthesis.anatomy import F32, F64
from models.synthesis.hand.body import Grid
from models.synthesis.pose import tilted
from models.synthesis.presentations.artefacts import (
    Picture,
    Print,
    Screen,
    lit_print,
    lit_screen,
)
from models.synthesis.presentations.lamps import PALM_MM
from models.synthesis.presentations.performance import HandState, Moment, Performance
from models.synthesis.presentations.scene import Scene, lay_over, streaked
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
        is_tilted: whether it is tilted as asked; what it shows may be.
    """

    turn_rad: float = 0.0
    shift: float = 0.0
    bend: float = 0.0
    bend_more: float = 0.0
    is_tilted: bool = True


class Source(Protocol):
    """The pictures that are printed or shown on a screen."""

    def at(self, moment: Moment) -> Picture:
        """Return the picture of a moment; all pictures of a step have the same landmarks."""
        ...


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
        self._held, self._is_tilted = rng.normal(0, 0.05, 3), handling.is_tilted
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
        look, picture = self._look, self._source.at(moment)
        if isinstance(look, Print):
            return lit_print(look, picture, seen, scene.lighting.lamp, PALM_MM, scene.camera)
        return lit_screen(look, picture, seen, scene.lighting, scene.camera, time_s)

    def _placed(self, scene: Scene, state: HandState) -> tuple[Grid, Placement]:
        """Return the grid and where the sheet is: its palm as the outline asks."""
        if not self._is_tilted:
            state = replace(state, tilt=np.zeros(3))
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
