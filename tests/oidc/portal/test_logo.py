"""A client's logo: set in the portal, shown on the consent page, gone with the client."""

from typing import Any

import pytest

from tests.support.palms.picture_files import square_png
from tests.support.service.portal_developer import CALLBACK, Visitor, element, invite
from tests.support.service.sign_in import BERT

PICTURE, OTHER_PICTURE = square_png(), square_png(b"\0\0\xff\xff")


@pytest.fixture
def client_id(dora: Visitor) -> str:
    """Give the developer's client."""
    return dora.registered()[0]


def _upload(visitor: Visitor, client_id: str, picture: bytes, **data: str) -> Any:
    data = data or {"proof": visitor.proof("/team")}
    return visitor.browser.post(
        f"{visitor.portal}/clients/{client_id}/logo",
        data=data,
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


def test_only_its_developers_set_a_logo(dora: Visitor, client_id: str) -> None:
    """Not an unknown visitor, not another developer, not another website."""
    emil, unknown = Visitor(dora.sign_in, BERT), Visitor(dora.sign_in)
    emil.join(invite(dora.sign_in, "emil@dev.example"))
    answers = [
        _upload(emil, client_id, PICTURE),
        _upload(unknown, client_id, PICTURE, proof="0" * 64),
        _upload(dora, client_id, PICTURE, proof="0" * 64),
        dora.send(f"/clients/{client_id}/logo", "/team", picture="no file"),
    ]

    assert [each.status_code for each in answers] == [404, 403, 403, 403]
    assert _logo_address(dora, client_id) is None
