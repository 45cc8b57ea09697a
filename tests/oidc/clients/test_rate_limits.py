"""rate_limits: too much of one client is refused, and no other client."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from oidc.client import Authentication, ClientLimits
from oidc.clients import assertions
from oidc.clients.rate_limits import NAMES_COUNTED, ClientRateLimits
from oidc.errors import LimitsFault, TooManyCalls
from oidc.plumbing.rate_limit import SETS, TABLE_BYTES, WAYS, RateLimit
from tests.support.service.sign_in import (
    REDIRECT_URI,
    MakeSignIn,
    SignIn,
    is_asked,
    response_of,
)

pytestmark = pytest.mark.usefixtures("still_clock")

PATHS = ("/revoke", "/introspect", "/par")
HERE, THERE = "203.0.113.5", "203.0.113.6"


def ask(shop: SignIn, address: str = HERE, path: str = "/token", **changes: str) -> Any:
    """Use a refresh token that does not exist, from an address."""
    usual = {"grant_type": "refresh_token", "refresh_token": "r", "token": "t"}
    fields = {**usual, **shop.credentials, **changes}
    client = TestClient(shop.app, shop.settings.base_url, client=(address, 50_000))
    return client.post(path, data={name: value for name, value in fields.items() if value})


def assert_too_many(answer: Any) -> None:
    """Check status, error and header. RFC 6585 §4, RFC 6749 §5.2."""
    assert answer.status_code == 429, answer.text
    assert answer.json()["error"] == "temporarily_unavailable"
    assert 1 <= int(answer.headers["retry-after"]) <= 120
    assert answer.headers["cache-control"] == "no-store"


def _owned_by_another(path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root gives files to others")
    os.chown(path, 1, 1)


def _given_table(directory: Path) -> None:
    (directory / "logins").touch(0o600)
    _owned_by_another(directory / "logins")


def _linked_directory(directory: Path) -> None:
    directory.rename(directory.with_name("real"))
    directory.symlink_to(directory.with_name("real"))


SHARED_WITH_OTHERS = [
    pytest.param(lambda place: place.chmod(0o777), id="mode"),
    pytest.param(_owned_by_another, id="owner"),
    pytest.param(_linked_directory, id="link"),
    pytest.param(_given_table, id="table-of-another"),
    pytest.param(lambda place: (place / "logins").touch(0o666), id="table-for-others"),
    pytest.param(lambda place: (place / "logins").symlink_to("../outside"), id="table-link"),
    pytest.param(
        lambda place: (place / "logins").hardlink_to(place.with_name("outside")),
        id="table-hard-link",
    ),
]


_COUNTS = """
import os, sys
from pathlib import Path
from oidc.plumbing.rate_limit import RateLimit
place, left = Path(sys.argv[1]), int(sys.argv[2])
if left:
    (place / "logins").touch(0o600)
    os.truncate(place / "logins", left)
limit, other = (RateLimit(2, 60, place, name) for name in ("logins", "requests"))
print(limit.count("shop"), limit.count("shop"), limit.count("shop") > 0)
for number in range(1000):
    limit.count(str(number))
"""


def _counted_on_a_small_disk(place: Path, left: int) -> subprocess.CompletedProcess[str]:
    """Count more than fits, in a process with a file system that ends with it."""
    in_it = ("unshare", "-Urm", "sh", "-c")
    mount = 'mount -t tmpfs -o size=64k,mode=0700 none "$0"'
    probe = subprocess.run([*in_it, mount, place], capture_output=True, check=False)  # noqa: S603
    if probe.returncode:
        pytest.skip("this machine lets no test mount a file system")
    counting = (sys.executable, "-c", _COUNTS, place, str(left))
    command: list[str | Path] = [*in_it, f'{mount} && exec "$@"', place, *counting]
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603


class TestRequests:
    """What a client proved itself for."""

    @pytest.mark.parametrize("path", ["/token", *PATHS])
    def test_one_client_too_many_is_429_and_others_go_on(
        self, make_sign_in: MakeSignIn, path: str
    ) -> None:
        """Wherever it asks from; all endpoints that clients call count together."""
        sign_in = make_sign_in(client_requests_per_minute=3)
        other = sign_in.another()

        before = [ask(sign_in, f"203.0.113.{n}").status_code for n in range(3)]

        assert before == [400, 400, 400]
        assert_too_many(ask(sign_in, THERE, path))
        assert ask(other, path=path).status_code in {200, 400}

    def test_failed_proofs_use_nothing_up(self, make_sign_in: MakeSignIn) -> None:
        """Or any unauthenticated caller could lock a client out."""
        sign_in = make_sign_in(client_requests_per_minute=1)

        for _ in range(5):
            assert ask(sign_in, client_secret="wrong").status_code == 401

        assert ask(sign_in).status_code == 400

    def test_a_public_client_is_counted_for_each_address(
        self, make_sign_in: MakeSignIn
    ) -> None:
        """It proves nothing: a caller who names it uses up its own share."""
        sign_in = make_sign_in(client_requests_per_minute=1)
        app = sign_in.another("App", "app.example:/cb", authentication=Authentication.NONE)

        assert ask(app, HERE).status_code == 400
        assert_too_many(ask(app, HERE))
        assert ask(app, THERE).status_code == 400

    def test_requests_pass_again_after_the_window(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The window moves along: two minutes later nothing of it is left."""
        now = [1_000_000.0]
        monkeypatch.setattr("oidc.plumbing.rate_limit.monotonic", lambda: now[0])
        rate_limits = ClientRateLimits(ClientLimits(requests=0, logins=1, failures=0))
        rate_limits.count_login("shop")
        with pytest.raises(TooManyCalls) as refused:
            rate_limits.count_login("shop")

        now[0] += refused.value.retry_after_s + 60
        rate_limits.count_login("shop")

    def test_processes_with_one_directory_count_together(self, tmp_path: Path) -> None:
        """A caller of two of them has no more tries than at one."""
        limits = ClientLimits(requests=0, logins=2, failures=1)
        here, there = (ClientRateLimits(limits, tmp_path / "limits") for _ in range(2))
        for each in (here, there):
            each.count_login("shop")
            each.count_login("library")

        for each in (here, there):
            with pytest.raises(TooManyCalls):
                each.count_login("shop")
        here.count_login("bakery")

    @pytest.mark.parametrize("left", [0, TABLE_BYTES])
    def test_a_full_directory_kills_no_process(self, tmp_path: Path, left: int) -> None:
        """A write to a mapped file without space is SIGBUS; so it was with a sparse file."""
        ended = _counted_on_a_small_disk(tmp_path, left)

        assert ended.returncode == 0, ended
        assert ended.stdout.split() == ["0", "0", "True"]
        assert ended.stderr.count("no space") == 1

    @pytest.mark.parametrize("harm", SHARED_WITH_OTHERS)
    def test_what_another_user_can_reach_is_refused(
        self, tmp_path: Path, harm: Callable[[Path], object]
    ) -> None:
        """Any user could lock the table, cut it short, or let another file grow."""
        (tmp_path / "outside").touch(0o600)
        directory = tmp_path / "limits"
        directory.mkdir(0o700)
        harm(directory)

        with pytest.raises((LimitsFault, OSError)):
            RateLimit(1, 60, directory, "logins")
        assert (tmp_path / "outside").stat().st_size == 0

    def test_a_crowd_of_names_does_not_clear_anybody(self) -> None:
        """A full place of the table forgets who did least."""
        rate = RateLimit(3, 60)
        for _ in range(3):
            rate.count("busy")
        for number in range(WAYS * SETS):
            rate.count(f"crowd-{number}")

        assert rate.wait_s("busy") > 0


class TestFailures:
    """Credentials that were wrong, by client and address."""

    def test_too_many_end_the_judging_for_that_address(self, make_sign_in: MakeSignIn) -> None:
        """The right secret is not judged there, either: guessing has no end otherwise."""
        sign_in = make_sign_in(client_failures_per_minute=2)
        # One in 256 shares the bucket of the shop.
        others = [sign_in.another() for _ in range(4)]

        for _ in range(2):
            assert ask(sign_in, client_secret="wrong").status_code == 401

        assert_too_many(ask(sign_in, client_secret="wrong"))
        right = ask(sign_in)
        assert_too_many(right)
        assert "wrong credentials" in right.json()["error_description"]
        assert ask(sign_in, THERE).status_code == 400
        assert 400 in {ask(other).status_code for other in others}

    @pytest.mark.parametrize("path", PATHS)
    def test_every_proof_that_fails_counts(self, make_sign_in: MakeSignIn, path: str) -> None:
        """One budget for all endpoints; no answer says whether a client exists."""
        sign_in = make_sign_in(client_failures_per_minute=1)
        unsigned = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJzaWduZXIifQ."
        signs = {"client_assertion_type": assertions.TYPE, "client_assertion": unsigned}

        # Each from another address: of 256 clients two share a bucket there.
        for address, changes in (
            (HERE, {"client_secret": "wrong"}),
            (THERE, {"client_id": "unknown"}),
            ("203.0.113.7", {"client_secret": "", "client_id": "", **signs}),
        ):
            assert ask(sign_in, address, path, **changes).status_code == 401
            assert_too_many(ask(sign_in, address, path, **changes))
        assert_too_many(ask(sign_in))

    def test_this_machine_has_no_limit(self, make_sign_in: MakeSignIn) -> None:
        """A proxy that hands no address on would stand for everybody."""
        sign_in = make_sign_in(client_failures_per_minute=1)

        for _ in range(3):
            assert ask(sign_in, "127.0.0.1", client_secret="wrong").status_code == 401

    def test_an_address_that_invents_names_is_not_remembered_by_each(self) -> None:
        """It would fill the memory; names that it did not try yet are refused in the end."""
        rate_limits = ClientRateLimits(ClientLimits(requests=0, logins=0, failures=1))
        for number in range(20 * NAMES_COUNTED):
            rate_limits.count_failure(f"invented-{number}", HERE)

        with pytest.raises(TooManyCalls):
            rate_limits.require_attempt("never-tried", HERE)
        rate_limits.require_attempt("never-tried", THERE)


class TestLogins:
    """Logins begun in the name of a client."""

    def test_too_many_are_reported_to_the_client(self, make_sign_in: MakeSignIn) -> None:
        """With its state, as every failure; no login is opened. RFC 6749 §4.1.2.1."""
        sign_in = make_sign_in(client_logins_per_minute=1)
        other = sign_in.another()
        sign_in.open_page()

        answer = sign_in.ask()

        assert answer.status_code == 302
        assert answer.headers["location"].startswith(REDIRECT_URI)
        said = response_of(answer)
        assert said["error"] == "temporarily_unavailable"
        assert said["state"] == "af0ifjsldkj"
        assert "wait a moment" in said["error_description"]
        assert is_asked(other.ask())
