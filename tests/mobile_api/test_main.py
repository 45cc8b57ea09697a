"""The command of the whole project."""

from __future__ import annotations

import tomllib
from pathlib import Path

from typer.testing import CliRunner

from mobile_api.__main__ import cli

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_the_release_is_told():
    """Whoever asks for help is asked for it first."""
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]

    said = CliRunner().invoke(cli, ["--version"])

    assert said.exit_code == 0
    assert said.stdout == f"thenar {project['version']}\n"
