"""The work of ``thenar station``: apart from its options, so that help loads nothing of it."""

from urllib.parse import urlsplit

from mobile_api.errors import SettingsFault, StationFault
from mobile_api.messages import STATION_PATH
from mobile_api.server.configuration import Settings, load_both
from mobile_api.settings import MobileSettings
from mobile_api.stations import add_station, networks_of, remove_station
from mobile_api.storage.database import open_database
from mobile_api.types import Station, StationChallenge
from oidc.types import utc_now

NAME_LENGTH = 64


def add(name: str, networks: str, challenge: StationChallenge) -> tuple[str, str]:
    """Add a station; return the code and the link for its browser."""
    settings = load_both()
    _require_one_origin(settings)
    if not name.isprintable() or not 0 < len(name.strip()) <= len(name) <= NAME_LENGTH:
        raise StationFault(f"a station's name has 1 to {NAME_LENGTH} printable characters")
    added = Station(name, networks_of(networks), challenge)
    with open_database(settings.mobile.database_url) as database, database.write() as stores:
        code = add_station(stores, added, utc_now())
    return code, f"{settings.mobile.public_url}{STATION_PATH}#{code}"


def all_stations() -> list[Station]:
    """Return all stations by name."""
    with open_database(MobileSettings().database_url) as database, database.read() as stores:
        return stores.stations.all()


def remove(name: str) -> None:
    """Remove a station."""
    with open_database(MobileSettings().database_url) as database, database.write() as stores:
        remove_station(stores, name, utc_now())


def _require_one_origin(settings: Settings) -> None:
    """Require that the provider's pages see the cookie that the phone page's API sets."""
    page, pages = urlsplit(settings.mobile.public_url), urlsplit(settings.oidc.auth_url)
    if (page.scheme, page.netloc.lower()) != (pages.scheme, pages.netloc.lower()):
        raise SettingsFault(
            "stations need THENAR_MOBILE_PUBLIC_URL and THENAR_OIDC_AUTH_URL on one origin:"
            " a browser shows a station's cookie to no other"
        )
