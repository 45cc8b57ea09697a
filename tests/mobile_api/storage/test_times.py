"""A reader of both databases cannot join people by the time of an event, nor by order."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random
from typing import Any, Final
from uuid import UUID

import pytest
from sqlalchemy import Engine, MetaData, select, text

from mobile_api.limits import NetworkDigests
from mobile_api.server.jobs import RetentionJobs
from mobile_api.storage.database import open_engine
from mobile_api.storage.key_file import KeyFile
from mobile_api.types import DeviceId
from oidc.plumbing.database_engine import reading
from oidc.types import AccountId
from tests.support.palms.fake_engine import picture, shots
from tests.support.service.handoff import ALIASES
from tests.support.service.mobile_api import MobileWorld

PEOPLE: Final = 40
MINUTES: Final = 40
"""Between two people, on average: no other one is there at the time."""

LUCKY: Final = 8
"""Of twelve people so many may be joined by chance: the best of hundreds of joins counts."""

WITHIN_A_DAY: Final = 12

Row = Mapping[str, Any]
Series = Mapping[str, float]
"""A number for each account or subject, by which they are put in order."""


def serve(world: MobileWorld, people: int, random: Random) -> None:
    """Let people enrol and sign in one after the other, and again in another order."""
    phones = []
    for person in range(people):
        world.clock.advance(random.expovariate(1 / (60 * MINUTES)))
        phones.append((person, world.enrolled(shots(person))))
        sign_in(world, *phones[-1], 9)
    random.shuffle(phones)
    for person, phone in phones:
        world.clock.advance(random.expovariate(1 / (60 * MINUTES)))
        sign_in(world, person, phone, 10)
    world.clock.advance(3600)
    RetentionJobs(world.database, world.services.deletion, world.clock).run_once()


def sign_in(world: MobileWorld, person: int, phone: Any, shot: int) -> None:
    """Sign in at the bookshop."""
    login = phone.claim(world.handoff.open()).login_id
    world.clock.advance(3)
    phone.answer_picture(login, picture(person, shot=shot))
    phone.approve(login)
    world.handoff.collect()


def rows_of(engine: Engine) -> dict[str, list[Row]]:
    """Return every row as numbers and names, in the order in which it lies in its table."""
    metadata = MetaData()
    metadata.reflect(engine)
    found: dict[str, list[Row]] = {}
    with reading(engine).connect() as connection:
        if engine.dialect.name == "postgresql":  # before each backup: see docs/backup.md
            connection.execute(text("CLUSTER"))
        for table in metadata.sorted_tables:
            rows = connection.execute(select(table)).mappings()
            found[table.name] = [_readable(dict(row), n) for n, row in enumerate(rows)]
    return found


def _readable(row: Row, number: int) -> Row:
    numbers = {key: each for key, each in row.items() if isinstance(each, int)}
    names = {
        key: each.hex if isinstance(each, UUID) else str(each)
        for key, each in row.items()
        if key not in numbers
    }
    return {**numbers, **names, "row": number}


def owners(tables: Mapping[str, list[Row]], whom: str, ways: Sequence[str]) -> dict[str, str]:
    """Return of whom each name is: of an account or a subject, through other tables."""
    known: dict[str, str] = {}
    for _, rows in sorted(tables.items()) * 2:
        for row in rows:
            names = [row[way] for way in (whom, *ways) if row.get(way, "None") != "None"]
            owner = row.get(whom, "None")
            if owner == "None":
                owner = next((known[name] for name in names if name in known), None)
            known |= {name: owner for name in names if owner}
    return known


def named_by_key(
    key: KeyFile, tables: Mapping[str, list[Row]], known: Mapping[str, str]
) -> dict[str, str]:
    """Return the owner of each name that the service's key makes of a phone."""
    digests = NetworkDigests(lambda: key.current().derived("networks")[0])
    phones = (DeviceId(row["device_id"]) for row in tables["devices"])
    made = {digests.of_device(each): known.get(each) for each in phones}
    return {name: owner for name, owner in made.items() if owner}


def series_of(tables: Mapping[str, list[Row]], known: Mapping[str, str]) -> dict[str, Series]:
    """Return the first and the last number of each owner, by each column of each table."""
    made: dict[str, dict[str, float]] = {}
    for table, rows in tables.items():
        for row in rows:
            owner = next((known[each] for each in row.values() if each in known), None)
            for column, value in row.items():
                if owner is None or not isinstance(value, int) or isinstance(value, bool):
                    continue
                for which in (min, max):
                    one = made.setdefault(f"{which.__name__} {table}.{column}", {})
                    one[owner] = which(one.get(owner, value), value)
    return {name: one for name, one in made.items() if len(set(one.values())) > 1}


def joined_in_order(ours: Series, theirs: Series) -> Iterator[tuple[str, str]]:
    """Join the first with the first and so on."""
    return zip(*(sorted(each, key=each.__getitem__) for each in (ours, theirs)), strict=False)


def joined_by_time(ours: Series, theirs: Series) -> Iterator[tuple[str, str]]:
    """Join each with the nearest: our milliseconds, their microseconds."""
    accounts = sorted(ours, key=ours.__getitem__)
    times = [ours[each] for each in accounts]
    for subject, at in theirs.items():
        place = bisect_left(times, at / 1000)
        near = [n for n in (place - 1, place) if 0 <= n < len(times)]
        yield accounts[min(near, key=lambda n: abs(times[n] - at / 1000))], subject


def shuffled(series: Series, random: Random) -> Series:
    """Return the same in random order, so that equal numbers say nothing."""
    return dict(random.sample(sorted(series.items()), len(series)))


def best_join(world: MobileWorld, random: Random) -> tuple[int, str]:
    """Return how many people the best of all joins finds, and which it is."""
    engine = open_engine(world.settings.database_url)
    biometric, protocol = rows_of(engine), rows_of(world.provider.engine)
    engine.dispose()
    accounts = owners(biometric, "account", ("device_id", "credential_id", "enrolment_id"))
    accounts |= named_by_key(KeyFile(world.settings.key_file), biometric, accounts)
    subjects = owners(protocol, "subject", ("grant_id", "account"))
    truth = {
        (ALIASES.account_of(AccountId(UUID(each["account"]))).hex, each["subject"])
        for each in protocol["pseudonyms"]
    }
    ours, theirs = series_of(biometric, accounts), series_of(protocol, subjects)
    assert "min attempts.attempt" in ours
    assert {"min grants.auth_time", "min pseudonyms.row"} <= set(theirs)
    best = 0, ""
    for (one, first), (other, second) in product(ours.items(), theirs.items()):
        pair = shuffled(first, random), shuffled(second, random)
        for join in (joined_in_order, joined_by_time):
            found = len(truth & set(join(*pair)))
            best = max(best, (found, f"{one} {join.__name__} {other}"))
    return best


@pytest.mark.parametrize("people", [PEOPLE, WITHIN_A_DAY])
def test_the_databases_cannot_be_joined_by_times_or_by_order(
    anywhere: MobileWorld, people: int
) -> None:
    """No person is found but by chance, not even with the key of the biometric database."""
    random = Random(26)  # noqa: S311
    serve(anywhere, people, random)
    found, how = best_join(anywhere, random)

    assert found <= max(people / 2, LUCKY), how


def test_only_rows_with_a_deadline_lie_in_the_order_of_time(world: MobileWorld) -> None:
    """A new table of people is one without row numbers, or goes soon."""
    engine = open_engine(world.settings.database_url)
    made = text("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
    with engine.connect() as connection:
        tables = {row.name: row.sql for row in connection.execute(made)}
    engine.dispose()
    of_people = {each for each in tables if re.search("account|device_id", tables[each])}

    numbered = {each for each in of_people if "WITHOUT ROWID" not in tables[each]}
    assert numbered == {"challenges", "enrolments", "gallery_changes"}
