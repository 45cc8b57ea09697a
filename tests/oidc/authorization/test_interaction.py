"""How far the person may or must be asked: read from a request."""

import json

import pytest

from oidc.authorization.interaction import (
    RequestedClaims,
    read_claims,
    read_max_age,
    read_prompts,
)
from oidc.errors import AuthorizationRefused


@pytest.mark.parametrize("prompt", ["none login", "consent none", "login create"])
def test_none_stands_alone_and_unknown_prompts_are_refused(prompt: str) -> None:
    """OpenID Connect Core §3.1.2.1; Initiating User Registration 1.0 §4.1.1."""
    with pytest.raises(AuthorizationRefused) as refused:
        read_prompts(prompt)

    assert refused.value.error == "invalid_request"


@pytest.mark.parametrize("text", ["-1", "1.5", "soon", "١", "9" * 11, " 1", "+1"])
def test_an_age_is_a_number(text: str) -> None:
    """Nothing else is guessed at."""
    with pytest.raises(AuthorizationRefused, match="max_age"):
        read_max_age(text)


@pytest.mark.parametrize(
    "text", ["", "no", "[]", "1", '{"id_token": []}', '{"userinfo": 1}', "[" * 100_000]
)
def test_claims_are_a_json_object(text: str) -> None:
    """Whatever is wrong, the client gets the same kind of error."""
    with pytest.raises(AuthorizationRefused) as refused:
        read_claims(text)

    assert refused.value.error == "invalid_request"


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({"userinfo": {"name": {"essential": True}}}, RequestedClaims()),
        ({"id_token": None, "userinfo": None}, RequestedClaims()),
        ({"id_token": {"auth_time": {"essential": True}, "sub": None}}, RequestedClaims()),
        ({"id_token": {"sub": {"value": "a"}}}, RequestedClaims(("a",))),
        (
            {"id_token": {"sub": {"value": "a"}}, "userinfo": {"sub": {"value": "b"}}},
            RequestedClaims(("a", "b")),
        ),
        ({"id_token": {"acr": {"values": ["x"]}}}, RequestedClaims()),
        (
            {"id_token": {"acr": {"essential": True, "values": ["x", "y", 1]}}},
            RequestedClaims(acr_values=("x", "y")),
        ),
        (
            {"id_token": {"acr": {"essential": True, "value": "x"}}},
            RequestedClaims(acr_values=("x",)),
        ),
        ({"id_token": {"acr": {"essential": True}}}, RequestedClaims()),
        ({"id_token": {"acr": {"essential": True, "values": "x"}}}, RequestedClaims()),
    ],
)
def test_of_the_claims_two_matter(claims: object, expected: RequestedClaims) -> None:
    """Who it must be, and an essential ``acr``; the rest is given anyway, or voluntary."""
    assert read_claims(json.dumps(claims)) == expected
