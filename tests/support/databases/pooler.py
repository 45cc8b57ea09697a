"""A pooler before the tests' PostgreSQL that lends connections out between transactions."""

import getpass
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.support.databases.cluster import UNPRIVILEGED
from tests.support.servers.program import listening_program
from tests.support.service.process import free_port

PROGRAM = Path("/usr/sbin/pgbouncer")

CONFIGURATION = """\
[databases]
* = host={host} port={server_port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = plain
auth_file = {users}
pool_mode = transaction
default_pool_size = {size}
"""


@contextmanager
def pooled(folder: Path, url: str, size: int = 3) -> Iterator[str]:
    """Run pgbouncer in ``folder``; yield the URL of the same cluster, through it.

    Args:
        folder: an empty one.
        url: of a cluster, as the fixture ``postgres_url`` gives it.
        size: connections to the server that all clients share.
    """
    server = urlsplit(url)
    port = free_port()
    users, configuration = folder / "users", folder / "pgbouncer.ini"
    users.write_text(f'"{server.username}" "{server.password}"\n')
    configuration.write_text(
        CONFIGURATION.format(
            host=server.hostname, server_port=server.port, port=port, users=users, size=size
        )
    )
    command = [str(PROGRAM), "--quiet", str(configuration)]
    if getpass.getuser() == "root":
        for path in (folder, users, configuration):
            shutil.chown(path, UNPRIVILEGED)
        command += ["--user", UNPRIVILEGED]
    with listening_program(command, port, folder / "log", cwd=folder):
        yield url.replace(f":{server.port}/", f":{port}/")
