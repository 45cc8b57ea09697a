"""Both services are put together, made ready, looked at and refused when they cannot start."""

import dataclasses
import subprocess
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from typer.testing import CliRunner, Result

from engine.types import ExtractorId
from mobile_api import app as composition
from mobile_api.__main__ import app
from mobile_api.app import Dispatch
from mobile_api.errors import DecryptionFailed, KeyFileFault, UnknownExtractor
from mobile_api.server.configuration import Settings, load_both
from mobile_api.storage import database as migrations
from mobile_api.storage.alias_keys import open_aliases
from mobile_api.storage.database import Database, open_engine
from mobile_api.storage.key_file import create_key_file
from oidc import app as provider
from oidc.types import AccountId
from tests.support.galleries.people import CONSENT, enrol
from tests.support.palms.fake_engine import picture
from tests.support.service.mobile_api import MobileWorld
from tests.support.service.process import free_port


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give another working directory and no settings of ours."""
    monkeypatch.chdir(tmp_path)
    for name in ("ISSUER", "AUTH_URL", "BASE_URL", "PHONE_URL", "DATABASE_URL"):
        monkeypatch.delenv(f"THENAR_OIDC_{name}", raising=False)
    monkeypatch.delenv("THENAR_MOBILE_PUBLIC_URL", raising=False)
    return tmp_path


def thenar(*arguments: str) -> Result:
    """Run a command."""
    return CliRunner().invoke(app, list(arguments))


def _said(name: str, running: list[str]) -> FastAPI:
    """Return an application that answers with its name and notes its lifespan."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        running.append(name)
        yield
        running.remove(name)

    app = FastAPI(lifespan=lifespan)

    @app.get("/{path:path}")
    def say(path: str) -> str:
        return name

    return app


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/oauth2/m", "mobile"),
        ("/oauth2/m/m.js", "mobile"),
        ("/oauth2/mobile/v1/nonce", "mobile"),
        ("/oauth2/mobile/v1", "mobile"),
        ("/oauth2/mobile/v10", "provider"),
        ("/oauth2/me", "provider"),
        ("/m", "provider"),
        ("/oauth2/oauth/authorize", "provider"),
        ("/", "provider"),
        ("/.well-known/assetlinks.json", "mobile"),
        ("/.well-known/apple-app-site-association", "mobile"),
        ("/.well-known/openid-configuration", "provider"),
    ],
)
def test_each_address_goes_to_its_service(path: str, expected: str) -> None:
    """One port, two applications that know nothing of each other."""
    running: list[str] = []
    joined = Dispatch(_said("mobile", running), _said("provider", running), "/oauth2")
    with TestClient(joined) as client:
        answer = client.get(path).json()
        both = sorted(running)

    assert answer == expected
    assert both == ["mobile", "provider"]
    assert running == []


def test_migrating_makes_databases_and_keys_once(place: Path) -> None:
    """A second run changes nothing, least of all the key."""
    first = thenar("migrate")
    key = (place / "data" / "biometric.key").read_bytes()
    second = thenar("migrate")

    assert (first.exit_code, second.exit_code) == (0, 0)
    assert "back it up" in first.output
    assert "back it up" not in second.output
    assert (place / "data" / "biometric.key").read_bytes() == key
    assert oct((place / "data" / "biometric.sqlite3").stat().st_mode)[-3:] == "600"


def _enrol_under_another_key(settings: Settings) -> None:
    database = Database(open_engine(settings.mobile.database_url))
    enrol(database, 1)
    database.close()


def test_a_lost_key_is_never_replaced(place: Path) -> None:
    """A new key would hide that no palm can be recognised any more."""
    settings = load_both()
    list(composition.migrate(settings))
    settings.mobile.key_file.unlink()

    with pytest.raises(KeyFileFault, match="restore"):
        list(composition.migrate(settings))
    assert not settings.mobile.key_file.exists()


def test_a_wrong_key_file_encrypts_no_key_of_the_aliases(place: Path) -> None:
    """With the right one back, no process could decrypt it, and each account would be lost."""
    settings = load_both()
    list(composition.migrate(settings, "oidc"))
    engine = open_engine(settings.mobile.database_url)
    migrations.upgrade(engine)
    create_key_file(settings.mobile.key_file)
    _enrol_under_another_key(settings)

    with pytest.raises(DecryptionFailed):
        list(composition.migrate(settings))
    with Database(engine).read() as transaction:
        assert transaction.alias_key.ciphertext() is None
    engine.dispose()


@pytest.fixture
def migrated(place: Path) -> Iterator[Path]:
    """Give a place where everything is ready."""
    assert thenar("migrate").exit_code == 0
    yield place


@pytest.mark.parametrize("only", [[], ["--only", "oidc"], ["--only", "mobile"]])
def test_an_unmigrated_database_is_not_served(place: Path, only: list[str]) -> None:
    """It says which command is missing, in one sentence."""
    result = thenar("serve", "--port", str(free_port()), *only)

    assert result.exit_code == 1
    assert "thenar migrate" in result.output.replace("\n", " ")
    assert "Traceback" not in result.output


def test_each_service_needs_its_own_keys_only(migrated: Path) -> None:
    """The mobile API must not be able to sign tokens, nor the provider to decrypt a palm."""
    settings, data = load_both(), migrated / "data"
    signing = (data / "protocol.key").rename(data / "moved")
    provider.require_aliases(settings.oidc, open_aliases(settings.mobile))
    provider.open_handoff(settings.oidc).close()
    signing.rename(data / "protocol.key")
    (data / "biometric.key").unlink()
    (data / "biometric.aliases").unlink()

    provider.build_app(settings.oidc).state.database.close()


@pytest.mark.parametrize("kind", ["", "_COMMAND"])
def test_keys_may_be_in_no_file_of_ours(
    migrated: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """From a secret of the environment, or printed by the client of a vault."""
    keys = "OIDC_KEY_ENCRYPTION_KEY", "MOBILE_KEY", "MOBILE_ALIAS_KEY"
    files = "protocol.key", "biometric.key", "biometric.aliases"
    for name, setting in zip(files, keys, strict=True):
        kept = (migrated / "data" / name).rename(migrated / name)
        value = f"cat {kept}" if kind else kept.read_text()
        monkeypatch.setenv(f"THENAR_{setting}{kind}", value)
    again, settings = thenar("migrate"), load_both()

    assert (again.exit_code, "back it up" in again.output) == (0, False)
    assert not [each for each in files if (migrated / "data" / each).exists()]
    provider.require_aliases(settings.oidc, open_aliases(settings.mobile))
    provider.build_app(settings.oidc).state.database.close()
    monkeypatch.setenv("THENAR_MOBILE_ALIAS_KEY", b64encode(bytes(32)).decode())
    assert "ALIAS_KEY is not the key of the provider's" in thenar("migrate").output


def test_a_lost_biometric_database_is_replaced_on_demand_alone(migrated: Path) -> None:
    """Everybody in the provider's would be a new person to each app, without a word."""
    for file in (migrated / "data").glob("biometric.sqlite3*"):
        file.unlink()
    refused = thenar("migrate")
    made = list((migrated / "data").glob("biometric.sqlite3*"))
    asked = thenar("migrate", "--new-biometric-database")
    again = thenar("migrate")

    assert [each.exit_code for each in (refused, asked, again)] == [1, 0, 0]
    assert "leads to no biometric database" in refused.output
    assert made == []


def test_a_biometric_database_with_people_is_no_new_one(migrated: Path) -> None:
    """An operator who asks for it by mistake loses no account."""
    database = Database(open_engine(load_both().mobile.database_url))
    with database.write() as transaction:
        transaction.references.create_account(AccountId(uuid4()), CONSENT)
    database.close()
    refused = thenar("migrate", "--new-biometric-database")

    assert refused.exit_code == 1
    assert "it has accounts" in refused.output


def test_plain_http_is_not_served_beyond_loopback(migrated: Path) -> None:
    """Palms and codes would travel in the open."""
    result = thenar("serve", "--host", "0.0.0.0")  # noqa: S104 -- must be refused

    assert result.exit_code == 1
    assert "loopback" in result.output


def test_the_doctor_is_content_with_what_migrating_made(migrated: Path) -> None:
    """What it examines is what serving needs."""
    result = thenar("doctor")

    assert result.exit_code == 0, result.output
    assert "✗" not in result.output


def test_the_provider_alone_has_nothing_of_the_engine_in_its_process() -> None:
    """No network, no gallery, no picture library: what is not loaded cannot see a palm."""
    program = (
        "import sys, mobile_api.cli.serve_work;"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    command = [sys.executable, "-c", program]
    printed = subprocess.run(  # noqa: S603 - our own interpreter, our own arguments
        command, check=True, capture_output=True, text=True
    ).stdout

    assert "oidc" in printed.split()
    assert not {"numpy", "cv2", "onnxruntime", "faiss", "numba"} & set(printed.split())


def enrol_person(folder: Path) -> None:
    """Enrol a person with the fake extractor."""
    with MobileWorld(folder) as world:
        world.enrolled([picture(1, shot=shot) for shot in (0, 1)])


def started_with_another_extractor(folder: Path, **settings: Any) -> None:
    """Start a service whose extractor is another one."""
    world = MobileWorld(folder, **settings)
    other = dataclasses.replace(world.recognition.current, extractor=ExtractorId("fake-2"))
    world.recognition = dataclasses.replace(world.recognition, extractors=[other])
    with world:
        pass


def test_people_of_another_extractor_are_not_silently_forgotten(tmp_path: Path) -> None:
    """Their palms would match no account any more; the operator reads what to do."""
    enrol_person(tmp_path)

    with pytest.raises(
        UnknownExtractor, match=r"2 references of 1 people.*ABANDONED"
    ) as reported:
        started_with_another_extractor(tmp_path)
    assert "fake-1" in str(reported.value)


def test_an_extractor_may_be_given_up_by_name(tmp_path: Path) -> None:
    """A decision of the operator, not an accident."""
    enrol_person(tmp_path)
    started_with_another_extractor(tmp_path, abandoned_extractors="older-1, fake-1")
