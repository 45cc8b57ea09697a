"""A command on the wrong host, or with a wrong address, says so and changes nothing."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mobile_api import app as composition
from mobile_api.__main__ import app
from mobile_api.doctor.findings import Level
from mobile_api.doctor.run import run_checks
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.server import provider_app
from mobile_api.server.configuration import load_both
from mobile_api.storage.alias_keys import open_aliases
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import Database, open_engine
from mobile_api.storage.key_file import open_key_file
from oidc import app as provider
from tests.support.galleries.people import enrol

Patch = pytest.MonkeyPatch


@pytest.fixture
def gallery_host(tmp_path: Path, monkeypatch: Patch) -> Path:
    """Give the data of a service with one person, in whose settings the test begins."""
    monkeypatch.chdir(tmp_path)
    list(composition.migrate(load_both()))
    settings = load_both().mobile
    database = Database(open_engine(settings.database_url))
    key_file = open_key_file(settings.key_source)
    enrol(database, 1, encryption=TemplateEncryption(TemplateCipher(key_file.current)))
    database.close()
    return tmp_path / "data"


@pytest.fixture
def provider_host(gallery_host: Path, tmp_path: Path, monkeypatch: Patch) -> Path:
    """Move to a host that has the protocol database and its key alone."""
    here = tmp_path / "b"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("THENAR_OIDC_DATABASE_URL", f"sqlite:///{gallery_host}/protocol.sqlite3")
    monkeypatch.setenv("THENAR_OIDC_KEY_ENCRYPTION_KEY_FILE", f"{gallery_host}/protocol.key")
    return here


@pytest.fixture
def serving(monkeypatch: Patch) -> Iterator[ExitStack]:
    """Announce processes, as ``thenar serve`` does, until the test ends."""
    monkeypatch.setattr("oidc.jobs.RENEWAL_S", 0.1)
    with ExitStack() as stack:
        yield stack


def announce(serving: ExitStack, monkeypatch: Patch, host: str, only: str | None) -> None:
    """Let a process of a host serve until the test ends."""
    with monkeypatch.context() as there:
        there.setattr("oidc.jobs.gethostname", lambda: host)
        serving.enter_context(provider_app.announced(load_both(), only))


def thenar(*arguments: str) -> Result:
    """Run a command."""
    return CliRunner().invoke(app, list(arguments))


def said(result: Result) -> str:
    """Return the sentence of a command that was refused."""
    assert result.exit_code == 1, result.output
    assert "Traceback" not in result.output
    return result.output.replace("\n", " ")


def require_same_people(gallery_host: Path, monkeypatch: Patch) -> None:
    """Check that the gallery's host still knows everybody, and could start."""
    monkeypatch.chdir(gallery_host.parent)
    monkeypatch.delenv("THENAR_OIDC_DATABASE_URL", raising=False)
    settings = load_both()
    provider.require_aliases(settings.oidc, open_aliases(settings.mobile))


@pytest.mark.parametrize(
    "command", [("migrate",), ("migrate", "--check"), ("migrate", "--json")]
)
def test_a_host_without_the_biometric_database_makes_none(
    provider_host: Path, command: tuple[str, ...]
) -> None:
    """It would be a stray one, with a key to back up; the sentence says what fits this host."""
    refused = said(thenar(*command))

    assert "--only oidc" in refused
    assert "run `thenar migrate`" not in refused
    assert list(provider_host.iterdir()) == []


def test_each_half_is_migrated_alone(provider_host: Path, gallery_host: Path) -> None:
    """The provider's host needs neither the other database nor its key."""
    plan = thenar("migrate", "--only", "oidc", "--check")
    done = thenar("migrate", "--only", "oidc")

    assert (plan.exit_code, done.exit_code) == (0, 0), done.output
    assert "protocol database is ready" in done.output
    assert "biometric" not in done.output
    assert list(provider_host.iterdir()) == []


def test_no_biometric_database_is_forgotten_while_a_process_runs(
    gallery_host: Path, provider_host: Path, serving: ExitStack, monkeypatch: Patch
) -> None:
    """Each person would be a new one to each app, and the gallery's host could not restart."""
    announce(serving, monkeypatch, "host-a", None)

    refused = said(thenar("migrate", "--new-biometric-database"))

    assert "host-a" in refused
    assert list(provider_host.iterdir()) == []
    require_same_people(gallery_host, monkeypatch)


def test_a_new_biometric_database_concerns_both_halves(gallery_host: Path) -> None:
    """One half alone cannot join it."""
    assert "--only" in said(thenar("migrate", "--only", "oidc", "--new-biometric-database"))


def test_a_wrong_protocol_address_makes_no_second_service(
    gallery_host: Path, monkeypatch: Patch
) -> None:
    """A new signing key, and a key of the aliases in place of the one that all need."""
    aliases = (gallery_host / "biometric.aliases").read_bytes()
    monkeypatch.setenv("THENAR_OIDC_DATABASE_URL", "sqlite:///data/typo.sqlite3")

    for command in (("migrate",), ("migrate", "--check"), ("migrate", "--only", "mobile")):
        assert "THENAR_OIDC_DATABASE_URL" in said(thenar(*command))
    assert not (gallery_host / "typo.sqlite3").exists()
    assert (gallery_host / "biometric.aliases").read_bytes() == aliases


def test_a_lost_protocol_database_begins_again_on_demand(
    gallery_host: Path, monkeypatch: Patch
) -> None:
    """The refusal names the command, and it works."""
    (gallery_host / "protocol.sqlite3").unlink()
    refused = said(thenar("migrate"))
    begun, joined = thenar("migrate", "--only", "oidc"), thenar("migrate")

    assert "thenar migrate --only oidc" in refused
    assert (begun.exit_code, joined.exit_code) == (0, 0)
    require_same_people(gallery_host, monkeypatch)


@pytest.mark.parametrize("only", [None, "oidc", "mobile"])
def test_no_session_ends_while_a_process_runs(
    gallery_host: Path, serving: ExitStack, monkeypatch: Patch, only: str | None
) -> None:
    """A restored database is not served yet; one that is served has everybody's sessions."""
    announce(serving, monkeypatch, "host-a", only)
    refused = said(thenar("restored"))
    serving.close()
    done = thenar("restored")

    assert "host-a" in refused
    assert done.exit_code == 0, done.output


def test_a_key_that_another_host_lacks_encrypts_nothing(
    gallery_host: Path, serving: ExitStack, monkeypatch: Patch
) -> None:
    """Its gallery could decrypt nothing more. The provider alone needs no template key."""
    key = (gallery_host / "biometric.key").read_bytes()
    announce(serving, monkeypatch, "host-b", "oidc")
    alone = thenar("gallery", "rekey", "--remove-old")
    changed = (gallery_host / "biometric.key").read_bytes()
    announce(serving, monkeypatch, "host-c", "mobile")
    refused = said(thenar("gallery", "rekey"))

    assert alone.exit_code == 0, alone.output
    assert changed != key
    assert "host-c" in refused and "host-b" not in refused
    assert (gallery_host / "biometric.key").read_bytes() == changed


def test_a_signing_key_is_not_encrypted_under_another_hosts_key(
    provider_host: Path, monkeypatch: Patch
) -> None:
    """No provider could start, or sign, any more."""
    (provider_host / "other.key").write_text("A" * 43 + "=\n")
    monkeypatch.setenv("THENAR_OIDC_KEY_ENCRYPTION_KEY_FILE", "other.key")
    before = thenar("key", "list").output
    refused = said(thenar("key", "rotate"))

    assert "another key" in refused
    assert thenar("key", "list").output == before


def test_the_list_of_erasures_is_not_renewed_under_a_process_that_uses_it(
    gallery_host: Path, serving: ExitStack, monkeypatch: Patch
) -> None:
    """It could confirm no deletion any more. The provider alone has none."""
    announce(serving, monkeypatch, "host-b", "oidc")
    renewed = thenar("account", "erasures", "--renew", "--yes")
    announce(serving, monkeypatch, "host-a", None)

    assert renewed.exit_code == 0, renewed.output
    assert "host-a" in said(thenar("account", "erasures", "--renew", "--yes"))


@pytest.mark.parametrize("only", [None, "oidc"])
def test_the_doctor_of_a_provider_advises_nothing_of_the_other_half(
    provider_host: Path, only: str | None
) -> None:
    """Without the option it names it; no line sends anybody to make what is not missing."""
    failed = [each for each in run_checks(None, only) if each.level is Level.FAIL]

    assert [each.name for each in failed] == ([] if only else ["biometric database"])
    for each in failed:
        assert "--only oidc" in each.message
        assert "run `thenar migrate`" not in f"{each.message} {each.advice}"
