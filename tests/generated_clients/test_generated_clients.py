"""Clients generated from the OpenAPI description: they compile, and one enrols and signs in."""

import importlib
import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import openapi_generator_cli
import pytest
import uvicorn
from joserfc.jwk import ECKey

from mobile_api.api.description import ROUTERS, description_of
from mobile_api.devices import body_hash
from mobile_api.messages import NONCE_HEADER, PROOF_HEADER
from tests import node_packages
from tests.support.palms.fake_engine import FAKE_EXTRACTOR, picture, shots
from tests.support.servers.app_server import listening
from tests.support.service.dpop_client import Holder
from tests.support.service.mobile_api import MobileWorld

HERE: Final = Path(__file__).parent
JAR: Final = Path(openapi_generator_cli.__file__).with_name("openapi-generator.jar")
MAYA: Final = 1

GENERATED: Final = "package javax.annotation; public @interface Generated { %s }"
"""Of Jakarta, which the generator lacks of all that a Java client needs."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with the description and a client in each language."""
    folder = tmp_path_factory.mktemp("clients")
    description = description_of(ROUTERS, "https://id.example.test/mobile/v1")
    (folder / "openapi.json").write_text(json.dumps(description))
    for language, options in {
        "java": ["--library=native", "--additional-properties=openApiNullable=false"],
        "python": ["--additional-properties=packageName=thenar_client"],
        "typescript-fetch": [],
    }.items():
        asked = ["generate", "-i", str(folder / "openapi.json"), "-g", language, *options]
        ended = openapi_generator_cli.run([*asked, "-o", str(folder / language)])
        assert ended.returncode == 0
    return folder


def compiled(*command: str | Path) -> None:
    """Run a compiler, which says nothing."""
    ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_java_client_compiles(folder: Path) -> None:
    """And so those of Kotlin and Android, whose generator is the same."""
    javac, sources = shutil.which("javac"), folder / "java/src/main/java"
    if javac is None:
        pytest.skip("no Java compiler is installed")
    stub = folder / "Generated.java"
    stub.write_text(GENERATED % "String value(); String comments(); String date();")

    compiled(
        *(javac, "-nowarn", "-proc:none", "-cp", JAR, "-d", folder / "classes", stub),
        *sources.rglob("*.java"),
    )


def test_the_typescript_client_compiles(folder: Path) -> None:
    """Strictly, as an app's own code."""
    if missing := node_packages.what_is_missing(HERE):
        pytest.skip(missing)
    options = ["--strict", "--target", "es2022", "--lib", "es2022,dom"]
    bundled = ["--module", "es2022", "--moduleResolution", "bundler", "--noEmit"]

    compiled(
        HERE / "node_modules/.bin/tsc", *options, *bundled, folder / "typescript-fetch/index.ts"
    )


@pytest.fixture
def client(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Give the generated Python client."""
    monkeypatch.syspath_prepend(str(folder / "python"))
    return importlib.import_module("thenar_client")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[MobileWorld]:
    """Give a service that listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with MobileWorld(tmp_path, public_url=url) as world:
            config = uvicorn.Config(world.application(), log_level="warning", date_header=False)
            with listening(uvicorn.Server(config), listener):
                yield world


def signed(client: ModuleType, world: MobileWorld) -> Any:
    """Return an API client that signs each request: all that an app adds by hand."""
    address = f"{world.settings.public_url}/mobile/v1"
    made = client.ApiClient(client.Configuration(host=address))
    holder, send = Holder(world.clock, ECKey.generate_key("P-256")), made.rest_client
    nonces = [""]

    def request(method: str, url: str, headers: dict[str, str], body: Any, **more: Any) -> Any:
        octets = json.dumps(body).encode() if isinstance(body, dict) else body or b""
        place, digest = url.partition("?")[0], body_hash(octets)
        headers[PROOF_HEADER] = holder.proof(method, place, nonce=nonces[-1], bh=digest)
        answer = type(send).request(send, method, url, headers=headers, body=body, **more)
        nonces.append(answer.headers[NONCE_HEADER])
        return answer

    send.request = request
    return made


def test_the_python_client_enrols_signs_in_and_understands_an_error(
    client: ModuleType, served: MobileWorld
) -> None:
    """With the methods as they are named, and nothing of ours but the proof."""
    http = signed(client, served)
    enrolment, login, account = (
        kind(http) for kind in (client.EnrolmentApi, client.LoginApi, client.AccountApi)
    )
    client.ProofApi(http).get_nonce()
    client.DevicesApi(http).register_device(client.RegisterDevice(name="A phone"))
    text = enrolment.get_consent()
    opened = enrolment.open_enrolment(
        client.OpenEnrolment(consent_version=text.version, consent_sha256=text.sha256)
    )
    for shot in shots(MAYA):
        assert enrolment.add_picture(opened.enrolment_id, shot).counted is not None
    enrolled = enrolment.finish_enrolment(opened.enrolment_id)
    claimed = login.open_login(client.OpenLogin(ticket=served.handoff.open()))
    shown = login.answer_with_picture(claimed.login_id, picture(MAYA, shot=9))
    approved = login.approve_login(claimed.login_id)
    proof = account.prove_by_picture(picture(MAYA, shot=9)).palm_proof
    phones = account.show_account(client.ProvedByPalm(palm_proof=proof)).phones
    with pytest.raises(client.ApiException) as refused:
        login.open_login(client.OpenLogin(ticket="x"))
    account.delete_account(client.ProvedByPalm(palm_proof=proof))

    assert (opened.extractors, claimed.extractors) == ([], [FAKE_EXTRACTOR])
    assert (enrolled.enrolled.right, shown.hint, approved.hint) == (2, "wait_approve", "go")
    assert [each.trust for each in phones] == ["trusted"]
    assert refused.value.data.error == "login_gone"
    assert served.rows("accounts") == 0
