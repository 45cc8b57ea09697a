"""The demo's own certificate: for one address, kept until shortly before its end."""

import hashlib
import ssl
from datetime import UTC, datetime
from pathlib import Path

from mobile_api.demo.site import certificate_for

HOST = "127.0.0.2"

NOW = datetime(2026, 11, 23, tzinfo=UTC)


def test_a_second_start_has_the_certificate_that_people_accepted(tmp_path: Path) -> None:
    """No visitor accepts a warning twice for one demo."""
    first = certificate_for(HOST, tmp_path, NOW).fingerprint

    assert certificate_for(HOST, tmp_path, NOW).fingerprint == first


def test_its_key_is_private_and_its_fingerprint_is_that_of_browsers(tmp_path: Path) -> None:
    """A person compares the two."""
    kept = certificate_for(HOST, tmp_path, NOW)
    der = ssl.PEM_cert_to_DER_cert(kept.public.read_text())

    assert kept.served.stat().st_mode & 0o777 == 0o600
    assert "PRIVATE" not in kept.public.read_text()
    assert kept.fingerprint.replace(":", "").lower() == hashlib.sha256(der).hexdigest()
