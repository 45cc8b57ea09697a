"""A reader of both databases cannot find a person of one in the other."""

import base64
import binascii
import re
from collections.abc import Iterator
from uuid import UUID

from sqlalchemy import Engine, inspect

from mobile_api.storage.database import open_engine
from tests.support.palms.fake_engine import picture, shots
from tests.support.secret_search import found_in
from tests.support.service.mobile_api import MobileWorld

SHORTEST = 8
"""Bytes that may name a person."""

MAYA = 1


def values(engine: Engine) -> Iterator[str | bytes]:
    """Give every value of every row that is no number."""
    with engine.connect() as connection:
        for table in inspect(engine).get_table_names():
            for row in connection.exec_driver_sql(f"SELECT * FROM {table}"):  # noqa: S608
                for value in row:
                    if isinstance(value, bytes | memoryview):
                        yield bytes(value)
                    elif isinstance(value, str | UUID):
                        yield str(value)


def names(value: str | bytes) -> Iterator[str | bytes]:
    """Give what may name a person, as it is written and as the bytes that it stands for."""
    if isinstance(value, bytes):
        yield value
        return
    for word in re.split(r"[^A-Za-z0-9_-]+", value):
        yield word
        for read in (bytes.fromhex, base64.urlsafe_b64decode):
            try:
                octets = read(word.replace("-", "") if read == bytes.fromhex else word + "==")
            except (ValueError, binascii.Error):
                continue
            yield octets
            if len(octets) == 16:
                yield str(UUID(bytes=octets))


def test_no_name_of_one_database_is_in_the_other(anywhere: MobileWorld) -> None:
    """Accounts, phones, passkeys, in any encoding; sign-ins, sessions and open logins too."""
    world = anywhere
    phone = world.enrolled(shots(MAYA))
    for second in (False, True):
        claimed = phone.claim(world.handoff.open())
        phone.answer_picture(claimed.login_id, picture(MAYA, shot=5 + second))
        if not second:
            phone.approve(claimed.login_id)
            world.handoff.collect()
    phone.deletion_code(picture(MAYA, shot=8))
    engine = open_engine(world.settings.database_url)
    known = {
        str(name): name
        for value in values(engine)
        for name in names(value)
        if len(name) >= SHORTEST
    }
    text = "\n".join(
        each if isinstance(each, str) else each.decode("latin-1")
        for each in values(world.provider.engine)
    )
    engine.dispose()
    shared = {each.split(" (")[0] for each in found_in(text, known)}

    assert phone.key.thumbprint() in known
    assert shared == set()
