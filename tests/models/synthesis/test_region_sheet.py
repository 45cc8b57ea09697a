"""Drawn regions beside real ones, for a person to compare."""

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from engine.parameters import ROI_SIZE_PX
from models.__main__ import app
from models.errors import NoPictures
from models.synthesis.command import REGION_SHEET
from models.synthesis.crop.sheet import SHEET_COLUMNS, region_sheet


@pytest.fixture
def regions(tmp_path):
    """A folder with three pictures of one grey level each, and a file that is none."""
    folder = tmp_path / "real" / "deep"
    folder.mkdir(parents=True)
    for level in (40, 90, 200):
        cv2.imwrite(str(folder / f"{level}.png"), np.full((60, 60), level, np.uint8))
    (folder / "broken.png").write_bytes(b"no picture")
    return tmp_path / "real"


def test_real_regions_lie_above_drawn_ones(regions):
    """Each band twice: as it is, and with even contrast."""
    page = region_sheet(regions, seed=3, rows=1)
    real, drawn = page[:ROI_SIZE_PX], page[-2 * ROI_SIZE_PX : -ROI_SIZE_PX]

    assert page.shape[1] == SHEET_COLUMNS * ROI_SIZE_PX
    assert {40, 90, 200} <= set(np.unique(real).tolist())
    assert all(part.std() > 1 for part in np.split(drawn, SHEET_COLUMNS, axis=1))


def test_the_command_writes_the_page_and_no_photos(regions, tmp_path):
    """Somebody who wants to look need not draw hands first."""
    out = tmp_path / "out"
    result = CliRunner().invoke(app, ["draw", "--out", str(out), "--beside", str(regions)])

    assert result.exit_code == 0
    assert [path.name for path in out.iterdir()] == [REGION_SHEET]


def test_a_folder_without_pictures_is_refused(tmp_path):
    """A page of drawn regions alone would be looked at as if it were both."""
    with pytest.raises(NoPictures):
        region_sheet(tmp_path, seed=1)
    result = CliRunner().invoke(
        app, ["draw", "--out", str(tmp_path / "out"), "--beside", str(tmp_path)]
    )

    assert result.exit_code == 1
    assert not (tmp_path / "out").exists()
