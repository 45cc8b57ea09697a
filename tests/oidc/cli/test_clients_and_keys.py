"""``thenar client``: what an operator types."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from joserfc.jwk import ECKey
from typer import Typer
from typer.testing import CliRunner, Result

from oidc.cli.clients import client
from oidc.cli.keys import key
from oidc.clients.error_log import record_error
from oidc.clients.registration import Registrar
from oidc.clients.secrets import authenticate
from oidc.opening import open_database, utc_now
from oidc.settings import OidcSettings
from oidc.types import Authentication, Profile

URI = "https://shop.example/cb"
ADD = ["add", "--name", "S", "--redirect-uri", URI]


@pytest.fixture
def run(settings: OidcSettings, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Give a way to run a command against the test's database."""
    monkeypatch.setenv("THENAR_OIDC_DATABASE_URL", settings.database_url)
    monkeypatch.setenv("COLUMNS", "200")
    file = settings.key_encryption_key_file
    monkeypatch.setenv("THENAR_OIDC_KEY_ENCRYPTION_KEY_FILE", str(file))

    def run(*arguments: str, app: Typer = client) -> Result:
        return CliRunner().invoke(app, list(arguments))

    return run


def test_an_added_client_can_authenticate(
    run: Callable[..., Result], settings: OidcSettings
) -> None:
    """Identifier and secret are printed once; two redirect URIs are kept in order."""
    result = run(
        "add", "--name", "Shop", "--redirect-uri", URI, "--redirect-uri", f"{URI}2",
        "--scope", "openid", "--no-external-user-id", "--require-trusted-phone",
        "--sandbox", "--json",
    )  # fmt: skip

    added = json.loads(result.stdout)
    database = open_database(settings)
    with database.read() as stores:
        found = authenticate(stores, added["client_id"], added["client_secret"], utc_now())
    database.close()
    assert result.exit_code == 0
    assert found is not None
    assert (found.redirect_uris, found.scope) == ((URI, f"{URI}2"), ("openid",))
    assert not found.external_user_id
    assert found.require_trusted_phone and added["require_trusted_phone"]
    assert found.sandbox and added["sandbox"] and "do not exist" in result.stderr


def test_words_for_people_hold_the_same(run: Callable[..., Result]) -> None:
    """Without ``--json``."""
    result = run("add", "--name", "Shop", "--redirect-uri", URI)

    assert "client_id " in result.stdout
    assert "client_secret " in result.stdout
    assert "not shown again" in result.stdout


def test_the_list_has_no_secret(run: Callable[..., Result]) -> None:
    """Not even its digest."""
    added = json.loads(run("add", "--name", "Shop", "--redirect-uri", URI, "--json").stdout)

    listed = json.loads(run("list", "--json").stdout)
    table = run("list").stdout

    assert listed == [{name: added[name] for name in added if name != "client_secret"}]
    assert added["client_id"] in table
    assert URI in table


def test_no_identifier_or_address_is_broken_over_lines(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """People copy them, and programs search for them, in a pipe of eighty columns, too."""
    monkeypatch.setenv("COLUMNS", "80")
    uris = [f"https://shop.example/{'a-long-way/' * 12}{end}" for end in ("one", "two")]
    names = [part for uri in uris for part in ("--redirect-uri", uri)]
    added = json.loads(run("add", "--name", "Shop", *names, "--json").stdout)

    listed, shown = run("list").stdout, run("show", added["client_id"]).stdout

    for whole in (added["client_id"], *uris):
        assert whole in listed and whole in shown


def test_a_secret_is_rotated_and_a_client_removed(run: Callable[..., Result]) -> None:
    """Then it is unknown."""
    added = json.loads(run("add", "--name", "Shop", "--redirect-uri", URI, "--json").stdout)
    rotated = json.loads(run("rotate-secret", added["client_id"], "--json").stdout)

    assert rotated["client_secret"] != added["client_secret"]
    assert "client_secret" in run("rotate-secret", added["client_id"]).stdout
    assert run("remove", added["client_id"]).exit_code == 0
    assert run("remove", added["client_id"]).exit_code == 1


def test_a_client_is_shown_and_changed_and_stays_the_same_to_people(
    run: Callable[..., Result], settings: OidcSettings
) -> None:
    """One more redirect URI must not mean new pseudonyms: ID, sector and secret stay."""
    logouts = "--backchannel-logout-uri", f"{URI}/out", "--post-logout-redirect-uri", URI
    added = json.loads(run(*ADD, *logouts, "--json").stdout)
    client_id, secret = added["client_id"], added.pop("client_secret")

    more = run("update", client_id, "--add-redirect-uri", f"{URI}2", "--json")
    removed = "--backchannel-logout-uri", "", "--post-logout-redirect-uri", ""
    renamed = run("update", client_id, "--name", "T", *removed, "--dpop")

    shown = json.loads(run("show", client_id, "--json").stdout)
    assert json.loads(more.stdout) == added | {"redirect_uris": [URI, f"{URI}2"]}
    assert shown == added | {
        "client_name": "T",
        "redirect_uris": [URI, f"{URI}2"],
        "backchannel_logout_uri": None,
        "post_logout_redirect_uris": [],
        "dpop_bound_access_tokens": True,
    }
    assert f"{URI}2" in renamed.stdout
    assert f"{URI}2" in run("show", client_id).stdout
    database = open_database(settings)
    with database.read() as stores:
        kept = authenticate(stores, client_id, secret, utc_now())
    database.close()
    assert kept is not None
    assert kept.sector == client_id


def test_the_latest_errors_of_a_client_can_be_read(
    run: Callable[..., Result], settings: OidcSettings
) -> None:
    """Newest first, with what the client was told and when."""
    client_id = json.loads(run(*ADD, "--json").stdout)["client_id"]
    database = open_database(settings)
    with database.write() as stores:
        for error in ("invalid_grant", "invalid_client"):
            record_error(stores, client_id, "token", (error, "because"), utc_now())
    database.close()

    told = json.loads(run("errors", client_id, "--json").stdout)

    assert [each["error"] for each in told] == ["invalid_client", "invalid_grant"]
    assert all(each["happened_at"].endswith("+00:00") for each in told)
    assert "because" in run("errors", client_id).stdout


def test_pkce_is_required_unless_its_risk_is_taken(run: Callable[..., Result]) -> None:
    """RFC 9700 §2.1.1: the operator reads what is lost."""
    usual, without = run(*ADD, "--json"), run(*ADD, "--no-pkce", "--json")
    again = run("update", json.loads(without.stdout)["client_id"], "--pkce", "--json")

    assert json.loads(usual.stdout)["require_pkce"] is True
    assert json.loads(without.stdout)["require_pkce"] is False
    assert json.loads(again.stdout)["require_pkce"] is True
    assert [("Without PKCE" in each.stderr) for each in (usual, without, again)] == [
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["add", "--name", "S", "--redirect-uri", "http://shop.example/"], "loopback"),
        (["add", "--name", " ", "--redirect-uri", URI], "printable"),
        (["add", "--name", "S", "--redirect-uri", URI, "--scope", "email"], "openid"),
        (["rotate-secret", "unknown"], "no such client"),
        (["show", "unknown"], "no such client"),
        (["update", "unknown", "--name", "S"], "no such client"),
        (["errors", "unknown"], "no such client"),
        ([*ADD, "--id-token-alg", "none"], "RS256"),
        ([*ADD, "--jwks", "/no/such"], "cannot be read"),
        (
            [
                "add",
                "--name",
                "S",
                "--redirect-uri",
                URI,
                "--authentication",
                "private_key_jwt",
            ],
            "needs a JWK set",
        ),
    ],
)
def test_a_mistake_ends_with_one_line(
    run: Callable[..., Result], arguments: list[str], word: str
) -> None:
    """No traceback for what an operator typed."""
    result = run(*arguments)

    assert result.exit_code == 1
    assert word in result.stderr
    assert "Traceback" not in result.stderr


def test_an_unmigrated_database_is_named(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With the command that mends it."""
    monkeypatch.setenv("THENAR_OIDC_DATABASE_URL", f"sqlite:///{tmp_path / 'x.sqlite3'}")

    result = run("list")

    assert (result.exit_code, "thenar migrate" in result.stderr) == (1, True)


def test_wrong_settings_are_named_all_at_once(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As variables, which is where they are mended."""
    monkeypatch.setenv("THENAR_OIDC_ISSUER", "http://id.example")
    monkeypatch.setenv("THENAR_OIDC_PENDING_S", "0")

    result = run("list")

    assert result.exit_code == 1
    assert "THENAR_OIDC_ISSUER" in result.stderr
    assert "THENAR_OIDC_PENDING_S" in result.stderr


def test_a_client_that_signs_gets_no_secret(
    run: Callable[..., Result], settings: OidcSettings, tmp_path: Path
) -> None:
    """Its public keys are kept; nothing is shown that could be stolen, or rotated."""
    file = tmp_path / "jwks.json"
    public = ECKey.generate_key("P-256").as_dict(private=False)
    file.write_text(json.dumps({"keys": [public]}))

    result = run(
        "add", "--name", "Shop", "--redirect-uri", URI, "--authentication", "private_key_jwt",
        "--jwks", str(file), "--pkce", "--id-token-alg", "ES256", "--json",
    )  # fmt: skip

    added = json.loads(result.stdout)
    database = open_database(settings)
    with database.read() as stores:
        found = stores.clients.find(added["client_id"])
    database.close()
    assert "client_secret" not in added
    assert found is not None
    assert found.authentication is Authentication.PRIVATE_KEY_JWT
    assert (found.require_pkce, found.id_token_algorithm) == (True, "ES256")
    assert json.loads(found.jwks or "")["keys"][0]["x"] == public["x"]
    assert "private_key_jwt" in run("rotate-secret", added["client_id"]).stderr


def test_a_client_says_where_its_logouts_go(run: Callable[..., Result]) -> None:
    """Addresses to return to, and one to be told at; a client that said nothing has none."""
    result = run(
        "add", "--name", "Shop", "--redirect-uri", URI,
        "--post-logout-redirect-uri", "https://shop.example/bye",
        "--post-logout-redirect-uri", "https://shop.example/ciao",
        "--backchannel-logout-uri", "https://shop.example/logout",
        "--backchannel-logout-session-required", "--json",
    )  # fmt: skip
    plain = run("add", "--name", "Café", "--redirect-uri", URI, "--json")

    added, other = json.loads(result.stdout), json.loads(plain.stdout)
    assert added["post_logout_redirect_uris"] == [
        "https://shop.example/bye",
        "https://shop.example/ciao",
    ]
    assert added["backchannel_logout_uri"] == "https://shop.example/logout"
    assert added["backchannel_logout_session_required"] is True
    assert other["post_logout_redirect_uris"] == []
    assert other["backchannel_logout_uri"] is None


@pytest.mark.parametrize(
    "option",
    ["--post-logout-redirect-uri=http://shop.example/", "--backchannel-logout-uri=ftp://x/"],
)
def test_an_unsafe_logout_address_is_refused(run: Callable[..., Result], option: str) -> None:
    """With one line that says why."""
    result = run("add", "--name", "Shop", "--redirect-uri", URI, option)

    assert result.exit_code == 1
    assert "http" in result.stderr


def test_a_public_client_always_needs_pkce(run: Callable[..., Result]) -> None:
    """Whatever was typed."""
    result = run(
        "add", "--name", "App", "--redirect-uri", URI, "--authentication", "none", "--no-pkce"
    )

    assert "client_secret" not in result.stdout
    (listed,) = json.loads(run("list", "--json").stdout)
    assert (listed["authentication"], listed["require_pkce"]) == ("none", True)
    assert "none + PKCE" in run("list").stdout


def test_keys_are_rotated_and_listed(run: Callable[..., Result]) -> None:
    """The new one is next, the old one still signs; a compromised one is gone."""
    before = json.loads(run("list", "--json", app=key).stdout)
    rotated = json.loads(run("rotate", "--json", app=key).stdout)
    during = json.loads(run("list", "--json", app=key).stdout)
    at_once = run("rotate", "--compromised", app=key)
    after = json.loads(run("list", "--json", app=key).stdout)

    assert [(each["alg"], each["use"]) for each in before] in (
        [("RS256", "signs"), ("ES256", "signs")],
        [("ES256", "signs"), ("RS256", "signs")],
    )
    uses = {each["kid"]: each["use"] for each in during}
    assert uses[rotated["kid"]] == "next"
    assert sorted(uses.values()) == ["next", "signs", "signs"]
    assert at_once.stdout.split()[0] in {each["kid"] for each in after}
    assert [each["use"] for each in after] == ["signs", "signs"]
    shown = run("list", app=key).stdout
    assert all(each["kid"] in shown for each in after)
    assert rotated["kid"] not in shown


def test_only_known_algorithms_have_keys(run: Callable[..., Result]) -> None:
    """One line, and nothing changes."""
    result = run("rotate", "--alg", "none", app=key)

    assert (result.exit_code, "RS256 or ES256" in result.stderr) == (1, True)


def test_clients_that_registered_themselves_are_told_apart(
    run: Callable[..., Result], settings: OidcSettings
) -> None:
    """Nobody has checked their names."""
    given = json.loads(run("token", "add", "--name", "Team A", "--json").stdout)
    database = open_database(settings)
    registrar = Registrar(database, utc_now, "https://id.example", 20, Profile.STANDARD)
    held = registrar.register(given["initial_access_token"], {"redirect_uris": [URI]})
    database.close()
    added = json.loads(run(*ADD, "--json").stdout)

    shown = [
        json.loads(run("show", str(each["client_id"]), "--json").stdout)
        for each in (held, added)
    ]
    listed = run("list").stdout.splitlines()

    assert [each["registered_itself"] for each in shown] == [True, False]
    assert ["by itself" in line for line in listed if "scope" in line] == [True, False]
