"""The OpenID Foundation's demand: OP rotates its keys (``oidcc-server-rotate-keys``)."""

from datetime import timedelta

from oidc.keys import Overlap, load_cipher, rotate_key
from tests.support.service.conformance_suite import Suite
from tests.support.service.sign_in import SignIn


def published(sign_in: SignIn) -> list[str]:
    """Return the names of the published keys."""
    jwks = sign_in.browser.get("/.well-known/jwks.json").json()
    return [key["kid"] for key in jwks["keys"]]


def test_oidcc_server_rotate_keys(sign_in: SignIn) -> None:
    """A new key is published beside the old one; then it signs, and both still verify."""
    suite = Suite(sign_in, "query")
    first, before = suite.log_in(), published(sign_in)

    settings = sign_in.settings
    cipher = load_cipher(settings.key_source)
    overlap = Overlap.for_tokens(settings.lifetimes)
    with sign_in.database.write() as stores:
        rotate_key(stores, cipher, "RS256", overlap, sign_in.clock())
    sign_in.clock.advance(overlap.published.total_seconds())
    after, second = published(sign_in), suite.log_in()

    assert set(before) < set(after)
    assert len(set(after)) == len(after) == len(before) + 1
    assert second.header["kid"] in set(after) - set(before)
    assert sign_in.opened(first.tokens["id_token"]).header["kid"] in before
    sign_in.clock.advance((overlap.verifies + timedelta(seconds=1)).total_seconds())
    assert first.header["kid"] not in published(sign_in), "long enough, and no longer"
