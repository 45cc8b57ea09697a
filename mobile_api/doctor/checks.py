"""Checks that read files, clocks, databases and the gallery."""

import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice, pairwise
from pathlib import Path
from typing import Final, cast

from sqlalchemy import Engine, make_url, text
from sqlalchemy.exc import SQLAlchemyError

from engine.comparison.kernels.compiling import is_complete
from engine.errors import DirectoryInUse
from engine.settings import EngineSettings
from mobile_api.cli.error_messages import error_message, reported_errors
from mobile_api.doctor import findings
from mobile_api.doctor.findings import Finding, Level
from mobile_api.erasures import check_list, erasure_list
from mobile_api.errors import SettingsFault
from mobile_api.gallery.local_store import LocalStore
from mobile_api.gallery.milvus import MilvusAddress, open_shared
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.observability.audit import require_whole
from mobile_api.recognition.load import load_recognition
from mobile_api.recognition.previous_graph import with_previous_graph
from mobile_api.server.config_file import CONFIG, ENVIRONMENT
from mobile_api.settings import MobileSettings
from mobile_api.storage import database as migrations
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import CONNECTIONS, Database, open_database, open_engine
from mobile_api.storage.key_file import open_key_file
from mobile_api.types import Clock
from oidc.plumbing.audit_entry import AuditEntry
from oidc.plumbing.database_engine import clock_lead
from oidc.plumbing.rate_limit import TABLE_BYTES, require_own_directory
from oidc.plumbing.server_connection import ServerConnection

_LIMITS_BYTES: Final = 4 * TABLE_BYTES
"""Of requests, logins and failures of clients, and of logins of networks."""

SAMPLED_ROWS: Final = 1_000
"""References that are decrypted."""

STEPS: Final = 50
"""Readings of the machine's clock."""

STEP_S: Final = 0.002

DATABASE_REMEDY: Final = "start the database, or correct its address, user and password"

MIGRATE_HINT: Final = "run `thenar migrate`"
"""Advice that database and key errors already contain."""

_SECRET: Final = re.compile(
    r"://[^/\s@]*:[^/\s@]+@|^\s*(alias_|)key(_encryption_key|)\s*=", re.MULTILINE
)
"""A password in an address, or a key."""

_CONNECTIONS_ALLOWED: Final = """
SELECT least(
    current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int,
    (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
    (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())
)"""

CheckResult = Finding | Iterable[Finding] | None
"""None: passed without remarks."""


def check(name: str, perform: Callable[[], CheckResult], advice: str = "") -> Iterator[Finding]:
    """Run one check and yield its findings; an exception becomes a failed finding.

    Args:
        name: of the check.
        perform: raises on failure; may return its own findings.
        advice: what to do on failure, unless the error itself says it.
    """
    try:
        found = perform()
    except reported_errors() as fault:
        message = error_message(fault)
        names_remedy = MIGRATE_HINT in message or "THENAR_" in message
        if names_remedy or isinstance(fault, (OSError, SettingsFault)):
            advice = ""
        if isinstance(fault, SQLAlchemyError):
            advice = DATABASE_REMEDY
        yield Finding(Level.FAIL, name, message, advice)
        return
    if isinstance(found, Finding):
        yield found
    elif found is None:
        yield Finding(Level.OK, name)
    else:
        yield from found


def kernels() -> Finding | None:
    """Check that the comparison was compiled for this machine."""
    if is_complete():
        return None
    advice = "run `thenar engine compile` as the owner of the program's folder"
    return Finding(Level.WARN, "compiled kernels", "missing: each start takes longer", advice)


def check_server(name: str, engine: Engine, most: int, clock: Clock) -> list[Finding]:
    """Check a server's clock, proof, and whether it allows ``most`` connections."""
    if engine.dialect.name == "sqlite":
        return [Finding(Level.OK, f"{name} clock", "SQLite uses this machine's clock")]
    with engine.connect() as connection:
        limit = connection.execute(text(_CONNECTIONS_ALLOWED)).scalar_one()
        info = cast("ServerConnection", connection.connection.driver_connection).info
        host, mode = info.host, info.get_parameters().get("sslmode", "prefer")
    return [
        findings.judge_skew(f"{name} clock", clock_lead(engine, clock)),
        findings.judge_connections(f"{name} connections", limit, most),
        findings.judge_server(f"{name} server", host, mode),
    ]


def check_machine_clock(read: Clock) -> Finding:
    """Read the machine's clock repeatedly: time must not go back."""
    readings = []
    for _ in range(STEPS):
        readings.append(read().timestamp())
        time.sleep(STEP_S)
    steps = [later - earlier for earlier, later in pairwise(readings)]
    return findings.judge_steps("machine clock", steps)


def check_audit_chain(name: str, entries: Iterator[AuditEntry], clock: Clock) -> Finding:
    """Verify an audit log, and that its end is not in the future.

    Raises:
        AuditBroken: the chain is broken.
    """
    last = require_whole(entries)
    now = clock()
    return findings.judge_past(name, last, (now if last is None else last.at) - now)


def biometric(settings: MobileSettings, clock: Clock) -> Iterator[Finding]:
    """Check the biometric database: version, clock, audit log."""
    engine = open_engine(settings.database_url)

    def audit() -> Finding:
        with Database(engine).read_in_transaction() as transaction:
            return check_audit_chain("biometric audit log", transaction.audit.entries(), clock)

    def version() -> None:
        migrations.require_current(engine)

    try:
        found = list(check("biometric database", version))
        yield from found
        if found[0].level is Level.OK:
            yield from check(
                "biometric clock", lambda: check_server("biometric", engine, CONNECTIONS, clock)
            )
            yield from check("biometric audit log", audit, "compare it with a backup")
    finally:
        engine.dispose()


def files(
    urls: Iterable[str], keys: Iterable[Path], others: Iterable[Path] = ()
) -> Iterator[Finding]:
    """Check who may read the files of databases and keys, and who may replace files."""
    paths = [each.absolute() for each in (*_database_files(urls), *keys)]
    for path in paths:
        with suppress(OSError):  # another check reports a missing file
            yield findings.judge_mode(f"permissions of {path.name}", path.stat().st_mode)
    for folder in sorted({each.absolute().parent for each in (*paths, *others)}):
        with suppress(OSError):
            yield findings.judge_folder(folder, folder.stat().st_mode)


def limits(directory: Path | None) -> Finding | None:
    """Check the directory of the tables of limits, which a start makes if it is missing.

    Raises:
        LimitsFault: another user can reach it.
        OSError: it cannot be made.
    """
    if directory is None:
        return None
    if not directory.exists():
        directory.parent.stat()
        return Finding(Level.OK, "limits", "the directory will be made at the start")
    require_own_directory(directory)
    held = sum(each.stat().st_blocks * 512 for each in directory.iterdir())
    free = shutil.disk_usage(directory).free
    return findings.judge_limits_disk(free + held - _LIMITS_BYTES)


def configuration_file() -> Iterator[Finding]:
    """Check who may read a configuration file with passwords; its group may."""
    path = Path(ENVIRONMENT.get(CONFIG, ""))
    with suppress(OSError, UnicodeError):  # loading the settings reports it
        if _SECRET.search(path.read_text("utf-8")):
            name = f"permissions of {path.name}"
            yield findings.judge_mode(name, path.stat().st_mode, kept_from=0o007)


def disks(
    urls: Iterable[str], erasure_list: Path | None = None, cache: Path | None = None
) -> Iterator[Finding]:
    """Check the free space on each disk that is written to."""
    files = [*_database_files(urls), *([erasure_list] if erasure_list else [])]
    places = {_existing(each.parent) for each in files}
    disks = {place.stat().st_dev: place for place in sorted(places)}
    for place in disks.values():
        yield findings.judge_disk(f"disk of {place}", shutil.disk_usage(place).free)
    if cache is not None and (cache := _existing(cache)).stat().st_dev not in disks:
        free = shutil.disk_usage(cache).free
        yield findings.judge_disk(f"disk of {cache}", free, is_cache=True)


def _database_files(urls: Iterable[str]) -> Iterator[Path]:
    for url in map(make_url, urls):
        if url.get_backend_name() == "sqlite" and url.database:
            yield Path(url.database).absolute()


def _existing(place: Path) -> Path:
    place = place.absolute()
    return place if place.exists() else _existing(place.parent)


def gallery(settings: MobileSettings, engine: EngineSettings) -> Finding:
    """Check the gallery: reach its server, or open its folder unless a service uses it.

    Raises:
        DirectoryFault: the folder cannot be used.
        GalleryFault: the server is unreachable, or has another gallery.
    """
    name, folder = "gallery", settings.gallery_folder
    if settings.gallery_url is not None:
        _reach(settings, engine, settings.gallery_url)
        return Finding(Level.OK, name)
    if not folder.exists():
        return Finding(Level.OK, name, "will be built when the service starts")
    try:
        local_store = LocalStore(folder)
    except DirectoryInUse:
        return Finding(Level.OK, name, "a service is using it")
    local_store.close()
    return Finding(Level.OK, name)


def erasures(settings: MobileSettings) -> Finding:
    """Check the list of erasures against what the database counts.

    Raises:
        ErasureListFault: it is missing, shorter than counted, forged, or another list.
    """
    name = "list of erasures"
    listed = erasure_list(settings, open_key_file(settings.key_source))
    with open_database(settings.database_url) as database:
        count = check_list(listed, database)
    if listed.exists() and listed.damage_count():
        advice = "a start repairs it from its second copy: check this disk"
        return Finding(Level.WARN, name, "entries are damaged", advice)
    return Finding(Level.OK, name, f"{count} accounts")


def _reach(settings: MobileSettings, engine: EngineSettings, url: str) -> None:
    recognition = load_recognition(engine)
    encryption = TemplateEncryption(TemplateCipher(open_key_file(settings.key_source).current))
    extractor, dimension = recognition.current.extractor, recognition.current.dimension
    open_shared(
        MilvusAddress.read(url), extractor, dimension, encryption, encryption.key_id
    ).close()


def references(settings: MobileSettings, engine: EngineSettings) -> None:
    """Decrypt some references as a service would, without its gallery, which may be in use."""
    encryption = TemplateEncryption(TemplateCipher(open_key_file(settings.key_source).current))
    with open_database(settings.database_url) as database:
        moving = with_previous_graph(engine, settings, database)
        for loaded in load_recognition(moving).extractors:
            with database.read_in_transaction() as transaction:
                found = transaction.references.all(loaded.extractor)
                encryption.decrypt_references(list(islice(found, SAMPLED_ROWS)))
