"""What benchmarks write is read by people: on a desktop no column may be out of sight."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import ViewportSize

from benchmarks.oidc import report as oidc
from benchmarks.report.page import render
from benchmarks.robustness import run as robustness
from tests.support.browser.chromium import open_chromium

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
DESKTOP = ViewportSize(width=1200, height=900)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("render", "result"),
    [
        (oidc.render_page, "oidc.json"),
        (lambda content: render("phone_page.html", content=content), "page.json"),
        (robustness.render_page, "robustness-vary.json"),
    ],
)
def test_every_column_is_in_sight(render: Callable[[dict[str, Any]], str], result: str) -> None:
    """Tables may be scrolled, and nobody does where no bar is shown."""
    page = render(json.loads((RESULTS / result).read_text("utf-8")))
    with open_chromium() as browser:
        shown = browser.new_page(viewport=DESKTOP)
        shown.set_content(page)
        hidden = shown.eval_on_selector_all(
            "table, .scroll",
            "tables => tables.map(each => each.scrollWidth - each.clientWidth)",
        )

    assert hidden
    assert not any(hidden)


@pytest.mark.browser
def test_a_page_is_dark_where_all_is() -> None:
    """The paper, its ink and the plots, which are drawn on white."""
    content = json.loads((RESULTS / "robustness-vary.json").read_text("utf-8"))
    page = robustness.render_page(content)
    with open_chromium() as browser:
        shown = browser.new_page(viewport=DESKTOP, color_scheme="dark")
        shown.set_content(page)
        paper, ink, plot = shown.evaluate(
            "[getComputedStyle(document.body).backgroundColor,"
            " getComputedStyle(document.body).color,"
            " getComputedStyle(document.querySelector('.plots svg')).filter]"
        )

    assert (paper, ink) == ("rgb(16, 20, 22)", "rgb(228, 234, 236)")
    assert plot.startswith("invert")
