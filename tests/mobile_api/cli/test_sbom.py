"""``thenar sbom``: every part by name, version and licence."""

import json
from importlib.metadata import version
from typing import Any

from typer.testing import CliRunner

from engine import __version__
from engine.networks.manifest import read_manifest
from engine.settings import EngineSettings
from mobile_api.__main__ import app


def printed() -> str:
    """Return what the command prints."""
    said = CliRunner().invoke(app, ["sbom"])
    assert said.exit_code == 0
    return said.stdout


def parts_of(text: str) -> dict[str, dict[str, Any]]:
    """Return the components by reference; two of one would be no reference."""
    components = json.loads(text)["components"]
    parts = {part["bom-ref"]: part for part in components}
    assert len(parts) == len(components)
    return parts


def test_packages_page_and_networks_are_listed() -> None:
    """A search for a vulnerable part needs its address and version."""
    parts = parts_of(printed())
    networks = read_manifest(EngineSettings().manifest)

    assert f"pkg:pypi/fastapi@{version('fastapi')}" in parts
    assert parts["pkg:npm/onnxruntime-web@1.30.0"]["licenses"] == [{"expression": "MIT"}]
    assert not any("esbuild" in name for name in parts), "it builds the page and is not in it"
    for name, network in networks.items():
        digest = {"alg": "SHA-256", "content": network.sha256}
        assert parts[f"network:{name}"]["hashes"] == [digest]


def test_every_part_that_runs_has_a_licence() -> None:
    """A part without one may not be passed on."""
    parts = parts_of(printed())

    assert [name for name, part in parts.items() if not part.get("licenses")] == []


def test_it_says_what_it_is_the_list_of_and_is_the_same_each_time() -> None:
    """Two lists of one installation can be compared byte by byte."""
    text = printed()
    document = json.loads(text)

    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    assert document["metadata"]["component"]["version"] == __version__
    assert "pkg:pypi/thenar" not in text
    assert printed() == text
