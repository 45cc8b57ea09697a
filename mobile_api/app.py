"""Composition root: settings and the clock in, ASGI applications out.

The mobile API and the OpenID provider are served together or each alone; even alone the mobile
API opens the provider's database, for the door it shares with the browsers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from fastapi import FastAPI
from starlette.types import ASGIApp

from engine.settings import EngineSettings
from mobile_api.consent import load_consent
from mobile_api.errors import KeyFault, SettingsFault
from mobile_api.joined import Joined
from mobile_api.messages import PAGE_PREFIX
from mobile_api.settings import MobileSettings
from mobile_api.storage import migrate as migrations
from mobile_api.storage.cipher import create_key_file, read_key_file
from mobile_api.storage.database import Database, open_engine
from mobile_api.wiring import build_mobile, load_recognition
from oidc import app as provider


def utc_now() -> datetime:
    """Return the real time, aware and UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of all packages that serve."""

    oidc: provider.OidcSettings
    mobile: MobileSettings
    engine: EngineSettings

    @property
    def is_secure(self) -> bool:
        """Whether every public address is https."""
        return self.oidc.is_secure and self.mobile.is_secure


def load_both() -> Settings:
    """Read all settings; without a public address, phones go where the QR code leads.

    Raises:
        SettingsFault: the QR code leads somewhere else than to our page.
        pydantic.ValidationError: a setting is not acceptable.
    """
    oidc = provider.OidcSettings()
    mobile = MobileSettings()
    if "public_url" not in mobile.model_fields_set:
        mobile = MobileSettings(public_url=oidc.phone_url.removesuffix(PAGE_PREFIX))
    if oidc.phone_url != mobile.public_url + PAGE_PREFIX:
        raise SettingsFault(
            "THENAR_OIDC_PHONE_URL must be THENAR_MOBILE_PUBLIC_URL followed by /m"
        )
    return Settings(oidc, mobile, EngineSettings())


def provider_alone(settings: Settings) -> FastAPI:
    """Build the OpenID provider, without a phone's side."""
    return provider.build_app(settings.oidc)


def mobile_alone(settings: Settings) -> FastAPI:
    """Build the mobile API, with a door into the provider's database."""
    door = provider.open_door(settings.oidc)
    return build_mobile(settings.mobile, load_recognition(settings.engine), door, utc_now)


def both(settings: Settings) -> ASGIApp:
    """Build both, to be served on one port."""
    return Joined(mobile_alone(settings), provider_alone(settings), settings.mobile.path)


def migrate(settings: Settings) -> Iterator[str]:
    """Make both databases and their keys ready, saying what was done.

    Raises:
        KeyFault: the biometric database holds templates, and their key file is gone.
    """
    provider.migrate(settings.oidc)
    yield "The protocol database is ready."
    engine = open_engine(settings.mobile.database_url)
    try:
        migrations.upgrade(engine)
        yield "The biometric database is ready."
        yield _ready_key(settings.mobile, Database(engine))
    finally:
        engine.dispose()


def _ready_key(settings: MobileSettings, storage: Database) -> str:
    """Make the key file, unless that would hide that another one is lost."""
    with storage.reading() as unit:
        holds_templates = unit.references.any()
    if not settings.key_file.exists() and holds_templates:
        raise KeyFault("the key file of these templates is missing: restore it from its backup")
    made = create_key_file(settings.key_file)
    read_key_file(settings.key_file)
    return "A key for templates was made: back it up, apart." if made else "The key is there."


def examinations() -> list[tuple[str, Callable[[], object]]]:
    """Return what ``thenar doctor`` looks at, each raising what is wrong with it."""
    return [
        ("settings", load_both),
        ("consent text", lambda: load_consent(load_both().mobile)),
        ("protocol database", lambda: provider.open_database(load_both().oidc)),
        ("signing keys", lambda: provider_alone(load_both())),
        ("biometric database", lambda: _require_current(load_both().mobile)),
        ("template key", lambda: read_key_file(load_both().mobile.key_file)),
        ("networks and calibration", lambda: load_recognition(load_both().engine)),
        ("references open with the key", lambda: mobile_alone(load_both())),
    ]


def _require_current(settings: MobileSettings) -> None:
    engine = open_engine(settings.database_url)
    try:
        migrations.require_current(engine)
    finally:
        engine.dispose()
