"""A person sees who knows them and takes themselves back, after a palm; and reads codes."""

from uuid import UUID

import pytest

from oidc.plumbing.columns import day_of
from oidc.types import AccountId
from tests.support.palms.fake_engine import picture, shots
from tests.support.phone.reference import Phone, refusal
from tests.support.service.handoff import link
from tests.support.service.mobile_api import MobileWorld

MAYA = 1
PALM = picture(MAYA, shot=9)
PROOF_S = 300


def account_of(world: MobileWorld) -> AccountId:
    """Return the one account there is."""
    return AccountId(UUID(str(world.row("SELECT account FROM accounts")[0])))


@pytest.fixture
def maya(world: MobileWorld) -> Phone:
    """Give the phone of a person whom two apps know."""
    phone = world.enrolled(shots(MAYA))
    link(world.provider, world.clock, account_of(world), "bank")
    world.clock.advance(24 * 3600)
    link(world.provider, world.clock, account_of(world), "shop")
    return phone


def test_a_palm_shows_who_knows_the_person(world: MobileWorld, maya: Phone) -> None:
    """Names, hosts and since when: and a handle that means nothing to another account."""
    shown, proof = maya.account(PALM), maya.prove_palm(PALM)

    assert [each.client_name for each in shown.connections] == ["shop", "bank"]
    assert [each.client_host for each in shown.connections] == ["shop.example", "bank.example"]
    assert shown.connections[0].since == int(day_of(world.clock()).timestamp())
    assert proof.expires_in == PROOF_S


def test_what_is_withdrawn_is_gone_and_the_rest_is_left(
    world: MobileWorld, maya: Phone
) -> None:
    """One app after the other, with one palm."""
    proof = maya.prove_palm(PALM).palm_proof
    first, second = (each.handle for each in maya.account(PALM).connections)

    left = maya.withdraw(first, proof).connections
    none = maya.withdraw(second, proof).connections

    assert [each.handle for each in left] == [second]
    assert none == []
    assert world.interface.linked_clients(account_of(world)) == []
    again = refusal(lambda: maya.withdraw(first, proof))
    assert (again.status, again.error) == (410, "connection_gone")


def test_a_proof_is_good_for_five_minutes(world: MobileWorld, maya: Phone) -> None:
    """A phone that lies on a table is not a palm."""
    proof = maya.prove_palm(PALM).palm_proof
    world.clock.advance(PROOF_S)

    late = refusal(lambda: maya.withdraw("x", proof))

    assert (late.status, late.error) == (403, "palm_proof_expired")
    assert len(world.interface.linked_clients(account_of(world))) == 2


def test_a_proof_is_good_on_one_phone(world: MobileWorld, maya: Phone) -> None:
    """A second phone of the same person shows the palm itself."""
    proof, second = maya.prove_palm(PALM).palm_proof, world.phone()
    maya.trust(second, picture(MAYA, shot=8))

    assert refusal(lambda: second.withdraw("x", proof)).error == "palm_proof_expired"


@pytest.mark.parametrize("proof", ["-", "0-", "x", "9" * 15, "99999999999-ab", "9" * 99])
def test_a_forged_proof_is_refused(maya: Phone, proof: str) -> None:
    """Whatever it looks like: never a fault of ours."""
    assert refusal(lambda: maya.withdraw("x", proof)).error == "palm_proof_expired"


def test_the_confirmation_code_is_shown_until_the_computer_has_it(world: MobileWorld) -> None:
    """With the yes, and again to a phone that lost the answer; never before the palm."""
    phone = world.enrolled(shots(MAYA))
    world.handoff.asks_code = True
    login = phone.claim(world.handoff.open())
    before = phone.login_state(login.login_id)
    palm = phone.answer_picture(login.login_id, PALM)
    approved = phone.approve(login.login_id)

    assert login.asks_code
    assert before.confirmation_code is None
    assert "confirmation_code" not in palm.model_dump()
    assert (approved.hint, approved.confirmation_code) == ("wait_code", "0481")
    assert phone.login_state(login.login_id).confirmation_code == "0481"


def test_an_old_picture_of_the_code_is_named_as_that(world: MobileWorld) -> None:
    """The person reads what to do, instead of that it is over."""
    phone, ticket = world.phone(), world.handoff.open()
    world.clock.advance(60)

    stale = refusal(lambda: phone.claim(ticket))

    assert (stale.status, stale.error) == (410, "ticket_stale")
    assert "on the screen" in str(stale)
