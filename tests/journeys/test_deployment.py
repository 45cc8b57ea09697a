"""The recipes of ``mobile_api/deploy``, started for real on loopback."""

import re
import shutil
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import httpx2
import psycopg
import pytest
import yaml  # type: ignore[import-untyped]

from mobile_api.native_apps import ASSET_LINKS, SITE_ASSOCIATION
from mobile_api.server.config_file import settings_names, variable
from oidc.types import Network
from tests.support.browser.chromium import open_chromium
from tests.support.databases.postgres import empty_database
from tests.support.servers.recipes import DEPLOY, RECIPES, proxied
from tests.support.servers.single_response import saying
from tests.support.service.journey import Serve, World
from tests.support.service.process import Service, free_port
from tests.support.service.relying_party import RelyingParty

ROOT = Path(__file__).parents[2]

ADA = 0

METRICS = free_port()

APP_FILES = ASSET_LINKS, SITE_ASSOCIATION

APPS = {
    "THENAR_MOBILE_ANDROID_APPS": f"com.example.app={'AB:' * 31}AB",
    "THENAR_MOBILE_APPLE_APPS": "A1B2C3D4E5.com.example.app",
}


DROP_INS = "provider.conf", "gallery.conf"

OTHERS = "oidc", "oidc", "mobile"
"""Processes beside the one that serves both."""


@dataclass(frozen=True)
class Deployed:
    """A service behind a proxy.

    Attributes:
        others: further processes, each as if on another host: providers, then a gallery's.
    """

    world: World
    folder: Path
    trust: ssl.SSLContext
    others: list[subprocess.Popen[bytes]]

    @property
    def url(self) -> str:
        """Its public address."""
        return self.world.service.issuer


@pytest.fixture(scope="module", params=RECIPES)
def deployed(
    request: pytest.FixtureRequest, serve: Serve, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployed]:
    """Give a service behind the proxy of a recipe, with a certificate of our own authority."""
    folder = tmp_path_factory.mktemp(request.param)
    settings = {"THENAR_MOBILE_METRICS_PORT": str(METRICS), **APPS}
    with _deploy(request.param, serve, folder, settings) as found:
        yield found


@contextmanager
def _deploy(
    name: str, serve: Serve, folder: Path, settings: dict[str, str], others: Sequence[str] = ()
) -> Iterator[Deployed]:
    port = free_port()
    url = f"https://localhost:{port}"
    names = ("OIDC_ISSUER", "OIDC_AUTH_URL", "OIDC_BASE_URL", "MOBILE_PUBLIC_URL")
    settings |= {f"THENAR_{name}": url for name in names}
    settings["THENAR_MOBILE_TRUSTED_PROXIES"] = "127.0.0.1"  # as thenar.toml does
    with serve(**settings) as world, ExitStack() as stack:
        key = world.service.folder / "protocol.key"
        settings["THENAR_OIDC_KEY_ENCRYPTION_KEY_COMMAND"] = f"cat {key}"
        settings["THENAR_MOBILE_KEY_FILE"] = str(key.with_name("biometric.key"))
        settings["THENAR_MOBILE_GALLERY_DIR"] = str(folder / "gallery")
        hosts = [Service(folder / str(each), settings=settings) for each in range(len(others))]
        for host in hosts:
            host.folder.mkdir()
        running = [
            stack.enter_context(host.running("--only", only))
            for host, only in zip(hosts, others, strict=True)
        ]
        ports = [world.service.port, *(host.port for host in hosts)]
        second = ports.pop() if "mobile" in others else None
        trust = stack.enter_context(proxied(name, folder, port, *ports, second=second))
        world.transport = world.closing.enter_context(httpx2.HTTPTransport(verify=trust))
        shop = world.shop.registration
        world.shop = RelyingParty(url, shop, transport=world.transport)
        yield Deployed(world, folder, trust, running)


@pytest.mark.postgres
@pytest.mark.parametrize("name", RECIPES)
def test_two_hosts_go_on_while_a_process_is_away(
    name: str, serve: Serve, postgres_url: str, tmp_path: Path
) -> None:
    """They share databases: a login goes on where it was not begun, and at another gallery."""
    names = "THENAR_OIDC_DATABASE_URL", "THENAR_MOBILE_DATABASE_URL"
    with ExitStack() as stack:
        urls = {each: stack.enter_context(empty_database(postgres_url)) for each in names}
        deployed = stack.enter_context(_deploy(name, serve, tmp_path, urls | APPS, OTHERS))
        world, ada = deployed.world, deployed.world.person(ADA)
        apps = [world.shop.http.get(f"{deployed.url}{path}") for path in APP_FILES]
        subjects = {world.log_in(ada).subject}
        with world.begin() as login:
            deployed.others[0].kill()
            wait_until_noticed(deployed)
            login.answer(ada)
            subjects.add(login.redeem().subject)
        world.running.close()
        wait_until_noticed(deployed)
        subjects.update(world.log_in(ada).subject for _ in range(3))
        deployed.others[2].kill()
        with world.begin():  # the page is shown
            refused = world.shop.http.get(f"{deployed.url}/mobile/v1/nonce").status_code
        world.running.enter_context(world.service.running())
        wait_until_noticed(deployed)
        subjects.add(world.log_in(ada).subject)
        files = {each.name for host in "01" for each in (tmp_path / host).iterdir()}

    assert [each.status_code for each in apps] == [200, 200]
    assert len(subjects) == 1
    assert refused in {502, 503}
    assert files == {"serve.log"}


def wait_until_noticed(deployed: Deployed) -> None:
    """Wait until the proxy passes requests only to what runs: Caddy tries no POST again."""
    post, paths = deployed.world.shop.http.post, ("/healthz", "/mobile/v1/nonce") * 20
    while any(post(deployed.url + each).status_code >= 500 for each in paths):
        time.sleep(0.2)


def test_every_metric_that_is_watched_is_exported(deployed: Deployed) -> None:
    """A name that is not exported never sets anything off."""
    deployed.world.person(ADA)
    scraped = httpx2.get(f"http://127.0.0.1:{METRICS}", timeout=60).text
    exported = set(re.findall(r"thenar_\w+", scraped))
    for name in ("alerts.yml", "dashboard.json"):
        watched = set(re.findall(r"thenar_\w+", (DEPLOY / "monitoring" / name).read_text()))
        assert watched - exported == set()


def test_a_person_signs_in_through_the_proxy(deployed: Deployed) -> None:
    """Enrolment, the QR code's login, tokens; and the proxy kept no query."""
    world = deployed.world
    signed_in = world.log_in(world.person(ADA), state="a-state-of-the-app")

    assert signed_in.claims["iss"] == deployed.url
    logged = (deployed.folder / "access.log").read_text()
    assert "/oauth/authorize" in logged
    assert "a-state-of-the-app" not in logged


def test_the_doctor_finds_nothing_that_the_proxy_breaks(deployed: Deployed) -> None:
    """Hosts, redirects, headers, compressed files, HSTS, the files that name apps."""
    environment = deployed.world.service.environment
    authority = {"SSL_CERT_FILE": str(deployed.folder / "loopback.pem")}
    said = subprocess.run(
        [sys.executable, "-m", "mobile_api", "doctor", "--probe"],
        env=environment | authority,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    ).stdout
    public = [line for line in said.splitlines() if "public" in line or "plain http" in line]

    assert len(public) == 10, said
    assert all(line.startswith("✓") for line in public), said


def test_an_address_that_a_client_forged_does_not_arrive(deployed: Deployed) -> None:
    """The browser is on loopback, whatever it says of itself: no place that could be shown."""
    world, person = deployed.world, deployed.world.person(ADA)
    with httpx2.Client(verify=deployed.trust, follow_redirects=True, timeout=60) as http:
        forged = {"X-Forwarded-For": "203.0.113.7", "Forwarded": "for=203.0.113.7"}
        page = http.get(world.shop.authorization_url(), headers=forged)
    link = re.search(r'href="(https://localhost[^"]+/m#[^"]+)"', page.text)

    assert link is not None
    assert person.phone.scan(unescape(link[1])).asked_from.network is Network.UNKNOWN


def test_nginx_asks_another_process_for_what_one_does_not_do(tmp_path: Path) -> None:
    """For a POST, too: one hangs up, as if it was killed, and one cannot reach its database."""
    port, answers = free_port(), (b"", _answer(b"503 Away", b""), _answer(b"200 OK", b"in"))
    with ExitStack() as stack:
        ports = [stack.enter_context(saying(each)) for each in answers]
        trust = stack.enter_context(proxied("nginx", tmp_path, port, 1, *ports))
        posted = httpx2.post(
            f"https://localhost:{port}/token", content=b"code", verify=trust, timeout=60
        )

    assert posted.text == "in"


def _answer(status: bytes, body: bytes) -> bytes:
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)


def test_a_browser_waits_on_the_stream_and_goes_on(deployed: Deployed) -> None:
    """Chromium learns at once that the palm was seen: no proxy holds the stream back."""
    world, person = deployed.world, deployed.world.person(ADA)
    streams: list[str] = []
    with saying(_answer(b"200 OK", b"in")) as port, open_chromium() as browser:
        callback = f"http://127.0.0.1:{port}/callback"
        client = world.service.add_client("Bakery", callback)
        app = RelyingParty(deployed.url, client, transport=world.transport)
        page = browser.new_context(ignore_https_errors=True).new_page()
        page.on("response", lambda got: streams.append(got.url) if got.ok else None)
        page.goto(app.authorization_url())
        link = page.locator("#phone-link").evaluate("link => link.href")
        person.phone.sign_in(link, person.palm)
        page.wait_for_url(f"{callback}*")

    assert any(url.endswith("/events") for url in streams)


def _without_health(text: str) -> str:
    return re.sub(r"health_.*", "", text)


@pytest.mark.parametrize("name", RECIPES)
def test_no_log_has_the_query_of_a_request_to_a_service_that_is_stopped(
    name: str, tmp_path: Path
) -> None:
    """Errors, too, name paths only; and so does an answer to plain http."""
    port = free_port()
    started = proxied(name, tmp_path, port, free_port(), changed=_without_health)
    with started as trust, httpx2.Client(verify=trust, timeout=10) as http:
        answer = http.get(f"https://localhost:{port}/oauth/logout?id_token_hint=a-secret")
    logged = "".join(each.read_text() for each in tmp_path.glob("*.log"))

    assert answer.status_code == 502
    assert "/oauth/logout" in logged
    assert "a-secret" not in logged
    recipe = (DEPLOY / "nginx.conf").read_text()
    for line in ("server {", "access_log /var/log/nginx/thenar.log thenar;", "error_log /dev/"):
        assert recipe.count(line) == 2


@pytest.mark.postgres
def test_a_role_cannot_enter_the_other_database(postgres_url: str, tmp_path: Path) -> None:
    """The recipe's two roles migrate their databases, and that is all they reach."""
    given = {"PROTOCOL_PASSWORD": "of-protocol", "BIOMETRIC_PASSWORD": "of-biometric"}
    server = postgres_url.partition("@")[2].partition("/")[0]
    urls = {
        name: f"postgresql+psycopg://thenar_{name}:of-{name}@{server}/thenar_{name}"
        for name in ("protocol", "biometric")
    }
    try:
        run(["psql", "-q", "-f", str(DEPLOY / "databases.sql"), postgres_url], tmp_path, given)
        addresses = {
            "THENAR_OIDC_DATABASE_URL": urls["protocol"],
            "THENAR_MOBILE_DATABASE_URL": urls["biometric"],
        }
        run([sys.executable, "-m", "mobile_api", "migrate"], tmp_path, addresses)
        for name, other, table in (
            ("protocol", "biometric", "clients"), ("biometric", "protocol", "devices"),
        ):  # fmt: skip
            own = urls[name].replace("+psycopg", "")
            with psycopg.connect(own) as connection:
                assert connection.execute(f"TABLE {table}").fetchall() == []
                role = "SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles"
                found = connection.execute(f"{role} WHERE rolname = current_user").fetchone()
            assert found == (False, False, False)
            for foreign in (f"thenar_{other}", "postgres"):
                with pytest.raises(psycopg.OperationalError, match="permission denied"):
                    psycopg.connect(f"{own.rpartition('/')[0]}/{foreign}")
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            for name in urls:
                connection.execute(f"DROP DATABASE IF EXISTS thenar_{name} WITH (FORCE)")
                connection.execute(f"DROP ROLE IF EXISTS thenar_{name}")


def run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    """Run a program of this environment that must succeed."""
    own = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=folder, env=own | environment, check=True)  # noqa: S603


def test_the_unit_starts_with_few_rights(tmp_path: Path) -> None:
    """Systemd takes it, and rates what an attacker could do in it."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    single = tmp_path / "thenar.service"
    units = [tmp_path / f"thenar{each}.service" for each in ("@", "-gallery@")]
    for unit, drop_in in zip(units, DROP_INS, strict=True):
        folder = tmp_path / f"{unit.name}.d"
        folder.mkdir()
        for source, copy in (
            (single.name, single),
            (single.name, unit),
            (drop_in, folder / drop_in),
        ):
            text = (DEPLOY / source).read_text()
            copy.write_text(re.sub(r"/opt/thenar/bin/thenar \w+", "/bin/true", text))

    security = "security", "--offline=yes", "--threshold=20"
    for check in (*(("verify", each) for each in (single, *units)), (*security, single)):
        command = ["systemd-analyze", *map(str, check)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize("name", ["thenar.toml", "compose.yaml", "kubernetes.yaml"])
def test_the_example_settings_are_settings(name: str, tmp_path: Path) -> None:
    """Every name is known, and every value of an example file is taken."""
    text = (DEPLOY / name).read_text()
    known = {variable(*each) for each in settings_names()} | {"THENAR_PHONES"}
    assert set(re.findall(r"THENAR_\w+", text)) <= known
    if name != "thenar.toml":
        first = next(yaml.safe_load_all(text))
        text = first.get("data", {}).get(
            "thenar.toml", '[oidc]\nissuer = "https://id.example.com"'
        )
    (tmp_path / "thenar.toml").write_text(text)
    said = subprocess.run(
        [sys.executable, "-m", "mobile_api", "config", "show"],
        env={"THENAR_CONFIG": str(tmp_path / "thenar.toml"), "PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert said.returncode == 0, said.stderr
    assert 'issuer = "https://id.example.com"  # file' in said.stdout
