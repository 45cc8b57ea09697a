"""``python -m tests.screens``: draw every screen in two languages and two sizes, for review.

Runs the tests that draw; ``artefacts/screens`` then has their pictures, small and not in git.
"""

import sys
from argparse import ArgumentParser
from multiprocessing import Process
from pathlib import Path
from shutil import rmtree

import cv2
import numpy as np
import pytest
from playwright.sync_api._generated import LocatorAssertions

from tests.journeys.phone_page import conftest

ARTEFACTS = Path(__file__).parents[1] / "artefacts"
PHONE = "tests/journeys/phone_page"
DRAWING = ("tests/oidc/browser", "tests/journeys/test_accessibility.py", PHONE)
LOOKS = {"en-GB": (412, DRAWING, "-plain"), "ar-EG": (360, (PHONE,), "-night")}
"""Language: width of the phone, tests that draw, and the ending of pictures that are left out.

A computer's pages are drawn in several languages and sizes by the same tests.
"""
WIDTHS = {824: 400, 720: 360, 1200: 720}
"""The width of each drawing in the page: a phone has two points for each pixel."""


def draw(locale: str, width: int, tests: tuple[str, ...]) -> None:
    """Run the tests; outside English no words are compared, so that all is drawn."""
    if not locale.startswith("en"):
        for words in ("to_contain_text", "to_have_text"):
            setattr(LocatorAssertions, words, lambda *_, **__: None)
    viewport = {"width": width, "height": 780}
    conftest.PHONE |= {"locale": locale, "viewport": viewport}
    # The phone's conftest has imported what pytest would rewrite.
    quiet = ["-q", "--tb=no", "--no-summary", "-Wignore::pytest.PytestAssertRewriteWarning"]
    pytest.main([*quiet, *tests])


def pack(folder: Path, left_out: str) -> None:
    """Keep each picture once, however many tests drew what looks like it."""
    folder.mkdir(parents=True, exist_ok=True)
    seen = set[bytes]()
    for picture in sorted(ARTEFACTS.rglob("*.png")):
        drawn = np.asarray(cv2.imread(str(picture)))
        picture.unlink()
        scale = WIDTHS.get(drawn.shape[1], drawn.shape[1]) / drawn.shape[1]
        small = cv2.resize(drawn, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        look = (cv2.resize(small, (32, 32), interpolation=cv2.INTER_AREA) // 16).tobytes()
        if look not in seen and not picture.stem.endswith(left_out):
            packed = str(folder / f"{picture.stem}.webp")
            cv2.imwrite(packed, small, [cv2.IMWRITE_WEBP_QUALITY, 20])
        seen.add(look)


def main() -> None:
    """Draw, pack, and only then replace the pictures of an earlier run."""
    parser = ArgumentParser(prog="python -m tests.screens", description=__doc__)
    parser.add_argument("tests", nargs="*", help="files that draw; all if none is named")
    chosen = tuple(parser.parse_args().tests)
    for old in ARTEFACTS.rglob("*.png"):
        old.unlink()
    drawn = ARTEFACTS / "screens-new"
    rmtree(drawn, ignore_errors=True)
    for locale, (width, tests, left_out) in LOOKS.items():
        sys.stdout.write(f"{locale}: drawing takes about a quarter of an hour\n")
        drawing = Process(target=draw, args=(locale, width, chosen or tests))
        drawing.start()
        drawing.join()
        pack(drawn / locale, left_out)
    rmtree(ARTEFACTS / "screens", ignore_errors=True)
    drawn.rename(ARTEFACTS / "screens")
    sizes = [each.stat().st_size for each in ARTEFACTS.glob("screens/*/*")]
    sys.stdout.write(f"{len(sizes)} pictures, {sum(sizes)} bytes: {ARTEFACTS / 'screens'}\n")


if __name__ == "__main__":
    main()
