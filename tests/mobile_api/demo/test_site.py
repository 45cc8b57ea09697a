"""Where the demo is served."""

import pytest

from mobile_api.demo.people import DemoError
from mobile_api.demo.site import own_address


def test_a_machine_without_a_network_is_refused() -> None:
    """Without a network no other host can reach this address."""
    with pytest.raises(DemoError, match="--host"):
        own_address(("255.255.255.255", 9))
