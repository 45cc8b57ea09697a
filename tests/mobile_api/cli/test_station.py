"""``thenar station``: what an operator sees, and is refused."""

import json

import pytest
from typer.testing import CliRunner, Result

from mobile_api.cli.station import station
from tests.support.service.mobile_api import MobileWorld

OTHER_HOSTS = {f"THENAR_OIDC_{name}": "https://a.example" for name in ("ISSUER", "AUTH_URL")}
OTHER_HOSTS |= {"THENAR_OIDC_PHONE_URL": "https://b.example/m"}


def test_stations_are_listed_and_refused(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names once, networks as networks, and only where the provider sees the cookie."""
    monkeypatch.setenv("THENAR_MOBILE_DATABASE_URL", world.settings.database_url)

    def run(*arguments: str, **environment: str) -> Result:
        return CliRunner().invoke(station, list(arguments), env=environment)

    added = run("add", "Ward 3", "--networks", "10.1.2.3/16")
    again, unnamed, wrong = (
        run("add", "Ward 3"),
        run("add", "\n"),
        run("add", "W", "--networks", "x"),
    )
    apart = run("add", "Ward 4", **OTHER_HOSTS)
    listed = run("list").stdout

    assert "http://127.0.0.1:8080/station#" in added.stdout
    assert [each.exit_code for each in (again, unnamed, wrong, apart)] == [1] * 4
    assert "on one origin" in apart.output
    assert listed.split("  ")[:3] == ["Ward 3", "10.1.0.0/16", "hand"]
    assert json.loads(run("list", "--json").stdout)[0]["state"] == "waits for its browser"
    assert json.loads(run("add", "Ward 5", "--json").stdout)["link"].startswith("http")
    assert [run("remove", "Ward 3").exit_code for _ in range(2)] == [0, 1]
    assert [each["name"] for each in json.loads(run("list", "--json").stdout)] == ["Ward 5"]
