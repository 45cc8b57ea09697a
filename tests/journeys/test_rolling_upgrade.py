"""This program and a next one beside each other on the same databases: unnoticed."""

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from engine import __version__
from tests.support.databases.postgres import empty_database
from tests.support.service.journey import Serve, World
from tests.support.service.process import Service, ServiceFault, free_port
from tests.support.service.relying_party import RelyingParty

ROOT = Path(__file__).parents[2]

ADA = 0

NEXT = "99.0"

EXPANDS = '''"""Notes of logins."""
import sqlalchemy as sa
from alembic import op
revision, down_revision = "0018", "0017"
REWRITES, ROWS_PER_S = ("logins",), 1000
def upgrade():
    op.add_column("logins", sa.Column("note", sa.Text, nullable=False, server_default="none"))
    owner = sa.ForeignKey("logins.login_id", ondelete="CASCADE")
    key = sa.Column("login_id", sa.String(64), owner, primary_key=True)
    op.create_table("login_notes", key)
'''

CONTRACTS = '''"""Each login is written with a note."""
from alembic import op
revision, down_revision = "0019", "0018"
def upgrade():
    with op.batch_alter_table("logins") as logins:
        logins.alter_column("note", server_default=None)
'''

CHANGES = (
    ("engine/__init__.py", f'"{__version__}"', f'"{NEXT}"'),
    (
        "oidc/storage/schema.py",
        "\nlogins = table(",
        'login_notes = table("login_notes", Column("login_id", String(64), primary_key=True))\n'
        "logins = table(",
    ),
    (
        "oidc/storage/schema.py",
        '    Column("station", LargeBinary),\n',
        '    Column("station", LargeBinary),\n    Column("note", Text, nullable=False),\n',
    ),
    (
        "oidc/storage/stores/logins.py",
        "        self._connection.execute(insert(t.logins), _values(login))\n",
        '        values = _values(login) | {"note": "next"}\n'
        '        values["request"]["of_the_next"] = True\n'
        "        self._connection.execute(insert(t.logins), values)\n"
        '        notes = {"login_id": login.login_id}\n'
        "        self._connection.execute(insert(t.login_notes), notes)\n",
    ),
)
"""Additions of the next program: a column, a table, a part of a stored request."""


@pytest.fixture(scope="module")
def next_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the packages of a next version."""
    folder = tmp_path_factory.mktemp("next")
    for package in ("engine", "oidc", "mobile_api"):
        (folder / package).mkdir()
        for each in (ROOT / package).iterdir():
            (folder / package / each.name).symlink_to(each)
    for name in ("engine/__init__.py", "oidc/storage"):
        (folder / name).unlink()
    shutil.copy(ROOT / "engine" / "__init__.py", folder / "engine")
    shutil.copytree(ROOT / "oidc" / "storage", folder / "oidc" / "storage")
    for name, old, new in CHANGES:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))
    versions = folder / "oidc" / "storage" / "migrations" / "versions"
    (versions / "0018_notes.py").write_text(EXPANDS)
    (versions / "0019_contract_notes.py").write_text(CONTRACTS)
    return folder


class Split(httpx2.BaseTransport):
    """Carries phones to the process at one port, and browsers and apps to that at another."""

    def __init__(self, port: int) -> None:
        self.phones = self.others = port
        self._inner = httpx2.HTTPTransport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Pass a request on."""
        of_phone = request.url.path.startswith("/mobile/")
        port = self.phones if of_phone else self.others
        local, head = request.url.copy_with(port=port), request.headers
        inner = httpx2.Request(request.method, local, headers=head, stream=request.stream)
        return self._inner.handle_request(inner)

    def close(self) -> None:
        """Stay open: several clients share this transport."""

    def shut(self) -> None:
        """Close connections."""
        self._inner.close()


@dataclass
class Rolling:
    """Both programs on the same databases; ``this`` runs."""

    this: Service
    next: Service
    world: World
    split: Split

    def sign_in(self, phones: Service, others: Service) -> str:
        """Let a person sign in, the phone at one process and all else at another."""
        self.split.phones, self.split.others = phones.port, others.port
        return self.world.log_in(self.world.person(ADA)).subject


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def rolling(
    request: pytest.FixtureRequest, serve: Serve, next_program: Path, tmp_path: Path
) -> Iterator[Rolling]:
    """Give this program running and a next one beside it."""
    with ExitStack() as stack:
        urls = {}
        if request.param == "postgres":
            cluster = request.getfixturevalue("postgres_url")
            for name in ("THENAR_OIDC_DATABASE_URL", "THENAR_MOBILE_DATABASE_URL"):
                urls[name] = stack.enter_context(empty_database(cluster))
        world = stack.enter_context(serve(**urls))
        this, own = world.service, {"THENAR_MOBILE_GALLERY_DIR": str(tmp_path / "gallery")}
        own |= {"PYTHONPATH": str(next_program), "PYTHONSAFEPATH": "1"}
        names = [name for name in this.environment if name.startswith("THENAR_")]
        shared = {name: this.environment[name] for name in names}
        (tmp_path / "next").mkdir()
        another = Service(tmp_path / "next", free_port(), shared | own)
        world.transport = split = Split(this.port)
        world.shop = RelyingParty(this.issuer, world.shop.registration, transport=split)
        stack.callback(world.shop.http.close)
        stack.callback(split.shut)
        yield Rolling(this, another, world, split)


@pytest.mark.timeout(1200)
def test_an_upgrade_rolls_forward_back_and_ends_without_a_stop(rolling: Rolling) -> None:
    """What one process begins the other ends; the old one is distinguished until it is gone."""
    this, following, world = rolling.this, rolling.next, rolling.world
    subjects = {rolling.sign_in(this, this)}

    with pytest.raises(ServiceFault, match=r"0018 \(expand\).*of logins(?s:.*)goes on"):
        following.run("migrate", "--check")
    following.run("migrate")
    with following.running():
        subjects |= {rolling.sign_in(this, following), rolling.sign_in(following, this)}
        with pytest.raises(ServiceFault, match=f"still runs: Thenar {__version__} on "):
            following.run("migrate", "--contract")
        with pytest.raises(ServiceFault) as reported:
            following.run("migrate", "--json")
        plan = json.loads(str(reported.value).partition("\n")[2])

        this.run("migrate")
        world.restart()
        subjects.add(rolling.sign_in(this, this))

        world.running.close()
        following.run("migrate", "--contract")
        subjects.add(rolling.sign_in(following, following))
        following.run("migrate", "--check")
        with pytest.raises(ServiceFault, match="took away"), this.running():
            pass
    assert {each["program"] for each in plan["processes"]} == {__version__, NEXT}
    assert [each["kind"] for each in plan["protocol"]] == ["contract"]
    assert len(subjects) == 1
