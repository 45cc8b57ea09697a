"""The portal's settings in WebKit, the engine of every browser on an iPhone."""

import re
from html import escape
from pathlib import Path

import pytest

from oidc.web import language
from tests.support.browser.webkit import WebKit, WebKitFault, open_webkit
from tests.support.service.portal_developer import Visitor

pytestmark = pytest.mark.browser

STYLES = ("tokens.css", "page.css", "portal.css")

FRAME = '<!doctype html><iframe width="390" height="800" srcdoc="{}"></iframe>'
"""WebKitGTK's own window has a least width, which is greater."""

WIDTHS = "[frames[0].innerWidth, frames[0].document.documentElement.scrollWidth]"


def test_settings_do_not_scroll_sideways(dora: Visitor, tmp_path: Path) -> None:
    """Nor do the long choices in their menus."""
    client_id, _ = dora.registered()
    folder = Path(language.__file__).parent / "static"
    styles = "".join((folder / name).read_text("utf-8") for name in STYLES)
    html = dora.get(f"/clients/{client_id}/change").text
    page = re.sub("</head>", lambda _: f"<style>{styles}</style></head>", html)
    shown = tmp_path / "settings.html"
    shown.write_text(FRAME.format(escape(page)), "utf-8")
    with open_webkit(tmp_path) as browser:
        browser.open(shown.as_uri())
        while not _is_there(browser):
            pass

        assert browser.run(WIDTHS) == [390, 390]


def _is_there(browser: WebKit) -> bool:
    try:
        return bool(browser.run("Boolean(frames[0]?.document.querySelector('#confirm_code'))"))
    except WebKitFault:
        return False
