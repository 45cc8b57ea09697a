"""Stations: browsers of the operator's at which people sign in without a phone."""

from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, select, update

from mobile_api.storage import schema as t
from mobile_api.types import DeviceId, Station, StationChallenge
from oidc.plumbing.store import Store

_STATION = t.stations.c


class Stations(Store):
    """Stations by name. Each has a code until one browser has used it, then that one's key."""

    def add(self, station: Station, code_digest: bytes, ends_at: datetime) -> bool:
        """Save a station that waits for its browser; False if its name is taken."""
        return self._insert_if_absent(
            t.stations,
            name=station.name,
            networks=station.networks,
            challenge=station.challenge.value,
            code_digest=code_digest,
            code_ends_at=ends_at,
        )

    def all(self) -> list[Station]:
        """Return all stations by name."""
        return [
            _station(row)
            for row in self._connection.execute(select(t.stations).order_by(_STATION.name))
        ]

    def of(self, device_id: DeviceId) -> Station | None:
        """Return the station with this key, or None."""
        query = select(t.stations).where(_STATION.device_id == device_id)
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _station(row)

    def enrol(
        self, code_digest: bytes, device_id: DeviceId, cookie_digest: bytes, now: datetime
    ) -> Station | None:
        """Give a station this key and cookie for its code; None if the code is none any more.

        Atomic: of two concurrent calls with one code exactly one gets the station.
        """
        waiting = update(t.stations).where(
            _STATION.code_digest == code_digest, _STATION.code_ends_at > now
        )
        values = {"device_id": device_id, "cookie_digest": cookie_digest}
        ended = {"code_digest": None, "code_ends_at": None}
        enrolled = waiting.values(values | ended).returning(t.stations)
        row = self._connection.execute(enrolled).one_or_none()
        return None if row is None else _station(row)

    def set_cookie(self, device_id: DeviceId, digest: bytes) -> None:
        """Save another secret of a station's cookie."""
        own = update(t.stations).where(_STATION.device_id == device_id)
        self._connection.execute(own.values(cookie_digest=digest))

    def use(self, device_id: DeviceId, at: datetime) -> None:
        """Save the day of a sign-in."""
        own = update(t.stations).where(_STATION.device_id == device_id)
        self._connection.execute(own.values(used_on=at))

    def remove(self, name: str) -> list[DeviceId | None]:
        """Delete a station; return its key, None if no browser was enrolled; empty: no such."""
        gone = delete(t.stations).where(_STATION.name == name).returning(_STATION.device_id)
        return list(self._connection.execute(gone).scalars())

    def purge(self, now: datetime) -> None:
        """Delete stations whose code lapsed unused."""
        self._connection.execute(delete(t.stations).where(_STATION.code_ends_at <= now))


def _station(row: Row[Any]) -> Station:
    return Station(
        row.name,
        row.networks,
        StationChallenge(row.challenge),
        is_enrolled=row.device_id is not None,
        cookie_digest=row.cookie_digest,
        used_on=row.used_on,
    )
