"""The demo's service: keys, databases and gallery are its own."""

import subprocess
from pathlib import Path

import pytest

from mobile_api.demo.people import DemoError
from mobile_api.demo.service import DemoService
from mobile_api.demo.site import Site, network_site, own_address
from oidc.types import utc_now


def test_nothing_of_another_installation_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its gallery and key would be filled with people who do not exist."""
    others = ("CONFIG", "MOBILE_GALLERY_URL", "OIDC_KEY_ENCRYPTION_KEY")
    for name in others:
        monkeypatch.setenv(f"THENAR_{name}", "another")
    monkeypatch.setenv("THENAR_ENGINE_THREADS", "2")

    environment = DemoService(tmp_path, Site(), 8080, "").environment

    assert "another" not in environment.values()
    assert environment["THENAR_ENGINE_THREADS"] == "2"


def test_settings_come_through_a_shell_and_hold_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those with spaces, quotes and braces."""
    monkeypatch.chdir(tmp_path)
    site = network_site("127.0.0.2", tmp_path, utc_now)
    service = DemoService(Path("a folder"), site, 8080, "answer '{link}'")
    service.data.mkdir()
    script = f". '{service.write_settings()}'; echo $THENAR_OIDC_DATABASE_URL"
    script += "; echo $THENAR_OIDC_DEMO_COMMAND_TEMPLATE; echo $SSL_CERT_FILE"
    said = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=True)  # noqa: S603 -- as a visitor does

    assert said.stdout.splitlines() == [
        f"sqlite:///{tmp_path}/a folder/protocol.sqlite3",
        "answer '{link}'",
        str(tmp_path / "certificate.pem"),
    ]


def test_a_machine_without_a_network_is_refused() -> None:
    """Without a network no other host can reach this address."""
    with pytest.raises(DemoError, match="--host"):
        own_address(("255.255.255.255", 9))
