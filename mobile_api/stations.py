"""Stations: the operator adds one, a browser enrols as it, people sign in there by palm.

A station has a device key, as phones do, and a cookie at the provider. Only a login that begins
in the browser with the cookie is answered with the key.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_network
from typing import Final

from mobile_api.codes import digest_of, new_code
from mobile_api.errors import (
    NoSuchCode,
    StationCodeWrong,
    StationFault,
    StationOutsideNetworks,
    StationRefused,
)
from mobile_api.observability.audit import Event
from mobile_api.storage.database import Database, Transaction
from mobile_api.types import Clock, Device, DeviceId, Station
from oidc.plumbing.client_address import is_within

CODE_LIFETIME: Final = timedelta(hours=24)
"""How long the code of a new station works; then the station is deleted."""

_NO_CODE: Final = "this is not the code of a new station"


@dataclass(frozen=True, slots=True)
class StationService:
    """Makes browsers stations. Both ways return the secret for the browser's cookie.

    Attributes:
        is_secure: whether its cookie is for https only.
    """

    database: Database
    clock: Clock
    is_secure: bool

    def enrol(self, device_id: DeviceId, code: str, address: str | None) -> tuple[Station, str]:
        """Make a new key a station's.

        A key that was registered before may have claimed a login as a phone. Raises
        StationCodeWrong or StationOutsideNetworks.
        """
        secret, now = secrets.token_urlsafe(32), self.clock()
        digests = _code_digest(code), _digest(secret)
        with self.database.write() as transaction:
            is_new = transaction.devices.add(device_id, "", now)
            station = transaction.stations.enrol(digests[0], device_id, digests[1], now)
            if station is None or not is_new:
                raise StationCodeWrong(_NO_CODE)
            require_place(station, address)
            transaction.audit.append(Event.STATION_ENROLLED, now, {"station": station.name})
        return station, secret

    def renew_cookie(self, device: Device) -> tuple[Station, str]:
        """Give a station's browser another cookie. Raises StationRefused."""
        station, secret = require_station(device), secrets.token_urlsafe(32)
        with self.database.write() as transaction:
            transaction.stations.set_cookie(device.device_id, _digest(secret))
        return station, secret


def require_phone(device: Device) -> None:
    """Raise StationRefused for a station."""
    if device.station is not None:
        raise StationRefused("a station only answers sign-ins that begin at it")


def require_station(device: Device) -> Station:
    """Return the station of a device. Raises StationRefused."""
    if device.station is None:
        raise StationRefused("this browser is no station")
    return device.station


def require_place(station: Station, address: str | None) -> None:
    """Raise StationOutsideNetworks unless an address is in the station's networks."""
    networks = station.networks.split(",") if station.networks else []
    if networks and not is_within(address, networks):
        raise StationOutsideNetworks("this station does not work in this network")


def add_station(transaction: Transaction, station: Station, now: datetime) -> str:
    """Save a station and return the code for its browser. Raises StationFault."""
    code = new_code()
    if not transaction.stations.add(station, digest_of("station", code), now + CODE_LIFETIME):
        raise StationFault("there is a station of this name: remove it first")
    transaction.audit.append(Event.STATION_ADDED, now, {"station": station.name})
    return code


def remove_station(transaction: Transaction, name: str, now: datetime) -> None:
    """Delete a station with its key. Raises StationFault if there is none."""
    removed = transaction.stations.remove(name)
    if not removed:
        raise StationFault("there is no station of this name")
    for device_id in removed:
        if device_id is not None:
            transaction.devices.erase(device_id)
    transaction.audit.append(Event.STATION_REMOVED, now, {"station": name})


def networks_of(text: str) -> str:
    """Return networks as they are stored. Raises StationFault."""
    try:
        return ",".join(
            str(ip_network(each.strip(), strict=False)) for each in text.split(",") if each
        )
    except ValueError as fault:
        raise StationFault("networks are written like 10.1.0.0/16,2001:db8::/48") from fault


def _code_digest(code: str) -> bytes:
    try:
        return digest_of("station", code)
    except NoSuchCode as fault:
        raise StationCodeWrong(_NO_CODE) from fault


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("ascii")).digest()
