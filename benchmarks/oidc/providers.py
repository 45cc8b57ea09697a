"""Run the providers under load: ours on either database, and node-oidc-provider.

Ours is one process, free to use all cores or bound to one.

Each issues authorization codes before the measurement: the peer by an endpoint for the
benchmark, ours by inserting the rows that its consent page would.
"""

import hashlib
import json
import os
import secrets
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Final

import httpx2
from sqlalchemy import create_engine, text

from benchmarks.oidc.requests import CODE_CHALLENGE, REDIRECT_URI, Endpoints
from tests.support.databases.cluster import cluster, server_programs
from tests.support.service.process import Service, ServiceFault, free_port

IssueCodes = Callable[[int], list[str]]
"""Issues that many new authorization codes."""

NODE: Final = Path(__file__).parent / "node"

_CLIENT: Final = "bench"
_START_S: Final = 30

_GRANT: Final = text(
    "INSERT INTO grants (grant_id, client_id, subject, scope, nonce, auth_time, level,"
    " expires_at, session_id, sid) VALUES (:grant_id, :client_id, :subject, :scope, :nonce,"
    " :now, :level, :later, :session_id, :sid)"
)
_CODE: Final = text(
    "INSERT INTO codes (digest, grant_id, client_id, redirect_uri, code_challenge, expires_at)"
    " VALUES (:digest, :grant_id, :client_id, :redirect_uri, :challenge, :later)"
)


@dataclass(frozen=True, slots=True)
class Provider:
    """A running provider.

    Attributes:
        database_pid: of its database's first process; None if it has no database process.
    """

    name: str
    endpoints: Endpoints
    issue_codes: IssueCodes
    pid: int
    database_pid: int | None = None


@contextmanager
def providers(names: Sequence[str]) -> Iterator[list[Provider]]:
    """Run the named providers."""
    with ExitStack() as stack:
        yield [stack.enter_context(PROVIDERS[name]()) for name in names]


def missing(name: str) -> str:
    """Return why a provider cannot run here; empty if it can."""
    if name.startswith("postgresql") and server_programs() is None:
        return "PostgreSQL is not installed"
    if name == "node-oidc-provider" and not (
        which("node") and (NODE / "node_modules").is_dir()
    ):
        return "node-oidc-provider is not installed: npm ci in benchmarks/oidc/node"
    return ""


@contextmanager
def _on_sqlite(name: str) -> Iterator[Provider]:
    with TemporaryDirectory(prefix="thenar-oidc-") as folder:
        database_url = f"sqlite:///{Path(folder) / 'protocol.sqlite3'}"
        with _ours(name, Path(folder), database_url, None) as provider:
            yield provider


@contextmanager
def _on_postgresql(name: str) -> Iterator[Provider]:
    with (
        TemporaryDirectory(prefix="thenar-oidc-") as folder,
        cluster() as database,
        _ours(name, Path(folder), database.sqlalchemy_url, database.pid) as provider,
    ):
        yield provider


@contextmanager
def _ours(
    name: str, folder: Path, database_url: str, database_pid: int | None
) -> Iterator[Provider]:
    settings = {
        "THENAR_OIDC_DATABASE_URL": database_url,
        # Requests are counted as usual, but one client sends them all.
        "THENAR_OIDC_CLIENT_REQUESTS_PER_MINUTE": "100000000",
    }
    service = Service(folder, settings=settings)
    service.run("migrate")
    client = service.add_client("Bench", REDIRECT_URI)
    endpoints = Endpoints(
        service.port, "/token", "/userinfo", client.client_id, client.client_secret
    )
    with (
        service.running("--only", "oidc") as process,
        _code_issuer(database_url, client.client_id) as issue_codes,
    ):
        if name.endswith("one-core"):
            core = min(os.sched_getaffinity(0))
            for task in Path(f"/proc/{process.pid}/task").iterdir():
                os.sched_setaffinity(int(task.name), {core})
        yield Provider(name, endpoints, issue_codes, process.pid, database_pid)


@contextmanager
def _code_issuer(database_url: str, client_id: str) -> Iterator[IssueCodes]:
    engine = create_engine(database_url)

    def issue_codes(count: int) -> list[str]:
        codes = [secrets.token_urlsafe(32) for _ in range(count)]
        rows = [_row(code, client_id) for code in codes]
        with engine.begin() as connection:
            connection.execute(_GRANT, rows)
            connection.execute(_CODE, rows)
        return codes

    try:
        yield issue_codes
    finally:
        engine.dispose()


def _row(code: str, client_id: str) -> dict[str, object]:
    """Return the columns of a code and its grant. Times are microseconds since 1970."""
    now = time.time_ns() // 1_000
    return {
        "grant_id": secrets.token_hex(16),
        "client_id": client_id,
        "subject": secrets.token_urlsafe(32),
        "scope": json.dumps(["openid", "offline_access"]),
        "nonce": json.dumps("n-0S6_WzA2Mj"),
        "now": now,
        "level": "palm-and-phone",
        "later": now + 86_400_000_000,
        "session_id": secrets.token_hex(16),
        "sid": secrets.token_hex(16),
        "digest": hashlib.sha256(code.encode("ascii")).digest(),
        "redirect_uri": REDIRECT_URI,
        "challenge": CODE_CHALLENGE,
    }


@contextmanager
def _node() -> Iterator[Provider]:
    endpoints = Endpoints(free_port(), "/token", "/me", _CLIENT, secrets.token_urlsafe(32))
    command = [which("node") or "node", str(NODE / "server.mjs")]
    said = (str(endpoints.port), _CLIENT, endpoints.client_secret, REDIRECT_URI, CODE_CHALLENGE)
    issuing = f"http://127.0.0.1:{endpoints.port}/bench/codes"

    def issue_codes(count: int) -> list[str]:
        answer = httpx2.post(issuing, params={"count": count}, timeout=60)
        codes: list[str] = answer.raise_for_status().json()
        return codes

    with subprocess.Popen(  # noqa: S603 - our own program
        [*command, *said],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            _wait(issue_codes)
            yield Provider("node-oidc-provider", endpoints, issue_codes, process.pid)
        finally:
            process.terminate()


def _wait(issue_codes: IssueCodes) -> None:
    end = time.perf_counter() + _START_S
    while time.perf_counter() < end:
        try:
            issue_codes(1)
        except httpx2.TransportError:
            time.sleep(0.1)
        else:
            return
    raise ServiceFault("node-oidc-provider did not start")


PROVIDERS: Final[dict[str, Callable[[], AbstractContextManager[Provider]]]] = {
    "sqlite": partial(_on_sqlite, "sqlite"),
    "sqlite-one-core": partial(_on_sqlite, "sqlite-one-core"),
    "postgresql": partial(_on_postgresql, "postgresql"),
    "postgresql-one-core": partial(_on_postgresql, "postgresql-one-core"),
    "node-oidc-provider": _node,
}
