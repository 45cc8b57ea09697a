"""Redirect URIs that may be registered, and those that may not."""

import pytest

from oidc.errors import RedirectUriRefused
from oidc.protocol import host_of, require_redirect_uri


@pytest.mark.parametrize(
    ("uri", "host"),
    [
        ("https://a.example/cb?x=1", "a.example"),
        ("https://a.example:8443", "a.example:8443"),
        ("http://127.0.0.1:3000/cb", "127.0.0.1:3000"),
        ("http://localhost:03000/cb", "localhost:03000"),
        ("http://localhost/cb", "localhost"),
        ("http://[::1]:3000/cb", "[::1]:3000"),
        ("com.example.app:/cb", "com.example.app:"),
        ("com.example.app://cb", "com.example.app:"),
    ],
)
def test_web_loopback_and_app_addresses_are_kept(uri: str, host: str) -> None:
    """Servers, developers and native apps (RFC 8252)."""
    assert require_redirect_uri(uri) == uri
    assert host_of(uri) == host


@pytest.mark.parametrize(
    "uri",
    [
        "", "/cb", "a.example/cb", "http://a.example/cb", "http://localhost.evil.example/cb",
        "https://a.example/cb#fragment", "https://a.example/cb#", "https://anna@a.example/cb",
        "https://anna:secret@a.example:1/cb", "https:///cb", "https://:443/cb",
        "https://a.example:99999/cb", "https://a.example:port/cb", "https://*.a.example/cb",
        "https://a.example;script-src/cb", "https://a.example,b.example/cb",
        "https://a.example/c b", "https://a.example/c\tb", "https://a.example/c\r\nX: x",
        "https://a.example/ä", "https://[::1/cb",
        "javascript:alert(1)", "data:text/html,x",
        "file:///etc/passwd", "myapp:/cb", "https://a.example/" + "x" * 2000,
    ],
)  # fmt: skip
def test_what_could_mislead_a_browser_is_refused(uri: str) -> None:
    """RFC 9700 §4.1.3, RFC 6749 §3.1.2; and nothing that could break out of a header."""
    with pytest.raises(RedirectUriRefused):
        require_redirect_uri(uri)
