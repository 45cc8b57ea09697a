"""The skin on the back of a hand: knuckles and nails, no palm lines. For refusals only."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from models.synthesis import anatomy
from models.synthesis.anatomy import F32, F64
from models.synthesis.filters import blur
from models.synthesis.hand.atlas import (
    HEIGHT,
    LEFT,
    SCALE,
    TOP,
    WIDTH,
    Atlas,
    draw_lines,
    draw_skin,
)
from models.synthesis.hand.creases import Crease, crease_across


def draw_back(person_seed: int, joints: F64) -> Atlas:
    """Draw the back of a hand; ``joints``: shape (21, 3), the hand at rest."""
    rng = np.random.default_rng((person_seed, 99))
    creases: list[Crease] = []
    nails = np.zeros((HEIGHT, WIDTH), np.float32)
    for digit, chain in enumerate((anatomy.THUMB, *anatomy.FINGERS)):
        radii = anatomy.FINGER_RADII[max(digit - 1, 0)] * (1.15 if digit == 0 else 1.0)
        for number in range(1, 3):
            before, at, after = (joints[i, :2] for i in chain[number - 1 : number + 2])
            for offset in rng.normal(0, 0.05, 8 - 3 * number):
                centre = at + offset * (after - before) / np.linalg.norm(after - before)
                creases.append(
                    crease_across(rng, centre, after - before, radii[number] * 0.55, 0.35)
                )
        creases.append(_nail(nails, joints[chain[2], :2], joints[chain[3], :2], radii[3]))
    skin = draw_skin(rng)
    relief = skin.mottle + 3 * blur(nails, 1.0) + _knuckles(joints)
    return replace(skin, lines=draw_lines(creases), mottle=relief)


def _knuckles(joints: F64) -> F32:
    spots = np.zeros((HEIGHT, WIDTH), np.float32)
    tendons = np.zeros((HEIGHT, WIDTH), np.float32)
    places = np.round((joints[:, :2] - (LEFT, TOP)) * SCALE).astype(int)
    for chain in anatomy.FINGERS:
        knuckle, wrist = places[chain[0]], places[anatomy.WRIST]
        cv2.circle(spots, knuckle.tolist(), 16, 1.0, -1)
        end = (knuckle + 0.75 * (wrist - knuckle)).astype(int)
        cv2.line(tendons, knuckle.tolist(), end.tolist(), 1.0, 7)
    drawn: F32 = 1.5 * blur(tendons, 6.0) - 1.5 * blur(spots, 9.0)
    return drawn


def _nail(nails: F32, joint: F64, tip: F64, radius: float) -> Crease:
    along = (tip - joint) / np.linalg.norm(tip - joint)
    across = np.array([-along[1], along[0]])
    turn = np.linspace(0, 2 * np.pi, 40)[:, None]
    rim = (
        tip
        - 0.01 * along
        + np.cos(turn) * 0.105 * along
        + np.sin(turn) * 0.66 * radius * across
    )
    pixels = np.round((rim - (LEFT, TOP)) * SCALE).astype(np.int32)
    cv2.fillPoly(nails, [pixels], 1.0)
    return Crease(rim, np.full(40, 0.45), 0.008)
