"""Too much is turned away: requests, searches, templates of other accounts' palms."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from engine.template_codec import encode_template
from mobile_api.errors import PhoneRefused
from mobile_api.limits import NetworkDigests
from mobile_api.observability.health import ASKED, SEEN, SeenAddress
from mobile_api.reference_phone.client import ReferencePhone
from mobile_api.server.address_limits import RateLimitMiddleware, RateRule
from mobile_api.settings import MobileSettings
from mobile_api.types import TemplateTrust
from oidc.plumbing.rate_limit import RateLimit
from tests.support.palms.fake_engine import DARK, picture, shots, template
from tests.support.phone.reference import refusal
from tests.support.service.mobile_api import API, MobileWorld

pytestmark = pytest.mark.usefixtures("still_clock")

MAYA, OMAR, UNENROLLED = 1, 2, 3


def _status(phone: ReferencePhone, login: str, data: bytes) -> int:
    try:
        phone.answer_picture(login, data)
    except PhoneRefused as refused:
        return refused.status
    return 200


def test_a_network_is_written_down_under_a_key() -> None:
    """A thief of the database must not learn where people were: few addresses exist."""
    one, other = NetworkDigests(lambda: b"1" * 32), NetworkDigests(lambda: b"2" * 32)

    found = one.of("203.0.113.9")

    assert found is not None
    assert found == one.of("::ffff:203.0.113.9")
    assert found != other.of("203.0.113.9")
    assert {len(each) for each in (found.narrow, found.wide, found.widest)} == {43}
    assert "203" not in repr(found)
    assert one.of("127.0.0.1") is None


def _throttled(most: int) -> RateLimitMiddleware:
    app = FastAPI()

    @app.api_route("/{path:path}", methods=["GET", "POST"])
    def everything(path: str) -> str:
        return path

    return RateLimitMiddleware(
        app,
        (RateRule(RateLimit(most, 60), "/api/"), RateRule(RateLimit(1, 60), "/one", "POST")),
    )


def test_a_network_is_turned_away_with_what_it_needs_to_know() -> None:
    """429, Retry-After and a body; others, and other addresses, go on."""
    app = _throttled(2)
    client = TestClient(app, client=("203.0.113.9", 1))
    other = TestClient(app, client=("203.0.113.10", 1))
    answers = [client.get("/api/x") for _ in range(3)]

    assert [each.status_code for each in answers] == [200, 200, 429]
    assert answers[2].json()["error"] == "too_many_requests"
    assert 1 <= int(answers[2].headers["retry-after"]) <= 60
    assert answers[2].headers["x-content-type-options"] == "nosniff"
    page = client.get("/api/x", headers={"accept": "text/html,*/*;q=0.8"})
    assert (page.status_code, page.headers["content-type"][:10]) == (429, "text/plain")
    assert "try again" in page.text
    assert client.get("/other").status_code == 200
    assert other.get("/api/x").status_code == 200


def test_a_header_moves_no_client_to_another_network() -> None:
    """X-Forwarded-For is whatever a client writes: only the server may believe a proxy."""
    client = TestClient(_throttled(1), client=("203.0.113.9", 1))
    headers = [{"x-forwarded-for": f"198.51.100.{n}"} for n in range(2)]
    answers = [client.get("/api/x", headers=each).status_code for each in headers]

    assert answers == [200, 429]


@pytest.mark.parametrize(
    ("named", "how"),
    [
        ("203.0.113.9", "forwarded"),
        ("198.51.100.7, 203.0.113.9:1024", "forwarded"),
        ("[203.0.113.9]:80", "forwarded"),
        ("203.0.113.90", "direct"),
        ("", "direct"),
    ],
)
def test_a_probe_reads_whether_a_proxy_named_it(named: str, how: str) -> None:
    """Some proxies write a port."""
    client = TestClient(SeenAddress(_throttled(9)), client=("203.0.113.9", 1))
    answer = client.get("/one", headers={"x-forwarded-for": named, ASKED: "1"})

    assert answer.headers[SEEN] == f"203.0.113.9 {how}"


def test_one_method_of_an_address_may_have_its_own_limit() -> None:
    """Registering is counted, asking is not."""
    client = TestClient(_throttled(0), client=("203.0.113.9", 1))

    assert [client.post("/one").status_code for _ in range(2)] == [200, 429]
    assert client.get("/one").status_code == 200


def test_this_machine_is_not_counted() -> None:
    """Behind a proxy that does not name its clients, all of them would be one."""
    client = TestClient(_throttled(1), client=("127.0.0.1", 1))

    assert [client.get("/api/x").status_code for _ in range(3)] == [200] * 3


@pytest.mark.parametrize("value", ["0.0.0.0/0", "::/0", "10.0.0.0/8,0.0.0.0/0", "proxy"])
def test_not_every_network_may_be_a_trusted_proxy(value: str) -> None:
    """Then every limit by address would be the client's to choose."""
    with pytest.raises(ValueError, match="trusted_proxies"):
        MobileSettings(trusted_proxies=value)


def test_a_phone_makes_so_many_requests_a_minute(tmp_path: Path) -> None:
    """Whatever network it is in."""
    with MobileWorld(tmp_path, device_requests_per_minute=2) as world:
        phone = world.phone()
        phone.claim(world.handoff.open())
        refused = refusal(lambda: phone.claim(world.handoff.open()))

    assert (refused.status, refused.error) == (429, "too_many_requests")


def test_a_network_that_is_turned_away_gets_a_nonce_for_its_next_try(tmp_path: Path) -> None:
    """As every answer of the mobile API brings one."""
    with MobileWorld(tmp_path, address_requests_per_minute=1) as world:
        client = TestClient(world.application(), client=("203.0.113.9", 1))
        refused = [client.get(f"{API}/nonce") for _ in range(2)][1]

    assert (refused.status_code, refused.json()["error"]) == (429, "too_many_requests")
    assert {"dpop-nonce", "retry-after"} <= set(refused.headers)


def test_failed_searches_cannot_be_overrun_by_sending_at_once(tmp_path: Path) -> None:
    """Counted when they fail, a hundred parallel ones would all be searched."""
    with MobileWorld(tmp_path, failed_identifications_per_day=2) as world:
        world.enrolled(shots(MAYA))
        phone = world.phone()
        # A phone has one login at a time, and three attempts in it.
        logins = [phone.claim(world.handoff.open()).login_id] * 6
        with ThreadPoolExecutor(6) as pool:
            statuses = list(pool.map(lambda n: _status(phone, n, picture(UNENROLLED)), logins))

    assert sorted(statuses) == [200] * 2 + [429] * 4


def test_a_picture_without_a_palm_costs_an_attempt_and_is_no_failed_search(
    tmp_path: Path,
) -> None:
    """Looking at pictures is the dearest thing there is; it is counted before it is done."""
    with MobileWorld(
        tmp_path, submissions_per_day=4, failed_identifications_per_day=1
    ) as world:
        phone = world.phone()
        login = phone.claim(world.handoff.open()).login_id
        statuses = [_status(phone, login, picture(UNENROLLED, defect=DARK)) for _ in range(5)]

    assert statuses == [422] * 4 + [429]


def test_a_phone_without_an_account_must_send_a_picture(tmp_path: Path) -> None:
    """Forged templates are compared with no other account than the phone's."""
    data = encode_template(template(MAYA, shot=9))
    with MobileWorld(tmp_path) as world:
        world.enrolled(shots(MAYA))
        omars = world.enrolled(shots(OMAR))
        errors = {world.phone(): "template_not_accepted", omars: "template_unmatched"}
        for phone, error in errors.items():
            login = phone.claim(world.handoff.open()).login_id
            refused = refusal(lambda: phone.answer_template(login, data))  # noqa: B023
            again = phone.answer_picture(login, picture(MAYA, shot=9))

            assert (refused.status, refused.error) == (403, error)
            assert again.hint == "wait_approve"


def test_an_operator_may_trust_every_phones_templates(tmp_path: Path) -> None:
    """For an operator's own phones. Frames beside another palm's do not count."""
    palms = [encode_template(template(who, shot=9)) for who in (OMAR, MAYA)]
    frames = [encode_template(template(MAYA, shot=shot)) for shot in (8, 9)]
    with MobileWorld(tmp_path, template_trust=TemplateTrust.ANY_DEVICE) as world:
        world.enrolled(shots(MAYA))
        phone = world.phone()
        login = phone.claim(world.handoff.open()).login_id

        assert phone.answer_template(login, b"".join(palms)).hint == "palm_retry"
        assert phone.answer_template(login, b"".join(frames)).hint == "wait_approve"
