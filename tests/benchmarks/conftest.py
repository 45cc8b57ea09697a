"""A small set of palms, as the commands read it."""

import cv2
import pytest

from models.synthesis.crop.style import Variation
from models.training.sample_store import draw_samples
from tests.support.palms.manifest import write_manifest


@pytest.fixture
def regions(tmp_path):
    """A set of pictures that are regions of interest already."""
    rows = []
    drawn = draw_samples(3, range(4), 4, Variation(covered_share=0.0, strong_share=0.0))
    for number, shots in enumerate(drawn):
        for shot, grey in enumerate(shots):
            name = f"{number}-{shot}.png"
            cv2.imwrite(str(tmp_path / name), grey)
            rows.append((name, f"palm{number}", "1", "L", "roi"))
    return write_manifest(tmp_path, rows)
