"""``python -m tests.screens``: draw every screen in two languages and two sizes, for review.

Runs the tests that draw; ``artefacts/screens`` then has their pictures, small and not in git.
"""

import sys
from multiprocessing import Process
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.journeys.phone_page import conftest

ROOT = Path(__file__).parents[1]
DRAWING = (
    "tests/oidc/browser",
    "tests/journeys/test_accessibility.py",
    "tests/journeys/phone_page",
)
LOOKS = {"en-GB": 412, "ar-EG": 360}
"""Language and width of the phone; the consent page is drawn in four ways each time."""


def draw(locale: str, chosen: list[str]) -> None:
    """Run the tests; those that read English words fail in other languages, after drawing."""
    viewport = {"width": LOOKS[locale], "height": 780}
    conftest.PHONE |= {"locale": locale, "viewport": viewport}
    pytest.main(["-q", "--tb=no", *(chosen or DRAWING)])


def main() -> None:
    """Draw and pack."""
    for locale in LOOKS:
        drawing = Process(target=draw, args=(locale, sys.argv[1:]))
        drawing.start()
        drawing.join()
        for picture in (ROOT / "artefacts").rglob("*.png"):
            packed = ROOT / "artefacts" / "screens" / locale / f"{picture.stem}.webp"
            packed.parent.mkdir(parents=True, exist_ok=True)
            drawn = np.asarray(cv2.imread(str(picture)))
            cv2.imwrite(str(packed), drawn, [cv2.IMWRITE_WEBP_QUALITY, 40])
            picture.unlink()
    sizes = [each.stat().st_size for each in ROOT.glob("artefacts/screens/*/*.webp")]
    sys.stdout.write(f"{len(sizes)} pictures, {sum(sizes)} bytes\n")


if __name__ == "__main__":
    main()
