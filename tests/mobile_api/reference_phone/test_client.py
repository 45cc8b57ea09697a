"""The reference phone: reads links, keeps its key, copes with a service that is not there."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from mobile_api.errors import NoThenarLink, PhoneRefused, PhoneState
from mobile_api.reference_phone.client import ReferencePhone, new_key, parse_link
from mobile_api.reference_phone.state import PhoneIdentity, load_identity, save_identity
from tests.support.service.mobile_api import API, MobileWorld

Handler = Callable[[httpx2.Request], httpx2.Response]


def phone_at(handler: Handler) -> ReferencePhone:
    """Return a phone whose service is a function."""
    http = httpx2.Client(transport=httpx2.MockTransport(handler))
    return ReferencePhone(API, new_key(), http)


@pytest.mark.parametrize(
    "link",
    [
        "",
        "https://id.example.test/m",
        "https://id.example.test/m#",
        "https://id.example.test/#t",
        "https://id.example.test/x#t",
        "https://id.example.test/mm#t",
        "javascript:alert(1)/m#t",
        "/m#t",
    ],
)
def test_other_links_are_refused(link: str) -> None:
    """A phone must not send a palm wherever a QR code points."""
    with pytest.raises(NoThenarLink):
        parse_link(link)


def test_a_service_that_never_accepts_a_nonce_is_given_up(world: MobileWorld) -> None:
    """A loop would be an attack on it."""
    count = 0

    def stubborn(request: httpx2.Request) -> httpx2.Response:
        nonlocal count
        count += 1
        headers = {"DPoP-Nonce": "n", "Date": "Fri, 20 Nov 2026 12:00:00 GMT"}
        return httpx2.Response(
            401, json={"error": "use_dpop_nonce", "message": "no"}, headers=headers
        )

    with pytest.raises(PhoneRefused):
        phone_at(stubborn).register("a")
    assert count == 4


def test_the_key_is_kept_for_its_owner_only(tmp_path: Path) -> None:
    """The holder of the key is the phone."""
    file = tmp_path / "phones" / "p.json"
    identity = PhoneIdentity(new_key()).with_registration("https://a")
    identity = identity.with_registration("https://b")
    save_identity(file, identity.with_registration("https://a"))
    kept = load_identity(file)

    assert kept is not None
    assert kept.key.thumbprint() == identity.key.thumbprint()
    assert kept.registered == ("https://b", "https://a")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["p.json"]
    assert "PRIVATE" not in repr(kept)


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"\xff", json.dumps({"key": "x", "registered": []}).encode()]
)
def test_a_damaged_file_is_a_clear_fault(tmp_path: Path, content: bytes) -> None:
    """A new key in its place would lose the account silently."""
    file = tmp_path / "p.json"
    file.write_bytes(content)
    file.chmod(0o600)

    with pytest.raises(PhoneState):
        load_identity(file)


def test_a_file_others_may_read_is_refused(tmp_path: Path) -> None:
    """It would be no secret."""
    file = tmp_path / "p.json"
    save_identity(file, PhoneIdentity(new_key()))
    file.chmod(0o640)

    with pytest.raises(PhoneState, match="0600"):
        load_identity(file)
