"""The demo's own certificate: for one address, kept until shortly before its end."""

from datetime import UTC, datetime
from pathlib import Path

from mobile_api.demo.site import certificate_for

HOST = "127.0.0.2"

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def test_a_second_start_has_the_certificate_that_people_accepted(tmp_path: Path) -> None:
    """No visitor accepts a warning twice for one demo."""
    first = certificate_for(HOST, tmp_path, NOW)

    assert certificate_for(HOST, tmp_path, NOW).fingerprint == first.fingerprint
    assert first.served.stat().st_mode & 0o777 == 0o600, "its key is in it"
