"""The options of a client: one table, one check, every fault at once."""

import json
from dataclasses import replace
from typing import Any

import pytest
from joserfc.jwk import ECKey, RSAKey

from oidc.client import Authentication, Client, Policy, Profile, Setter
from oidc.clients.options import STORED, check, describe
from oidc.types import ClientId, SectorIdentifier
from tests.support.clock import FakeClock

OPERATOR, DEVELOPER, CLIENT = (Policy(each) for each in Setter)
URI = "https://app.example/cb"
PUBLIC = {"keys": [ECKey.generate_key("P-256", auto_kid=True).as_dict(private=False)]}
PRIVATE = {"keys": [ECKey.generate_key("P-256").as_dict(private=True)]}
WEAK = {"keys": [RSAKey.generate_key(2048, {"alg": "RS256"}).as_dict(private=False)]}
SIGNS = {"token_endpoint_auth_method": "private_key_jwt", "jwks": PUBLIC}
GOOD = {"client_name": "Shop", "redirect_uris": [URI]}
PRESENT = Client(
    client_id=ClientId("c"),
    name="Thenar Shop",
    redirect_uris=(URI,),
    scope=("openid",),
    sector=SectorIdentifier("c"),
    external_user_id=True,
    secret_digest=b"",
    created_at=FakeClock()(),
    backchannel_logout_uri="https://10.0.0.1/out",
    accept_palm_alone=True,
    require_pkce=True,
    resource_server=True,
)
SIGNING = replace(
    PRESENT, authentication=Authentication.PRIVATE_KEY_JWT, jwks=json.dumps(PUBLIC)
)


def judge(policy: Policy, **changes: object) -> dict[str, str]:
    """Return the faults of a good document with changes, by field."""
    checked = check({**GOOD, **changes}, policy)
    faults = {each.name: each.reason for each in checked.faults}
    assert len(faults) == len(checked.faults), "one reason a field"
    return faults


def chosen(policy: Policy, **changes: object) -> dict[str, Any]:
    """Return what a good document with changes stores."""
    return dict(check({**GOOD, **changes}, policy).accepted())


BOOLEAN = "true or false"
WRONG: dict[str, list[tuple[Any, str]]] = {
    "redirect_uris": [
        ([], "at least one"), (URI, "a list of texts"), ([7], "a list of texts"),
        (["http://app.example/cb"], "loopback only"), (["https://[a.example/cb"], "malformed"),
        (["x:1", URI, "x:2"], "a dot; 'x:2': use"),
    ],
    "client_name": [(7, "a text"), ("", "1 to 80")],
    "token_endpoint_auth_method": [("tls", "one of")],
    "jwks": [(PUBLIC, "take none")],
    "profile": [("fapi3", "one of")],
    "confirm_code": [("sometimes", "on-risk, always, never")],
    "scope": [(["openid"], "a text"), ("openid email", "openid"), ("offline_access", "openid")],
    "application_type": [("robot", "web, native")],
    "id_token_signed_response_alg": [("none", "RS256")],
    "dpop_bound_access_tokens": [("yes", BOOLEAN), (1, BOOLEAN)],
    "backchannel_logout_uri": [
        ("com.app:/out", "a plain host"), ("http://a.example/", "use https"),
        ("https://u@a.example/", "plain host"), ("https://10.0.0.1/", "Internet"),
    ],
    "post_logout_redirect_uris": [(["data:x"], "dot")],
    "grant_types": [(["implicit"], "authorization_code"), (["refresh_token"], "authoriz")],
    "response_types": [(["code", "id_token"], "code")],
    "subject_type": [("public", "pairwise")],
    "require_auth_time": [("yes", BOOLEAN)],
    "token_endpoint_auth_signing_alg": [("HS256", "ES256")],
    "jwks_uri": [("https://169.254.169.254/", "not supported")],
    "software_statement": [("x.y.z", "not accepted")],
}  # fmt: skip
"""Values of one field, and the reason."""
METHOD = "token_endpoint_auth_method"
TOGETHER: list[tuple[dict[str, Any], str, str]] = [
    ({METHOD: "private_key_jwt"}, "jwks", "needs a JWK set"),
    ({**SIGNS, "jwks": {"keys": []}}, "jwks", "not a JWK set"),
    ({**SIGNS, "jwks": "{"}, "jwks", "valid JSON"),
    ({**SIGNS, "jwks": PRIVATE}, "jwks", "private key"),
    ({**SIGNS, "profile": "fapi2", "jwks": WEAK}, "jwks", "ES256 or PS256"),
    ({"profile": "fapi2"}, "jwks", "needs a JWK set"),
    ({"profile": "fapi2", METHOD: "none"}, "profile", "private_key_jwt"),
    ({"backchannel_logout_session_required": True}, "backchannel_logout_uri", "needs an addr"),
    ({"resource_server": True, METHOD: "none"}, METHOD, "must authenticate"),
]
REFUSED = TOGETHER + [
    ({name: value}, name, reason) for name, rows in WRONG.items() for value, reason in rows
]


@pytest.mark.parametrize(("changes", "field", "reason"), REFUSED)
def test_one_wrong_value_is_one_fault_at_its_field(
    changes: dict[str, Any], field: str, reason: str
) -> None:
    """From one good document, by every way to set it."""
    faults = judge(OPERATOR, **changes)

    assert list(faults) == [field]
    assert reason in faults[field]


def test_all_faults_are_found_at_once() -> None:
    """Also of the name beside that of the addresses; what only follows is left out."""
    faults = judge(
        DEVELOPER,
        client_name="",
        redirect_uris=["http://a.example/"],
        token_endpoint_auth_method="tls",
        jwks=PUBLIC,
        scope="email",
        accept_palm_alone=True,
        jwks_uri="https://a.example/",
    )

    assert list(faults) == [
        "jwks_uri", "token_endpoint_auth_method", "redirect_uris", "client_name", "scope",
        "accept_palm_alone",
    ]  # fmt: skip
    assert judge(CLIENT, client_name=None, redirect_uris=["x:1"]).keys() == {"redirect_uris"}


@pytest.mark.parametrize(
    ("changes", "field", "allowed"),
    [
        ({"client_name": "Thénar Support"}, "client_name", {Setter.OPERATOR}),
        ({"accept_palm_alone": True}, "accept_palm_alone", {Setter.OPERATOR}),
        ({"resource_server": True, "redirect_uris": []}, "redirect_uris", {Setter.OPERATOR}),
        ({"scope": "openid email"}, "scope", {Setter.CLIENT}),
        ({"accept_palm_alone": True, "sandbox": True}, "accept_palm_alone", set(Setter)),
    ],
)
def test_who_may_set_what(changes: dict[str, Any], field: str, allowed: set[Setter]) -> None:
    """A developer and a client may not have everything; unknown scopes are dropped."""
    assert {each for each in Setter if not judge(Policy(each), **changes)} == allowed
    for setter in set(Setter) - allowed:
        assert list(judge(Policy(setter), **changes)) == [field]


def test_what_another_sets_is_ignored_and_stays() -> None:
    """The operator alone makes a client a resource server; meanwhile that may change."""
    wish = {"resource_server": True, "confirm_code": "never", "profile": "fapi2"}
    new = chosen(CLIENT, **wish)
    changed = check({**GOOD, **wish}, replace(CLIENT, present=PRESENT)).values

    assert (new["resource_server"], new["confirm_code"]) == (False, "on-risk")
    assert new["profile"] is Profile.STANDARD
    assert not changed.keys() & {"resource_server", "confirm_code", "profile"}


@pytest.mark.parametrize("policy", [DEVELOPER, CLIENT])
def test_what_a_client_has_may_stay(policy: Policy) -> None:
    """A name that the operator gave, and a palm alone; a private address only for operators."""
    document = describe(PRESENT)

    faults = [each.name for each in check(document, replace(policy, present=PRESENT)).faults]

    assert faults == ["backchannel_logout_uri"]
    assert not check(document, replace(OPERATOR, present=PRESENT)).faults


@pytest.mark.parametrize("changes", [{"token_endpoint_auth_method": "none"}, {"sandbox": True}])
def test_what_is_fixed_cannot_be_changed(changes: dict[str, Any]) -> None:
    """A leaked token must not take a client over; people of a sandbox never become real."""
    faults = judge(replace(OPERATOR, present=PRESENT), **changes)

    assert list(faults.values()) == ["cannot be changed: register another client"]


class TestPkce:
    """Demanded of public, native and FAPI clients, and of all where the operator says so."""

    @pytest.mark.parametrize("setter", list(Setter))
    def test_a_client_with_a_secret_may_leave_it_out(self, setter: Setter) -> None:
        """RFC 9700 §2.1.1 recommends it there; no peer demands it."""
        policy = Policy(setter)

        assert chosen(policy)["require_pkce"] is False
        assert chosen(policy, require_pkce=True)["require_pkce"] is True

    @pytest.mark.parametrize(
        ("policy", "changes"),
        [
            (CLIENT, {"token_endpoint_auth_method": "none"}),
            (CLIENT, {"application_type": "native"}),
            (OPERATOR, {**SIGNS, "profile": "fapi2"}),
            (replace(DEVELOPER, require_pkce=True), {}),
            (replace(DEVELOPER, present=replace(PRESENT, native=True)), {}),
        ],
    )
    def test_it_is_demanded_whatever_is_chosen(
        self, policy: Policy, changes: dict[str, Any]
    ) -> None:
        """A public client has no other proof."""
        assert chosen(policy, **changes, require_pkce=False)["require_pkce"] is True

    def test_a_client_keeps_it_unless_it_says_no(self) -> None:
        """An update of RFC 7592 that leaves it out was sent when it was the default."""
        policy = replace(CLIENT, present=PRESENT)

        assert chosen(policy)["require_pkce"] is True
        assert chosen(policy, require_pkce=False)["require_pkce"] is False


def test_fapi_sets_what_it_needs() -> None:
    """§5.3.2, §5.4.1: also for new clients that say the opposite, and the installation's."""
    less = {"dpop_bound_access_tokens": False, "external_user_id": True, "jwks": PUBLIC}
    by_profile = chosen(OPERATOR, profile="fapi2", **less)
    by_setting = chosen(replace(CLIENT, profile=Profile.FAPI2), **less)
    kept = chosen(
        replace(OPERATOR, present=SIGNING), **SIGNS, profile="fapi2", external_user_id=True
    )

    for each in (by_profile, by_setting):
        assert each["authentication"] is Authentication.PRIVATE_KEY_JWT
        assert each["require_par"] and each["require_dpop"] and each["require_pkce"]
        assert each["id_token_algorithm"] == "ES256"
        assert not each["external_user_id"]
    assert kept["external_user_id"], "people of the app may depend on it"


def test_a_refresh_token_needs_grant_type_and_scope_of_a_client_that_registers_itself() -> None:
    """RFC 7591 §2."""
    both = {"grant_types": ["authorization_code", "refresh_token"]}

    assert chosen(CLIENT)["scope"] == ("openid",)
    assert chosen(CLIENT, **both)["scope"] == ("openid", "offline_access")
    assert chosen(CLIENT, **both, scope="openid")["scope"] == ("openid",)
    assert chosen(DEVELOPER)["scope"] == ("openid", "offline_access")


def test_a_described_client_is_a_good_document_of_itself() -> None:
    """Commands, the settings page and RFC 7592 begin with what is registered."""
    policy = replace(OPERATOR, present=SIGNING)

    assert check(describe(SIGNING), policy).accepted() == {
        each.attribute: getattr(SIGNING, each.attribute) for each in STORED
    }
