"""A living hand before the camera: posed joints, skin that folds, the lamp and the screen."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from engine.types import Hand
from models.synthesis.anatomy import F32, F64
from models.synthesis.hand.body import Grid, Surface, reach, trace
from models.synthesis.hand.identity import (
    HEIGHT,
    LEFT,
    SCALE,
    TOP,
    WIDTH,
    HandIdentity,
    make_identity,
)
from models.synthesis.pose import bone_transformations, compose, posed_joints, tilted
from models.synthesis.presentations.cameras import Scene, lay_over, streaked
from models.synthesis.presentations.performance import HandState, Moment, Performance
from models.synthesis.render import TRACE_REDUCTION, SkinState, light_hand
from models.synthesis.texture import sample_at, smooth_noise

_SHUTTER_S: Final = 0.012
"""How long the shutter is open, for motion blur."""

_PLACED: Final = (0, 5, 17)
"""Landmarks whose mean an outline places."""

_COARSE: Final = 10
"""Atlas pixels per pixel of the maps of uneven skin."""


@dataclass(frozen=True, slots=True)
class DrawnHand:
    """A hand in its window of the picture.

    Attributes:
        colour: shape (rows, columns, 3), float32, linear RGB.
        coverage: shape (rows, columns), float32, 0 to 1.
        joints: landmarks, shape (21, 2), pixels of the picture.
        window: rows and columns of the picture; nothing of the hand is outside.
    """

    colour: F32 = field(repr=False)
    coverage: F32 = field(repr=False)
    joints: F64 = field(repr=False)
    window: tuple[slice, slice]

    def over(self, background: F32) -> F32:
        """Lay it over the background, which is changed and returned."""
        return lay_over(background, self.colour, self.coverage, self.window)

    def coverage_of(self, size_px: tuple[int, int]) -> F32:
        """Return the coverage of a whole picture of this width and height."""
        coverage = np.zeros(size_px[::-1], np.float32)
        coverage[self.window] = self.coverage
        return coverage


class LivingHand:
    """A living hand that performs the steps."""

    def __init__(
        self, rng: np.random.Generator, person_seed: int, hand: Hand, performance: Performance
    ) -> None:
        self._identity = make_identity(person_seed, hand)
        self._performance = performance
        self._skin = _UnevenSkin(rng)

    def seen(self, scene: Scene, moment: Moment) -> F32:
        """Return the linear light that reaches the camera at a moment."""
        start = self._performance.start_s(moment.step)
        return self.drawn(scene, moment).over(scene.background(start + moment.at_s))

    def drawn(self, scene: Scene, moment: Moment) -> DrawnHand:
        """Draw the hand at a moment."""
        state = self._performance.at(moment.step, moment.at_s)
        later = self._performance.at(moment.step, moment.at_s + _SHUTTER_S)
        grid, bones, joints = _placed(scene, self._identity, state)
        moved = np.median(_placed(scene, self._identity, later)[2] - joints, axis=0)
        rows, columns = reach(self._identity.shape, bones, grid)
        surface = trace(self._identity.shape, bones, grid.cropped(rows, columns))
        worn = self._skin.on(surface, float(state.pose.curl.mean()))
        scale = grid.scale * TRACE_REDUCTION
        lit = light_hand(self._identity, surface, worn, scene.lighting.lamp, scale)
        return DrawnHand(*streaked(*lit, moved), joints, (_enlarged(rows), _enlarged(columns)))


class _UnevenSkin:
    """One person's skin in one session; it moves with the hand, not with the picture."""

    def __init__(self, rng: np.random.Generator) -> None:
        shape = (HEIGHT // _COARSE, WIDTH // _COARSE)
        self._maps = [smooth_noise(rng, shape, shape[0] / 7) for _ in range(3)]
        self._state = {
            "relief": float(rng.uniform(0.6, 1.25)),
            "pigment": float(rng.uniform(0.9, 1.45)),
            "grain": float(rng.uniform(0.55, 1.15)),
        }

    def on(self, surface: Surface, curl: float) -> SkinState:
        """Return the skin of a traced hand; furrows deepen as the hand closes."""
        at = (surface.rest - np.array((LEFT, TOP), np.float32)) * np.float32(SCALE / _COARSE)
        x, y = np.ascontiguousarray(at[..., 0]), np.ascontiguousarray(at[..., 1])
        first, second, clarity = (sample_at(one, x, y) for one in self._maps)
        return SkinState(
            relief=self._state["relief"] * (1 + 0.4 * curl),
            pigment=self._state["pigment"] * (1 + 0.2 * curl),
            grain=self._state["grain"],
            bend=np.stack([first, second], axis=-1) * np.float32(2.6),
            visibility=np.clip(1 + np.float32(0.25) * clarity, 0.45, 1.6),
        )


def _enlarged(traced: slice) -> slice:
    return slice(traced.start * TRACE_REDUCTION, traced.stop * TRACE_REDUCTION)


def _placed(scene: Scene, identity: HandIdentity, state: HandState) -> tuple[Grid, F64, F64]:
    """Return the grid, the bones and the landmarks, shape (21, 2), in pixels of the picture."""
    camera = scene.camera
    width, height = camera.size_px
    palm_px = state.outline.size * camera.short_px
    grid = Grid(
        width // TRACE_REDUCTION,
        height // TRACE_REDUCTION,
        palm_px / TRACE_REDUCTION,
        (width / 2 / TRACE_REDUCTION, height / 2 / TRACE_REDUCTION),
        camera.focal_px / palm_px,
    )
    bones = _bones(identity, state)
    wanted = np.array([state.outline.x * width, state.outline.y * height])
    for _ in range(2):
        joints = posed_joints(identity.shape.joints, bones)
        found = grid.project(joints)[list(_PLACED)].mean(axis=0) * TRACE_REDUCTION
        bones = bones.copy()
        bones[:, :2, 3] += (wanted - found) / palm_px
    joints = posed_joints(identity.shape.joints, bones)
    return grid, bones, grid.project(joints) * TRACE_REDUCTION


def _bones(identity: HandIdentity, state: HandState) -> F64:
    bones = bone_transformations(
        identity.shape.joints, state.pose, mirrored=identity.hand is Hand.RIGHT
    )
    tilt = tilted(state.tilt)
    return np.stack([compose(tilt, bone) for bone in bones])
