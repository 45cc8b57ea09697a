"""Every module of the certification plans has a test of its name: none was forgotten."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent

_BASIC = """
oidcc-server oidcc-response-type-missing oidcc-idtoken-signature oidcc-idtoken-unsigned
oidcc-userinfo-get oidcc-userinfo-post-header oidcc-userinfo-post-body
oidcc-ensure-request-without-nonce-succeeds-for-code-flow oidcc-scope-profile
oidcc-scope-email oidcc-scope-address oidcc-scope-phone oidcc-scope-all
oidcc-alternate-happy-flow oidcc-display-page oidcc-display-popup oidcc-prompt-login
oidcc-prompt-none-not-logged-in oidcc-prompt-none-logged-in oidcc-max-age-1
oidcc-max-age-10000 oidcc-ensure-request-with-unknown-parameter-succeeds oidcc-id-token-hint
oidcc-login-hint oidcc-ui-locales oidcc-claims-locales
oidcc-ensure-request-with-acr-values-succeeds oidcc-codereuse oidcc-codereuse-30seconds
oidcc-ensure-registered-redirect-uri oidcc-ensure-post-request-succeeds
oidcc-server-client-secret-post
oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported
oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported
oidcc-claims-essential oidcc-ensure-request-object-with-redirect-uri oidcc-refresh-token
oidcc-ensure-request-with-valid-pkce-succeeds
"""
BASIC = _BASIC.split()

LOGOUT = [
    f"oidcc-rp-initiated-logout{suffix}"
    for suffix in (
        "-discovery-endpoint-verification",
        "",
        "-bad-post-logout-redirect-uri",
        "-query-added-to-post-logout-redirect-uri",
        "-modified-id-token-hint",
        "-bad-id-token-hint",
        "-no-id-token-hint",
        "-no-params",
        "-no-post-logout-redirect-uri",
        "-only-state",
        "-no-state",
    )
]

OTHERS = [
    "oidcc-discovery-endpoint-verification",
    "oidcc-backchannel-discovery-endpoint-verification",
    "oidcc-backchannel-rp-initiated-logout",
    "oidcc-server-rotate-keys",
]


def named_tests() -> set[str]:
    """Return the names and the ids of the certification tests, as the suite writes them."""
    names = set()
    for file in HERE.glob("test_*.py"):
        if file.name == Path(__file__).name:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                names.add(node.name.removeprefix("test_").replace("_", "-"))
            if isinstance(node, ast.keyword) and node.arg == "id":
                names.add(str(ast.literal_eval(node.value)))
    return names


def test_the_plans_have_as_many_modules_as_the_suite() -> None:
    """Basic OP has 38, RP-Initiated Logout OP 11."""
    assert (len(set(BASIC)), len(set(LOGOUT))) == (38, 11)


@pytest.mark.parametrize("module", [*BASIC, *LOGOUT, *OTHERS])
def test_a_module_has_a_test(module: str) -> None:
    """Named after it, so that a failure says which demand is not met."""
    assert module in named_tests()
