"""The search for secrets finds them: otherwise it would find that there are none."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from tests.fakes.secret_search import found_in

SECRET = "sécret/+?&=~0123456789abcdef"
BYTES = bytes(range(7, 207))


@pytest.mark.parametrize(
    "text",
    [
        f"a {SECRET} b",
        SECRET.encode().hex(),
        SECRET.encode().hex().upper(),
        quote(SECRET),
        quote(SECRET, safe=""),
        json.dumps({"a": SECRET}, ensure_ascii=False),
        base64.b64encode(SECRET.encode()).decode(),
        base64.b64encode(b"x" + SECRET.encode() + b"tail").decode(),
        base64.urlsafe_b64encode(b"xy" + SECRET.encode()).decode(),
        base64.urlsafe_b64encode(b"xyz" + SECRET.encode() + b"t").decode(),
        f"before {BYTES!r}",
        f"{list(BYTES)}",
        BYTES[50:150].hex(":"),
        base64.b64encode(b"ab" + BYTES).decode(),
    ],
)
def test_a_secret_is_found_however_it_is_written(text: str) -> None:
    """Raw, hexadecimal, escaped, and inside of something that is encoded as a whole."""
    utf8 = text if SECRET not in text else text.encode().decode("latin-1")

    assert found_in(utf8, {"one": SECRET, "two": BYTES})


def test_what_is_not_there_is_not_found() -> None:
    """Not even by chance."""
    assert found_in("GET /oauth/consent/{login_id} 200 " * 50, {"one": SECRET}) == []
