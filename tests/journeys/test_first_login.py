"""A person enrols, and logs in for the first time; the service is restarted in between."""

import pytest

from benchmarks.harness.browser import Browser
from tests.support.phone.reference import Refused
from tests.support.service.journey import SignedIn

pytestmark = [pytest.mark.journey, pytest.mark.hands]

ADA, BEN, NOBODY = 0, 1, 5


def test_enrol_and_log_in(world):
    """The road from a palm photo to an ID token, each hint on the way seen by both sides."""
    person = world.person(ADA)
    with world.begin(nonce="n", scope="openid offline_access") as login:
        seen = [login.hint]
        claimed = login.claim(person.phone)
        seen.append(login.hint)
        shown = person.phone.show(claimed.login_id, person.palm)
        seen.append(login.hint)
        approved = person.phone.approve(claimed.login_id)
        seen.append(login.hint)
        callback = login.finish()

    tokens = SignedIn(world.shop, world.shop.exchange(callback.parameters["code"]))
    assert seen == ["wait_scan", "wait_palm", "wait_approve", "go"]
    assert shown.hint == "wait_approve"
    assert approved == "go"
    assert claimed.client_name == "Corner Bookshop"
    assert claimed.client_host == "127.0.0.1:9"
    assert tokens.claims["nonce"] == "n"


def test_a_palm_that_is_not_enrolled_is_let_in_nowhere(world):
    """Identification over the gallery: a stranger is nobody, and learns nothing more."""
    world.person(ADA)
    with world.begin() as login:
        phone = world.new_phone()
        claimed = phone.claim(login.link)
        said = phone.show(claimed.login_id, world.people[NOBODY].palm)
        with pytest.raises(Refused):
            phone.approve(claimed.login_id)
        hint = login.hint

    assert (said.hint, said.attempts_left) == ("palm_retry", 2)
    assert hint == "palm_retry"


def test_both_palms_are_one_person(world):
    """Either hand gives the same subject: a person enrols two palms and is one account."""
    person = world.person(BEN)
    subjects = set()
    for palm in person.shots[:2]:
        with world.begin() as login:
            phone = world.new_phone()
            claimed = phone.claim(login.link)
            assert phone.show(claimed.login_id, palm).hint == "wait_approve"
            phone.approve(claimed.login_id)
            answer = world.shop.exchange(login.finish().parameters["code"])
        subjects.add(SignedIn(world.shop, answer).subject)

    assert len(subjects) == 1


def test_an_enrolled_palm_cannot_make_a_second_account(world):
    """One palm, one account: the answer says that it is taken, never by whom."""
    person = world.person(ADA)

    with pytest.raises(Refused) as refusal:
        world.new_phone().enrol(person.enrolment)

    assert (refusal.value.status, refusal.value.error) == (409, "already_enrolled")


def test_samples_of_two_people_make_no_account(world):
    """The samples of an enrolment must agree with each other."""
    mixed = [world.people[3].enrolment[0], world.people[4].enrolment[0]]

    with pytest.raises(Refused) as refusal:
        world.new_phone().enrol(mixed)

    assert refusal.value.error in {"samples_disagree", "too_few_samples"}


def test_the_service_remembers_after_a_restart(serve):
    """Gallery, subjects and keys outlive the process: the same person, verified by old keys."""
    with serve() as world:
        person = world.person(ADA)
        before = world.log_in(person, scope="openid offline_access")
        known = world.shop.keys
        world.restart()
        after = world.log_in(person)
        refreshed = world.shop.refresh(before.tokens["refresh_token"])

    assert after.subject == before.subject
    assert refreshed.status_code == 200
    assert world.shop.keys is known


def test_two_tabs_of_two_clients_both_finish(world):
    """Each login has its own cookie: a second tab must not end the first."""
    person = world.person(ADA)
    shop, library = world.shop, world.library
    with Browser(shop.registration.redirect_uri) as browser:
        first = browser.open_page(shop.authorization_url(state="one"))
        second = browser.open_page(library.authorization_url(state="two"))
        for page in (second, first):
            claimed = person.phone.claim(page.address("phone-link", "href"))
            person.phone.show(claimed.login_id, person.palm)
            person.phone.approve(claimed.login_id)
        one = browser.finish(first)
        browser.stop_at = library.registration.redirect_uri
        two = browser.finish(second)

    assert one.parameters["state"] == "one"
    assert two.parameters["state"] == "two"
    assert shop.exchange(one.parameters["code"]).status_code == 200
    assert library.exchange(two.parameters["code"]).status_code == 200


def test_another_browser_cannot_finish(world):
    """Session fixation: the code goes only to the browser whose cookie began the login."""
    person = world.person(ADA)
    with world.begin() as login, Browser(login.browser.stop_at) as thief:
        login.answer(person)
        stolen = thief.http.post(f"{login.page.url}/continue")
        peeked = thief.http.get(f"{login.page.url}/state")
        callback = login.finish()

    assert stolen.status_code == 403
    assert "location" not in stolen.headers
    assert peeked.status_code in {403, 404}
    assert callback.parameters["code"]


def test_continue_works_once(world):
    """One verification, one code: pressing *continue* again gives no second one."""
    with world.begin() as login:
        login.answer(world.person(ADA))
        login.finish()
        again = login.browser.http.post(f"{login.page.url}/continue")

    assert "code=" not in again.headers.get("location", "")
    assert again.status_code >= 400
