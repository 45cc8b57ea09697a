"""What the demo prints can be followed."""

import io
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from mobile_api.demo.people import DemoPeople, DemoPerson
from mobile_api.demo.running import Tried, answer_command, print_instructions
from mobile_api.demo.service import DemoService
from mobile_api.demo.site import Site, network_site
from oidc.types import utc_now

ADA = DemoPerson("person-0001", (), (Path("left-04.jpg"),))

INVITATION = "https://127.0.0.2:8080/portal/join#:CD:"
"""Fingerprints hold such a pair, too: it must not become an emoji."""

MODULE_PX = 8


def printed(site: Site, data: Path, *, challenge: bool = False) -> str:
    """Return what a terminal shows, without colours."""
    command = answer_command(site, data / "ada.json", ADA)
    service = DemoService(data, site, 8080, command, asks_challenges=challenge)
    people = DemoPeople("collection", (ADA,))
    tried = Tried(service, site.url(site.shop_host, 8081), people, INVITATION, data / "env")
    console = Console(file=io.StringIO(), width=80)
    print_instructions(console, tried)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def picture_of(text: str) -> NDArray[np.uint8]:
    """Return how a terminal shows blocks, white on black: two modules a character."""
    halves = {" ": (0, 0), "█": (255, 255), "▀": (255, 0), "▄": (0, 255)}
    lines = [line for line in text.splitlines() if line and set(line) <= set(halves)]
    rows = [[halves[each][half] for each in line] for line in lines for half in (0, 1)]
    rows_px = np.repeat(np.array(rows, np.uint8), MODULE_PX, axis=0)
    return np.repeat(rows_px, MODULE_PX, axis=1)


def test_a_phone_in_the_network_scans_the_code_and_knows_the_certificate(
    tmp_path: Path,
) -> None:
    """The page that it opens is the phone's."""
    site = network_site("127.0.0.2", tmp_path, utc_now)
    said = printed(site, tmp_path)
    read, _, _ = cv2.QRCodeDetector().detectAndDecode(picture_of(said))

    assert site.certificate is not None
    assert read == "https://127.0.0.2:8080/m"
    assert site.certificate.fingerprint in said
    assert f"SSL_CERT_FILE={site.certificate.public}" in said
