"""The operator's own apps on phones, named where Android and iOS look for them.

A phone lets an app use a host's passkeys, and open its links, only if two files at the root of
that host name the app. Lists that name an app inexactly are refused.
"""

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from mobile_api.messages import base64url_encode

ASSET_LINKS: Final = "/.well-known/assetlinks.json"
"""Android's file. Digital Asset Links, statement lists."""

SITE_ASSOCIATION: Final = "/.well-known/apple-app-site-association"
"""Apple's file. Supporting associated domains."""

ANDROID_RELATIONS: Final = (
    "delegate_permission/common.handle_all_urls",
    "delegate_permission/common.get_login_creds",
)
"""Links, and passkeys."""

_ANDROID: Final = re.compile(
    r"(?P<package>[a-z]\w*(\.[a-z]\w*)+)=(?P<fingerprint>([0-9a-f]{2}:?){31}[0-9a-f]{2})",
    re.ASCII | re.IGNORECASE,
)

_APPLE: Final = re.compile(r"[A-Z0-9]{10}(\.[A-Za-z0-9-]+)+")


def android_apps(listed: str) -> dict[str, list[str]]:
    """Return the fingerprints of each package's certificates, as Android writes them.

    Raises ValueError.
    """
    apps: dict[str, list[str]] = {}
    for each in _items(listed):
        found = _ANDROID.fullmatch(each)
        if found is None:
            raise ValueError(
                "write each app as PACKAGE=FINGERPRINT, separated by commas. The fingerprint is"
                " the SHA-256 of its signing certificate, 32 pairs like 1A:2B: Play Console,"
                " App integrity, or `apksigner verify --print-certs`. SHA-1 has only 20 pairs"
            )
        prints = apps.setdefault(found["package"], [])
        fingerprint = bytes.fromhex(found["fingerprint"].replace(":", "")).hex(":").upper()
        if fingerprint not in prints:
            prints.append(fingerprint)
    return apps


def apple_apps(listed: str) -> list[str]:
    """Return the application identifiers of a list. Raises ValueError."""
    apps = list(dict.fromkeys(_items(listed)))
    if not all(map(_APPLE.fullmatch, apps)):
        raise ValueError(
            "write each app as TEAMID.BUNDLE, separated by commas, such as"
            " A1B2C3D4E5.com.example.app: the team's ID has ten capitals and digits"
            " (developer.apple.com, Membership)"
        )
    return apps


def android_origins(listed: str) -> list[str]:
    """Return the origins that these apps' passkeys sign: digests of their certificates."""
    prints = chain.from_iterable(android_apps(listed).values())
    digests = [bytes.fromhex(each.replace(":", "")) for each in prints]
    return [f"android:apk-key-hash:{base64url_encode(each)}" for each in digests]


def app_files(android: str, apple: str, page: str) -> dict[str, str]:
    """Return the two files by path; one of no app is left out.

    Args:
        android: list of Android apps.
        apple: list of Apple apps.
        page: path of the phone page; its links with a ticket open the app.
    """
    links: list[dict[str, Any]] = [
        {
            "relation": ANDROID_RELATIONS,
            "target": {
                "namespace": "android_app",
                "package_name": package,
                "sha256_cert_fingerprints": prints,
            },
        }
        for package, prints in android_apps(android).items()
    ]
    apps = apple_apps(apple)
    opened = {"appIDs": apps, "components": [{"/": page, "#": "?*"}]}
    association = {"applinks": {"details": [opened]}, "webcredentials": {"apps": apps}}
    files = {ASSET_LINKS: links, SITE_ASSOCIATION: association if apps else None}
    return {path: json.dumps(content) for path, content in files.items() if content}


def _items(listed: str) -> Iterator[str]:
    return filter(None, map(str.strip, listed.split(",")))
