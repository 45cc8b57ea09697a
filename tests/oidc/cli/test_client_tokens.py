"""What an operator types for tokens of registration, rollovers and profiles."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from joserfc.jwk import ECKey
from typer.testing import CliRunner, Result

from oidc.cli.clients import client
from oidc.clients.secrets import authenticate
from oidc.opening import open_database, utc_now
from oidc.protocol.identifiers import digest_of
from oidc.settings import OidcSettings

URI = "https://shop.example/cb"


@pytest.fixture
def run(settings: OidcSettings, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Give a way to run a command against the test's database."""
    monkeypatch.setenv("THENAR_OIDC_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("COLUMNS", "200")
    file = settings.key_encryption_key_file
    monkeypatch.setenv("THENAR_OIDC_KEY_ENCRYPTION_KEY_FILE", str(file))
    return lambda *arguments: CliRunner().invoke(client, list(arguments))


def test_a_given_token_is_shown_once_and_listed_until_it_is_revoked(
    run: Callable[..., Result], settings: OidcSettings
) -> None:
    """The list says whom it was given to, and never the token."""
    given = json.loads(run("token", "add", "--name", "Team A", "--json").stdout)
    listed = json.loads(run("token", "list", "--json").stdout)
    table = run("token", "list").stdout
    revoked = run("token", "revoke", given["token_id"])
    after = json.loads(run("token", "list", "--json").stdout)

    database = open_database(settings)
    with database.read() as stores:
        kept = stores.initial_tokens.find(digest_of(given["initial_access_token"]))
    database.close()
    assert kept is not None
    assert [(row["name"], row["state"]) for row in listed] == [("Team A", "good")]
    assert given["token_id"] in table
    assert given["initial_access_token"] not in table + json.dumps(listed)
    assert revoked.stdout == "revoked\n"
    assert after[0]["state"] == "revoked"


def test_words_for_people_hold_the_same(run: Callable[..., Result]) -> None:
    """Without ``--json``."""
    shown = run("token", "add", "--name", "Team A", "--days", "1").stdout

    assert "token_id" in shown
    assert "initial_access_token" in shown


@pytest.mark.parametrize(
    "arguments", [["revoke", "unknown"], ["add", "--name", " "], ["add", "--name", "a\nb"]]
)
def test_a_refused_command_ends_with_one_line(
    run: Callable[..., Result], arguments: list[str]
) -> None:
    """And no traceback."""
    result = run("token", *arguments)

    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1


def test_a_rollover_keeps_the_old_secret_for_hours(
    run: Callable[..., Result], settings: OidcSettings
) -> None:
    """Both are good now; without the option the old one ends."""
    added = json.loads(run("add", "--name", "S", "--redirect-uri", URI, "--json").stdout)
    name, old = added["client_id"], added["client_secret"]
    new = json.loads(run("rotate-secret", name, "--overlap", "24", "--json").stdout)

    database = open_database(settings)
    with database.read() as stores:
        found = [
            authenticate(stores, name, secret, utc_now())
            for secret in (old, new["client_secret"])
        ]
    run("rotate-secret", name)
    with database.read() as stores:
        ended = authenticate(stores, name, old, utc_now())
    database.close()
    assert None not in found
    assert ended is None


def test_a_profile_makes_the_rest_compulsory(
    run: Callable[..., Result], tmp_path: Path
) -> None:
    """One option instead of five, and no way to leave one of them out."""
    file = tmp_path / "keys.json"
    key = ECKey.generate_key("P-256").as_dict(private=False)
    file.write_text(json.dumps({"keys": [key]}))
    usual = ("add", "--name", "Bank", "--redirect-uri", URI, "--profile", "fapi2", "--json")

    added = json.loads(
        run(*usual, "--authentication", "private_key_jwt", "--jwks", str(file)).stdout
    )
    refused = run(*usual)

    assert added["profile"] == "fapi2"
    assert added["require_pkce"] is True
    assert added["require_pushed_authorization_requests"] is True
    assert added["dpop_bound_access_tokens"] is True
    assert added["id_token_signed_response_alg"] == "ES256"
    assert refused.exit_code == 1
    assert "private_key_jwt" in refused.stderr


def test_a_client_is_held_to_dpop_by_one_option(run: Callable[..., Result]) -> None:
    """``--dpop``; PKCE and PAR stay as they were."""
    added = json.loads(
        run("add", "--name", "S", "--redirect-uri", URI, "--dpop", "--json").stdout
    )

    assert added["dpop_bound_access_tokens"] is True
    assert added["require_pushed_authorization_requests"] is False
