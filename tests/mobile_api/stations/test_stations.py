"""Stations: who becomes one, what it may answer, and that nothing of a person stays there."""

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from mobile_api import messages as m
from mobile_api.errors import StationFault
from mobile_api.reference_phone.client import new_key
from mobile_api.stations import CODE_LIFETIME, add_station, networks_of, remove_station
from mobile_api.types import Purpose, Station, StationChallenge
from oidc.types import Authenticated, Level
from tests.support.palms.fake_engine import picture, shots
from tests.support.phone.challenges import FakeDetector, hand_of
from tests.support.phone.reference import Phone, refusal
from tests.support.service.mobile_api import API, MobileWorld

MAYA, OMAR, UNENROLLED = 1, 2, 3
STATIONS_TOO = (Level.PALM_AND_PHONE, Level.PALM_AT_STATION)
INSIDE = "10.1.2.3"


def added(world: MobileWorld, **given: Any) -> str:
    """Add a station that works in one network; return its code."""
    named = {"name": "Ward 3", "networks": "10.1.0.0/16"} | given
    with world.database.write() as transaction:
        return add_station(transaction, Station(**named), world.clock())


class Screen(Phone):
    """A station's browser."""

    def enrol_station(self, code: str) -> m.StationMessage:
        """Become a station."""
        return self._post("/stations", m.EnrolStation(code=code), m.StationMessage)

    @property
    def digest(self) -> bytes:
        """What the provider keeps of its cookie."""
        return hashlib.sha256(self._http.cookies["__Host-thenar-station"].encode()).digest()


def screen(world: MobileWorld, address: str = INSIDE) -> Screen:
    """Return a browser with a new key."""
    client = TestClient(
        world.client.app, base_url="https://id.example.test", client=(address, 1)
    )
    return Screen(API, new_key(), client)


def station(world: MobileWorld, **given: Any) -> Screen:
    """Return an enrolled station."""
    enrolled = screen(world)
    enrolled.enrol_station(added(world, **given))
    return enrolled


def begun(world: MobileWorld, at: Screen, accepts: tuple[Level, ...] = STATIONS_TOO) -> str:
    """Begin a login in the station's browser; return its ticket."""
    world.handoff.accepts = accepts
    return world.handoff.open(station=at.digest)


def refused(act: Callable[..., object], *given: object) -> str:
    """Return the error that the service answers with."""
    return refusal(lambda: act(*given)).error


def test_a_palm_signs_in_at_a_station_and_leaves_nothing_there(anywhere: MobileWorld) -> None:
    """Searched for among all; the browser becomes no phone, and no phone gets a notice."""
    world = anywhere
    world.enrolled(shots(OMAR))
    own = world.enrolled(shots(MAYA))
    world.handoff.asks_code = True
    at = station(world)
    login = at.claim(begun(world, at))
    answered = at.answer_picture(login.login_id, picture(MAYA, shot=9))
    outcome = world.handoff.outcome()
    approved = at.approve(login.login_id)
    world.handoff.collect()

    assert (answered.hint, approved.hint) == ("wait_approve", "go")
    assert not login.asks_code
    assert isinstance(outcome, Authenticated)
    assert outcome.level is Level.PALM_AT_STATION
    assert world.row("SELECT count(*) FROM devices WHERE account IS NOT NULL") == (2,)
    assert own.standing().notices == []
    assert own.account(picture(MAYA, shot=9)).sign_ins[0].at_station


def test_a_disputed_palm_signs_no_account_in_at_a_station(world: MobileWorld) -> None:
    """The account may be a squatter's who has no other palm."""
    world.enrolled(shots(MAYA))
    refused(world.phone().enrol, shots(MAYA, first=5))
    at = station(world)
    login = at.claim(begun(world, at)).login_id

    assert refused(at.answer_picture, login, picture(MAYA, shot=9)) == "palm_disputed"


def test_a_station_answers_only_what_began_in_its_own_browser(world: MobileWorld) -> None:
    """Neither another browser's login, brought by a link, nor one whose client wants phones."""
    world.enrolled(shots(MAYA))
    at, other = station(world), station(world, name="Ward 4")
    tickets = [
        world.handoff.open(),
        begun(world, other),
        begun(world, at, (Level.PALM_AND_PHONE,)),
        begun(world, at, (Level.PALM_AND_PHONE, Level.PALM)),
    ]

    assert [refused(at.claim, ticket) for ticket in tickets] == ["not_from_station"] * 4


def test_the_cookie_alone_gives_nothing(world: MobileWorld) -> None:
    """A thief of it begins logins that only the station's key can answer as a station."""
    world.enrolled(shots(MAYA))
    at, phone = station(world), world.phone()
    login = phone.claim(begun(world, at, (*STATIONS_TOO, Level.PALM))).login_id
    phone.answer_picture(login, picture(MAYA, shot=9))
    outcome = world.handoff.outcome()

    assert isinstance(outcome, Authenticated)
    assert outcome.level is Level.PALM
    assert refused(at.approve, login) == "login_gone"


def test_a_code_makes_one_new_browser_a_station_within_a_day(world: MobileWorld) -> None:
    """A phone may hold a login that it claimed as a phone: its key becomes no station's."""
    code, late = added(world), added(world, name="late")
    phone = Screen(API, new_key(), world.client)
    phone.register("a phone")
    errors = [refused(phone.enrol_station, code)]
    errors += [refused(screen(world, "10.2.0.1").enrol_station, code)]
    at = screen(world)
    name = at.enrol_station(code).name
    errors += [refused(screen(world).enrol_station, c) for c in (code, "A")]
    world.clock.advance(CODE_LIFETIME.total_seconds())
    errors += [refused(screen(world).enrol_station, late)]
    cookie = at.send("POST", "/stations/cookie", b"", None).headers["set-cookie"]

    wrong = "station_code_wrong"
    assert errors == [wrong, "station_elsewhere", wrong, wrong, wrong]
    assert name == "Ward 3"
    assert {"HttpOnly", "Secure", "SameSite=lax", "Path=/"} <= set(cookie.split("; "))
    assert phone.send("POST", "/stations/cookie", b"", None).status_code == 403


ITS_OWN = {
    "POST /logins", "GET /logins/1", "GET /logins/1/events", "PUT /logins/1/palm",
    "PUT /logins/1/frames", "PUT /logins/1/challenge",
    "PUT /logins/1/template", "POST /logins/1/approve", "POST /logins/1/decline",
    "POST /logins/1/report", "POST /challenges", "PUT /challenges/1/steps/1",
    "POST /stations/cookie",
}  # fmt: skip
WITHOUT_ACCOUNT = {
    "GET /nonce", "GET /consent", "GET /earlier-key", "POST /devices", "POST /stations",
}  # fmt: skip


def addresses(world: MobileWorld) -> Iterator[tuple[str, str, str | None]]:
    """Yield method, path and content type of everything that the API has."""
    for path, methods in world.applications[0].openapi()["paths"].items():
        for method, described in methods.items():
            kinds = described.get("requestBody", {}).get("content", {})
            yield method.upper(), re.sub(r"\{\w+\}", "1", path), min(kinds, default=None)


def test_a_station_may_do_nothing_else(world: MobileWorld) -> None:
    """It enrols no palm, is trusted by no account and shows nothing, at every address."""
    at = station(world)
    reported = {
        f"{method} {path}": at.send(method, path, b"{}" if kind else b"", kind)
        for method, path, kind in addresses(world)
    }
    refusals = {where for where, each in reported.items() if "station_refused" in each.text}
    purposes = [
        m.BeginChallenge(purpose=each) for each in (Purpose.PALM_PROOF, Purpose.ENROLMENT)
    ]

    assert refusals == set(reported) - ITS_OWN - WITHOUT_ACCOUNT
    assert len(refusals) > 20
    assert {refused(at.begin_challenge, p) for p in purposes} == {"station_refused"}


def test_a_removed_station_is_unknown_at_once(anywhere: MobileWorld) -> None:
    """Also in the middle of a sign-in."""
    world = anywhere
    world.enrolled(shots(MAYA))
    at = station(world)
    login = at.claim(begun(world, at)).login_id
    at.answer_picture(login, picture(MAYA, shot=9))
    with world.database.write() as transaction:
        remove_station(transaction, "Ward 3", world.clock())

    assert refused(at.approve, login) == "device_unknown"
    with world.database.write() as transaction, pytest.raises(StationFault):
        remove_station(transaction, "Ward 3", world.clock())


def test_its_key_works_in_its_networks_only(world: MobileWorld) -> None:
    """A stolen computer at home is no station."""
    at = station(world)
    thief = Screen(API, at.key, screen(world, "203.0.113.9")._http)

    assert refused(thief.claim, begun(world, at)) == "station_elsewhere"
    assert networks_of("10.1.2.3/16, 2001:db8::/48") == "10.1.0.0/16,2001:db8::/48"
    with pytest.raises(StationFault):
        networks_of("ward")


def test_a_station_is_limited_by_itself(tmp_path: Path) -> None:
    """Non-mated palms at a ward lock out no phone at home, and those at home not the ward."""
    few: dict[str, Any] = {"network_failed_per_day": 2, "strangers_failed_per_day": 8}
    with MobileWorld(tmp_path, new_networks_share=0, **few) as world:
        world.enrolled(shots(MAYA))
        at = station(world)
        login = at.claim(begun(world, at)).login_id
        hints = [at.answer_picture(login, picture(UNENROLLED, shot=s)).hint for s in range(2)]
        over = refusal(lambda: at.answer_picture(login, picture(MAYA, shot=9)))
        others = [world.answer_palm(world.phone(), picture(UNENROLLED)).hint for _ in range(8)]
        ward = station(world, name="Ward 4")
        login = ward.claim(begun(world, ward)).login_id

        assert hints == ["palm_retry"] * 2
        assert over.error == "too_many_attempts"
        assert others == ["palm_retry"] * 8
        assert refused(world.answer_palm, world.phone(), picture(UNENROLLED)) == over.error
        assert ward.answer_picture(login, picture(MAYA, shot=9)).hint == "wait_approve"


@pytest.mark.parametrize("chosen", StationChallenge)
def test_the_operator_chooses_what_a_station_asks(
    tmp_path: Path, chosen: StationChallenge
) -> None:
    """A moving hand as on a new phone, also when others used up everything; or one picture."""
    none_left: dict[str, Any] = {"strangers_failed_per_day": 1, "new_networks_share": 0}
    with MobileWorld(tmp_path, detector=FakeDetector(), **none_left) as world:
        show = hand_of(UNENROLLED, world.clock)
        for phone in (world.phone(), station(world, challenge=chosen)):
            is_own = isinstance(phone, Screen)
            ticket = begun(world, phone) if isinstance(phone, Screen) else world.handoff.open()
            login = phone.claim(ticket)
            palm: bytes | m.ShowChallenge = picture(UNENROLLED)
            if login.challenge:
                assert refused(phone.answer_picture, login.login_id, palm) == "challenge_needed"
                palm = phone.pass_challenge(show, Purpose.LOGIN, login.login_id)
            hint = phone.answer_picture(login.login_id, palm).hint

            assert login.challenge is (not is_own or chosen is StationChallenge.HAND)
            assert hint == "palm_retry"
        assert refused(world.phone().pass_challenge, show) == "too_many_attempts"
