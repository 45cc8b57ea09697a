"""Routes of stations. No rules here."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Response

from mobile_api import messages as m
from mobile_api.api.http import Address, Claimant, ServicesDep, Signer, TypedRoute
from mobile_api.api.openapi import BODY_ERRORS, signed
from oidc.plumbing.cookies import STATION_COOKIE, STATION_COOKIE_S, host_name, set_cookie

router: Final = APIRouter(prefix=f"{m.API_PREFIX}/stations", route_class=TypedRoute)


@router.post("", status_code=201, tags=["stations"], **signed(*BODY_ERRORS))
def enrol_station(
    message: m.EnrolStation,
    device_id: Signer,
    address: Address,
    response: Response,
    services: ServicesDep,
) -> m.StationMessage:
    """Make a browser the station of an enrolment code; the proof is signed by a new key."""
    station, secret = services.stations.enrol(device_id, message.code, address)
    _give_cookie(response, secret, services)
    return m.StationMessage(name=station.name)


@router.post("/cookie", tags=["stations"], **signed())
def renew_cookie(
    phone: Claimant, response: Response, services: ServicesDep
) -> m.StationMessage:
    """Give a station another cookie, in place of one that its browser may have lost."""
    station, secret = services.stations.renew_cookie(phone)
    _give_cookie(response, secret, services)
    return m.StationMessage(name=station.name)


def _give_cookie(response: Response, secret: str, services: ServicesDep) -> None:
    is_secure = services.stations.is_secure
    name = host_name(STATION_COOKIE, is_secure=is_secure)
    set_cookie(response, name, secret, STATION_COOKIE_S, is_secure=is_secure)
