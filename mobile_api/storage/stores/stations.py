"""Stations: browsers of the operator's at which people sign in without a phone."""

from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, select

from mobile_api.storage import schema as t
from mobile_api.types import DeviceId, Station
from oidc.plumbing.store import Store, rows

_STATION = t.stations.c


class Stations(Store):
    """Stations by name. Each has a code until one browser has used it, then that one's key."""

    def add(self, station: Station, code_digest: bytes, ends_at: datetime) -> bool:
        """Save a station that waits for its browser; False if its name is taken."""
        return self._insert_if_absent(
            t.stations,
            name=station.name,
            networks=station.networks,
            challenge=station.challenge,
            code_digest=code_digest,
            code_ends_at=ends_at,
        )

    def all(self) -> list[Station]:
        """Return all stations by name."""
        found = self._connection.execute(select(t.stations).order_by(_STATION.name))
        return list(map(_station, found))

    def of(self, device_id: DeviceId) -> Station | None:
        """Return the station with this key, or None."""
        row = self._row(rows(t.stations, device_id=device_id))
        return None if row is None else _station(row)

    def enrol(
        self, code_digest: bytes, device_id: DeviceId, cookie_digest: bytes, now: datetime
    ) -> Station | None:
        """Give a station this key and cookie for its code; None if the code is none any more.

        Atomic: of two concurrent calls with one code exactly one gets the station.
        """
        new = {"device_id": device_id, "cookie_digest": cookie_digest}
        ended = {"code_digest": None, "code_ends_at": None}
        its = _STATION.code_ends_at > now, _STATION.code_digest == code_digest
        return self.of(device_id) if self._update(t.stations, new | ended, *its) else None

    def set_cookie(self, device_id: DeviceId, digest: bytes) -> None:
        """Save another secret of a station's cookie."""
        self._update(t.stations, {"cookie_digest": digest}, device_id=device_id)

    def use(self, device_id: DeviceId, at: datetime) -> None:
        """Save the day of a sign-in."""
        self._update(t.stations, {"used_on": at}, device_id=device_id)

    def remove(self, name: str) -> list[DeviceId | None]:
        """Delete a station; return its key, None if no browser was enrolled; empty: no such."""
        gone = delete(t.stations).where(_STATION.name == name).returning(_STATION.device_id)
        return list(self._connection.execute(gone).scalars())


def _station(row: Row[Any]) -> Station:
    return Station(
        row.name,
        row.networks,
        row.challenge,
        is_enrolled=row.device_id is not None,
        cookie_digest=row.cookie_digest,
        used_on=row.used_on,
    )
