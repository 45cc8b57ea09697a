"""The page beside a result: written, or not, and said either way."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks.measurement.result_files import write_page


def test_a_page_is_written_where_plots_can_be_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the module that is named."""
    page = ModuleType("some_page")
    page.render_page = lambda content: f"<p>{content['x']}"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "some_page", page)

    assert (
        write_page("some_page", tmp_path / "a.html", {"x": 1})
        == f"written to {tmp_path}/a.html"
    )
    assert (tmp_path / "a.html").read_text() == "<p>1"


def test_without_what_draws_plots_there_is_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The figures are written all the same; another missing module is a fault."""
    (tmp_path / "drawing_page.py").write_text("import matplotlib.pyplot")
    (tmp_path / "broken_page.py").write_text("import no_such_module")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)

    assert "no page" in write_page("drawing_page", tmp_path / "a.html", {})
    assert not (tmp_path / "a.html").exists()
    with pytest.raises(ModuleNotFoundError):
        write_page("broken_page", tmp_path / "a.html", {})
