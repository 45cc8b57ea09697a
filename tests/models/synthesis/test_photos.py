"""Drawn hands: the same seeds the same photo, other seeds another palm, and whole folders."""

import csv
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from typer.testing import CliRunner, Result

from engine.types import Hand
from models.__main__ import app
from models.synthesis.hand.identity import make_identity
from models.synthesis.photo import draw_photo

SMALL = 320


def grey(jpeg: bytes) -> NDArray[np.uint8]:
    """Decode a picture to grey levels."""
    pixels = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    return np.asarray(pixels, dtype=np.uint8)


def test_the_same_seeds_draw_the_same_photo():
    """Tests and the demo rely on it: a drawn person comes back as the same person."""
    first = draw_photo(3, Hand.LEFT, 1, size_px=SMALL)
    make_identity.cache_clear()
    second = draw_photo(3, Hand.LEFT, 1, size_px=SMALL)

    assert np.array_equal(first.pixels, second.pixels)
    assert np.array_equal(first.joints, second.joints)


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
