"""All settings of a service, and the real time: what every composition root begins with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from engine.settings import EngineSettings
from mobile_api.errors import SettingsFault
from mobile_api.messages import PAGE_PREFIX
from mobile_api.settings import MobileSettings
from oidc.settings import OidcSettings


def utc_now() -> datetime:
    """Return the real time, aware and UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of all packages that serve."""

    oidc: OidcSettings
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
    oidc = OidcSettings()
    mobile = MobileSettings()
    if "public_url" not in mobile.model_fields_set:
        mobile = MobileSettings(public_url=oidc.phone_url.removesuffix(PAGE_PREFIX))
    if oidc.phone_url != mobile.public_url + PAGE_PREFIX:
        raise SettingsFault(
            "THENAR_OIDC_PHONE_URL must be THENAR_MOBILE_PUBLIC_URL followed by /m"
        )
    return Settings(oidc, mobile, EngineSettings())
