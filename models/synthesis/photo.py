"""One photo of one hand, from two seeds to pixels."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from engine.types import Hand
from models.synthesis.anatomy import F32, F64, U8
from models.synthesis.camera import draw_background, encode_jpeg, expose, sample_camera
from models.synthesis.hand.body import Grid, Surface, trace
from models.synthesis.hand.hand_shape import narrowed, widened
from models.synthesis.hand.identity import HandIdentity, make_identity, shot_rng
from models.synthesis.pose import Pose, bone_transformations, posed_joints, sample_pose
from models.synthesis.render import TRACE_REDUCTION, light_hand, sample_light, sample_skin_state
from models.synthesis.texture import blur, shift

DEFAULT_SIZE_PX: Final = 720
"""Long side of a photo."""


@dataclass(frozen=True, slots=True)
class Photo:
    """A drawn photo with its ground truth.

    Attributes:
        pixels: shape (height, width, 3), uint8, RGB.
        joints: shape (21, 2), pixels: true landmarks.
        quality: of its JPEG.
    """

    pixels: U8 = field(repr=False)
    joints: F64 = field(repr=False)
    hand: Hand
    quality: int

    def encode(self) -> bytes:
        """Return the photo as a JPEG file."""
        return encode_jpeg(self.pixels, self.quality)


@dataclass(frozen=True, slots=True)
class Change:
    """Changes of a photo from the one that its seeds alone give.

    Attributes:
        times_as_far: distance of the phone, relative.
    """

    pose_of: Callable[[Pose], Pose] = field(repr=False)
    times_as_far: float = 1.0


def draw_photo(
    person_seed: int,
    hand: Hand,
    shot_seed: int,
    *,
    size_px: int = DEFAULT_SIZE_PX,
    change: Change | None = None,
) -> Photo:
    """Draw one photo of a hand, palm to the camera. Deterministic.

    ``shot_seed`` decides pose, light, background and camera; ``size_px`` is the long side, at
    least 240, of an upright 4:3 photo.
    """
    rng = shot_rng(person_seed, hand, shot_seed)
    identity, pose = make_identity(person_seed, hand), sample_pose(rng)
    if change is not None:
        pose = change.pose_of(pose)
    shape = widened(identity.shape, pose.widening)
    bones = bone_transformations(shape.joints, pose, mirrored=hand is Hand.RIGHT)
    joints = posed_joints(shape.joints, bones)
    grid = _frame(rng, joints, size_px, change.times_as_far if change else 1.0)
    surface = trace(shape, bones, grid)
    surface = replace(surface, rest=narrowed(surface.rest, pose.widening))
    lit, coverage = _light(rng, identity, surface, grid)
    scene = _composite(rng, lit, coverage, grid)
    brightness = float((lit[..., 1] * coverage).sum() / max(float(coverage.sum()), 1.0))
    camera = sample_camera(rng, size_px)
    camera = replace(camera, exposure=camera.exposure * (_METERED / brightness) ** 0.45)
    return Photo(
        pixels=expose(rng, scene, camera),
        joints=grid.project(joints) * TRACE_REDUCTION,
        hand=hand,
        quality=camera.quality,
    )


def _light(
    rng: np.random.Generator, identity: HandIdentity, surface: Surface, grid: Grid
) -> tuple[F32, F32]:
    """Light the hand as this shot's light and skin have it; return its colour and coverage."""
    state = sample_skin_state(rng, (grid.height, grid.width))
    return light_hand(identity, surface, state, sample_light(rng), grid.scale * TRACE_REDUCTION)


_METERED: Final = 0.34
"""Linear light of a hand that exposure leaves unchanged."""


def _frame(rng: np.random.Generator, joints: F64, size_px: int, times_as_far: float) -> Grid:
    """Hold the phone so that the whole hand is in the picture, with a margin around it."""
    height = size_px // TRACE_REDUCTION
    width = height * 3 // 4
    probe = Grid(width, height, 1.0, (0.0, 0.0)).project(joints)
    low, high = probe.min(axis=0) - 0.30, probe.max(axis=0) + 0.30
    space = np.array([width, height]) / (high - low)
    scale = float(space.min()) * rng.uniform(0.76, 0.97) / times_as_far
    slack = np.array([width, height]) - scale * (high - low)
    centre = rng.uniform(0.25, 0.75, 2) * slack - scale * low
    return Grid(width, height, scale, (float(centre[0]), float(centre[1])))


def _composite(rng: np.random.Generator, colour: F32, coverage: F32, grid: Grid) -> F32:
    scale = grid.scale * TRACE_REDUCTION
    background = draw_background(rng, (coverage.shape[0], coverage.shape[1]))
    if rng.random() < 0.5:
        offset = rng.normal(0, 0.10, 2) * scale
        soft = blur(shift(coverage, *offset), rng.uniform(0.05, 0.14) * scale)
        background *= 1 - np.float32(rng.uniform(0.25, 0.5)) * soft[..., None]
    share = coverage[..., None]
    return colour * share + background * (1 - share)
