"""One photo of one hand: from two seeds to pixels. The whole path, readable at a glance."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from engine.types import Hand
from models.synthesis.anatomy import F32, F64, U8
from models.synthesis.background import draw_background
from models.synthesis.body import Grid, trace
from models.synthesis.camera import Camera, encode_jpeg, expose, sample_camera
from models.synthesis.defects import Defect
from models.synthesis.filters import blur, shift
from models.synthesis.identity import make_identity, shot_rng
from models.synthesis.pose import bone_transformations, posed_joints, sample_pose
from models.synthesis.render import (
    TRACE_REDUCTION,
    light_hand,
    sample_light,
    sample_skin_state,
)

DEFAULT_SIZE_PX: Final = 720
"""Long side of a photo."""


@dataclass(frozen=True, slots=True)
class Photo:
    """A drawn photo and the truth about it.

    Attributes:
        pixels: shape (height, width, 3), uint8, RGB.
        joints: shape (21, 2), pixels: where the landmarks really are.
        hand: the side of the body.
        quality: of the JPEG it is stored as.
    """

    pixels: U8 = field(repr=False)
    joints: F64 = field(repr=False)
    hand: Hand
    quality: int

    def encode(self) -> bytes:
        """Return the photo as a JPEG file."""
        return encode_jpeg(self.pixels, self.quality)


def draw_photo(
    person_seed: int,
    hand: Hand,
    shot_seed: int,
    *,
    size_px: int = DEFAULT_SIZE_PX,
    defect: Defect | None = None,
) -> Photo:
    """Draw one photo of a hand, palm to the camera. The same arguments give the same photo.

    Args:
        person_seed: names the person.
        hand: the side of the body.
        shot_seed: names the photo: pose, light, background and camera follow from it.
        size_px: long side, at least 240; photos are upright, 4:3.
        defect: what is wrong with the photo, if anything.
    """
    identity = make_identity(person_seed, hand)
    rng = shot_rng(person_seed, hand, shot_seed)
    pose = sample_pose(rng)
    if defect is Defect.BACK:
        pose = replace(pose, yaw=pose.yaw + np.pi)
    bones = bone_transformations(
        identity.shape.joints, pose, mirrored=identity.hand is Hand.RIGHT
    )
    joints = posed_joints(identity.shape.joints, bones)
    grid = _frame(rng, joints, size_px)
    if defect is Defect.CUT:
        grid = replace(grid, centre=(grid.centre[0], grid.height * 1.02))
    surface = trace(identity.shape, bones, grid)
    state = sample_skin_state(rng, (grid.height, grid.width))
    scale = grid.scale * TRACE_REDUCTION
    light = sample_light(rng)
    colour, coverage = light_hand(identity, surface, state, light, scale)
    if defect is Defect.EMPTY:
        coverage = np.zeros_like(coverage)
    scene = _lay(rng, colour, coverage, scale)
    camera = _spoil(sample_camera(rng), defect)
    return Photo(
        pixels=expose(rng, scene, camera),
        joints=grid.project(joints) * TRACE_REDUCTION,
        hand=hand,
        quality=camera.quality,
    )


def _spoil(camera: Camera, defect: Defect | None) -> Camera:
    """Take the picture badly."""
    match defect:
        case Defect.DARK:
            return replace(camera, exposure=0.03)
        case Defect.BRIGHT:
            return replace(camera, exposure=7.0)
        case Defect.BLURRED:
            return replace(camera, blur_px=9.0)
        case _:
            return camera


def _frame(rng: np.random.Generator, joints: F64, size_px: int) -> Grid:
    """Hold the phone so that the whole hand is in the picture, with room around it."""
    height = size_px // TRACE_REDUCTION
    width = height * 3 // 4
    probe = Grid(width, height, 1.0, (0.0, 0.0)).project(joints)
    low, high = probe.min(axis=0) - 0.22, probe.max(axis=0) + 0.22
    room = np.array([width, height]) / (high - low)
    scale = float(room.min()) * rng.uniform(0.76, 0.97)
    slack = np.array([width, height]) - scale * (high - low)
    centre = rng.uniform(0.25, 0.75, 2) * slack - scale * low
    return Grid(width, height, scale, (float(centre[0]), float(centre[1])))


def _lay(rng: np.random.Generator, colour: F32, coverage: F32, scale: float) -> F32:
    """Lay the lit hand over a background on which it casts a soft shadow."""
    background = draw_background(rng, (coverage.shape[0], coverage.shape[1]))
    if rng.random() < 0.5:
        offset = rng.normal(0, 0.10, 2) * scale
        soft = blur(shift(coverage, *offset), rng.uniform(0.05, 0.14) * scale)
        background *= 1 - np.float32(rng.uniform(0.25, 0.5)) * soft[..., None]
    share = coverage[..., None]
    laid: F32 = colour * share + background * (1 - share)
    return laid
