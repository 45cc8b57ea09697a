"""Draws the picture strip of the README: a sign-in on the real pages, with drawn hands.

``python -m benchmarks.phone_page.strip DRAWN --chromium /usr/bin/chromium``, where ``thenar
models draw`` drew the hands.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import cv2
import numpy as np
import typer

from benchmarks.datasets.manifest import read_palm_set
from benchmarks.phone_page.camera_file import framed, wall
from benchmarks.phone_page.phone import PhoneBrowser
from benchmarks.phone_page.run import read_people, running_setup

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from playwright.sync_api import Page

    from benchmarks.phone_page.run import PersonPictures, Setup

    Picture = NDArray[np.uint8]

HEIGHT_PX: Final = 560
GAP_PX: Final = 24
QUALITY: Final = 82
"""Of WebP: 300 kB are the limit, and text stays sharp."""


def shots(setup: Setup, person: PersonPictures) -> list[Picture]:
    """Sign somebody in; return the computer's page and the phone's screens, BGR."""
    phone = PhoneBrowser(setup.browser, setup.camera)
    phone.enrol(setup.page, person.right, person.left)
    computer = setup.browser.new_page(viewport={"width": 900, "height": 915}, locale="en")
    computer.goto(setup.party.authorization_url())
    taken = [_shot(computer)]
    phone.open(computer.get_attribute("#phone-link", "href") or "")
    phone.wait_for_screen("who_asks")
    phone.wait_for_disclosure()
    taken.append(_shot(phone.page))
    phone.press("continue")
    phone.page.wait_for_selector('#instruction[data-instruction="show_palm"]')
    setup.camera.show(framed(person.others[0]))
    phone.page.wait_for_selector('#instruction[data-instruction="good"]')
    taken.append(_shot(phone.page))
    phone.wait_for_screen("approve")
    setup.camera.show(wall())
    taken.append(_shot(phone.page))
    phone.press("approve")
    phone.wait_for_screen("end_go")
    taken.append(_shot(phone.page))
    return taken


def _shot(page: Page) -> Picture:
    data = np.frombuffer(page.screenshot(), np.uint8)
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
    if picture is None:
        raise RuntimeError("the browser gave no picture")
    scale = HEIGHT_PX / picture.shape[0]
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.copyMakeBorder(small, 1, 1, 1, 1, cv2.BORDER_CONSTANT), np.uint8)


def side_by_side(pictures: list[Picture]) -> Picture:
    """Join pictures of one height, with white between them."""
    gap = np.full((pictures[0].shape[0], GAP_PX, 3), 255, np.uint8)
    parts = [part for picture in pictures for part in (gap, picture)]
    return np.hstack(parts[1:])


def main(
    drawn: Annotated[Path, typer.Argument(help="Folder of drawn hands.")],
    chromium: Annotated[Path, typer.Option(help="The browser.")] = Path("/usr/bin/chromium"),
    out: Annotated[Path, typer.Option(help="File to write.")] = Path(
        "mobile_api/demo/strip.webp"
    ),
) -> None:
    """Write the picture strip of the README."""
    person = read_people(read_palm_set(drawn), 1)[0]
    with running_setup(chromium) as setup:
        strip = side_by_side(shots(setup, person))
    _, data = cv2.imencode(".webp", strip, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])
    out.write_bytes(data.tobytes())


if __name__ == "__main__":
    typer.run(main)
