"""The import contracts hold, and each of them would notice its violation."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
PACKAGES = LINTER["root_packages"]

VIOLATIONS = {
    "services": ("engine/decide.py", "import oidc.types"),
    "tooling": ("benchmarks/metrics.py", "import models.errors"),
    "no-tooling": ("mobile_api/devices.py", "import models.errors"),
    "http-only": ("benchmarks/metrics.py", "import oidc.types"),
    "no-palm": ("oidc/qr.py", "import numpy"),
    "no-web": ("engine/decide.py", "import sqlalchemy"),
    "door": ("mobile_api/devices.py", "import oidc.pseudonym"),
    "roots": ("mobile_api/devices.py", "import oidc.app"),
    "pseudonyms": ("oidc/tokens.py", "import oidc.storage.pseudonyms"),
    "phone": ("mobile_api/phone.py", "import mobile_api.devices"),
    "onnxruntime": ("engine/decode.py", "import onnxruntime"),
    "faiss": ("benchmarks/metrics.py", "import faiss"),
    "pymilvus": ("engine/decode.py", "import pymilvus"),
    "authlib": ("oidc/tokens.py", "import authlib"),
    "webauthn": ("mobile_api/devices.py", "import webauthn"),
    "workbench": ("mobile_api/devices.py", "import engine.workbench.report"),
    "engine-layers": ("engine/roi.py", "import engine.gallery"),
    "oidc-layers": ("oidc/tokens.py", "import oidc.routes"),
    "mobile-layers": ("mobile_api/devices.py", "import mobile_api.routes"),
    "benchmarks-layers": ("benchmarks/metrics.py", "import benchmarks.journey"),
    "models-layers": ("models/errors.py", "import models.synthesis"),
    "no-cycles": ("engine/gallery/lock.py", "import engine.gallery.exact"),
}
"""For each contract, a file and a line that it must not tolerate."""

EXHAUSTIVE = [contract["id"] for contract in LINTER["contracts"] if "exhaustive" in contract]


def lint(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the import linter on the packages in a folder, with the project's contracts."""
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    config = ("--config", str(ROOT / "pyproject.toml"), "--no-cache")
    command = [sys.executable, "-c", program, *config, *options]
    return subprocess.run(  # noqa: S603 - our own interpreter, our own arguments
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture
def copy(tmp_path):
    """A copy of all packages, to be damaged."""
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package,
            tmp_path / package,
            ignore=lambda folder, names: [
                name
                for name in names
                if not (name.endswith(".py") or Path(folder, name).is_dir())
            ],
        )
    return tmp_path


def test_the_contracts_hold():
    """The engine knows palms and no people, the provider people and no palms."""
    result = lint(ROOT)

    assert result.returncode == 0, result.stdout


def test_every_contract_has_its_violation():
    """A contract that cannot fail is a decoration."""
    assert set(VIOLATIONS) == {contract["id"] for contract in LINTER["contracts"]}


@pytest.mark.parametrize("contract", VIOLATIONS)
def test_a_violation_is_noticed(copy, contract):
    """One wrong import line breaks exactly the contract that forbids it."""
    file, line = VIOLATIONS[contract]
    assert lint(copy, "--contract", contract).returncode == 0

    with (copy / file).open("a", encoding="utf-8") as module:
        module.write(f"\n{line}\n")

    result = lint(copy, "--contract", contract)
    assert result.returncode == 1
    assert "BROKEN" in result.stdout
    assert line.split(".")[-1].split()[-1] in result.stdout


@pytest.mark.parametrize("contract", EXHAUSTIVE)
def test_a_new_module_must_find_its_layer(copy, contract):
    """Whoever adds a module says where it stands, in the same commit."""
    (copy / VIOLATIONS[contract][0]).with_name("stranger.py").write_text("", "utf-8")

    result = lint(copy, "--contract", contract)

    assert result.returncode == 1
    assert "stranger" in result.stdout
