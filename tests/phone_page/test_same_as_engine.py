"""The page's arithmetic is the engine's: pixel for pixel, point for point, byte for byte."""

import math
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.features.code_bytes import pack_code
from engine.hand import detector, landmarks, reading
from engine.template_codec import encode_template
from engine.types import ExtractorId, Hand, PalmSample, PalmTemplate
from tests.phone_page.modules import Modules
from tests.support.palms.hand_models import open_palm

Pixels = NDArray[np.uint8]


def noise(height: int, width: int, seed: int = 0) -> Pixels:
    """Draw a picture in which every pixel matters."""
    rough = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    smooth = np.asarray(cv2.GaussianBlur(rough, (0, 0), 1.5), np.float64)
    low, high = smooth.min(), smooth.max()
    return np.asarray((smooth - low) * (255 / (high - low)), np.uint8)


def sent(pixels: Pixels) -> dict[str, Any]:
    """Return a picture as the page has it."""
    return {"data": pixels.ravel(), "width": pixels.shape[1], "height": pixels.shape[0]}


def shown(picture: dict[str, Any]) -> Pixels:
    """Return a picture of the page as the engine has it."""
    data: Pixels = picture["data"].reshape(picture["height"], picture["width"], 3)
    return data


def of_page(points: NDArray[Any]) -> list[dict[str, float]]:
    """Return points as the page has them."""
    return [{"x": float(x), "y": float(y)} for x, y in points]


@pytest.mark.parametrize("size", [(480, 640), (720, 1280), (1080, 1920), (1201, 1600)])
def test_pictures_are_looked_at_alike(modules: Modules, size: Any) -> None:
    """Whatever the camera gives: as it is, shrunk or halved."""
    pixels = noise(*size)
    ours = shown(modules.call("palm/detector_input.js", "downscaled", sent(pixels)))

    assert np.array_equal(ours, detector.shrink_for_detection(pixels))


@pytest.mark.parametrize("crop", [(150.0, 90.0, 224.0, 0.5), (20.0, 5.0, 600.0, -2.0)])
def test_crops_are_cut_alike(modules: Modules, crop: Any) -> None:
    """One level in a thousand pixels moves the landmarks by hundredths of a pixel."""
    pixels = noise(180, 320)
    x, y, side, angle = crop
    given = {"x": x, "y": y, "side": side, "angle": angle}
    ours = shown(modules.call("palm/crop.js", "cutCrop", sent(pixels), given))

    theirs = reading.cut_crop(
        detector.SearchedPicture(PalmSample(pixels)), reading.HandCrop(x, y, side, angle)
    )
    assert np.mean(ours != theirs) < 1e-4
    assert np.abs(ours.astype(int) - theirs).max() <= 1


@pytest.mark.parametrize("border", [0.0, 0.35, 1.0])
def test_the_detectors_square_is_filled_alike(modules: Modules, border: float) -> None:
    """The border decides where a hand lies in it."""
    pixels = noise(144, 256)
    ours = modules.call("palm/detector.js", "letterboxed", sent(pixels), border)

    look = detector.letterboxed(pixels, border, np.ones(2))
    assert np.array_equal(detector.network_input(shown(ours["square"])), look.planes)
    assert tuple(ours["scale"].values()) == pytest.approx(tuple(look.scale))
    assert tuple(ours["offset"].values()) == tuple(look.offset)


def test_grey_pictures_are_tinted_alike(modules: Modules) -> None:
    """The detector hardly finds grey hands otherwise."""
    grey = np.repeat(noise(90, 160)[..., :1], 3, axis=2)
    ours = modules.call("palm/detector_input.js", "tinted", sent(grey))

    assert np.array_equal(shown(ours), detector.tinted(grey))
    assert modules.call("palm/detector_input.js", "isGrey", sent(grey))
    assert not modules.call("palm/detector_input.js", "isGrey", sent(noise(90, 160)))


def test_boxes_are_decoded_and_merged_alike(modules: Modules) -> None:
    """Overlapping boxes are averaged by their scores."""
    chance = np.random.default_rng(3)
    boxes = chance.uniform(-20, 60, (2016, 18)).astype(np.float32)
    logits = chance.normal(-3, 2, 2016).astype(np.float32)
    decoded = modules.call("palm/detector.js", "decodeBoxes", boxes.ravel(), logits)
    ours = modules.call("palm/detector.js", "mergeOverlapping", decoded)

    rows, scores = detector.merge_overlapping(*detector.decode_boxes(boxes, logits))
    assert len(ours) == len(scores) > 1
    assert np.array([box["score"] for box in ours]) == pytest.approx(scores)
    assert np.stack([box["row"] for box in ours]) == pytest.approx(rows)


@pytest.mark.parametrize("angle", [0.0, 1.0, -2.5])
def test_the_second_crop_is_the_same(modules: Modules, angle: float) -> None:
    """It lies on a grid, so equal means equal."""
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    points = open_palm() @ turn * 3 + 400
    ours = modules.call("palm/crop.js", "cropOfLandmarks", of_page(points))

    crop = reading.crop_of_landmarks(points)
    assert ours == {"x": crop.x, "y": crop.y, "side": crop.side, "angle": crop.angle_rad}


@pytest.mark.parametrize(
    "crop",
    [(103, 98, 108, 0.07), (106, 100, 100, 0.0), (100, 100, 111, 0.0), (100, 100, 100, 0.2)],
)
def test_crops_agree_alike(modules: Modules, crop: Any) -> None:
    """It decides whether a hand is read a second time."""
    x, y, side, angle = map(float, crop)
    better = {"x": 100.0, "y": 100.0, "side": 100.0, "angle": 0.0}
    given = {"x": x, "y": y, "side": side, "angle": angle}
    ours = modules.call("palm/crop.js", "agrees", given, better)

    theirs = reading.HandCrop(x, y, side, angle)
    assert ours == theirs.agrees_with(reading.HandCrop(100.0, 100.0, 100.0, 0.0))


def test_the_side_and_the_thumb_are_read_alike(modules: Modules) -> None:
    """They tell palms from backs, and left from right."""
    world = np.random.default_rng(4).normal(size=(21, 3))
    ours = modules.call("palm/reading.js", "thumbLift", world.tolist())
    sides = [
        modules.call("palm/reading.js", "palmarSide", of_page(points))
        for points in (open_palm(), open_palm() * (-1, 1))
    ]

    assert ours == pytest.approx(landmarks.thumb_lift(world))
    assert sides == [
        landmarks.palmar_side(points).value for points in (open_palm(), open_palm() * (-1, 1))
    ]


def test_templates_are_the_same_bytes(modules: Modules) -> None:
    """The service takes exactly one file for one template."""
    squares = (np.ones((side, side), np.int64) for side in (32, 64))
    codes = [pack_code(square, square > 0) for square in squares]
    code, dense = (np.tile(each, 2) for each in codes)
    vector = np.full(384, 384**-0.5, np.float32)
    made = PalmTemplate(ExtractorId("palmnet-3"), Hand.RIGHT, vector, code, dense)
    given = {
        "extractor": made.extractor,
        "side": made.hand.value,
        "vector": made.vector,
        "code": made.code,
        "dense": made.dense,
    }
    ours = modules.call("palm/template.js", "encodeTemplate", given)

    assert ours.tobytes() == encode_template(made, as_probe=True)
