"""A temporary PostgreSQL cluster on loopback; ``thenar bench oidc`` uses it, too.

PostgreSQL refuses to run as root: root runs it as its own user.
"""

import getpass
import secrets
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
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
    password = secrets.token_urlsafe(16)
    secret = folder / "password"
    secret.write_text(password, encoding="ascii")
    if getpass.getuser() == "root":
        for path in (folder, secret):
            shutil.chown(path, UNPRIVILEGED)
    data = folder / "data"
    made: list[Path | str] = ["--pgdata", data, "--username", "thenar", "--pwfile", secret]
    made += ["--auth", "scram-sha-256", "--encoding", "UTF8"]
    _run(folder, programs / "initdb", *made, *([] if durable else ["--no-sync"]))
    with _started(folder, programs, [] if durable else ["-F"]) as (port, control):
        pid = int((data / "postmaster.pid").read_text(encoding="utf-8").split()[0])
        url = f"postgresql://thenar:{password}@127.0.0.1:{port}/postgres"
        yield Cluster(url, pid, partial(control, "restart", "--mode"))


@contextmanager
def _started(
    folder: Path, programs: Path, options: Sequence[str] = ()
) -> Iterator[tuple[int, Callable[..., None]]]:
    """Start the cluster in a folder; give its port, and pg_ctl."""
    port, data = free_port(), folder / "data"
    own = f"-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -p {port}"
    control = (programs / "pg_ctl", "--pgdata", data, "--log", folder / "log", "--wait")
    _run(folder, *control, "--options", " ".join([own, *options]), "start")
    try:
        yield port, partial(_run, folder, *control)
    finally:
        with suppress(subprocess.CalledProcessError):  # a test has killed it
            _run(folder, *control, "--mode", "immediate", "stop")


@contextmanager
def standby(primary: Cluster) -> Iterator[tuple[int, Callable[[], None]]]:
    """Copy a cluster and follow it; give the copy's port, and what makes it the primary."""
    programs = server_programs()
    assert programs is not None
    with TemporaryDirectory(prefix="thenar-pg-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if getpass.getuser() == "root":
            shutil.chown(folder, UNPRIVILEGED)
        copied = "--write-recovery-conf", "--pgdata", folder / "data", "--dbname", primary.url
        _run(folder, programs / "pg_basebackup", *copied)
        with _started(folder, programs) as (port, control):
            yield port, partial(control, "promote")


def _run(folder: Path, *command: Path | str) -> None:
    words = [str(word) for word in command]
    if getpass.getuser() == "root":
        words = ["runuser", "-u", UNPRIVILEGED, "--", *words]
    subprocess.run(words, check=True, capture_output=True, cwd=folder)  # noqa: S603
