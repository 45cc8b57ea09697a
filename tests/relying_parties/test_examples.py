"""The examples of ``oidc/examples``, run as an app developer would."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests import node_packages
from tests.relying_parties.stage import Act, Stage, approve, decline
from tests.support.servers.program import listening_program
from tests.support.service.headless_browser import Browser, Callback
from tests.support.service.process import free_port

pytestmark = [pytest.mark.libraries, pytest.mark.journey, pytest.mark.hands]

EXAMPLES = Path(__file__).parents[2] / "oidc" / "examples"

LINES = 40
"""An example has no more lines of code."""


@dataclass
class Example:
    """A running example.

    Attributes:
        http: a browser's connection to it, with cookies.
        url: where it is.
    """

    http: httpx2.Client
    url: str


@pytest.fixture(scope="module", params=["app.py", "app_django.py", "app.mjs"])
def example(
    request: pytest.FixtureRequest, stage: Stage, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Example]:
    """Register an app, copy an example out of the tree, and start it."""
    folder, port = tmp_path_factory.mktemp("example"), free_port()
    url = f"http://127.0.0.1:{port}"
    shutil.copy(EXAMPLES / request.param, folder)
    if request.param == "app.py":
        command = [sys.executable, "-m", "uvicorn", "app:app", "--port", str(port)]
    elif request.param == "app_django.py":
        command = [sys.executable, request.param, "runserver", str(port), "--noreload"]
    else:
        missing = node_packages.what_is_missing(Path(__file__).parent)
        if missing:
            pytest.skip(missing)
        (folder / "node_modules").symlink_to(Path(__file__).parent / "node_modules")
        command = [node_packages.NODE, "app.mjs"]
    client = stage.world.service.add_client("Example", f"{url}/callback")
    environment = {
        "ISSUER": stage.world.service.issuer,
        "CLIENT_ID": client.client_id,
        "CLIENT_SECRET": client.client_secret,
        "APP": url,
        "PATH": "/usr/bin:/bin",
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
    assert answer.text == "The sign-in failed: access_denied"


def test_an_unrequested_answer_is_refused(example: Example) -> None:
    """Cross-site request forgery: RFC 6749 §10.12."""
    forged = example.http.get(f"{example.url}/callback?code=stolen&state=guessed")

    assert forged.status_code == 403


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.*")), ids=lambda file: file.name)
def test_an_example_is_short(file: Path) -> None:
    """A page shows it, and people copy it."""
    code = [line for line in file.read_text("utf-8").splitlines() if line.strip()]

    assert len(code) <= LINES
