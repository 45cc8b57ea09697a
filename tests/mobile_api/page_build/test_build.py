"""What the page takes from the engine: the same numbers, the same networks."""

import json
from pathlib import Path

import pytest

from engine.settings import EngineSettings
from mobile_api import page_build


def constants() -> dict[str, object]:
    """Read the module that is written for the page."""
    found = {}
    for line in page_build.module().splitlines():
        if line.startswith("export const "):
            name, value = line.removeprefix("export const ").rstrip(";").split(" = ")
            found[name] = json.loads(value)
    return found


def test_every_number_the_modules_import_is_written() -> None:
    """A missing one is undefined in JavaScript, and undefined compares as false."""
    wanted = set()
    for file in (page_build.SOURCE / "palm").glob("*.js"):
        text = file.read_text("utf-8")
        if '"../generated/parameters.js"' in text:
            block = text.split('} from "../generated/parameters.js"')[0].rpartition("{")[2]
            wanted |= {name.strip() for name in block.split(",") if name.strip()}

    assert wanted
    assert wanted <= set(constants())


def test_networks_go_with_the_manifests_digests(tmp_path: Path) -> None:
    """The page refuses any other bytes."""
    page_build.write_networks(tmp_path, EngineSettings())

    described = json.loads((tmp_path / "networks.json").read_text())
    assert set(described["files"]) == set(page_build.NETWORKS)
    assert all(len(file["sha256"]) == 64 for file in described["files"].values())


def test_without_node_the_build_says_so_and_leaves_no_old_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An old page would talk to a newer service."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(page_build, "OUT", tmp_path / "static")
    (tmp_path / "static").mkdir()

    page_build.main()

    assert "will send pictures, because node is not installed" in capsys.readouterr().out
    assert not (tmp_path / "static").exists()


def test_a_build_that_fails_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The service runs without: the reason must not be lost."""
    monkeypatch.setattr(page_build, "OUT", tmp_path / "static")
    monkeypatch.setattr(page_build, "what_is_missing", str)
    monkeypatch.setattr(page_build, "install_packages", str)
    monkeypatch.setattr(page_build, "_write_generated", lambda: None)
    monkeypatch.setattr(page_build, "bundle", lambda _out: "a module is missing")
    page_build.main()

    assert "because a module is missing" in capsys.readouterr().out
