"""Providers for the tests: a migrated database with a signing key, made once and copied."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, Page

from oidc.app import migrate
from oidc.client import ConfirmCode
from oidc.opening import open_database
from oidc.settings import OidcSettings
from oidc.storage.database import Database
from oidc.types import utc_now
from tests.support.browser.chromium import open_chromium
from tests.support.clock import FakeClock
from tests.support.servers.app_server import listening
from tests.support.servers.recording import Recorder, recording
from tests.support.service.process import free_port
from tests.support.service.sign_in import MakeSignIn, SignIn

ISSUER = "https://id.example"


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a migrated protocol database and its key file, to be copied."""
    folder = tmp_path_factory.mktemp("migrated")
    # The key was made long ago for every clock a test may start with.
    migrate(_settings(folder), FakeClock())
    return folder


@pytest.fixture
def folder(migrated: Path, tmp_path: Path) -> Path:
    """Give a fresh copy of the migrated database."""
    shutil.copytree(migrated, tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def settings(folder: Path) -> OidcSettings:
    """Give settings of a provider on one https host."""
    return _settings(folder)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run tests that await in asyncio alone."""
    return "asyncio"


def _shares(request: pytest.FixtureRequest) -> bool:
    """Return whether a test takes part in its file's provider."""
    alone = request.node.get_closest_marker("alone") is not None
    return not alone and "folder" not in request.fixturenames


@pytest.fixture
def clock(request: pytest.FixtureRequest) -> FakeClock:
    """Give a clock that stands still, or that of the file's provider, which never goes back."""
    if "sign_in" not in request.fixturenames or not _shares(request):
        return FakeClock()
    found: SignIn = request.getfixturevalue("shared")
    return found.clock


@contextmanager
def providers(
    settings_of: Callable[..., OidcSettings], clock: FakeClock
) -> Iterator[MakeSignIn]:
    """Build providers from changed settings, and close them at the end."""
    with ExitStack() as made:

        def make(**changes: object) -> SignIn:
            sign_in = SignIn(settings_of(**changes), clock)
            made.callback(sign_in.close)
            return sign_in

        yield make


@pytest.fixture
def make_sign_in(folder: Path, clock: FakeClock) -> Iterator[MakeSignIn]:
    """Give a function that builds a provider from changed settings."""
    with providers(partial(_settings, folder), clock) as make:
        yield make


@pytest.fixture
def sign_in(request: pytest.FixtureRequest) -> SignIn:
    """Give the file's provider with a client and a browser of the test's own, or a new one."""
    if not _shares(request):
        make: MakeSignIn = request.getfixturevalue("make_sign_in")
        return make()
    found: SignIn = request.getfixturevalue("shared")
    return found.fresh()


@pytest.fixture(scope="module")
def shared(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SignIn]:
    """Give one provider to a file of many small tests."""
    folder = tmp_path_factory.mktemp("shared") / "data"
    shutil.copytree(migrated, folder)
    with providers(partial(_settings, folder), FakeClock()) as make:
        # A file may register more clients than an address may in an hour.
        yield make(registrations_hourly=10_000)


@pytest.fixture
def make_anywhere(database_url: str, tmp_path: Path, clock: FakeClock) -> Iterator[MakeSignIn]:
    """Give a function that builds a provider on SQLite or PostgreSQL, from changed settings."""

    def settings_of(**changes: object) -> OidcSettings:
        settings = _settings(tmp_path, database_url=database_url, **changes)
        migrate(settings, clock)
        return settings

    with providers(settings_of, clock) as make:
        yield make


@pytest.fixture
def anywhere(make_anywhere: MakeSignIn) -> SignIn:
    """Give a provider on SQLite or PostgreSQL."""
    return make_anywhere()


@pytest.fixture
def logouts() -> Iterator[Recorder]:
    """Give a client's back-channel logout endpoint."""
    with recording("/logout?tenant=1") as endpoint:
        yield endpoint


@pytest.fixture
def database(settings: OidcSettings) -> Iterator[Database]:
    """Give a migrated protocol database."""
    database = open_database(settings)
    yield database
    database.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Give Debian's Chromium."""
    with open_chromium() as browser:
        yield browser


@pytest.fixture
def shop() -> Iterator[str]:
    """Give a relying party's callback on another origin."""
    with recording("/callback") as callback:
        yield callback.address


@pytest.fixture
def served(request: pytest.FixtureRequest, make_sign_in: MakeSignIn) -> Iterator[SignIn]:
    """Give a provider that really listens, with the real time; a parameter changes settings."""
    changes: dict[str, object] = getattr(request, "param", {})
    port = free_port()
    sign_in = make_sign_in(issuer=f"http://127.0.0.1:{port}", **changes)
    sign_in.clock.now = utc_now()
    config = uvicorn.Config(sign_in.app, port=port, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    with listening(server):
        yield sign_in
        server.force_exit = True


@pytest.fixture
def start(served: SignIn, shop: str, chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Give a function that opens the consent page in a fresh browser profile."""
    contexts = []

    def open_page(confirm_code: ConfirmCode = ConfirmCode.NEVER, **options: Any) -> Page:
        client = served.another("Corner Bookshop", shop, confirm_code=confirm_code)
        url = client.authorization_url()
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()


def _settings(folder: Path, **changes: object) -> OidcSettings:
    values: dict[str, object] = {
        "issuer": ISSUER,
        "database_url": f"sqlite:///{folder / 'protocol.sqlite3'}",
        "key_encryption_key_file": folder / "protocol.key",
        "support_email": "help@id.example",
        "session_minutes": 0,  # most tests show a palm at each sign-in
        **changes,
    }
    return OidcSettings(**values)  # type: ignore[arg-type]
