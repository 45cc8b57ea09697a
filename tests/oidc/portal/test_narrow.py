"""The portal's settings in WebKit, the engine of every browser on an iPhone."""

import re
from pathlib import Path

import pytest

from oidc.web import language
from tests.support.browser.webkit import open_webkit
from tests.support.service.portal_developer import Visitor

pytestmark = pytest.mark.browser

STYLES = ("tokens.css", "page.css", "portal.css")

SMALL = """[...document.querySelectorAll("input, select, textarea")]
  .filter(({ type }) => !["hidden", "checkbox"].includes(type))
  .filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16).map(({ id }) => id)"""
"""Fields at which an iPhone enlarges the page when they are touched."""


def test_settings_fit_a_phone(dora: Visitor, tmp_path: Path) -> None:
    """They do not scroll sideways, not even with the long choices in their menus."""
    client_id, _ = dora.registered()
    folder = Path(language.__file__).parent / "static"
    styles = "".join((folder / name).read_text("utf-8") for name in STYLES)
    html = dora.get(f"/clients/{client_id}/change").text
    shown = tmp_path / "settings.html"
    page = re.sub("</head>", lambda _: f"<style>{styles}</style></head>", html)
    shown.write_text(page, "utf-8")
    with open_webkit(tmp_path) as browser:
        browser.open(shown.as_uri())
        browser.wait_for("document.querySelector('#confirm_code')")
        browser.resize(390, 800)
        browser.wait_for("innerWidth === 390")

        assert browser.run("document.documentElement.scrollWidth") == 390
        assert browser.run(SMALL) == []
        assert browser.run("document.querySelector('#logo').clientHeight") < 60
