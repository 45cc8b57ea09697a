"""Backup, restore and automation as the pages describe them, run word for word."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mobile_api.errors import PhoneRefused
from tests.support.databases.postgres import empty_database
from tests.support.service.journey import Serve, SignedIn, World

ADA, BOB = 0, 1

PAGES = Path(__file__).parents[2] / "mobile_api" / "docs"


def scripts(page: str = "backup.md", count: int = 4) -> list[str]:
    """Return the scripts of a page: of backups on SQLite and PostgreSQL, then of restores."""
    found = re.findall(r"```sh\n(.*?)```", (PAGES / page).read_text("utf-8"), re.DOTALL)
    assert len(found) == count
    return found


def typed(world: World, script: str, folder: Path, named: dict[str, str]) -> str:
    """Type a script on the service's machine; return what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # noqa: TID251
    done = subprocess.run(  # noqa: S603 -- the page's own words
        ["/bin/sh", "-eu", "-c", script],
        env=world.service.environment | named | {"PATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Machine:
    """Where an operator types: the service's data, and two places far from it."""

    def __init__(self, world: World, folder: Path, urls: dict[str, str]) -> None:
        self._world, self._is_server = world, bool(urls)
        self.data = world.service.folder
        self._places = {"BACKUP": folder / "backup", "KEYS": folder / "keys"}
        for place in self._places.values():
            place.mkdir()
        self._urls = urls

    def back_up(self) -> None:
        """Type the first script for this database."""
        self._type(scripts()[1 if self._is_server else 0])

    def restore(self) -> None:
        """Type the second one."""
        self._type(scripts()[3 if self._is_server else 2])

    @property
    def modes(self) -> set[str]:
        """Who may read what was backed up: templates are encrypted, pseudonyms are not."""
        kept = [file for place in self._places.values() for file in place.iterdir()]
        assert len(kept) == 4
        return {oct(file.stat().st_mode)[-3:] for file in kept}

    def lose_everything(self) -> None:
        """Lose databases and keys; the list of erasures is copied apart from them."""
        for file in self.data.iterdir():
            if file.suffix != ".erasures" and file.name.startswith(("protocol.", "biometric.")):
                file.unlink()

    def _type(self, script: str) -> None:
        places = {name: str(place) for name, place in self._places.items()}
        typed(self._world, script, self.data, places | self._urls | {"DATA": str(self.data)})


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def machine(
    request: pytest.FixtureRequest, serve: Serve, tmp_path: Path
) -> Iterator[tuple[Machine, World]]:
    """Give a running service on either database, and its operator."""
    if request.param == "sqlite":
        if shutil.which("sqlite3") is None:
            pytest.skip("sqlite3 is not installed: apt-get install sqlite3")
        with serve() as world:
            yield Machine(world, tmp_path, {}), world
        return
    cluster = request.getfixturevalue("postgres_url")
    with empty_database(cluster) as protocol, empty_database(cluster) as biometric:
        settings = {
            "THENAR_OIDC_DATABASE_URL": protocol,
            "THENAR_MOBILE_DATABASE_URL": biometric,
        }
        with serve(**settings) as world:
            named = {"PROTOCOL_URL": protocol, "BIOMETRIC_URL": biometric}
            urls = {name: url.replace("+psycopg", "") for name, url in named.items()}
            yield Machine(world, tmp_path, urls), world


@contextmanager
def _stopped(world: World) -> Iterator[None]:
    world.running.close()
    yield
    world.running.enter_context(world.service.running())


def _is_dead(signed_in: SignedIn) -> bool:
    tokens, party = signed_in.tokens, signed_in.party
    refreshed = party.refresh(tokens["refresh_token"])
    asked = party.userinfo(tokens["access_token"])
    return (refreshed.status_code, asked.status_code) == (400, 401)


def test_what_is_restored_works_and_what_had_ended_does_not(
    machine: tuple[Machine, World],
) -> None:
    """A sign-in, a backup, a rotation, a logout and a deletion; then everything is lost."""
    operator, world = machine
    ada, bob = world.person(ADA), world.person(BOB)
    scope = "openid offline_access"
    before = world.log_in(ada, scope=scope)
    ended = world.log_in(ada, world.library, scope=scope)
    operator.back_up()
    rotated = SignedIn(world.shop, world.shop.refresh(before.tokens["refresh_token"]))
    revoked = world.library.http.post(
        world.library.discovery["revocation_endpoint"],
        data={
            "client_id": world.library.registration.client_id,
            "client_secret": world.library.registration.client_secret,
            "token": ended.tokens["refresh_token"],
        },
    )
    bob.phone.delete_account(bob.palm)
    with _stopped(world):
        operator.lose_everything()
        operator.restore()

    assert operator.modes == {"600"}
    assert revoked.status_code == 200
    assert [_is_dead(each) for each in (before, rotated, ended)] == [True] * 3
    again = world.log_in(ada, scope=scope)
    assert again.subject == before.subject
    assert world.shop.refresh(again.tokens["refresh_token"]).status_code == 200
    with world.begin() as login:
        with pytest.raises(PhoneRefused, match="not registered"):
            bob.phone.scan(login.link)
        claimed = ada.phone.scan(login.link)
        assert ada.phone.answer_picture(claimed.login_id, bob.palm).hint == "palm_retry"


def test_clients_and_checks_need_no_hand(world: World, tmp_path: Path) -> None:
    """Each line of the page about commands does what it says, or the script ends there."""
    if shutil.which("jq") is None or shutil.which("curl") is None:
        pytest.skip("jq or curl is not installed: apt-get install jq curl")
    (script,) = scripts("commands.md", 1)
    said = typed(world, script, tmp_path, {"ISSUER": world.service.issuer})

    assert said.startswith("true\ntrue\naddresses: plain HTTP")
    assert {each.stat().st_mode & 0o777 for each in tmp_path.iterdir()} == {0o600}
