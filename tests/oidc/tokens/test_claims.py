"""Claims made from a grant, and the arithmetic of their times."""

from datetime import UTC, datetime, timedelta

from oidc.protocol import digest_of, is_identifier, new_identifier, new_secret
from oidc.tokens import claims as tokens
from oidc.tokens.claims import Validity
from oidc.types import ClientId, Grant, GrantId, Level, PairwiseSubject

NOW = datetime(2026, 11, 20, 12, 0, 0, 999_999, tzinfo=UTC)
GRANT = Grant(
    GrantId("g"), ClientId("c"), PairwiseSubject("vu-1"), ("openid",), "n", NOW, Level.PALM
)


def test_times_are_whole_seconds() -> None:
    """RFC 7519 NumericDate; some libraries refuse fractions, so auth_time has none either."""
    claims = tokens.id_token_claims(
        GRANT,
        issuer="https://id.example",
        access_token="a",
        nonce=None,
        external_user_id=False,
        valid=Validity(NOW, 60),
    )

    times = [claims[name] for name in ("iat", "nbf", "exp", "auth_time")]
    assert times == [1795176000, 1795176000, 1795176060, 1795176000]
    assert all(type(value) is int for value in times)


def test_at_hash_is_the_example_of_the_standard() -> None:
    """OpenID Connect Core, appendix A.3."""
    token = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"

    assert tokens.at_hash(token) == "77QmUPtjPfzWtF2AnpK9RQ"


def test_what_is_left_of_a_lifetime_is_never_negative() -> None:
    """``refresh_token_expires_in`` of a family that just ended."""
    assert tokens.seconds_until(NOW + timedelta(seconds=1.9), NOW) == 1
    assert tokens.seconds_until(NOW - timedelta(seconds=5), NOW) == 0


def test_secrets_are_long_random_and_known_by_a_digest_of_any_text() -> None:
    """256 bits for what opens something, 128 for what only names something."""
    assert len({new_secret() for _ in range(100)}) == 100
    assert len(new_secret()) == 43
    assert is_identifier(new_identifier())
    assert len(digest_of("\ud800")) == 32
    assert not any(is_identifier(text) for text in ("", "a b", "\x00", "ä", "a" * 65, "a\n"))
