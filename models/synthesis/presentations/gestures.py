"""Poses of the challenge's motions: real joints, one person's way to bend them."""

from dataclasses import fields, replace
from typing import TypeVar

import numpy as np

from engine.presentation_attack.challenge import Motion, Outline
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
