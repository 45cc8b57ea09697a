"""The operator's own apps are named where phones look, byte for byte, and nowhere else."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from mobile_api.settings import MobileSettings
from tests.support.service.mobile_api import MobileWorld

PRINT, OTHER = ("AB:" * 31 + "AB", "01:" * 31 + "EF")

ANDROID = (
    f"com.example.palm={PRINT}, com.example.palm={OTHER.replace(':', '')},"
    f"com.example.beta={PRINT.lower()}, com.example.palm={PRINT}"
)
APPLE = "A1B2C3D4E5.com.example.palm,A1B2C3D4E5.com.example.palm"

LINKS = (
    b'[{"relation": ["delegate_permission/common.handle_all_urls",'
    b' "delegate_permission/common.get_login_creds"],'
    b' "target": {"namespace": "android_app", "package_name": "com.example.palm",'
    b' "sha256_cert_fingerprints": ["%(one)s", "%(two)s"]}},'
    b' {"relation": ["delegate_permission/common.handle_all_urls",'
    b' "delegate_permission/common.get_login_creds"],'
    b' "target": {"namespace": "android_app", "package_name": "com.example.beta",'
    b' "sha256_cert_fingerprints": ["%(one)s"]}}]'
) % {b"one": PRINT.encode(), b"two": OTHER.encode()}

ASSOCIATION = (
    b'{"applinks": {"details": [{"appIDs": ["A1B2C3D4E5.com.example.palm"],'
    b' "components": [{"/": "/oauth2/m", "#": "?*"}]}]},'
    b' "webcredentials": {"apps": ["A1B2C3D4E5.com.example.palm"]}}'
)

FILES = {
    "/.well-known/assetlinks.json": LINKS,
    "/.well-known/apple-app-site-association": ASSOCIATION,
}


@pytest.mark.parametrize("path", FILES)
def test_both_files_are_at_the_root_of_the_host(tmp_path: Path, path: str) -> None:
    """Phones look nowhere else, follow no redirect and want JSON."""
    with MobileWorld(tmp_path, android_apps=ANDROID, apple_apps=APPLE) as world:
        answer = world.client.get(path, follow_redirects=False)

    assert (answer.status_code, answer.content) == (200, FILES[path])
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("path", [*FILES, "/.well-known/other"])
def test_without_apps_there_is_no_file(world: MobileWorld, path: str) -> None:
    """An empty one would let phones believe that this host once had apps."""
    assert world.client.get(path).status_code == 404


@pytest.mark.parametrize(
    "listed",
    [
        "com.example.palm",
        f"palm={PRINT}",
        f"com.example.palm={PRINT}:AB",
        f"com.example.palm={PRINT[:59]}",
        f"com.example.palm:{PRINT}",
        f"com.example.palm={PRINT} com.example.beta={PRINT}",
        f"com.example.p\u00e4lm={PRINT}",
    ],
)
def test_an_android_app_that_is_not_named_exactly_is_refused(listed: str) -> None:
    """The sentence says where the operator finds the fingerprint."""
    with pytest.raises(ValidationError, match="Play Console"):
        MobileSettings(android_apps=listed)


@pytest.mark.parametrize(
    "listed",
    ["com.example.palm", "A1B2C3D4E5", "a1b2c3d4e5.com.example", "A1B2C3D4E5.*", "A1B2C3D4E5."],
)
def test_an_apple_app_that_is_not_named_exactly_is_refused(listed: str) -> None:
    """A pattern would name apps of others."""
    with pytest.raises(ValidationError, match="Membership"):
        MobileSettings(apple_apps=listed)
