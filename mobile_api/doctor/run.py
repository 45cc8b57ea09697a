"""Runs all checks of ``thenar doctor`` in order."""

from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

import httpx2

from mobile_api.cli.error_messages import error_message, reported_errors
from mobile_api.doctor import checks, findings
from mobile_api.doctor.checks import check
from mobile_api.doctor.findings import Finding, Level
from mobile_api.doctor.probe import Addresses, probe, probe_offer
from mobile_api.enrolment.rules import load_consents
from mobile_api.errors import SettingsFault
from mobile_api.recognition.load import load_recognition
from mobile_api.server.configuration import Settings, load_both
from mobile_api.server.running import require_biometric, require_protocol
from mobile_api.storage.alias_keys import open_aliases
from mobile_api.storage.key_file import read_keys
from oidc import app as provider
from oidc.types import utc_now


def run_checks(http: httpx2.Client | None, only: str | None = None) -> Iterator[Finding]:
    """Check everything a service needs; yield findings as they come.

    Args:
        http: requests the public addresses; None skips these checks.
        only: "oidc" or "mobile" checks what that half needs.
    """
    try:
        settings = load_both()
    except reported_errors() as fault:
        yield Finding(
            Level.FAIL,
            "settings",
            error_message(fault),
            "correct the setting; the page of settings has them all",
        )
        return
    yield Finding(Level.OK, "settings")
    yield from _check_settings(settings, only)
    yield from _check_environment(settings, only)
    if http is not None:
        oidc = settings.oidc
        addresses = Addresses(
            oidc.issuer,
            oidc.auth_url,
            oidc.base_url,
            settings.mobile.public_url,
            settings.mobile.app_files,
        )
        yield from probe(addresses, http)
        yield probe_offer(oidc.base_url)


def _check_settings(settings: Settings, only: str | None) -> Iterator[Finding]:
    """Judge the settings by themselves."""
    oidc, mobile = settings.oidc, settings.mobile
    addresses = (oidc.issuer, oidc.auth_url, oidc.base_url, mobile.public_url)
    hosts = [urlsplit(each).netloc for each in addresses]
    yield findings.judge_addresses(is_secure=settings.is_secure, hosts=hosts)
    yield findings.judge_proxies(mobile.trusted_proxies, is_secure=settings.is_secure)
    yield from findings.judge_choices(settings, only)


def _check_environment(settings: Settings, only: str | None) -> Iterator[Finding]:
    """Check everything outside of the program."""
    oidc, mobile = settings.oidc, settings.mobile
    urls, keys, others = [oidc.database_url], [], []
    yield from _check_protocol(settings, only)
    if only != "mobile":
        keys = [oidc.key_source.path] if oidc.key_source.is_file else []
        yield from check("limits", lambda: checks.limits(oidc.limits_dir))
    if only != "oidc":
        urls.append(mobile.database_url)
        own = mobile.key_source, mobile.alias_key_source
        others = [each.path for each in own if each.is_file]
        others += [mobile.erasure_file, mobile.gallery_folder / "any"]
        yield from _check_biometric(settings)
    yield checks.check_machine_clock(utc_now)
    yield from checks.files(urls, keys, others)
    yield from checks.configuration_file()
    yield from checks.disks(
        urls, *(() if only == "oidc" else (mobile.erasure_file, mobile.gallery_folder))
    )


def _check_biometric(settings: Settings) -> Iterator[Finding]:
    """Check the biometric database, its keys, the engine and the gallery."""
    oidc, mobile, engine = settings.oidc, settings.mobile, settings.engine
    try:
        require_biometric(settings)
    except SettingsFault as fault:
        yield Finding(Level.FAIL, "biometric database", str(fault))
        return
    except reported_errors():  # each database's own check reports it
        pass
    yield from check("consent text", lambda: _discard(load_consents(mobile)))
    biometric = list(checks.biometric(mobile, utc_now))
    yield from biometric
    yield from check(
        "template key",
        lambda: _discard(read_keys(mobile.key_source)),
        "chmod 600 the key file, or restore it from its backup; on a new installation"
        " run `thenar migrate`",
    )
    networks = list(
        check(
            "networks and calibration",
            lambda: _discard(load_recognition(engine)),
            "install Thenar again, then run `thenar engine verify`",
        )
    )
    yield from networks
    is_loaded = networks[0].level is Level.OK
    if is_loaded:  # a misspelt name has been reported
        yield findings.judge_attack_detection(engine.attack_detection)
    yield from check("compiled kernels", checks.kernels)
    # Without tables there are no references to decrypt.
    if biometric[0].level is Level.OK and is_loaded:
        yield from check(
            "references decrypt with the key",
            lambda: checks.references(mobile, engine),
            "restore the key file of this database",
        )
    if biometric[0].level is Level.OK:
        yield from check("list of erasures", lambda: checks.erasures(mobile))
        yield from check(
            "aliases of accounts",
            lambda: provider.require_aliases(oidc, open_aliases(mobile)),
            "restore databases and key files that belong together",
        )
    yield from check("gallery", lambda: checks.gallery(mobile, engine))


def _check_protocol(both: Settings, only: str | None) -> Iterator[Finding]:
    """Check the protocol database and, unless phones alone are served, its keys."""
    settings = both.oidc

    def opened() -> None:
        if only != "oidc":
            require_protocol(both)
        provider.open_database(settings).close()

    def clock_and_log() -> list[Finding]:
        each = 2 * settings.connections + 2  # both halves, LISTEN, and one more
        most = each * max(1, len(provider.running(settings).processes))
        with closing(provider.open_database(settings)) as database, database.read() as stores:
            return [
                *checks.check_server("protocol", database.engine, most, utc_now),
                checks.check_audit_chain("protocol audit log", stores.audit.entries(), utc_now),
            ]

    def palm_alone() -> list[Finding] | None:
        with closing(provider.open_database(settings)) as database, database.read() as stores:
            clients = stores.clients.all()
        is_allowed = settings.allows_palm_alone
        accepting = [each for each in clients if each.accept_palm_alone and not each.sandbox]
        return [
            findings.judge_palm_alone(each.name, each.client_id, is_allowed=is_allowed)
            for each in accepting
        ] or None

    def signing() -> None:
        # The tables of limits would belong to the user who runs this command.
        alone = settings.model_copy(update={"limits_dir": None})
        provider.build_app(alone).state.database.close()

    found = list(check("protocol database", opened))
    yield from found
    if found[0].level is Level.OK:
        yield from check("protocol clock and audit log", clock_and_log)
    if found[0].level is Level.OK and only != "mobile":
        yield from check("palm alone", palm_alone)
        yield from check(
            "signing keys", signing, "restore the key encryption key of this database"
        )


def _discard(_loaded: object) -> None:
    """Return None: loading it was the check."""
