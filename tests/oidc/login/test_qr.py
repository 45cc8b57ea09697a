"""The QR code's picture."""

import re

import pytest

from oidc.web.pages import draw_qr


@pytest.mark.parametrize("length", [20, 62, 90, 150, 300])
def test_every_module_is_a_whole_number_of_pixels(length: int) -> None:
    """Modules of unequal width are what makes scanners fail at a short distance."""
    svg = draw_qr("https://id.example/m#" + "a" * length).svg

    found = re.match(r'<svg width="(\d+)" height="(\d+)" .*?viewBox="0 0 (\d+) (\d+)"', svg)
    assert found is not None
    width, height, modules, _ = map(int, found.groups())
    assert width == height <= 272
    assert width % modules == 0
