"""A small set of palms, as the commands read it."""

import csv

import cv2
import pytest

from tests.engine.test_extract import palm


@pytest.fixture
def regions(tmp_path):
    """A set of pictures that are regions of interest already."""
    rows = []
    for number in range(4):
        for shot in range(4):
            name = f"{number}-{shot}.png"
            grey = palm(number, shot=shot, size=128)[..., 0]
            cv2.imwrite(str(tmp_path / name), grey)
            rows.append((name, f"palm{number}", "1", "L", "roi"))
    with (tmp_path / "manifest.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("path", "identity", "session", "hand", "kind"))
        writer.writerows(rows)
    return tmp_path
