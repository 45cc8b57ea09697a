"""The examples of ``oidc/examples``, run as an app developer would."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from urllib.parse import urlsplit

import httpx2
import pytest

from tests import node_packages
from tests.relying_parties.stage import Act, Stage, approve, decline
from tests.support.servers.program import listening_program
from tests.support.service.headless_browser import Browser, Callback
from tests.support.service.process import free_port

pytestmark = [pytest.mark.libraries]

EXAMPLES = Path(__file__).parents[2] / "oidc" / "examples"

PATH = f"{Path(sys.executable).parent}:{Path(node_packages.NODE).parent}:/usr/bin:/bin"


@dataclass
class Example:
    """A running example.

    Attributes:
        http: a browser's connection to it, with cookies.
        url: where it is.
    """

    http: httpx2.Client
    url: str


COMMANDS = re.compile(r"(?:pip|npm|go) .*; .*")
"""How a reader installs and starts an example; its head has them."""

INSTALLED = ("pip", "npm")
"""Their packages are in our lock files."""


PLAYED = ("app.py", "app_django.py", "app.mjs", "app.go")


def _commands(name: str) -> list[str]:
    found = COMMANDS.search((EXAMPLES / name).read_text("utf-8"))
    assert found is not None
    return found.group().split("; ")


def _installed(name: str, folder: Path) -> str:
    """Follow an example's commands but for the last one, and return that."""
    *installs, start = _commands(name)
    for command in (*installs, start):
        tool = shlex.split(command)[0]
        if tool not in INSTALLED and not which(tool, path=PATH):
            pytest.skip(f"left out: {tool} is not on this machine")
        if command == start or tool in INSTALLED:
            continue
        done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, check=False)  # noqa: S602
        if done.returncode:
            pytest.skip(f"left out: no network for `{command[:60]}`")
    if name.endswith(".mjs"):
        missing = node_packages.what_is_missing(Path(__file__).parent)
        if missing:
            pytest.skip(missing)
        (folder / "node_modules").symlink_to(Path(__file__).parent / "node_modules")
    return start


@pytest.fixture(scope="module", params=PLAYED)
def example(
    request: pytest.FixtureRequest, stage: Stage, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Example]:
    """Register an app, copy an example out of the tree, and start it, as the guide says."""
    folder, port = tmp_path_factory.mktemp("example"), free_port()
    url = f"http://127.0.0.1:{port}"
    text = (EXAMPLES / request.param).read_text("utf-8").replace("3000", str(port))
    (folder / request.param).write_text(text, "utf-8")
    command = shlex.split(_installed(request.param, folder).replace("3000", str(port)))
    if "runserver" in command:
        command.append("--noreload")  # one process
    client = stage.world.service.add_client("Example", f"{url}/callback")
    environment = {
        "ISSUER": stage.world.service.issuer,
        "CLIENT_ID": client.client_id,
        "CLIENT_SECRET": client.client_secret,
        "APP": url,
        "PATH": PATH,
        "AUTHLIB_INSECURE_TRANSPORT": "1",
    }
    with (
        listening_program(command, port, folder / "log", cwd=folder, env=environment),
        httpx2.Client(timeout=30) as http,
    ):
        yield Example(http, url)


def _walk(example: Example, stage: Stage, act: Act) -> httpx2.Response:
    """Follow the example's link to the palm and back; return its answer."""
    begun = example.http.get(f"{example.url}/login")
    with Browser(f"{example.url}/callback") as browser:
        page = browser.open_page(begun.headers["location"])
        act(stage.world.person(0), page)
        there = browser.finish(page)
    assert isinstance(there, Callback)
    return example.http.get(f"{example.url}/callback?{urlsplit(there.url).query}")


def test_a_person_signs_in_and_is_the_same_next_time(example: Example, stage: Stage) -> None:
    """By a pseudonym that is this app's own."""
    first, second = (_walk(example, stage, approve).text for _ in range(2))

    assert first == second
    assert first.startswith("Hello, ")
    assert len(first) > len("Hello, ") + 20


def test_a_person_who_declines_is_not_signed_in(example: Example, stage: Stage) -> None:
    """The app says why."""
    answer = _walk(example, stage, decline)

    assert answer.status_code == 403
    assert answer.text.strip() == "The sign-in failed: access_denied"


def test_an_unrequested_answer_is_refused(example: Example) -> None:
    """Cross-site request forgery: RFC 6749 §10.12."""
    forged = example.http.get(f"{example.url}/callback?code=stolen&state=guessed")

    assert forged.status_code == 403
