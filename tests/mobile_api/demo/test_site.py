"""Where the demo is served."""

from __future__ import annotations

from pathlib import Path

import pytest

from mobile_api.demo.errors import DemoError
from mobile_api.demo.site import Site, network_site, own_address
from mobile_api.server.configuration import utc_now


def test_loopback_needs_no_certificate() -> None:
    """Browsers take it for secure."""
    site = Site()

    assert site.url(site.shop_host, 8081) == "http://localhost:8081"
    assert site.trust is True
    assert site.served_certificate is None


def test_a_network_gets_https(tmp_path: Path) -> None:
    """Browsers give the camera to secure pages only."""
    site = network_site("127.0.0.2", tmp_path, utc_now)

    assert site.url(site.host, 8080) == "https://127.0.0.2:8080"
    assert site.served_certificate == tmp_path / "certificate.key.pem"


def test_the_own_address_is_one_of_this_machine() -> None:
    """Loopback stands for the network: a machine of tests may have no other."""
    assert own_address(("127.0.0.1", 9)) == "127.0.0.1"


def test_a_machine_in_no_network_is_told() -> None:
    """Nobody may send to this address without asking for it: there is no way there."""
    with pytest.raises(DemoError, match="--host"):
        own_address(("255.255.255.255", 9))
