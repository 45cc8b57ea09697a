"""Every byte on disk is searched for a deleted person: both databases, all files."""

import base64
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, select, text

from mobile_api.reference_phone.client import ReferencePhone, new_key
from mobile_api.server.jobs import RetentionJobs
from mobile_api.storage.database import Transaction, open_engine
from mobile_api.storage.schema import devices
from mobile_api.storage.stores.passkeys import Passkey
from mobile_api.types import CredentialId
from oidc import jobs
from oidc.accounts import pseudonym
from oidc.client import Client
from oidc.plumbing.database_engine import reading
from oidc.types import AccountId, Claimant, LoginLimits, Retention
from tests.support.palms.fake_engine import picture, shots
from tests.support.secret_search import found_in
from tests.support.service.handoff import ALIASES, new_client
from tests.support.service.mobile_api import API, MobileWorld

MAYA, OMAR = 1, 2
NAME = "Maya’s blue phone"
DAY = timedelta(days=1)


@pytest.fixture
def world(anywhere: MobileWorld) -> MobileWorld:
    """Give a service on either kind of database."""
    return anywhere


@pytest.fixture
def shops(world: MobileWorld) -> list[Client]:
    """Give two clients with a back-channel logout URI."""
    return [
        new_client(
            world.provider,
            world.clock,
            name,
            f"{name}.example",
            backchannel_logout_uri=f"https://{name}.example/logout",
        )
        for name in ("books", "music")
    ]


def sign_in(world: MobileWorld, phone: ReferencePhone, client: Client) -> None:
    """Sign Maya in at a client."""
    login = phone.claim(world.handoff.open(client=client)).login_id
    phone.answer_picture(login, picture(MAYA, shot=7))
    phone.approve(login)
    world.handoff.collect()


def leave_traces(
    world: MobileWorld, shops: list[Client]
) -> tuple[ReferencePhone, dict[str, str | bytes]]:
    """Let Maya do all she can; return her phone, and what names her."""
    phone = ReferencePhone(API, new_key(), world.client)
    phone.register(NAME)
    phone.enrol(shots(MAYA))
    second = world.phone()
    for shop in shops:
        sign_in(world, phone, shop)
        sign_in(world, second, shop)
    second.decline(second.claim(world.handoff.open(client=shops[0])).login_id)
    phone.deletion_code(picture(MAYA, shot=6))
    with world.database.write() as transaction:
        account = _newest(transaction)
        passkey = Passkey(CredentialId(b"c" * 40), account, b"h" * 32, "x", b"p" * 90, 1)
        transaction.passkeys.add(passkey, world.clock())
    return phone, _names(world, account, phone, second)


def _newest(transaction: Transaction) -> AccountId:
    newest = select(devices.c.account).where(devices.c.name == NAME)
    return AccountId(transaction.connection.execute(newest).scalar_one())


def _names(
    world: MobileWorld, account: AccountId, *phones: ReferencePhone
) -> dict[str, str | bytes]:
    names: dict[str, str | bytes] = {
        "account": str(account),
        "account's alias": str(ALIASES.alias_of(account)),
        "account in hex": account.hex,
        "account in bytes": account.bytes,
        "name of a phone": NAME,
        "passkey": b"c" * 40,
        "passkey's handle": b"h" * 32,
        "passkey's key": b"p" * 90,
    }
    for number, phone in enumerate(phones):
        key = phone.key.thumbprint()
        names[f"key {number}"] = key
        names[f"key {number}'s alias"] = ALIASES.alias_of_phone(Claimant(key))
        names[f"key {number} in bytes"] = base64.urlsafe_b64decode(key + "=")
    with world.provider.read() as stores:
        for number, each in enumerate(
            pseudonym.pseudonyms_of(stores, ALIASES.alias_of(account))
        ):
            names[f"pseudonym {number}"] = each.subject
    for number, linked in enumerate(world.interface.linked_clients(account)):
        names[f"handle {number}"] = linked.handle
    return names


def run_jobs(world: MobileWorld) -> None:
    """Run once what services run every few seconds."""
    limits, kept = LoginLimits(), Retention(audit=400 * DAY, sign_ins=90 * DAY)
    jobs.RetentionJobs(world.provider, limits, kept, world.clock).sweep()
    RetentionJobs(world.database, world.services.deletion, world.clock).run_once()
    for application in world.applications:
        application.state.gallery.maintain(0)
    world.database.compact()
    world.provider.compact()


def everything(world: MobileWorld, folder: Path) -> str:
    """Return all bytes of all files, and of PostgreSQL all rows."""
    found = [each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()]
    for engine in engines(world):
        found += rows(engine)
        engine.dispose()
    return b"\n".join(found).decode("latin-1")


def engines(world: MobileWorld) -> list[Engine]:
    """Return new engines of those databases that are on PostgreSQL."""
    urls = [world.provider.engine.url, open_engine(world.settings.database_url).url]
    texts = [each.render_as_string(hide_password=False) for each in urls]
    return [open_engine(each) for each in texts if each.startswith("postgresql")]


def rows(engine: Engine) -> list[bytes]:
    """Return all rows of a PostgreSQL database, bytes as they are."""
    found: list[bytes] = []
    with engine.connect() as connection:
        tables = connection.execute(
            text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        )
        for table in tables.scalars().all():
            for row in connection.exec_driver_sql(f"SELECT * FROM {table}"):  # noqa: S608
                found += [
                    each if isinstance(each, bytes) else str(each).encode() for each in row
                ]
    return found


def pages(engine: Engine) -> list[bytes]:
    """Return the files of a PostgreSQL database's tables and indexes, written again."""
    with reading(engine).connect() as connection:
        connection.execute(text("VACUUM FULL"))
        connection.execute(text("CHECKPOINT"))
        files = connection.execute(
            text(
                "SELECT pg_read_binary_file(pg_relation_filepath(c.oid)) FROM pg_class c"
                " JOIN pg_namespace n ON n.oid = c.relnamespace"
                " WHERE relkind IN ('r', 'i', 't') AND nspname IN ('public', 'pg_toast')"
            )
        )
        return [bytes(each) for each in files.scalars()]


def test_no_byte_of_a_deleted_person_is_left(
    world: MobileWorld, shops: list[Client], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Account, pseudonyms, phones, their names: in no database, log, gallery, list or line."""
    world.enrolled(shots(OMAR))
    phone, names = leave_traces(world, shops)
    before = found_in(everything(world, tmp_path), names)
    phone.delete_account(picture(MAYA, shot=9))
    world.clock.advance(30)
    run_jobs(world)
    run_jobs(world)

    kept = {name: each for name, each in names.items() if not name.startswith("pseudonym")}
    assert {each.split(" (")[0] for each in before} >= {*names} - _DERIVED
    assert found_in(everything(world, tmp_path) + caplog.text, kept) == []
    with world.provider.write() as stores:
        until = world.clock() + DAY
        notices = stores.logouts.claim(until, until, count=9)
        for notice in notices:
            stores.logouts.remove(notice.notice_id)
    run_jobs(world)
    assert len(notices) == len(shops)
    assert found_in(everything(world, tmp_path), names) == []
    for engine in engines(world):
        assert found_in(b"\n".join(pages(engine)).decode("latin-1"), names) == []
        engine.dispose()


_DERIVED = {"account", "account in hex", "account in bytes", "handle 0", "handle 1"} | {
    f"key {number} in bytes" for number in range(2)
}
"""What is stored in one form only, or not at all."""
