"""What the page takes from the engine: the same numbers, the same networks."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import parameters as engine_parameters
from engine.settings import EngineSettings
from mobile_api.page_build import __main__ as build
from mobile_api.page_build import networks, node, parameters


def constants() -> dict[str, object]:
    """Read the module that is written for the page."""
    found = {}
    for line in parameters.module().splitlines():
        if line.startswith("export const "):
            name, value = line.removeprefix("export const ").rstrip(";").split(" = ")
            found[name] = json.loads(value)
    return found


def test_the_page_has_the_engines_numbers() -> None:
    """A second, hand-written copy would one day differ."""
    found = constants()

    assert found["HAND_BORDERS"] == list(engine_parameters.HAND_BORDERS)
    assert found["ROI_MEAN_PALM"] == [list(p) for p in engine_parameters.ROI_MEAN_PALM]


def test_every_number_the_modules_import_is_written() -> None:
    """A missing one is undefined in JavaScript, and undefined compares as false."""
    wanted = set()
    for file in (node.SOURCE / "palm").glob("*.js"):
        text = file.read_text("utf-8")
        if '"../generated/parameters.js"' in text:
            block = text.split('} from "../generated/parameters.js"')[0].rpartition("{")[2]
            wanted |= {name.strip() for name in block.split(",") if name.strip()}

    assert wanted
    assert wanted <= set(constants())


@given(st.binary(max_size=40))
def test_planes_hold_the_same_bytes(data: bytes) -> None:
    """``palm/networks.js`` puts them back: each plane is every fourth byte."""
    planes = networks.in_planes(data)
    back, at = bytearray(len(data)), 0
    for start in range(4):
        for to in range(start, len(data), 4):
            back[to] = planes[at]
            at += 1

    assert bytes(back) == data


def test_networks_go_with_the_manifests_digests(tmp_path: Path) -> None:
    """The page refuses any other bytes."""
    networks.write_networks(tmp_path, EngineSettings())

    described = json.loads((tmp_path / "networks.json").read_text())
    assert set(described["files"]) == set(networks.NETWORKS)
    assert all(len(file["sha256"]) == 64 for file in described["files"].values())


def test_without_node_the_build_says_so_and_leaves_no_old_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An old page would talk to a newer service."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(build, "OUT", tmp_path / "static")
    (tmp_path / "static").mkdir()

    build.main()

    assert "will send pictures, because node is not installed" in capsys.readouterr().out
    assert not (tmp_path / "static").exists()


def test_a_second_build_of_the_same_sources_does_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``make demo`` must be ready at once the second time."""
    monkeypatch.setattr(build, "OUT", tmp_path)
    monkeypatch.setattr(build, "STAMP", tmp_path / "stamp")
    monkeypatch.setattr(node, "what_is_missing", str)
    monkeypatch.setattr(node, "install_packages", str)
    monkeypatch.setattr(build, "_write_generated", lambda: None)
    bundles: list[Path] = []

    def bundle(out: Path) -> str:
        (out / "index.html").touch()
        bundles.append(out)
        return ""

    monkeypatch.setattr(node, "bundle", bundle)
    build.main()
    build.main()

    assert bundles == [tmp_path]


def test_a_build_that_fails_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The service runs without: the reason must not be lost."""
    monkeypatch.setattr(build, "OUT", tmp_path / "static")
    monkeypatch.setattr(node, "what_is_missing", str)
    monkeypatch.setattr(node, "install_packages", str)
    monkeypatch.setattr(build, "_write_generated", lambda: None)
    monkeypatch.setattr(node, "bundle", lambda _out: "a module is missing")
    build.main()

    assert "because a module is missing" in capsys.readouterr().out
