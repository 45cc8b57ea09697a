"""The demo's service: keys, databases and gallery are its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from mobile_api.demo.service import DemoService


def test_nothing_of_another_installation_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its gallery and key would be filled with people who do not exist."""
    others = ("CONFIG", "MOBILE_GALLERY_URL", "OIDC_KEY_ENCRYPTION_KEY")
    for name in others:
        monkeypatch.setenv(f"THENAR_{name}", "another")
    monkeypatch.setenv("THENAR_ENGINE_THREADS", "2")

    environment = DemoService(tmp_path, 8080, "").environment

    assert "another" not in environment.values()
    assert environment["THENAR_ENGINE_THREADS"] == "2"
