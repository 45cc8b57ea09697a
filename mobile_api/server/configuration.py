"""The settings of all packages."""

from dataclasses import dataclass

from sqlalchemy import make_url

from engine.settings import EngineSettings
from mobile_api.errors import SettingsFault
from mobile_api.messages import PAGE_PREFIX
from mobile_api.settings import MobileSettings
from oidc.settings import OidcSettings


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


def place_of(database_url: str) -> str:
    """Return kind, name and host of a database, without user and password."""
    url = make_url(database_url)
    host = url.host or url.query.get("host")
    return f"{url.get_backend_name()} {url.database}" + (f" at {host}" if host else "")


def load_both() -> Settings:
    """Read all settings; phones default to the QR code's address.

    Raises:
        SettingsFault: the QR code's address is not our page's.
        pydantic.ValidationError: a setting is invalid.
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
