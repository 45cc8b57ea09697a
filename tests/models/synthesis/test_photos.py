"""Drawn hands: the same seeds the same photo, other seeds another palm, and whole folders."""

from __future__ import annotations

import csv
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner, Result

from engine.types import Hand
from models.__main__ import app
from models.synthesis.defects import Defect
from models.synthesis.hand.body import CAMERA_DISTANCE, Grid, reach, trace
from models.synthesis.hand.creases import draw_creases
from models.synthesis.hand.hand_shape import make_shape
from models.synthesis.hand.identity import make_identity
from models.synthesis.photo import draw_photo
from models.synthesis.pose import bone_transformations, posed_joints, sample_pose
from tests.support.palms.drawn_palms import photo

SMALL = 320


def grey(jpeg: bytes) -> NDArray[np.uint8]:
    """Decode a picture to grey levels."""
    pixels = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    return np.asarray(pixels, dtype=np.uint8)


def middle_of_palm(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Cut the middle of the palm out of the picture of person 1's right hand, shot 1."""
    drawn = draw_photo(1, Hand.RIGHT, 1, size_px=SMALL)
    x, y = drawn.joints[[0, 5, 17]].mean(axis=0) * pixels.shape[0] / SMALL
    return pixels[int(y) - 20 : int(y) + 20, int(x) - 20 : int(x) + 20]


def sharpness(pixels: NDArray[np.uint8]) -> float:
    """Return the steepest edges of a picture, grey levels per pixel, without its noise."""
    smooth = cv2.GaussianBlur(pixels.astype(np.float64), (0, 0), 2)
    return float(np.percentile(np.hypot(*np.gradient(smooth)), 99.5))


def test_the_same_seeds_draw_the_same_photo():
    """Tests and the demo rely on it: a drawn person comes back as the same person."""
    first = draw_photo(3, Hand.LEFT, 1, size_px=SMALL)
    make_identity.cache_clear()
    second = draw_photo(3, Hand.LEFT, 1, size_px=SMALL)

    assert np.array_equal(first.pixels, second.pixels)
    assert np.array_equal(first.joints, second.joints)


def test_another_shot_shows_the_same_palm_differently():
    """Two photos of one hand share the palm's skin, and nothing of pose and light."""
    first, second = (draw_photo(3, Hand.LEFT, shot, size_px=SMALL) for shot in (1, 2))

    assert np.abs(first.joints - second.joints).max() > 3
    assert not np.array_equal(first.pixels, second.pixels)


def test_both_hands_of_a_person_are_different_palms():
    """Left and right are never compared; a copy would hide it if they were."""
    left, right = (make_identity(5, hand) for hand in Hand)

    assert left.skin == right.skin
    assert np.array_equal(left.shape.joints, right.shape.joints)
    assert np.corrcoef(left.atlas.lines.ravel(), right.atlas.lines.ravel())[0, 1] < 0.6
    assert abs(np.corrcoef(left.atlas.grain.ravel(), right.atlas.grain.ravel())[0, 1]) < 0.1


@pytest.mark.parametrize("hand", list(Hand))
@pytest.mark.parametrize("seed", range(4))
def test_the_thumb_is_on_the_right_side_and_all_joints_are_in_the_picture(seed, hand):
    """A mirrored hand would enrol the wrong side; a cut one would be refused."""
    drawn = draw_photo(seed, hand, 1, size_px=SMALL)
    height, width = drawn.pixels.shape[:2]
    across, down = drawn.joints[17] - drawn.joints[5], drawn.joints[0] - drawn.joints[5]
    turn = across[0] * down[1] - across[1] * down[0]

    assert (turn < 0) == (hand is Hand.RIGHT)
    assert (drawn.joints > 0).all()
    assert (drawn.joints < (width, height)).all()


def test_the_traced_surface_lies_on_a_sphere_around_each_fingertip():
    """The tracer finds the body where the cones say that it is."""
    rng = np.random.default_rng(1)
    shape = make_shape(rng)
    bones = bone_transformations(shape.joints, sample_pose(rng), mirrored=False)
    joints = posed_joints(shape.joints, bones)
    grid = Grid(240, 320, 70.0, (120.0, 190.0))
    surface = trace(shape, bones, grid)

    for tip in (8, 12, 16, 20):
        column, row = np.round(grid.project(joints[tip]) - 0.5).astype(int)
        height = surface.depth[row, column] - joints[tip, 2]
        assert 0.07 < height < 0.20
        assert surface.distance[row, column] < -0.07
        assert surface.normal[row, column, 2] > 0.5


@pytest.mark.parametrize("centre", [(120.0, 190.0), (30.0, 300.0)])
def test_a_hand_traced_in_its_window_is_the_hand_of_the_whole_picture(centre):
    """Presentations trace the window alone: nothing of the hand may be outside."""
    shape = make_shape(np.random.default_rng(1))
    pose = sample_pose(np.random.default_rng(2))
    bones = bone_transformations(shape.joints, pose, mirrored=False)
    grid = Grid(240, 320, 50.0, centre)
    rows, columns = reach(shape, bones, grid)
    whole = trace(shape, bones, grid)
    inside = trace(shape, bones, grid.cropped(rows, columns))

    assert whole.distance[rows, columns] == pytest.approx(inside.distance, abs=1e-4)
    assert whole.depth[rows, columns] == pytest.approx(inside.depth, abs=1e-4)
    whole.distance[rows, columns] = 1
    assert whole.distance.min() > 0.1


def test_a_place_of_the_palm_keeps_its_skin_in_every_pose():
    """Lines are drawn on the hand at rest: the knuckles' skin must follow the knuckles."""
    shape = make_shape(np.random.default_rng(2))
    for seed in range(5):
        bones = bone_transformations(
            shape.joints, sample_pose(np.random.default_rng(seed)), mirrored=seed % 2 == 0
        )
        joints = posed_joints(shape.joints, bones)
        grid = Grid(240, 320, 70.0, (120.0, 190.0))
        surface = trace(shape, bones, grid)
        at = np.round(grid.project(joints) - 0.5).astype(int)
        for joint in (5, 8, 9, 12, 13, 16, 17, 20):
            found = surface.rest[at[joint, 1], at[joint, 0]]
            assert np.hypot(*(found - shape.joints[joint, :2])) < 0.12


def test_near_things_are_larger():
    """The camera stands at a finite distance, as a phone does."""
    grid = Grid(100, 100, 10.0, (50.0, 50.0))
    near, far = grid.project(np.array([[1.0, 0, 0.5], [1.0, 0, -0.5]]))

    assert near[0] > far[0]
    assert near[0] == pytest.approx(50 + 10 / (1 - 0.5 / CAMERA_DISTANCE))


@pytest.mark.parametrize("seed", range(20))
def test_principal_lines_stay_on_the_palm_and_in_order(seed):
    """The polynomials are loose at their ends: what leaves the palm must be drawn again."""
    shape = make_shape(np.random.default_rng(seed))
    creases = draw_creases(np.random.default_rng(seed), shape.joints)

    assert len(creases) > 40
    for crease in creases:
        assert crease.points.shape[1] == 2
        assert len(crease.strength) == len(crease.points)
        assert (crease.strength >= 0).all()
        assert np.isfinite(crease.points).all()


def test_defects_look_as_they_are_called():
    """Tests of refusals rely on them."""
    good, dark, bright, blurred = (
        grey(photo(1, defect=defect))
        for defect in (None, Defect.DARK, Defect.BRIGHT, Defect.BLURRED)
    )
    levels = [float(np.median(middle_of_palm(picture))) for picture in (dark, good, bright)]

    assert levels[0] < 45 < 100 < levels[1] < 225 < 235 < levels[2]
    assert sharpness(blurred) < 0.5 * sharpness(good)


class TestFolder:
    """``thenar models draw``."""

    ARGUMENTS = ("draw", "--people", "2", "--shots", "2", "--size", "240", "--out")

    def run(self, folder: Path, *more: str) -> Result:
        """Call the command."""
        return CliRunner().invoke(app, [*self.ARGUMENTS, str(folder), *more])

    def test_photos_manifest_and_contact_sheet_are_written(self, tmp_path):
        """The demo and the benchmarks read the manifest and nothing else."""
        result = self.run(tmp_path)

        assert result.exit_code == 0, result.output
        with (tmp_path / "manifest.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == 8
        assert {row["hand"] for row in rows} == {"L", "R"}
        assert len({row["identity"] for row in rows}) == 4
        assert len({row["subject"] for row in rows}) == 2
        assert all(
            grey((tmp_path / row["path"]).read_bytes()).shape == (240, 180) for row in rows
        )
        assert grey((tmp_path / "contact-sheet.png").read_bytes()).size

    def test_an_interrupted_run_goes_on_and_gives_the_same_bytes(self, tmp_path):
        """A photo that is missing is drawn again, one that is there is left alone."""
        self.run(tmp_path)
        first = tmp_path / "person-0001" / "left-01.jpg"
        second = tmp_path / "person-0002" / "right-02.jpg"
        before, kept = first.read_bytes(), second.stat().st_mtime_ns
        first.unlink()

        self.run(tmp_path)

        assert first.read_bytes() == before
        assert second.stat().st_mtime_ns == kept

    def test_several_processes_draw_the_same(self, tmp_path):
        """What is drawn does not depend on how."""
        self.run(tmp_path / "one")
        self.run(tmp_path / "two", "--jobs", "2")

        for path in (tmp_path / "one").rglob("*.jpg"):
            assert (
                path.read_bytes()
                == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()
            )

    def test_a_folder_of_another_seed_is_refused(self, tmp_path):
        """Mixed folders would have two people under one name."""
        self.run(tmp_path)

        result = self.run(tmp_path, "--seed", "2")

        assert result.exit_code == 1
        assert "choose an empty folder" in result.output
