"""Settings: derived, frozen, and refused all at once."""

import pytest
from pydantic import ValidationError

from oidc.errors import describe_faults
from oidc.settings import OidcSettings


def test_everything_follows_from_the_issuer() -> None:
    """A first run sets one address or none."""
    settings = OidcSettings(issuer="https://id.example/oauth2")

    assert settings.auth_url == settings.base_url == "https://id.example/oauth2"
    assert settings.phone_url == "https://id.example/oauth2/m"
    assert settings.is_secure
    assert not OidcSettings().is_secure


@pytest.mark.parametrize(
    "address",
    [
        "http://id.example", "http://0.0.0.0:8080", "http://10.0.0.1", "id.example",
        "http://localhost.evil.example", "https://id.example/", "https://id.example?x=1",
        "https://id.example#x", "https://anna@id.example", "ftp://id.example", "https://", "",
        "https://id.example:443", "http://localhost:80", "HTTPS://id.example",
        "https://ID.example", " https://id.example", "https://id.example/a b",
        "https://id example",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["issuer", "auth_url", "base_url", "phone_url"])
def test_an_unsafe_address_stops_the_start(name: str, address: str) -> None:
    """Plain http beyond loopback would send codes and cookies in the open."""
    with pytest.raises(ValidationError):
        OidcSettings(**{name: address})  # type: ignore[arg-type]


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "127.8.9.1", "localhost:1", "[::1]:8080"])
def test_plain_http_is_served_on_loopback(host: str) -> None:
    """For the demo and for tests, where nothing leaves the machine."""
    assert OidcSettings(issuer=f"http://{host}").issuer == f"http://{host}"


def test_all_faults_are_reported_together_and_without_their_values() -> None:
    """An operator mends everything in one go; a secret in the wrong place is not printed."""
    with pytest.raises(ValidationError) as caught:
        OidcSettings(
            issuer="http://sesame.example", code_lifetime_s=0, support_email="open sesame",
            stream_count=-1, brand_colour="#ffcc00",
        )  # fmt: skip

    report = describe_faults(caught.value)
    assert "sesame" not in report
    for name in ("ISSUER", "CODE_LIFETIME_S", "SUPPORT_EMAIL", "STREAM_COUNT", "BRAND_COLOUR"):
        assert f"THENAR_OIDC_{name}:" in report


def test_settings_do_not_change_and_do_not_print_secrets() -> None:
    """Frozen; the key encryption key is a secret."""
    settings = OidcSettings(key_encryption_key="c2VzYW1l")  # type: ignore[arg-type]

    with pytest.raises(ValidationError):
        settings.issuer = "https://other.example"
    assert "c2VzYW1l" not in repr(settings)


@pytest.mark.parametrize(
    "url", ["", "sqlite://", "sqlite:///", "sqlite:///:memory:", "mysql://x", "postgresql:x"]
)
def test_only_databases_that_were_tried_are_accepted(url: str) -> None:
    """A file that lasts, or PostgreSQL with the driver that is installed."""
    with pytest.raises(ValidationError):
        OidcSettings(database_url=url)


def test_a_password_in_the_database_url_is_not_printed() -> None:
    """Settings end up in logs sooner or later."""
    settings = OidcSettings(database_url="postgresql://thenar:sesame@db/protocol")

    assert settings.database_url == "postgresql+psycopg://thenar:sesame@db/protocol"
    assert "sesame" not in repr(settings)
