"""The mobile API in this process: fake engine, real provider, real databases, real HTTP."""

import email.utils
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, Self

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import text
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.presentation_attack.session import SessionDetector
from mobile_api.api.description import errors_of, routes
from mobile_api.api.http import Services
from mobile_api.composition import build_mobile
from mobile_api.erasures import ErasureList, erasure_list
from mobile_api.messages import API_PREFIX, PalmMessage
from mobile_api.observability.metrics import Metrics
from mobile_api.provider import Provider
from mobile_api.recognition.load import LoadedExtractor, Pipeline, Recognition
from mobile_api.reference_phone.client import ReferencePhone
from mobile_api.settings import MobileSettings
from mobile_api.storage.alias_keys import ensure_own_key
from mobile_api.storage.database import Database, open_engine, upgrade
from mobile_api.storage.key_file import KeyFile, create_key_file
from oidc.storage.database import Database as ProtocolDatabase
from tests.support.clock import FakeClock
from tests.support.palms.fake_engine import FAKE_DIMENSION, FAKE_EXTRACTOR, FakePipeline
from tests.support.phone.reference import Phone
from tests.support.service.handoff import (
    ALIASES,
    ObservedHandoff,
    place_migrated,
    provider_database,
)

PUBLIC_URL = "https://id.example.test/oauth2"
API = f"{PUBLIC_URL}/mobile/v1"


class FakeThresholds:
    """One palm scores above 0.9 with the fake engine, two score about 0.6."""

    def verification(self, comparisons: int = 1) -> float:
        """Between the two; comparisons must be more than none."""
        assert comparisons > 0
        return 0.75

    def identification(self, comparisons: int) -> float:
        """Between the two, too; comparisons must be more than none."""
        assert comparisons > 0
        return 0.8

    def margin(self) -> float:
        """Less than what tells two palms apart."""
        return 0.005


class Dated:
    """Adds the header Date, as every real server does."""

    def __init__(self, app: ASGIApp, clock: FakeClock) -> None:
        self._app, self._clock = app, clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def dated(message: Message) -> None:
            if message["type"] == "http.response.start":
                date = email.utils.format_datetime(self._clock(), usegmt=True)
                MutableHeaders(scope=message)["Date"] = date
            await send(message)

        await self._app(scope, receive, dated)


def require_described(answer: httpx2.Response) -> None:
    """Require that OpenAPI lists an error, but for our faults, for the route that gave it."""
    path, status = answer.request.url.path.removeprefix("/oauth2"), answer.status_code
    if status < 400 or status in {404, 405, 500} or not path.startswith(API_PREFIX):
        return
    answer.read()
    for route in routes():
        if route.path_regex.match(path) and answer.request.method in (route.methods or ()):
            code = answer.json()["error"]
            assert code in errors_of(route).get(status, ()), (route.name, code)


class MobileWorld(AbstractContextManager["MobileWorld"]):
    """A running mobile API and what is around it.

    Args:
        folder: where its key file is.
        database_url: an empty database; None for SQLite in the folder.
        pipeline: what reads pictures.
        detector: what judges challenges; None: the service asks for none.
        provider: the protocol database; None for SQLite in the folder.
        settings: laid over the usual ones.
    """

    def __init__(
        self,
        folder: Path,
        database_url: str | None = None,
        pipeline: Pipeline | None = None,
        detector: SessionDetector | None = None,
        provider: ProtocolDatabase | None = None,
        **settings: Any,
    ) -> None:
        self.clock = FakeClock()
        self.provider = provider or provider_database(folder)
        self.handoff = ObservedHandoff(self.provider, self.clock)
        self.metrics = Metrics()
        self.interface = Provider(self.handoff, ALIASES, self.metrics)
        usual: dict[str, Any] = {
            "public_url": PUBLIC_URL,
            "database_url": database_url or f"sqlite:///{folder / 'biometric.sqlite3'}",
            "key_file": folder / "biometric.key",
        }
        self.settings = MobileSettings(**(usual | settings))
        self.pipeline = FakePipeline()
        self.recognition = Recognition(
            pipeline or self.pipeline,
            [LoadedExtractor(FAKE_EXTRACTOR, FAKE_DIMENSION, FakeThresholds())],
            detector,
        )
        if database_url is None:
            place_migrated(folder / "biometric.sqlite3", upgrade)
        engine = open_engine(self.settings.database_url)
        if database_url is not None:
            upgrade(engine)
        create_key_file(self.settings.key_file)
        self.database = Database(engine)
        with self.database.write() as transaction:
            ensure_own_key(transaction, KeyFile(self.settings.key_file).current)
        self._running = ExitStack()
        self._process_count = 0
        self.applications: list[FastAPI] = []

    def start(self) -> TestClient:
        """Start another process of the service, so to speak: its own gallery."""
        client = TestClient(self.application(), base_url="https://id.example.test")
        client.event_hooks = {"response": [require_described]}
        return self._running.enter_context(client)

    def application(self) -> ASGIApp:
        """Build the service, for a test to serve."""
        self._process_count += 1
        folder = self.settings.gallery_folder / f"process-{self._process_count}"
        settings = self.settings.model_copy(update={"gallery_dir": folder})
        app = build_mobile(settings, self.recognition, self.interface, self.metrics, self.clock)
        self.services: Services = app.state.services
        self.applications.append(app)
        return Dated(app, self.clock)

    def __enter__(self) -> Self:
        """Start the first process."""
        self.client = self.start()
        return self

    def __exit__(self, *_raised: object) -> None:
        """Stop all processes, and let go of the database."""
        self.stop()
        self.database.close()
        self.provider.close()

    def stop(self) -> None:
        """Stop all processes; the database stays."""
        self._running.close()

    def phone(self, client: TestClient | None = None) -> Phone:
        """Return a registered phone without an account."""
        return Phone.registered(f"{self.settings.public_url}/mobile/v1", client or self.client)

    def enrolled(self, pictures: Sequence[bytes]) -> Phone:
        """Return a phone with which these pictures were enrolled."""
        phone = self.phone()
        phone.enrol(pictures)
        return phone

    def show_palm(self, phone: ReferencePhone, palm: bytes) -> str:
        """Answer a new login with a picture; return the login's name."""
        login = phone.claim(self.handoff.open()).login_id
        phone.answer_picture(login, palm)
        return login

    def answer_palm(self, phone: ReferencePhone, palm: bytes) -> PalmMessage:
        """Answer a new login with a picture; return what the service says."""
        return phone.answer_picture(phone.claim(self.handoff.open()).login_id, palm)

    def bind_new_phones(self, owned: ReferencePhone) -> None:
        """Give every phone without an account the account of another phone."""
        statement = (
            "UPDATE devices SET (account, bound_at, trusted_at) = (SELECT account, bound_at,"
            " trusted_at FROM devices WHERE device_id = :owned) WHERE account IS NULL"
        )
        engine = open_engine(self.settings.database_url)
        with engine.begin() as connection:
            connection.execute(text(statement), {"owned": owned.key.thumbprint()})
        engine.dispose()

    def erasures(self) -> ErasureList:
        """Return the list of erasures as another process reads it."""
        return erasure_list(self.settings, KeyFile(self.settings.key_file))

    def rows(self, table: str) -> int:
        """Count the rows of a table."""
        return int(self.row(f"SELECT count(*) FROM {table}")[0])  # noqa: S608

    def row(self, statement: str) -> tuple[Any, ...]:
        """Return the first row of a query on the database."""
        engine = open_engine(self.settings.database_url)
        with engine.connect() as connection:
            found = connection.exec_driver_sql(statement).one()
        engine.dispose()
        return tuple(found)
