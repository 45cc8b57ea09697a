"""``thenar client`` and ``thenar key``: what an operator types."""

import json
from pathlib import Path

import pytest
from joserfc.jwk import ECKey

from oidc.cli.keys import key
from oidc.clients.error_log import record_error
from oidc.protocol import digest_of
from oidc.storage.database import Database
from oidc.types import utc_now
from tests.support.service.operator import URI, Operator

ADD = ["add", "--name", "S", "--redirect-uri", URI]
PUBLIC = ECKey.generate_key("P-256").as_dict(private=False)


@pytest.fixture
def signs(tmp_path: Path) -> list[str]:
    """Give the options of a client that signs."""
    file = tmp_path / "jwks.json"
    file.write_text(json.dumps({"keys": [PUBLIC]}))
    return ["--authentication", "private_key_jwt", "--jwks", str(file)]


def test_an_added_client_can_authenticate(operator: Operator) -> None:
    """Identifier and secret are printed once; two redirect URIs are kept in order."""
    result = operator.run(
        *ADD, "--redirect-uri", f"{URI}2", "--scope", "openid", "--no-pkce",
        "--no-external-user-id", "--accept-palm-alone", "--accept-stations",
        "--native", "--sandbox", "--json",
    )  # fmt: skip
    words = operator.say(*ADD)

    added = json.loads(result.stdout)
    found = operator.client_of(added)
    assert found is not None
    assert (found.redirect_uris, found.scope) == ((URI, f"{URI}2"), ("openid",))
    assert not found.external_user_id
    assert found.accept_palm_alone and added["accept_palm_alone"]
    assert found.accept_stations and added["accept_stations"]
    assert found.native and added["native"] and found.require_pkce
    assert found.sandbox and added["sandbox"] and "do not exist" in result.stderr
    for word in ("client_id ", "client_secret ", "not shown again"):
        assert word in words
    assert "client_secret" not in operator.say(*ADD, "--authentication", "none")


def test_the_list_has_no_secret_and_breaks_nothing_over_lines(
    operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People copy them, and programs search for them, in a pipe of eighty columns, too."""
    monkeypatch.setenv("COLUMNS", "80")
    uris = [f"https://shop.example/{'a-long-way/' * 12}{end}" for end in ("one", "two")]
    added = operator.add(*(part for uri in uris for part in ("--redirect-uri", uri)))

    listed, shown = operator.say("list"), operator.say("show", added["client_id"])

    secret = added.pop("client_secret")
    assert operator.tell("list") == [added]
    assert secret not in listed + shown
    for whole in (added["client_id"], *uris):
        assert whole in listed and whole in shown


def test_a_secret_is_rotated_at_once_or_within_hours_and_a_client_removed(
    operator: Operator,
) -> None:
    """Both secrets are good meanwhile; a removed client is unknown."""
    added = operator.add()
    name = added["client_id"]
    new = operator.tell("rotate-secret", name, "--overlap", "24")
    found = [operator.client_of(each) for each in (added, {**added, **new})]
    assert "client_secret" in operator.say("rotate-secret", name)

    assert None not in found
    assert operator.client_of(added) is None
    assert operator.run("remove", name).exit_code == 0
    assert operator.run("remove", name).exit_code == 1


def test_a_client_is_shown_and_changed_and_stays_the_same_to_people(operator: Operator) -> None:
    """One more redirect URI must not mean new pseudonyms: ID, sector and secret stay."""
    logouts = "--backchannel-logout-uri", f"{URI}/out", "--post-logout-redirect-uri", URI
    added = operator.add(*logouts, "--backchannel-logout-session-required")
    client_id, secret = added["client_id"], added.pop("client_secret")

    more = operator.tell("update", client_id, "--add-redirect-uri", f"{URI}2")
    removed = (
        *("--backchannel-logout-uri", "", "--post-logout-redirect-uri", ""),
        "--no-backchannel-logout-session-required",
    )
    renamed = operator.say("update", client_id, "--name", "T", *removed, "--dpop")

    assert added["backchannel_logout_uri"] == f"{URI}/out"
    assert added["post_logout_redirect_uris"] == [URI]
    assert added["backchannel_logout_session_required"] is True
    assert more == added | {"redirect_uris": [URI, f"{URI}2"]}
    assert operator.tell("show", client_id) == more | {
        "client_name": "T",
        "backchannel_logout_uri": None,
        "backchannel_logout_session_required": False,
        "post_logout_redirect_uris": [],
        "dpop_bound_access_tokens": True,
    }
    assert f"{URI}2" in renamed
    assert f"{URI}2" in operator.say("show", client_id)
    kept = operator.client_of({**added, "client_secret": secret})
    assert kept is not None
    assert kept.sector == client_id


def test_the_latest_errors_of_a_client_can_be_read(
    operator: Operator, database: Database
) -> None:
    """Newest first, with the client's error and its time."""
    client_id = operator.add()["client_id"]
    with database.write() as stores:
        for error in ("invalid_grant", "invalid_client"):
            record_error(stores, client_id, "token", (error, "because"), utc_now())

    reported = operator.tell("errors", client_id)

    assert [each["error"] for each in reported] == ["invalid_client", "invalid_grant"]
    assert all(each["happened_at"].endswith("+00:00") for each in reported)
    assert "because" in operator.say("errors", client_id)


TEAM = ["token", "add", "--name"]
MISTAKES: dict[str, list[list[str]]] = {
    "loopback": [["add", "--name", "S", "--redirect-uri", "http://shop.example/"]],
    "printable": [[*TEAM, " "]],
    "unknown": [["token", "revoke", "unknown"]],
    "no such": [[each, "unknown"] for each in ("rotate-secret", "show", "update", "errors")],
    "cannot be read": [[*ADD, "--jwks", "/no/such"]],
    "needs a JWK set": [[*ADD, "--authentication", "private_key_jwt"]],
    "https and a host of the Internet": [[*ADD, "--backchannel-logout-uri=https://10.0.0.1/"]],
}


@pytest.mark.parametrize(
    ("arguments", "word"), [(each, word) for word, rows in MISTAKES.items() for each in rows]
)
def test_a_mistake_ends_with_one_line(
    operator: Operator, arguments: list[str], word: str
) -> None:
    """No traceback for what an operator typed."""
    result = operator.run(*arguments)

    assert result.exit_code == 1
    assert word in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_what_is_wrong_with_the_installation_is_named(
    operator: Operator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An unmigrated database with the command that mends it; all settings at once."""
    monkeypatch.setenv("THENAR_OIDC_DATABASE_URL", f"sqlite:///{tmp_path / 'x.sqlite3'}")
    empty = operator.run("list")
    monkeypatch.setenv("THENAR_OIDC_ISSUER", "http://id.example")
    monkeypatch.setenv("THENAR_OIDC_PENDING_S", "0")
    wrong = operator.run("list")

    assert (empty.exit_code, "thenar migrate" in empty.stderr) == (1, True)
    assert wrong.exit_code == 1
    for name in ("THENAR_OIDC_ISSUER", "THENAR_OIDC_PENDING_S"):
        assert name in wrong.stderr


def test_keys_are_rotated_and_listed(database: Database, operator: Operator) -> None:
    """The new one is next, the old one still signs; a compromised one is gone."""
    keys = Operator(operator.database, key)
    before = keys.tell("list")
    rotated = keys.tell("rotate")
    during = keys.tell("list")
    at_once = keys.say("rotate", "--compromised")
    after, shown = keys.tell("list"), keys.say("list")
    unknown = keys.run("rotate", "--alg", "none")

    assert {each["alg"]: each["use"] for each in before} == {"ES256": "signs", "RS256": "signs"}
    uses = {each["kid"]: each["use"] for each in during}
    assert uses[rotated["kid"]] == "next"
    assert sorted(uses.values()) == ["next", "signs", "signs"]
    assert at_once.split()[0] in {each["kid"] for each in after}
    assert [each["use"] for each in after] == ["signs", "signs"]
    assert all(each["kid"] in shown for each in after)
    assert rotated["kid"] not in shown
    assert (unknown.exit_code, "RS256 or ES256" in unknown.stderr) == (1, True)


def test_a_given_token_is_shown_once_and_listed_until_it_is_revoked(
    operator: Operator, database: Database
) -> None:
    """The list says whom it was given to, and never the token."""
    given = operator.tell("token", "add", "--name", "Team A")
    words = operator.say("token", "add", "--name", "Team B", "--days", "1")
    listed, table = operator.tell("token", "list"), operator.say("token", "list")
    revoked = operator.say("token", "revoke", given["token_id"])
    after = {each["name"]: each["state"] for each in operator.tell("token", "list")}

    with database.read() as stores:
        assert stores.initial_tokens.find(digest_of(given["initial_access_token"])) is not None
    assert [row["state"] for row in listed] == ["good", "good"]
    assert given["token_id"] in table
    assert given["initial_access_token"] not in table + json.dumps(listed)
    assert revoked == "revoked\n"
    assert after == {"Team A": "revoked", "Team B": "good"}
    assert "token_id" in words and "initial_access_token" in words
