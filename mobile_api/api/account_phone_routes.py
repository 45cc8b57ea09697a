"""Routes of an account's phones: who is trusted, who asks, who is removed. No rules here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Response

from mobile_api import messages as m
from mobile_api.account.rules import Operation
from mobile_api.api.http import (
    PathId,
    Services,
    ServicesDep,
    TypedRoute,
    allowed,
    seconds_until,
    shown,
)
from mobile_api.api.openapi import PALM_TYPES, SAMPLE_ERRORS, SIGNED_ERRORS, errors, signed
from mobile_api.login.service import TWO_FACTORS
from mobile_api.recognition.counted_identification import Probe
from mobile_api.types import AccountPhone, Device, PhoneRequest
from oidc.types import SignIn

router: Final = APIRouter(prefix=f"{m.API_PREFIX}/account", route_class=TypedRoute)


@router.get("/phone", tags=["phones"], openapi_extra=signed(), responses=errors(*SIGNED_ERRORS))
def show_standing(
    phone: Annotated[Device, allowed(Operation.SHOW_STANDING)], services: ServicesDep
) -> m.OwnPhoneMessage:
    """Tell how far this phone is trusted and, if it is, which new phones ask for trust."""
    return _standing(phone, services)


@router.post(
    "/phone/trust",
    tags=["phones"],
    openapi_extra=signed(*PALM_TYPES),
    responses=errors(*SIGNED_ERRORS, *SAMPLE_ERRORS),
)
def ask_trust(
    phone: Annotated[Device, allowed(Operation.ASK_TRUST)],
    palm: Annotated[Probe, shown(Operation.ASK_TRUST)],
    services: ServicesDep,
) -> m.OwnPhoneMessage:
    """Ask for trust by palm; after the waiting time, the same call makes the phone trusted."""
    services.phone_trust.ask(phone, palm)
    return _standing(services.devices.require(phone.device_id), services)


@router.post(
    "/phone/recovery",
    tags=["phones"],
    openapi_extra=signed(),
    responses=errors(*SIGNED_ERRORS, 413, 415, 422, 429),
)
def recover(
    message: m.RecoverPhone,
    phone: Annotated[Device, allowed(Operation.RECOVER)],
    services: ServicesDep,
) -> m.OwnPhoneMessage:
    """Make a new phone trusted by the recovery code, which then stops working."""
    services.phone_trust.recover(phone, message.recovery_code, message.palm_proof)
    return _standing(services.devices.require(phone.device_id), services)


@router.post(
    "/phones",
    tags=["phones"],
    openapi_extra=signed(*PALM_TYPES),
    responses=errors(*SIGNED_ERRORS, *SAMPLE_ERRORS),
)
def list_phones(
    phone: Annotated[Device, allowed(Operation.LIST_PHONES)],
    palm: Annotated[Probe, shown(Operation.LIST_PHONES)],
    services: ServicesDep,
) -> m.VerifiedPhonesMessage:
    """List the account's phones and its last sign-ins, proved by the palm."""
    shown = services.phones.show(phone, palm)
    names = {str(each.device_id): each.name for _, each in shown.phones}
    return m.VerifiedPhonesMessage(
        phones=_phones(phone, shown.phones, services),
        sign_ins=[_sign_in(each, names) for each in shown.sign_ins],
        palm_proof=shown.palm_proof.text,
        expires_in=seconds_until(shown.palm_proof.expires_at, services),
    )


@router.post(
    "/phones/{handle}/approve",
    tags=["phones"],
    openapi_extra=signed(),
    responses=errors(*SIGNED_ERRORS, 410, 413, 415, 422),
)
def approve_phone(
    handle: PathId,
    message: m.ApprovePhone,
    phone: Annotated[Device, allowed(Operation.APPROVE_PHONE)],
    services: ServicesDep,
) -> m.PhonesMessage:
    """Trust a new phone that asks for it. Returns the account's phones."""
    services.phones.approve(phone, handle, message.palm_proof)
    return m.PhonesMessage(phones=_phones(phone, services.phones.of(phone), services))


@router.post(
    "/phones/{handle}/refuse",
    status_code=204,
    tags=["phones"],
    openapi_extra=signed(),
    responses=errors(*SIGNED_ERRORS, 410),
)
def refuse_phone(
    handle: PathId,
    phone: Annotated[Device, allowed(Operation.REFUSE_PHONE)],
    services: ServicesDep,
) -> Response:
    """Remove a new phone from the account, without a palm."""
    services.phones.refuse(phone, handle)
    return Response(status_code=204)


@router.post(
    "/phones/{handle}/removal",
    tags=["phones"],
    openapi_extra=signed(),
    responses=errors(*SIGNED_ERRORS, 410, 413, 415, 422),
)
def remove_phone(
    handle: PathId,
    message: m.RemovePhone,
    phone: Annotated[Device, allowed(Operation.REMOVE_PHONE)],
    services: ServicesDep,
) -> m.PhonesMessage:
    """Remove a phone, end its logins and, if asked, what it signed in to."""
    services.phones.remove(phone, handle, message.palm_proof, end_sign_ins=message.end_sign_ins)
    left = services.phones.of(services.devices.require(phone.device_id))
    return m.PhonesMessage(phones=_phones(phone, left, services))


@router.post(
    "/recovery-code",
    tags=["phones"],
    openapi_extra=signed(*PALM_TYPES),
    responses=errors(*SIGNED_ERRORS, *SAMPLE_ERRORS),
)
def issue_recovery_code(
    phone: Annotated[Device, allowed(Operation.TAKE_RECOVERY_CODE)],
    palm: Annotated[Probe, shown(Operation.TAKE_RECOVERY_CODE)],
    services: ServicesDep,
) -> m.RecoveryCodeMessage:
    """Return a code that makes a new phone trusted. An earlier code ends."""
    return m.RecoveryCodeMessage(recovery_code=services.phone_trust.issue_code(phone, palm))


def _standing(phone: Device, services: Services) -> m.OwnPhoneMessage:
    standing = services.phones.standing(phone)
    return m.OwnPhoneMessage(
        trust=standing.trust,
        challenge=services.gate.demands_challenge(phone, Operation.PROVE_PALM),
        recovery=services.phone_trust.rules.recovery,
        trusted_in=_trusted_in(standing.request, services),
        requests=[
            m.PhoneRequestMessage(
                handle=handle,
                name=each.name,
                asked_at=_seconds(each.request.asked_at),
                trusted_in=_trusted_in(each.request, services),
            )
            for handle, each in standing.waiting
            if each.request is not None
        ],
        notices=[
            m.NoticeMessage(kind=each.kind, at=_seconds(each.at)) for each in standing.notices
        ],
    )


def _trusted_in(request: PhoneRequest | None, services: Services) -> int | None:
    if request is None or request.due_at is None:
        return None
    return seconds_until(request.due_at, services)


def _phones(
    own: Device, phones: Sequence[tuple[str, AccountPhone]], services: Services
) -> list[m.PhoneMessage]:
    now = services.clock()
    return [
        m.PhoneMessage(
            handle=handle,
            name=each.name,
            since=_day(each.since),
            last_used=_day(each.used_on or each.since),
            trust=each.trust,
            is_this=each.device_id == own.device_id,
            waiting=each.request is not None and now < each.request.ends_at,
        )
        for handle, each in phones
    ]


def _sign_in(each: SignIn, names: dict[str, str]) -> m.SignInMessage:
    return m.SignInMessage(
        client_name=each.client_name,
        client_host=each.client_host,
        at=_seconds(each.at),
        phone=names.get(each.claimant),
        with_trusted_phone=each.amr == TWO_FACTORS,
    )


def _seconds(at: datetime) -> int:
    return int(at.timestamp())


def _day(at: datetime) -> int:
    return _seconds(at) // 86_400 * 86_400
