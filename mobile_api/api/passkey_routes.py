"""Routes of passkeys, if the page has a host name. No rules here."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response

from mobile_api import account_messages as m
from mobile_api.account.rules import Operation
from mobile_api.api.http import PROVED, ServicesDep, TypedRoute, allowed, raises, seconds_until
from mobile_api.errors import PasskeyRefused
from mobile_api.messages import API_PREFIX, base64url_decode, base64url_encode
from mobile_api.passkeys import ALGORITHMS, Assertion, Creation, PasskeyService
from mobile_api.types import CredentialId, Device

router: Final = APIRouter(
    prefix=f"{API_PREFIX}/passkeys", tags=["passkeys"], route_class=TypedRoute
)


def passkey_service(request: Request) -> PasskeyService:
    """Return the use case of this application."""
    found: PasskeyService = request.app.state.passkeys
    return found


Passkeys = Annotated[PasskeyService, Depends(passkey_service)]
UsingPasskey = Annotated[Device, allowed(Operation.USE_PASSKEY)]


@router.post("/creation")
@raises(*PROVED)
def begin_passkey_creation(
    message: m.ProvedByPalm,
    phone: Annotated[Device, allowed(Operation.ADD_PASSKEY)],
    passkeys: Passkeys,
    services: ServicesDep,
) -> m.CreatePasskeyMessage:
    """Return options for a new passkey, on a phone that has just shown its palm."""
    asked = passkeys.begin_creation(phone, message.palm_proof)
    return m.CreatePasskeyMessage(
        rp_id=passkeys.rp_id,
        challenge=asked.challenge,
        user_handle=base64url_encode(asked.user_handle),
        algorithms=[int(each) for each in ALGORITHMS],
        exclude=[base64url_encode(each) for each in asked.known],
        expires_in=seconds_until(asked.expires_at, services),
    )


@router.post("", status_code=201)
@raises(PasskeyRefused)
def add_passkey(
    message: m.AddPasskey,
    phone: Annotated[Device, allowed(Operation.KEEP_PASSKEY)],
    passkeys: Passkeys,
) -> m.PasskeyMessage:
    """Store a new passkey, which then authenticates this phone."""
    creation = Creation(
        message.challenge,
        base64url_decode(message.client_data),
        base64url_decode(message.attestation),
    )
    return m.PasskeyMessage(credential_id=base64url_encode(passkeys.add(phone, creation)))


@router.post("/challenge")
def begin_passkey_use(
    phone: UsingPasskey, passkeys: Passkeys, services: ServicesDep
) -> m.PasskeyChallengeMessage:
    """Return options for authenticating this phone with a passkey."""
    asked = passkeys.begin_authentication(phone)
    return m.PasskeyChallengeMessage(
        rp_id=passkeys.rp_id,
        challenge=asked.challenge,
        allow=[base64url_encode(each) for each in asked.known],
        expires_in=seconds_until(asked.expires_at, services),
    )


@router.post("/assertions", status_code=204)
@raises(PasskeyRefused, *PROVED)
def use_passkey(
    message: m.PasskeyAssertion, phone: UsingPasskey, passkeys: Passkeys
) -> Response:
    """Authenticate this phone with a passkey of its account, which then trusts it."""
    handle = message.user_handle
    assertion = Assertion(
        message.challenge,
        CredentialId(base64url_decode(message.credential_id)),
        base64url_decode(message.client_data),
        base64url_decode(message.authenticator_data),
        base64url_decode(message.signature),
        None if handle is None else base64url_decode(handle),
    )
    passkeys.authenticate(phone, assertion, message.palm_proof or "")
    return Response(status_code=204)


@router.post("/removal", status_code=204)
def remove_passkey(
    phone: Annotated[Device, allowed(Operation.REMOVE_PASSKEY)], passkeys: Passkeys
) -> Response:
    """Remove this phone's passkey, which must have been used just now."""
    passkeys.remove(phone)
    return Response(status_code=204)
