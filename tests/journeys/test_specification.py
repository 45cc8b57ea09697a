"""The specification, where only a running service shows it: real palms, accounts, processes.

Each test quotes the rule it would see broken; the other rules stand in
``tests/oidc/test_specification.py`` and in the tables of ``tests/oidc/bad_input``.
"""

import json
import uuid

import pytest
from joserfc import jwt

from tests.support.service.headless_browser import Callback
from tests.support.service.html_page import Page
from tests.support.service.journey import SignedIn, World

ADA, BEN, VISITOR = 0, 1, 2
"""Two people who are enrolled, and one who is enrolled and deleted again."""

STATE = "s p a c e & ü ~ \" ' < % + /=?#"
"""A state with all that is easily mangled on the way."""


@pytest.fixture(scope="module")
def ada(world: World) -> SignedIn:
    """Give one login of one person, with every option of the specification."""
    return world.log_in(world.person(ADA), scope="openid offline_access", nonce=STATE)


def sent_back(there: Page | Callback) -> dict[str, str]:
    """Return the parameters of an error redirect."""
    assert isinstance(there, Callback), "a page instead of an error redirect"
    assert "code" not in there.parameters
    return there.parameters


def test_the_flow_of_section_1(world, ada):
    """§1: authorization, palm, code, tokens, userinfo, and the refresh of §4.4, over HTTP."""
    userinfo = ada.party.userinfo(ada.tokens["access_token"]).json()
    refreshed = world.shop.refresh(ada.tokens["refresh_token"]).json()
    access = jwt.decode(refreshed["access_token"], ada.party.keys, algorithms=["ES256"])

    assert ada.claims["external_user_id"] == ada.claims["sub"] == userinfo["sub"]
    assert ada.claims["nonce"] == STATE
    assert (access.claims["sub"], access.claims["iss"]) == (ada.subject, world.service.issuer)
    assert access.claims["exp"] - access.claims["iat"] == 3600


def test_the_relying_party_learns_no_biometrics_and_no_raw_user_id(world, ada):
    """§1: “No biometric data and no raw user ID is given to the relying application”."""
    access = ada.party.read_token(ada.tokens["access_token"]).claims
    given = json.dumps([ada.claims, access, {**ada.tokens, "id_token": "", "access_token": ""}])

    accounts = accounts_of(world)
    assert accounts
    assert not [each for each in accounts if each.hex in given or str(each) in given]
    assert set(ada.claims) <= {
        "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "auth_time", "amr", "acr", "at_hash",
        "nonce", "sid", "external_user_id",
    }  # fmt: skip


def test_an_internal_account_id_is_never_accepted(world, ada):
    """§4.6: “The value must never be an internal account ID”."""
    for account in accounts_of(world):
        parameters = sent_back(world.visit(user_id=str(account)))
        assert parameters["error"] == "invalid_request"


def test_a_revoked_identifier_is_an_error_redirect(world):
    """§4.6: “If the identifier is unknown or revoked …”: here by the person's own deletion."""
    person = world.person(VISITOR)
    subject = world.log_in(person).subject
    person.phone.delete_account(person.palm)
    person.phone, world.people[VISITOR].phone = None, None

    parameters = sent_back(world.visit(user_id=subject, state=STATE))

    assert parameters["error"] == "invalid_request"
    assert parameters["error_description"]
    assert parameters["state"] == STATE


def accounts_of(world: World) -> list[uuid.UUID]:
    """Return the internal accounts, read from the database behind the service's back."""
    rows = world.in_database("SELECT account FROM accounts")
    return [uuid.UUID(str(row[0])) for row in rows]
