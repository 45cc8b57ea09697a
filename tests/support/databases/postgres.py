"""A PostgreSQL cluster of the tests' own: real, on loopback, gone afterwards.

It is made from the programs of the Debian package, in a temporary folder, on a free port, with
a random password. PostgreSQL refuses to run as root, so root hands it to the package's user.
"""

from __future__ import annotations

import getpass
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg

from benchmarks.harness.service import free_port

UNPRIVILEGED = "postgres"


def server_programs() -> Path | None:
    """Return the folder of the newest PostgreSQL server's programs, None if there is none."""
    folders = sorted(
        (path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")),
        key=lambda folder: int(folder.parent.name),
    )
    return folders[-1] if folders else None


def _as_unprivileged(command: list[str]) -> list[str]:
    if getpass.getuser() == "root":
        return ["runuser", "-u", UNPRIVILEGED, "--", *command]
    return command


def _run(command: list[str], cwd: Path) -> None:
    subprocess.run(_as_unprivileged(command), check=True, capture_output=True, cwd=cwd)  # noqa: S603


@contextmanager
def postgres_cluster(folder: Path, programs: Path) -> Iterator[str]:
    """Run a cluster in ``folder``; yield a libpq URL of its maintenance database."""
    data, password_file, log = folder / "data", folder / "password", folder / "log"
    password, port = secrets.token_urlsafe(16), free_port()
    password_file.write_text(password)
    if getpass.getuser() == "root":
        for path in (folder, password_file):
            shutil.chown(path, UNPRIVILEGED)
    _run(
        [
            str(programs / "initdb"), "--pgdata", str(data), "--username", "thenar",
            "--pwfile", str(password_file), "--auth", "scram-sha-256", "--encoding", "UTF8",
            "--no-sync",
        ],
        cwd=folder,
    )  # fmt: skip
    options = f"-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -p {port} -F"
    control = [str(programs / "pg_ctl"), "--pgdata", str(data), "--log", str(log), "--wait"]
    _run([*control, "--options", options, "start"], cwd=folder)
    try:
        yield f"postgresql://thenar:{password}@127.0.0.1:{port}/postgres"
    finally:
        _run([*control, "--mode", "immediate", "stop"], cwd=folder)


@contextmanager
def empty_database(cluster_url: str) -> Iterator[str]:
    """Yield the SQLAlchemy URL of a new, empty database, dropped afterwards."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(cluster_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    base = cluster_url.removesuffix("/postgres").replace(
        "postgresql://", "postgresql+psycopg://"
    )
    try:
        yield f"{base}/{name}"
    finally:
        with psycopg.connect(cluster_url, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
