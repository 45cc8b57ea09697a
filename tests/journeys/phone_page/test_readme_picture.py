"""The picture of README.md: a sign-in, drawn from the pages as they are now."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page, Route, expect

from oidc.web.pages import draw_qr
from tests.journeys.phone_page.conftest import NewPhone
from tests.support.browser.shots import picture_of
from tests.support.phone.camera import frame_of
from tests.support.phone.screen import scanned
from tests.support.service.journey import World

pytestmark = [pytest.mark.browser]

PICTURE = Path(__file__).parents[3] / "mobile_api" / "docs" / "sign-in.webp"

SAID = Path(__file__).parent / "readme_picture.txt"
"""What the pages say in the picture: unlike the picture, the same with any fonts."""

STEADY = """code => {
  const old = document.querySelector("#qr");  // the page draws other codes into the old one
  old?.replaceWith(old.cloneNode(true));
  document.querySelector("#qr-modules")?.setAttribute("d", code);
  const moving = document.querySelector("progress");
  if (moving) moving.value = 0.5;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data
    .replace(/localhost:\\d+/, "shop.example")
    .replace(/\\d+ (second|minute)s? ago|\\bnow$/i, "5 seconds ago");
}"""
"""Puts constants in the place of what differs at each sign-in."""

Picture = NDArray[np.uint8]


def test_the_picture_of_readme_shows_the_pages_as_they_are(
    world: World, new_phone: NewPhone, computer: Page, bookshop: str
) -> None:
    """If they say something else, it is drawn again: look at it and commit both files."""
    phone = new_phone(viewport={"width": 360, "height": 780}, device_scale_factor=1.5)
    ada, held = world.person(0), list[Route]()
    computer.set_viewport_size({"width": 1100, "height": 780})
    computer.goto(bookshop)
    computer.click("#sign-in")
    expect(computer.locator("#qr")).to_be_visible()
    link = scanned(computer)
    seen, said = [drawn(computer)], [words(computer)]
    phone.open(link)
    phone.shows("who_asks")
    phone.sends("template")
    seen.append(drawn(phone.page))
    said.append(words(phone.page))
    phone.page.route("**/template", lambda route: held.append(route))
    phone.camera.show(frame_of(ada.palm))
    with phone.page.expect_request("**/template"):
        phone.press("show_palm")
    seen.append(drawn(phone.page))
    said.append(words(phone.page))
    held[0].continue_()
    phone.page.unroute("**/template")
    phone.approve()
    seen.append(drawn(phone.page))
    said.append(words(phone.page))

    now = "\n\n".join(said) + "\n"
    if not PICTURE.is_file() or not SAID.is_file() or SAID.read_text("utf-8") != now:
        cv2.imwrite(str(PICTURE), strip(seen), [cv2.IMWRITE_WEBP_QUALITY, 80])
        SAID.write_text(now, "utf-8")
        pytest.fail(f"the pages have changed: look at {PICTURE} and commit it with {SAID}")


def words(page: Page) -> str:
    """Return what a page says, a line each."""
    lines = page.locator("body").inner_text().splitlines()
    return "\n".join(line.strip() for line in lines if line.strip())


def drawn(page: Page) -> Picture:
    """Return a picture of a page, without what differs each time."""
    page.evaluate(STEADY, draw_qr("http://127.0.0.1:54321/m#" + "A" * 43).path)
    picture = cv2.imdecode(
        np.frombuffer(picture_of(page, animations="disabled"), np.uint8), cv2.IMREAD_COLOR
    )
    assert picture is not None
    height = 480
    size = (picture.shape[1] * height // picture.shape[0], height)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def strip(pictures: list[Picture]) -> Picture:
    """Return pictures side by side, each in a grey frame."""
    grey = (190, 190, 190)
    framed = [
        cv2.copyMakeBorder(p, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=grey) for p in pictures
    ]
    apart = np.full((framed[0].shape[0], 12, 3), 255, np.uint8)
    return np.hstack([part for each in framed for part in (each, apart)][:-1])
