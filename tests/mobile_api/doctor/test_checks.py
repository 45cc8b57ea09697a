"""The doctor names what is wrong, and what to do; each case is broken in its own way."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest
from sqlalchemy import create_engine
from starlette.responses import Response
from typer.testing import CliRunner

from engine.settings import EngineSettings
from mobile_api import app as composition
from mobile_api.__main__ import app
from mobile_api.doctor import checks, findings
from mobile_api.doctor.findings import Finding, Level
from mobile_api.doctor.probe import Addresses, probe, probe_offer
from mobile_api.doctor.run import run_checks
from mobile_api.gallery.local_store import LocalStore
from mobile_api.server.configuration import load_both
from mobile_api.server.serving import Place, ServedApp, Server
from oidc.plumbing.audit_entry import AuditEntry
from oidc.types import AuditEvent, utc_now
from tests.support.clock import FakeClock
from tests.support.servers.app_server import listening
from tests.support.servers.certificates import make_certificate
from tests.support.service.process import free_port

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a place where everything was made ready."""
    monkeypatch.chdir(tmp_path)
    list(composition.migrate(load_both()))
    return tmp_path / "data"


def found(name: str) -> Finding:
    """Return what the doctor says of one thing."""
    return next(each for each in run_checks(None) if each.name == name)


@pytest.mark.parametrize(
    ("seconds", "level"), [(0, 0), (1.9, 0), (-1.9, 0), (2, 1), (-29, 1), (30, 2), (-3600, 2)]
)
def test_clocks_that_differ_are_reported(seconds: float, level: int) -> None:
    """Two processes must agree when a code ends."""
    judged = findings.judge_skew("clock", timedelta(seconds=seconds))

    assert judged.level == level
    assert ("NTP" in judged.advice) == (level > 0)


@pytest.mark.parametrize(("ahead_s", "level"), [(-5, 0), (1, 0), (10, 1), (100, 2)])
def test_what_was_written_in_the_future_tells_of_a_clock_that_went_back(
    ahead_s: int, level: int
) -> None:
    """Everything that expires would live longer."""
    ahead = timedelta(seconds=ahead_s)
    last = AuditEntry.after(None, AuditEvent.CLIENT_CHANGED, NOW + ahead, {})

    assert findings.judge_past("log", last, ahead).level == level
    assert findings.judge_past("log", None, timedelta(0)).level == Level.OK


def test_a_clock_that_runs_backwards_is_reported() -> None:
    """By readings that follow each other."""
    readings = (datetime.fromtimestamp(at, UTC) for at in (5, *range(4, 4 + checks.STEPS)))

    assert checks.check_machine_clock(lambda: next(readings)).level == Level.FAIL
    assert checks.check_machine_clock(utc_now).level == Level.OK


@pytest.mark.parametrize(
    ("free", "level"), [(1 << 40, 0), ((2 << 30) - 1, 1), ((100 << 20) - 1, 2), (0, 2)]
)
def test_a_disk_that_fills_up_is_reported_before_it_is_full(free: int, level: int) -> None:
    """On a full one enrolment, sign-in and deletion fail."""
    assert findings.judge_disk("disk", free).level == level


Harm = Callable[[Path, pytest.MonkeyPatch], None]


def _set(**values: str) -> Harm:
    def set_all(_place: Path, patch: pytest.MonkeyPatch) -> None:
        for name, value in values.items():
            patch.setenv(f"THENAR_{name}", value)

    return set_all


def _mode(name: str) -> Harm:
    return lambda place, _patch: (place / name).chmod(0o644)


def _write(name: str, content: bytes) -> Harm:
    def write(place: Path, _patch: pytest.MonkeyPatch) -> None:
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_bytes(content)

    return write


def _readable_configuration(place: Path, patch: pytest.MonkeyPatch) -> None:
    file = place / "thenar.toml"
    file.write_text('[oidc]\ndatabase_url = "postgresql://thenar:hush-hush@db/protocol"\n')
    file.chmod(0o644)
    patch.setenv("THENAR_CONFIG", str(file))


def _sql(statement: str) -> Harm:
    def run(place: Path, _patch: pytest.MonkeyPatch) -> None:
        with closing(sqlite3.connect(place / "protocol.sqlite3")) as database:
            database.execute(statement)
            database.commit()

    return run


def _open_limits(place: Path, patch: pytest.MonkeyPatch) -> None:
    (place / "limits").mkdir()
    (place / "limits").chmod(0o777)
    patch.setenv("THENAR_OIDC_LIMITS_DIR", str(place / "limits"))


def _open_gallery(place: Path, _patch: pytest.MonkeyPatch) -> None:
    (place / "gallery").mkdir()
    (place / "gallery").chmod(0o777)


def _full_limits(place: Path, patch: pytest.MonkeyPatch) -> None:
    (place / "limits").mkdir(0o700)
    patch.setenv("THENAR_OIDC_LIMITS_DIR", str(place / "limits"))
    patch.setattr(shutil, "disk_usage", lambda _place: SimpleNamespace(free=1 << 20))


def _other_weights(place: Path, patch: pytest.MonkeyPatch) -> None:
    weights = place / "weights"
    weights.mkdir()
    manifest = EngineSettings().manifest
    for line in manifest.read_text().splitlines():
        if line.startswith("file = "):
            (weights / line.split('"')[1]).write_bytes(b"another network")
    patch.setenv("THENAR_ENGINE_WEIGHTS_DIR", str(weights))


KEY = b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
FORGED = "UPDATE audit_entries SET details='{}' WHERE position=1"
AWAY = "postgresql+psycopg://thenar:hush-hush@127.0.0.1:1/none?connect_timeout=2"

BROKEN = [
    ("settings", _set(OIDC_ISSUER="http://hush-hush.example"), "https"),
    ("settings", _set(MOBILE_PUBLIC_URL="https://other.example"), "PHONE_URL must be"),
    ("settings", _set(MOBILE_TRUSTED_PROXIES="0.0.0.0/0"), "everybody"),
    ("consent text", _set(MOBILE_CONSENT_FILE="/nowhere"), "cannot be read"),
    ("protocol database", _sql("UPDATE oidc_version SET version_num='0001'"), "migrate"),
    ("protocol database", _set(OIDC_DATABASE_URL=AWAY), "start the database"),
    ("biometric database", _set(MOBILE_DATABASE_URL=AWAY), "start the database"),
    ("aliases of accounts", _set(OIDC_DATABASE_URL=AWAY), "refused"),
    ("protocol clock and audit log", _sql(FORGED), "not what was written"),
    ("signing keys", _write("protocol.key", KEY), "another key"),
    ("signing keys", _write("protocol.key", b"short"), "restore the key"),
    ("limits", _set(OIDC_LIMITS_DIR="/proc"), "mode 0700"),
    ("limits", _set(OIDC_LIMITS_DIR="/nowhere/limits"), "/nowhere"),
    ("limits", _open_limits, "LIMITS_DIR must belong"),
    ("signing keys", _set(OIDC_KEY_ENCRYPTION_KEY_COMMAND="/no hush-hush"), "be started"),
    ("template key", _set(MOBILE_KEY_COMMAND="false"), "status 1"),
    ("template key", _mode("biometric.key"), "0600"),
    ("template key", _write("biometric.key", b"?"), "base64"),
    ("permissions of protocol.key", _mode("protocol.key"), "chmod 600"),
    ("permissions of biometric.sqlite3", _mode("biometric.sqlite3"), "chmod 600"),
    ("permissions of data", lambda place, _patch: place.chmod(0o777), "chmod o-w"),
    ("permissions of gallery", _open_gallery, "chmod o-w"),
    ("permissions of thenar.toml", _readable_configuration, "chmod 640"),
    ("networks and calibration", _other_weights, "engine verify"),
    ("networks and calibration", _set(ENGINE_ATTACK_DETECTION="chalenge"), "chalenge"),
    ("aliases of accounts", _write("biometric.aliases", KEY), "belong together"),
    ("aliases of accounts", _write("biometric.key", KEY), "belong together"),
    ("list of erasures", _write("biometric.erasures", b"no list at all"), "--renew"),
    ("gallery", _set(MOBILE_GALLERY_DIR="data/protocol.key"), "directory"),
]

DOUBTFUL = [
    ("addresses", _set(), "loopback"),
    ("trusted proxies", _set(OIDC_ISSUER="https://id.example"), "no proxy is trusted"),
    ("trusted proxies", _set(MOBILE_TRUSTED_PROXIES="10.0.0.0/8"), "large network"),
    ("attack detection", _set(ENGINE_ATTACK_DETECTION="passive"), "good print"),
    ("attack detection", _set(ENGINE_ATTACK_DETECTION="none"), "photo of a palm"),
    ("demo mode", _set(OIDC_DEMO_COMMAND_TEMPLATE="thenar phone {link}"), "unset"),
    ("support address", _set(OIDC_SUPPORT_EMAIL="help@id.example"), "localhost"),
    ("two databases", _set(MOBILE_DATABASE_URL="sqlite:///data/protocol.sqlite3"), "user"),
    ("metrics", _set(MOBILE_METRICS_PORT="9080", MOBILE_METRICS_HOST="8.8.8.8"), "loopback"),
    ("passkeys", _set(OIDC_ISSUER="https://192.0.2.7"), "host name"),
    ("native apps", _set(MOBILE_APPLE_APPS="A1B2C3D4E5.com.example.palm"), "port 443"),
    ("consent version", _set(MOBILE_CONSENT_FILE="consent.txt"), "asks no account again"),
    ("limits", _full_limits, "counts alone"),
    ("challenges", _set(MOBILE_CHALLENGE_SHARE="1", ENGINE_ATTACK_DETECTION="none"), "effect"),
]

PLANTED = [(*row, Level.FAIL) for row in BROKEN] + [(*row, Level.WARN) for row in DOUBTFUL]


@pytest.mark.parametrize(
    ("name", "harm", "word", "level"), PLANTED, ids=[f"{each[0]}-{each[2]}" for each in PLANTED]
)
def test_what_is_wrong_is_named_with_what_to_do(
    place: Path, monkeypatch: pytest.MonkeyPatch, name: str, harm: Harm, word: str, level: Level
) -> None:
    """One thing is wrong; its line says so, and shows no value that was set."""
    harm(place, monkeypatch)
    finding = found(name)
    message = f"{finding.message} {finding.advice}"

    assert finding.level == level
    assert word in message
    assert "hush-hush" not in message


def test_a_missing_key_file_is_reported(place: Path) -> None:
    """Both are needed, and neither is ever made again by looking."""
    for name, key in (("signing keys", "protocol.key"), ("template key", "biometric.key")):
        (place / key).unlink()
        assert found(name).level == Level.FAIL
        assert not (place / key).exists()


def test_a_running_service_is_left_alone(place: Path) -> None:
    """Its gallery's directory is its own."""
    local_store = LocalStore(place / "gallery")
    while_running = found("gallery")
    local_store.close()

    assert while_running == Finding(Level.OK, "gallery", "a service is using it")


@pytest.mark.postgres
def test_the_clock_of_a_server_is_compared_with_ours(postgres_url: str) -> None:
    """An hour apart is not a slow answer."""
    engine = create_engine(postgres_url.replace("postgresql:", "postgresql+psycopg:"))
    late = FakeClock(utc_now() - timedelta(hours=1))
    try:
        right, enough, proved = checks.check_server("a", engine, 20, utc_now)
        wrong, few, _ = checks.check_server("a", engine, 9_999, late)
    finally:
        engine.dispose()

    assert right.level == Level.OK
    assert wrong.level == Level.FAIL
    assert "3600" in wrong.message
    assert [each.level for each in (enough, few, proved)] == [Level.OK, Level.WARN, Level.OK]


@pytest.mark.parametrize(
    ("host", "mode", "level"),
    [
        ("/run/postgresql", "prefer", Level.OK),
        ("127.0.0.1", "prefer", Level.OK),
        ("10.0.0.3", "verify-full", Level.OK),
        ("10.0.0.3", "require", Level.WARN),
        ("db.example", "verify-ca", Level.WARN),
    ],
)
def test_another_host_must_prove_who_it_is(host: str, mode: str, level: Level) -> None:
    """Encryption alone is between us and anybody who answers."""
    assert findings.judge_server("a", host, mode).level == level


def test_a_failing_line_is_printed_with_a_mark_and_status_1(place: Path) -> None:
    """And the warnings of a first run are no failures."""
    (place / "protocol.key").chmod(0o644)
    result = CliRunner().invoke(app, ["doctor"])

    reported = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).stdout)

    assert result.exit_code == 1
    assert "✗ permissions of protocol.key: mode 0644" in result.stdout
    assert "! addresses" in result.stdout
    assert {"permissions of protocol.key"} == {
        e["name"] for e in reported if e["level"] == "fail"
    }


@pytest.mark.parametrize(
    ("setting", "effect"), [("refuse", "PALM_ALONE refuses it"), ("allow", "may sign in there")]
)
@pytest.mark.usefixtures("place")
def test_each_client_that_accepts_a_palm_alone_is_named(
    setting: str, effect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the setting: who changes it must know whom that concerns."""
    monkeypatch.setenv("THENAR_OIDC_PALM_ALONE", setting)
    clients = {"Old": "--accept-palm-alone", "New": "--no-accept-palm-alone"}
    for name, accepts in {**clients, "Test": "--accept-palm-alone --sandbox"}.items():
        added = ("client", "add", "--name", name, "--redirect-uri", "https://a.example/")
        assert CliRunner().invoke(app, [*added, *accepts.split()]).exit_code == 0

    warned = [each for each in run_checks(None) if each.name == "palm alone"]

    (old,) = warned
    assert old.level == Level.WARN
    assert old.message.startswith("Old (") and effect in old.message
    assert "--no-accept-palm-alone" in old.advice


def test_before_anything_was_made_one_thing_is_said_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no operator is sent looking for keys that never were."""
    monkeypatch.chdir(tmp_path)
    failed = {each.name: each for each in run_checks(None) if each.level == Level.FAIL}

    assert set(failed) == {"protocol database", "biometric database", "template key"}
    assert list(tmp_path.iterdir()) == []
    for name in ("protocol database", "biometric database"):
        message = f"{failed[name].message} {failed[name].advice}"
        assert message.count("thenar migrate") == 1


# ------------------------------------------------------------------- probing

ASSET_LINKS = "/.well-known/assetlinks.json"
HTTPS = Addresses(
    "https://id.example",
    "https://auth.example/o",
    "https://api.example/o",
    "https://m.example/p",
    {ASSET_LINKS: "[]"},
)
SCRIPT = b"import './a.js';" * 20
BROTLI = bytes.fromhex("8b0780") + bytes(range(200, 240))

Answer = tuple[int, dict[str, str], bytes]

JSON = {"Content-Type": "application/json"}
SEEN = {"X-Thenar-Client": "198.51.100.4 forwarded"}

GOOD: dict[str, Answer] = {
    "https://id.example/.well-known/openid-configuration": (
        200,
        {"Strict-Transport-Security": "max-age=1"},
        json.dumps({"issuer": "https://id.example"}).encode(),
    ),
    "https://id.example/healthz": (200, {}, b'{"status":"alive"}'),
    "https://api.example/o/userinfo": (401, {"WWW-Authenticate": "Bearer"}, b""),
    "https://api.example/o/oauth/authorize": (
        302,
        {"Location": "https://auth.example/o/oauth/authorize"},
        b"",
    ),
    "https://auth.example/o/oauth/authorize": (
        400,
        {"Content-Security-Policy": "x"} | SEEN,
        b"",
    ),
    "https://m.example/p/mobile/v1/nonce": (204, {"DPoP-Nonce": "n"} | SEEN, b""),
    "https://m.example/p/m": (200, {}, b'<script type="module" src="/p/m/main.js"></script>'),
    "https://m.example/p/m/main.js": (200, {"Content-Encoding": "br"}, BROTLI),
    f"https://m.example{ASSET_LINKS}": (200, JSON, b"[]"),
    "http://auth.example/o/oauth/authorize": (301, {"Location": "https://auth.example/"}, b""),
}

OTHER_ISSUER = b'{"issuer":"http://id.example"}'
ISSUER = b'{"issuer":"https://id.example"}'
OTHER_ADDRESS = {"Location": "http://10.0.0.7:8080/o/oauth/authorize"}
DIRECT = {"DPoP-Nonce": "n", "X-Thenar-Client": "10.0.0.7 direct"}
FORGED_ADDRESS = {"DPoP-Nonce": "n", "X-Thenar-Client": "203.0.113.254 forwarded"}
FORWARDED = "https://api.example/o/oauth/authorize"

BEHIND = [
    ("public discovery", "openid-configuration", (502, {}, b"<html>"), Level.FAIL),
    ("public discovery", "openid-configuration", (200, {}, b'["?"]'), Level.FAIL),
    ("public discovery", "openid-configuration", (200, {}, OTHER_ISSUER), Level.FAIL),
    ("public discovery", "openid-configuration", (200, {}, ISSUER), Level.WARN),
    ("public health", "healthz", (404, {}, b""), Level.WARN),
    ("public token endpoint", "userinfo", (401, {}, b""), Level.FAIL),
    ("public token endpoint", "userinfo", (404, {}, b""), Level.FAIL),
    ("public sign-in page", FORWARDED, (302, OTHER_ADDRESS, b""), Level.FAIL),
    ("public sign-in page", "https://auth.example/o/oauth", (400, SEEN, b""), Level.FAIL),
    ("public phone API", "nonce", (204, SEEN, b""), Level.FAIL),
    ("public client address", "nonce", (204, {"DPoP-Nonce": "n"}, b""), Level.WARN),
    ("public client address", "nonce", (204, DIRECT, b""), Level.WARN),
    ("public client address", "nonce", (204, FORGED_ADDRESS, b""), Level.FAIL),
    ("public files for apps", ASSET_LINKS, (404, JSON, b"[]"), Level.FAIL),
    ("public files for apps", ASSET_LINKS, (301, JSON | OTHER_ADDRESS, b"[]"), Level.FAIL),
    ("public files for apps", ASSET_LINKS, (200, JSON, b"[{}]"), Level.FAIL),
    ("public files for apps", ASSET_LINKS, (200, {}, b"[]"), Level.FAIL),
    ("public page of the phone", "example/p/m", (200, {}, b"<p>hello</p>"), Level.FAIL),
    ("public page of the phone", "main.js", (200, {}, BROTLI), Level.FAIL),
    ("public page of the phone", "main.js", (200, {}, SCRIPT), Level.OK),
    ("plain http", "http://auth.example", (200, {}, b"hello"), Level.WARN),
]


def _probed(answers: dict[str, Answer | None]) -> dict[str, Finding]:
    def answer(request: httpx2.Request) -> httpx2.Response:
        given = answers[str(request.url)]
        if given is None:
            raise httpx2.ConnectError("refused", request=request)
        status, headers, body = given
        return httpx2.Response(status, headers=headers, stream=httpx2.ByteStream(body))

    with httpx2.Client(transport=httpx2.MockTransport(answer)) as http:
        return {each.name: each for each in probe(HTTPS, http)}


def test_a_proxy_that_changes_nothing_is_good() -> None:
    """All addresses, on four hosts."""
    assert {each.level for each in _probed({**GOOD}).values()} == {Level.OK}


@pytest.mark.parametrize(("name", "address", "answer", "level"), BEHIND)
def test_a_fault_of_the_proxy_is_reported(
    name: str, address: str, answer: Answer, level: Level
) -> None:
    """One answer is changed; its line says so, all others are good."""
    url = next(each for each in GOOD if each.endswith(address) or each.startswith(address))
    judged = _probed({**GOOD, url: answer})

    assert judged[name].level == level
    assert bool(judged[name].advice) == (level != Level.OK)
    assert {each.level for other, each in judged.items() if other != name} == {Level.OK}


def test_an_address_that_does_not_answer_is_reported() -> None:
    """A name that is not known, a certificate that is not good, no server."""
    judged = _probed({**GOOD, "https://m.example/p/mobile/v1/nonce": None})

    assert judged["public phone API"].level == Level.FAIL
    assert "DNS" in judged["public phone API"].advice


def test_an_untrusted_certificate_is_named(tmp_path: Path) -> None:
    """As the probe of an offer says it, too."""
    make_certificate(tmp_path)
    place = Place("127.0.0.1", free_port(), tmp_path / "loopback.pem")
    url = f"https://127.0.0.1:{place.port}"
    served = Server(ServedApp(Response(), lambda: None), place, "")
    with listening(served), httpx2.Client(timeout=60) as http:
        first, *_ = probe(Addresses(url, url, url, url), http)
        offer = probe_offer(url)

    assert "certificate is not trusted" in first.message
    assert "certificate is not trusted" in offer.message
