"""Run the provider under load, on either database, free to use all cores or bound to one.

Authorization codes are issued before the measurement, as the rows that the consent page would
insert.
"""

import hashlib
import json
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sqlalchemy import create_engine, text

from benchmarks.oidc.requests import CODE_CHALLENGE, REDIRECT_URI, Endpoints
from tests.support.databases.cluster import cluster, server_programs
from tests.support.service.process import Service

IssueCodes = Callable[[int], list[str]]
"""Issues that many new authorization codes."""

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


def missing(name: str) -> str:
    """Return why a provider cannot run here; empty if it can."""
    lacks = name.startswith("postgresql") and server_programs() is None
    return "PostgreSQL is not installed" if lacks else ""


@contextmanager
def provider(name: str) -> Iterator[Provider]:
    """Run a provider: a database's name, with ``-one-core`` bound to one core."""
    with TemporaryDirectory(prefix="thenar-oidc-") as folder, ExitStack() as stack:
        url, pid = f"sqlite:///{Path(folder) / 'protocol.sqlite3'}", None
        if name.startswith("postgresql"):
            database = stack.enter_context(cluster())
            url, pid = database.sqlalchemy_url, database.pid
        yield stack.enter_context(_ours(name, Path(folder), url, pid))


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
