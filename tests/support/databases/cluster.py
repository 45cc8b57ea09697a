"""A temporary PostgreSQL cluster on loopback; ``thenar bench oidc`` uses it, too.

PostgreSQL refuses to run as root: root runs it as its own user.
"""

import getpass
import secrets
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.service.process import ServiceFault, free_port

UNPRIVILEGED: Final = "postgres"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A running cluster with an empty database.

    Attributes:
        url: of its maintenance database, with the password.
        pid: of its first process.
        restart: in a mode of pg_ctl: ``smart``, ``fast`` or, as by a crash, ``immediate``.
    """

    url: str = field(repr=False)
    pid: int
    restart: Callable[[str], None]

    @property
    def sqlalchemy_url(self) -> str:
        """The same for SQLAlchemy."""
        return self.url.replace("postgresql://", "postgresql+psycopg://")


def server_programs() -> Path | None:
    """Return the folder of the newest server's programs, or None."""
    found = sorted(
        (path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")),
        key=lambda folder: int(folder.parent.name),
    )
    return found[-1] if found else None


@contextmanager
def cluster(*, durable: bool = True) -> Iterator[Cluster]:
    """Run a cluster in a new folder; ``durable``: commits wait for the disk.

    Raises:
        ServiceFault: PostgreSQL is not installed.
    """
    programs = server_programs()
    if programs is None:
        raise ServiceFault("PostgreSQL is not installed: apt-get install postgresql")
    with (
        TemporaryDirectory(prefix="thenar-pg-", ignore_cleanup_errors=True) as name,
        _running(Path(name), programs, durable=durable) as running,
    ):
        yield running


@contextmanager
def _running(folder: Path, programs: Path, *, durable: bool) -> Iterator[Cluster]:
    password, port = secrets.token_urlsafe(16), free_port()
    secret = folder / "password"
    secret.write_text(password, encoding="ascii")
    if getpass.getuser() == "root":
        for path in (folder, secret):
            shutil.chown(path, UNPRIVILEGED)
    data = folder / "data"
    made: list[Path | str] = ["--pgdata", data, "--username", "thenar", "--pwfile", secret]
    made += ["--auth", "scram-sha-256", "--encoding", "UTF8"]
    _run(folder, programs / "initdb", *made, *([] if durable else ["--no-sync"]))
    options = f"-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -p {port}"
    options += "" if durable else " -F"
    control = (programs / "pg_ctl", "--pgdata", data, "--log", folder / "log", "--wait")
    _run(folder, *control, "--options", options, "start")
    try:
        pid = int((data / "postmaster.pid").read_text(encoding="utf-8").split()[0])
        url = f"postgresql://thenar:{password}@127.0.0.1:{port}/postgres"
        yield Cluster(url, pid, partial(_run, folder, *control, "restart", "--mode"))
    finally:
        _run(folder, *control, "--mode", "immediate", "stop")


def _run(folder: Path, *command: Path | str) -> None:
    words = [str(word) for word in command]
    if getpass.getuser() == "root":
        words = ["runuser", "-u", UNPRIVILEGED, "--", *words]
    subprocess.run(words, check=True, capture_output=True, cwd=folder)  # noqa: S603
