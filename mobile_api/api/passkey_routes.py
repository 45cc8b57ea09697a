"""HTTP in, HTTP out: passkeys, where the page has a host name. No rule is made here."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response

from mobile_api import messages as m
from mobile_api.api.http import Owner, Phone, TypedRoute, Use, seconds_until
from mobile_api.api.openapi import PROVED, faults, proved
from mobile_api.messages import octets_of, text_of
from mobile_api.passkeys.service import PasskeyService
from mobile_api.passkeys.webauthn import ALGORITHMS, Assertion, Creation
from mobile_api.types import CredentialId

router: Final = APIRouter(prefix=f"{m.API_PREFIX}/passkeys", route_class=TypedRoute)


def passkey_service(request: Request) -> PasskeyService:
    """Return the use case of the application that serves this request."""
    found: PasskeyService = request.app.state.passkeys
    return found


Passkeys = Annotated[PasskeyService, Depends(passkey_service)]


@router.post(
    "/creation",
    tags=["passkeys"],
    openapi_extra=proved(),
    responses=faults(*PROVED, 413, 415, 422),
)
def ask_to_create(
    message: m.AskForPasskey, phone: Owner, passkeys: Passkeys, use: Use
) -> m.PasskeyWantedMessage:
    """Ask for what a passkey is made from, on a phone that has just shown its palm."""
    asked = passkeys.ask_to_create(phone, message.palm_proof)
    return m.PasskeyWantedMessage(
        rp_id=passkeys.rp_id,
        challenge=asked.challenge,
        user_handle=text_of(asked.user_handle),
        algorithms=[int(each) for each in ALGORITHMS],
        exclude=[text_of(each) for each in asked.known],
        expires_in=seconds_until(asked.expires_at, use),
    )


@router.post(
    "",
    status_code=201,
    tags=["passkeys"],
    openapi_extra=proved(),
    responses=faults(*PROVED, 413, 415, 422),
)
def add(message: m.AddPasskey, phone: Phone, passkeys: Passkeys) -> m.PasskeyMessage:
    """Keep a passkey that was made. From now on it vouches for this phone."""
    creation = Creation(
        message.challenge, octets_of(message.client_data), octets_of(message.attestation)
    )
    return m.PasskeyMessage(credential_id=text_of(passkeys.add(phone, creation)))


@router.post(
    "/challenge",
    tags=["passkeys"],
    openapi_extra=proved(),
    responses=faults(*PROVED),
)
def ask_to_vouch(phone: Phone, passkeys: Passkeys, use: Use) -> m.PasskeyAskedMessage:
    """Ask for what a passkey has to sign, so that it vouches for this phone."""
    asked = passkeys.ask_to_vouch(phone)
    return m.PasskeyAskedMessage(
        rp_id=passkeys.rp_id,
        challenge=asked.challenge,
        allow=[text_of(each) for each in asked.known],
        expires_in=seconds_until(asked.expires_at, use),
    )


@router.post(
    "/assertions",
    status_code=204,
    tags=["passkeys"],
    openapi_extra=proved(),
    responses=faults(*PROVED, 413, 415, 422),
)
def vouch(message: m.UsePasskey, phone: Phone, passkeys: Passkeys) -> Response:
    """Let a passkey vouch for this phone. A phone of nobody becomes its person's again."""
    handle = message.user_handle
    assertion = Assertion(
        message.challenge,
        CredentialId(octets_of(message.credential_id)),
        octets_of(message.client_data),
        octets_of(message.authenticator_data),
        octets_of(message.signature),
        None if handle is None else octets_of(handle),
    )
    passkeys.vouch(phone, assertion)
    return Response(status_code=204)


@router.post(
    "/removal",
    status_code=204,
    tags=["passkeys"],
    openapi_extra=proved(),
    responses=faults(*PROVED),
)
def remove(phone: Owner, passkeys: Passkeys) -> Response:
    """Forget the passkey of this phone, after it vouched for the phone just now."""
    passkeys.remove(phone)
    return Response(status_code=204)
