"""What a backup brings back to life, and what ends it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from oidc.app import end_all
from oidc.clients.registration import issue_initial_token, revoke_initial_token
from oidc.portal import developers
from tests.support.service.portal_developer import invite
from tests.support.service.sign_in import ANNA, SignIn, response_of


class Backup:
    """A copy of the provider's database, as SQLite's own backup makes it."""

    def __init__(self, sign_in: SignIn, folder: Path) -> None:
        self._sign_in, self._copy = sign_in, folder / "backup.sqlite3"
        self._database = Path(sign_in.settings.database_url.removeprefix("sqlite:///"))
        _copy(self._database, self._copy)

    def restore(self) -> None:
        """Put everything back as it was; running processes let go first."""
        for each in (self._sign_in.database, self._sign_in.app.state.database):
            each.close()
        self._sign_in.handoff.close()
        for file in self._database.parent.glob(f"{self._database.name}*"):
            file.unlink()
        _copy(self._copy, self._database)


def _copy(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as one, closing(sqlite3.connect(target)) as other:
        one.backup(other)


@pytest.fixture
def tokens(sign_in: SignIn) -> dict[str, str]:
    """Give what a person's sign-in gave, before the backup."""
    found: dict[str, str] = sign_in.tokens(ANNA, scope="openid offline_access")
    return found


@pytest.fixture
def backup(sign_in: SignIn, tokens: dict[str, str], tmp_path: Path) -> Iterator[Backup]:
    """Give a backup that was made after the sign-in."""
    yield Backup(sign_in, tmp_path)


def _is_alive(sign_in: SignIn, tokens: dict[str, str]) -> bool:
    return bool(sign_in.userinfo(tokens["access_token"]).status_code == 200)


def test_a_backup_revives_what_was_revoked_and_this_is_what_ends_it(
    sign_in: SignIn, tokens: dict[str, str], backup: Backup
) -> None:
    """Without the command a stolen token that was revoked works again."""
    form = sign_in.token_request(token=tokens["refresh_token"])
    sign_in.new_browser().post(f"{sign_in.settings.base_url}/revoke", data=form)
    assert not _is_alive(sign_in, tokens)
    backup.restore()
    revived = _is_alive(sign_in, tokens)

    end_all(sign_in.settings, sign_in.clock)

    assert revived
    assert not _is_alive(sign_in, tokens)
    assert sign_in.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_people_sign_in_again_and_are_who_they_were(
    sign_in: SignIn, tokens: dict[str, str], backup: Backup
) -> None:
    """Pseudonyms are kept: an app must not lose its people."""
    before = sign_in.opened(tokens["id_token"]).claims["sub"]
    backup.restore()
    end_all(sign_in.settings, sign_in.clock)

    again = sign_in.tokens(ANNA, scope="openid offline_access")

    assert sign_in.opened(again["id_token"]).claims["sub"] == before
    assert sign_in.refresh(again["refresh_token"]).status_code == 200


def test_invitations_initial_tokens_logins_and_sessions_end_too(
    sign_in: SignIn, tmp_path: Path
) -> None:
    """Each of them may have been used or revoked since the backup."""
    settings, clock = sign_in.settings, sign_in.clock
    invite(sign_in)
    link = developers.digest_of_link(invite(sign_in, "emil@dev.example"))
    with sign_in.database.write() as stores:
        emil = developers.enter_by_link(stores, link, clock()).developer_id
        developers.give_link(stores, emil, timedelta(hours=1), clock(), has_palm=False)
        given = issue_initial_token(stores, "Team A", timedelta(days=1), clock())
    page = sign_in.open_page()
    backup = Backup(sign_in, tmp_path)
    with sign_in.database.write() as stores:
        revoke_initial_token(stores, given.stored.token_id, clock())
    backup.restore()

    ended = end_all(settings, clock)

    assert (ended.logins, ended.invitations) == (1, 3)
    assert end_all(settings, clock).invitations == 0
    assert response_of(sign_in.proceed(page))["error"] == "access_denied"
    with sign_in.database.read() as stores:
        (token,) = stores.initial_tokens.all()
        invited = stores.developers.all()
    assert token.revoked_at is not None
    assert [each.invitation_ends_at <= clock() for each in invited] == [True, True]
