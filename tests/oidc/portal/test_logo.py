"""A client's logo: set in the portal, shown on the consent page, gone with the client."""

import struct
import zlib
from typing import Any

import pytest

from oidc.clients.logos import LIMIT_BYTES, logo_of
from oidc.errors import ClientRefused
from tests.support.palms.picture_files import png_chunk, square_png
from tests.support.service.portal_developer import CALLBACK, Visitor, element

PICTURE, OTHER_PICTURE = square_png(), square_png(b"\0\0\xff\xff")


@pytest.fixture
def client_id(dora: Visitor) -> str:
    """Give the developer's client."""
    return dora.registered()[0]


def _upload(visitor: Visitor, client_id: str, picture: bytes, **data: str) -> Any:
    return visitor.browser.post(
        f"{visitor.portal}/clients/{client_id}/logo",
        data=data or {"proof": visitor.proof("/team")},
        files={"picture": ("logo.svg", picture, "text/html")},
    )


def _logo_address(visitor: Visitor, client_id: str) -> str | None:
    """Return the address of the picture on the consent page."""
    sign_in = visitor.sign_in
    page = sign_in.open_page(client_id=client_id, redirect_uri=CALLBACK)
    answer = sign_in.browser.get(page)
    assert "img-src 'self' data:;" in answer.headers["content-security-policy"]
    _, found, rest = answer.text.partition('id="client-logo" class="logo" src="')
    return rest.partition('"')[0] if found else None


def test_a_logo_is_shown_where_people_sign_in(dora: Visitor, client_id: str) -> None:
    """From our own host, as a PNG whatever the file said; a new one has a new address."""
    none = _logo_address(dora, client_id)
    set_once = _upload(dora, client_id, PICTURE)
    address = _logo_address(dora, client_id)
    assert address is not None
    served = dora.sign_in.new_browser().get(address)
    _upload(dora, client_id, OTHER_PICTURE)

    assert (none, set_once.status_code) == (None, 303)
    assert address.startswith(f"https://id.example/oauth/logos/{client_id}?v=")
    assert served.headers["content-type"] == "image/png"
    assert served.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in served.headers["content-security-policy"]
    assert served.content == PICTURE
    assert _logo_address(dora, client_id) not in (None, address)


def test_what_is_no_picture_is_refused_with_its_reason(dora: Visitor, client_id: str) -> None:
    """And the logo before it stays."""
    _upload(dora, client_id, PICTURE)
    before = _logo_address(dora, client_id)
    refused = _upload(dora, client_id, b"<svg/>")
    large = _upload(dora, client_id, PICTURE + bytes(300_000))
    endless = _upload(dora, client_id, bytes(2_000_000))

    assert "not a PNG" in element(refused.text, "logo-fault")
    assert "larger than 256 KiB" in element(large.text, "logo-fault")
    assert [each.status_code for each in (refused, large, endless)] == [400, 400, 403]
    assert _logo_address(dora, client_id) == before


def test_only_its_developers_set_a_logo(dora: Visitor, emil: Visitor, client_id: str) -> None:
    """Not an unknown visitor, not another developer, not another website."""
    answers = [
        _upload(emil, client_id, PICTURE),
        _upload(Visitor(dora.sign_in), client_id, PICTURE, proof="0" * 64),
        _upload(dora, client_id, PICTURE, proof="0" * 64),
        dora.send(f"/clients/{client_id}/logo", "/team", picture="no file"),
    ]

    assert [each.status_code for each in answers] == [404, 403, 403, 403]
    assert _logo_address(dora, client_id) is None


SIDE = 64
"""Of the pictures here."""

_START = b"\x89PNG\r\n\x1a\n"


def _png(
    rows: bytes,
    kind: int = 6,
    depth: int = 8,
    side: int = SIDE,
    *more: bytes,
    interlacing: int = 0,
) -> bytes:
    header = struct.pack(">IIBBBBB", side, side, depth, kind, 0, 0, interlacing)
    body = png_chunk(b"IDAT", zlib.compress(rows)) + png_chunk(b"IEND", b"")
    return _START + png_chunk(b"IHDR", header) + b"".join(more) + body


def test_nothing_of_the_file_stays_but_its_picture() -> None:
    """No text, profile or place: not what was hidden there, nor a script behind the picture."""
    text = png_chunk(b"tEXt", b"Comment\0SECRET") + png_chunk(b"eXIf", b"SECRET")

    png = logo_of(PICTURE[:33] + text + PICTURE[33:] + b"<script>SECRET</script>").png

    assert png == PICTURE


_WHOLE, _ROWS = square_png(), bytes(SIDE * (1 + 4 * SIDE))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a PNG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a PNG"),
        (b"\xff\xd8\xff\xe0JFIF", "save it as one"),
        (_START, "damaged"),
        (_WHOLE[:-20], "damaged"),
        (_WHOLE[:60] + b"\x55" + _WHOLE[61:], "damaged"),
        (_START + png_chunk(b"IEND", b""), "damaged"),
        (_png(b""), "damaged"),
        (_png(bytes(10)), "damaged"),
        (_png(b"\x09" * (SIDE * (1 + 4 * SIDE))), "damaged"),
        (_png(bytes(SIDE * (1 + SIDE)), 3), "damaged"),
        (_png(_ROWS, 6, 8, SIDE, png_chunk(b"acTL", bytes(8))), "animated"),
        (_png(_ROWS, 6, 8, SIDE, png_chunk(b"IDAT", b"x")), "damaged"),
        (_png(b"", side=2**31 - 1), "64 to 256 pixels"),
        (_png(b"", side=257), "64 to 256 pixels"),
        (_png(b"", side=0), "64 to 256 pixels"),
        (_png(b"", depth=16), "8 bits"),
        (_png(b"", kind=5), "8 bits"),
        (_png(b"", interlacing=1), "interlacing"),
        (_WHOLE + bytes(LIMIT_BYTES), "larger than"),
    ],
)
def test_nothing_else_is_taken(data: bytes, reason: str) -> None:
    """A small file that says it is huge is refused by its header."""
    with pytest.raises(ClientRefused, match=reason):
        logo_of(data)


def test_a_picture_is_square() -> None:
    """Nothing is cut off, and nothing is stretched."""
    header = struct.pack(">IIBBBBB", 128, 64, 8, 6, 0, 0, 0)
    with pytest.raises(ClientRefused, match="square"):
        logo_of(_START + png_chunk(b"IHDR", header) + png_chunk(b"IEND", b""))


def test_a_bomb_is_refused() -> None:
    """A hundred megabytes of zeros in a hundred kilobytes; not unpacked, nor handed on."""
    with pytest.raises(ClientRefused, match="damaged"):
        logo_of(_png(bytes(100_000_000)))
