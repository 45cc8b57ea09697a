"""``thenar sbom``: the parts of this installation, as CycloneDX 1.6 (ECMA-424)."""

import base64
import json
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import typer

from engine import __version__

Component = dict[str, Any]

SPEC_VERSION: Final = "1.6"

OURS: Final = "thenar"

PAGE_LOCK: Final = Path(__file__).parents[1] / "phone_page" / "package-lock.json"


def sbom() -> None:
    """Print packages, what the phone's page contains, and networks: name, version, licence.

    The same installation always gives the same text.
    """
    parts = [*_packages(), *_page_packages(), *_networks()]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": SPEC_VERSION,
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": OURS,
                "name": OURS,
                "version": __version__,
                "licenses": [{"expression": "Apache-2.0"}],
            }
        },
        "components": sorted(parts, key=lambda part: str(part["bom-ref"])),
    }
    typer.echo(json.dumps(document, indent=2))


def _packages() -> Iterator[Component]:
    found = {each.name.lower().replace("_", "-"): each for each in distributions()}
    for name, package in found.items():
        if name != OURS:
            purl = f"pkg:pypi/{quote(name)}@{quote(package.version)}"
            yield _component("library", name, package.version, purl) | _licence(package)


def _licence(package: Distribution) -> Component:
    """Return the expression of PEP 639, else what older fields say, else nothing."""
    for expression in _stated(package, "License-Expression"):
        return {"licenses": [{"expression": expression}]}
    classifiers = [c.split(" :: ") for c in _stated(package, "Classifier")]
    names = [c[-1] for c in classifiers if c[0] == "License" and len(c) > 2]
    names = names or [line for line in _stated(package, "License") if "\n" not in line]
    return {"licenses": [{"license": {"name": name}} for name in names]} if names else {}


def _stated(package: Distribution, field: str) -> list[str]:
    return [str(value) for value in package.metadata.get_all(field) or ()]


def _page_packages() -> Iterator[Component]:
    lock = json.loads(PAGE_LOCK.read_text("utf-8"))
    for place, entry in lock["packages"].items():
        if not place or entry.get("dev"):
            continue
        name = place.rpartition("node_modules/")[2]
        purl = f"pkg:npm/{quote(name)}@{quote(entry['version'])}"
        digest = base64.b64decode(entry["integrity"].removeprefix("sha512-")).hex()
        yield _component("library", name, entry["version"], purl) | {
            "licenses": [{"expression": entry["license"]}],
            "hashes": [{"alg": "SHA-512", "content": digest}],
        }


def _networks() -> Iterator[Component]:
    from engine.settings import EngineSettings  # noqa: PLC0415 - help needs no settings

    tables = tomllib.loads(EngineSettings().manifest.read_text("utf-8"))["models"]
    for name, table in tables.items():
        yield {
            "type": "machine-learning-model",
            "bom-ref": f"network:{name}",
            "name": name,
            "description": table["purpose"],
            "licenses": [{"expression": table["licence"]}],
            "hashes": [{"alg": "SHA-256", "content": table["sha256"]}],
        }


def _component(kind: str, name: str, version: str, purl: str) -> Component:
    return {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl}
