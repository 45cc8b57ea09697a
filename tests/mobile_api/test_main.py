"""The command of the whole project."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from unittest.mock import patch

import pytest
from typer.testing import CliRunner, Result

from benchmarks import __main__ as benchmarks
from mobile_api.__main__ import COMMANDS, app
from mobile_api.server.config_file import ENVIRONMENT

THENAR = [sys.executable, "-m", "mobile_api"]


HEAVY = {
    *(
        "sqlalchemy", "alembic", "fastapi", "pydantic", "uvicorn", "authlib", "joserfc",
        "httpx2",
    ),
    *("numpy", "cv2", "numba", "faiss", "onnx", "onnxruntime", "cryptography", "limits"),
}  # fmt: skip
"""Each takes longer to import than a help takes to print."""


def test_the_help_of_a_command_loads_nothing_heavy() -> None:
    """Options are apart from the work. One process loads the modules of all commands."""
    places = [
        *(command.place for command in COMMANDS.values()),
        *(command.place for command in benchmarks.COMMANDS.values()),
    ]
    program = (
        "import sys; from importlib import import_module\n"
        "import mobile_api.__main__\n"
        "for name in sys.argv[1:]: import_module(name)\n"
        "print(*sys.modules)"
    )
    modules = {place.partition(":")[0] for place in places}

    loaded = run(sys.executable, "-c", program, *modules).stdout.split()

    assert modules <= set(loaded)
    assert not HEAVY & {name.partition(".")[0] for name in loaded}


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("client list", {"sqlalchemy", "pydantic"}),
        ("gallery status", {"sqlalchemy", "pydantic", "cryptography"}),
        ("account erasures", {"sqlalchemy", "pydantic", "cryptography", "numpy"}),
    ],
)
def test_a_command_loads_its_database_and_not_the_service(
    tmp_path: Path, command: str, needed: set[str]
) -> None:
    """It also checks the database's version, without what migrates it."""
    program = (
        "import sys; sys.argv[0] = 'thenar'\n"
        "from mobile_api.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: print('LOADED', *sys.modules)"
    )
    said = run(sys.executable, "-c", program, *command.split(), folder=tmp_path)
    loaded = {name.partition(".")[0] for name in said.stdout.partition("LOADED")[2].split()}

    assert "run `thenar migrate`" in said.stderr
    assert HEAVY & loaded == needed


@pytest.mark.parametrize("asked", [["serve"], ["migrate"], ["client", "list"]])
def test_the_engine_alone_names_what_a_command_needs(asked: list[str]) -> None:
    """Not a traceback; the commands of the engine go on."""
    program = (
        "import sys; sys.modules |= dict.fromkeys(('sqlalchemy', 'fastapi', 'joserfc'))\n"
        "sys.argv[0] = 'thenar'\n"
        "from mobile_api.__main__ import main; main()"
    )
    refused = run(sys.executable, "-c", program, *asked)
    verified = run(sys.executable, "-c", program, "engine", "verify")

    assert (refused.returncode, verified.returncode) == (1, 0)
    assert "is not installed: in a checkout, pip install '.[service]'" in flat(refused)
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_table_explains_itself(name: str) -> None:
    """The line in the help of all leads to a command that is there."""
    said = CliRunner().invoke(app, [name, "--help"])

    assert said.exit_code == 0, said.output
    assert f"Usage: root {name}" in said.output


@pytest.mark.parametrize("name", ["THENAR_OIDC_ISUER", "thenar_oidc_issuer"])
def test_a_misspelt_setting_is_refused_with_the_nearest(name: str) -> None:
    """It would be an unwanted default."""
    said = show(**{name: "https://id.example"})

    assert said.exit_code == 1
    assert f"no setting {name}; did you mean THENAR_OIDC_ISSUER?" in flat(said)


def test_a_file_sets_what_the_environment_leaves_open(tmp_path: Path) -> None:
    """The environment goes first, secrets are not shown, the output is such a file again."""
    file = tmp_path / "thenar.toml"
    file.write_text(
        '[oidc]\nissuer = "https://id.example"\nportal = false\ncode_lifetime_s = 30\n'
        'database_url = "postgresql+psycopg://thenar:secret@db/p"\n'
        '[mobile]\ntrusted_proxies = ["10.0.0.1", "10.0.0.2"]\n'
    )

    said = show("--config", str(file), THENAR_OIDC_CODE_LIFETIME_S="40")

    lines = said.stdout.splitlines()
    assert 'issuer = "https://id.example"  # file' in lines
    assert "portal = false  # file" in lines
    assert "code_lifetime_s = 40  # environment" in lines
    assert "# database_url = …  # file, not shown" in lines
    assert 'trusted_proxies = "10.0.0.1,10.0.0.2"  # file' in lines
    assert "# accept_templates = true  # default" in lines
    assert "secret@" not in said.stdout
    assert tomllib.loads(said.stdout)["oidc"]["issuer"] == "https://id.example"


def test_a_reader_that_has_seen_enough_gets_no_error() -> None:
    """``thenar config show | head`` closes the pipe before all is written."""
    reader, writer = os.pipe()
    os.close(reader)

    said = subprocess.run(  # noqa: S603 - our own interpreter
        [*THENAR, "config", "show"],
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
        env=others(),
    )

    os.close(writer)
    assert said.stderr == b""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[oidc]\nisuer = 'x'", "[oidc] has no setting isuer; did you mean issuer?"),
        ("[odic]\n", "odic is no table of settings: write [oidc], [mobile] or [engine]"),
        ("issuer = 'x'", "issuer is no table of settings"),
        ("[oidc]\nissuer = {}", "[oidc] issuer must be a text, a number, true or false"),
        ("[oidc", "is not TOML"),
        (None, "cannot read"),
    ],
)
def test_a_broken_file_is_one_sentence(tmp_path: Path, text: str | None, message: str) -> None:
    """It names the file and what to write instead."""
    file = tmp_path / "thenar.toml"
    if text is not None:
        file.write_text(text)

    said = show(THENAR_CONFIG=str(file))

    assert said.exit_code == 1
    assert message in flat(said)


def show(*options: str, **environment: str) -> Result:
    """Run ``config show`` here; the environment is as before afterwards."""
    with patch.dict(ENVIRONMENT, clear=True, values=others() | environment):
        return CliRunner().invoke(app, [*options, "config", "show"])


def others() -> dict[str, str]:
    """Return the environment without settings of ours."""
    return {name: value for name, value in ENVIRONMENT.items() if name[:7] != "THENAR_"}


def run(
    *command: str, folder: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command; settings of ours in the environment are not handed on."""
    return subprocess.run(  # noqa: S603 - our own interpreter
        command,
        capture_output=True,
        text=True,
        check=False,
        env=others() | environment,
        cwd=folder,
    )


def flat(said: subprocess.CompletedProcess[str] | Result) -> str:
    """Return what was said of an error, in one line."""
    return " ".join(said.stderr.split())
