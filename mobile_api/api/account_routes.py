"""Routes of a person's own account: linked clients, phones, deletion. No rules here."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Response

from mobile_api import account_messages as m
from mobile_api import errors as e
from mobile_api.account.rules import Operation
from mobile_api.api.http import (
    FRAMES_BODY,
    PALM_COMPARED,
    PICTURE_BODY,
    PICTURE_SHOWN,
    PROVED,
    TEMPLATE_BODY,
    TEMPLATE_SHOWN,
    Body,
    PathId,
    Pictures,
    Services,
    ServicesDep,
    TypedRoute,
    allowed,
    extractors_of,
    keep_name,
    raises,
    seconds_until,
)
from mobile_api.challenges.shown import Shown, ShownChallenge, ShownPictures, ShownTemplates
from mobile_api.devices import require_bound
from mobile_api.messages import API_PREFIX, ShowChallenge, base64url_decode
from mobile_api.storage.stores.devices import AccountPhone, PhoneRequest
from mobile_api.types import Device, Purpose, PushSubscription
from oidc.errors import LinkedClientGone
from oidc.types import Level, LinkedClientHandle, SignIn

REQUESTS_SHOWN: Final = 3
"""Most requests that a person looks at one by one; the others can be refused together."""


def standing_message(phone: Device, services: Services) -> m.OwnPhoneMessage:
    """Return a phone's own state and the phones that ask it for trust."""
    standing = services.phones.standing(phone)
    return m.OwnPhoneMessage(
        trust=standing.trust,
        challenge=services.gate.demands_challenge(phone, Operation.PROVE_PALM),
        extractors=extractors_of(phone, Operation.PROVE_PALM, services),
        roads=list(services.phone_trust.ways(phone)),
        number=None if standing.handle is None else _number(standing.handle),
        trusted_in=_trusted_in(standing.request, services),
        requests=[
            m.PhoneRequestMessage(
                handle=handle,
                number=_number(handle),
                name=each.name,
                asked_at=seconds(each.request.asked_at),
                trusted_in=_trusted_in(each.request, services),
            )
            for handle, each in standing.waiting[:REQUESTS_SHOWN]
            if each.request is not None
        ],
        more_requests=max(0, len(standing.waiting) - REQUESTS_SHOWN),
        push=_push_message(phone, services),
        notices=[
            m.NoticeMessage(id=each.notice_id.hex, kind=each.kind, at=seconds(each.at))
            for each in standing.notices
        ],
    )


def _number(handle: str) -> str:
    """Return the digits by which a person knows a phone that asks."""
    return f"{int(handle[:8], 16) % 10_000:04}"


def _push_message(phone: Device, services: Services) -> m.PushMessage | None:
    if not phone.is_trusted or not services.push.settings.push_hosts:
        return None
    push = services.push
    return m.PushMessage(public_key=push.public_key, subscribed=push.is_subscribed(phone))


def _trusted_in(request: PhoneRequest | None, services: Services) -> int | None:
    if request is None or request.due_at is None:
        return None
    return seconds_until(request.due_at, services)


def phone_messages(
    own: Device, phones: Sequence[tuple[str, AccountPhone]], services: Services
) -> list[m.PhoneMessage]:
    """Return an account's phones, by handle."""
    now = services.clock()
    return [
        m.PhoneMessage(
            handle=handle,
            name=each.name,
            since=seconds(each.since),
            last_used=seconds(each.used_on or each.since),
            trust=each.trust,
            is_this=each.device_id == own.device_id,
            number=_number(handle),
            waiting=each.request is not None and now < each.request.ends_at,
        )
        for handle, each in phones
    ]


def sign_in_message(own: Device, each: SignIn, names: dict[str, str]) -> m.SignInMessage:
    """Return a sign-in; ``names`` are of the phones that the account has."""
    return m.SignInMessage(
        client_name=each.client_name,
        client_host=each.client_host,
        at=seconds(each.at),
        phone=names.get(each.claimant),
        is_this=str(each.claimant) == own.device_id,
        with_trusted_phone=each.level is Level.PALM_AND_PHONE,
        at_station=each.level is Level.PALM_AT_STATION,
    )


def seconds(at: datetime) -> int:
    """Return seconds since 1970."""
    return int(at.timestamp())


router: Final = APIRouter(prefix=API_PREFIX, tags=["account"], route_class=TypedRoute)


Prover = Annotated[Device, allowed(Operation.PROVE_PALM)]


@router.post("/palm-proofs/frames", name="prove_by_frames", **FRAMES_BODY)
@router.post("/palm-proofs", **PICTURE_BODY)
@raises(e.PalmMismatch, e.PalmDisputed, *PICTURE_SHOWN)
def prove_by_picture(
    phone: Prover, images: Pictures, services: ServicesDep
) -> m.PalmProofMessage:
    """Show the palm once, for requests of this phone in the next minutes.

    A phone that is not trusted becomes a new one of the palm's account.
    """
    services.gate.require_still(phone, Operation.PROVE_PALM)
    return _prove(phone, ShownPictures(images), services)


@router.post("/palm-proofs/template", **TEMPLATE_BODY)
@raises(e.PalmMismatch, e.PalmDisputed, *TEMPLATE_SHOWN)
def prove_by_template(phone: Prover, data: Body, services: ServicesDep) -> m.PalmProofMessage:
    """Show the palm by up to three templates, if the operator accepts them."""
    services.gate.require_still(phone, Operation.PROVE_PALM)
    services.gate.require_template(phone)
    return _prove(phone, ShownTemplates(data), services)


@router.post("/palm-proofs/challenge")
@raises(e.PalmMismatch, e.PalmDisputed, e.ChallengeGone, *PALM_COMPARED)
def prove_by_challenge(
    message: ShowChallenge, phone: Prover, services: ServicesDep
) -> m.PalmProofMessage:
    """Show the palm that passed a challenge."""
    passed = ShownChallenge(message.challenge_id, Purpose.PALM_PROOF)
    return _prove(phone, passed, services)


def _prove(phone: Device, shown: Shown, services: Services) -> m.PalmProofMessage:
    proof = services.phone_trust.prove(phone, shown)
    return m.PalmProofMessage(
        palm_proof=proof.text, expires_in=seconds_until(proof.expires_at, services)
    )


@router.post("/connections/{handle}/withdraw")
@raises(LinkedClientGone, *PROVED)
def disconnect_app(
    handle: PathId,
    message: m.ProvedByPalm,
    phone: Annotated[Device, allowed(Operation.DISCONNECT_APP)],
    services: ServicesDep,
) -> m.ConnectionsMessage:
    """Disconnect one app, which then no longer knows this person. Returns the others."""
    account = services.palm_proofs.require(phone, message.palm_proof)
    services.provider.disconnect(account, LinkedClientHandle(handle))
    return m.ConnectionsMessage(connections=_connections(phone, services))


@router.post("/account/deletion", status_code=204)
@raises(*PROVED)
def delete_account(
    message: m.ProvedByPalm,
    phone: Annotated[Device, allowed(Operation.DELETE_ACCOUNT)],
    services: ServicesDep,
) -> Response:
    """Delete this phone's account, proved by its palm: references, phones, pseudonyms."""
    services.deletion.delete(phone, message.palm_proof)
    return Response(status_code=204)


@router.post("/account/deletion-code")
@raises(*PROVED)
def take_deletion_code(
    message: m.ProvedByPalm,
    phone: Annotated[Device, allowed(Operation.TAKE_DELETION_CODE)],
    services: ServicesDep,
) -> m.DeletionCodeMessage:
    """Return a code by which the operator can delete this account. An earlier code ends."""
    code = services.deletion.issue_code(phone, message.palm_proof)
    return m.DeletionCodeMessage(deletion_code=code)


@router.get("/account/phone")
def get_own_phone(
    phone: Annotated[Device, allowed(Operation.SHOW_STANDING)],
    response: Response,
    services: ServicesDep,
) -> m.OwnPhoneMessage:
    """Return this phone's trust and, if it is trusted, the new phones that ask for trust."""
    keep_name(response, phone, services)
    return standing_message(phone, services)


@router.post("/account/phone/trust")
@raises(*PROVED)
def ask_trust(
    message: m.ProvedByPalm,
    phone: Annotated[Device, allowed(Operation.ASK_TRUST)],
    services: ServicesDep,
) -> m.OwnPhoneMessage:
    """Ask for trust; after the waiting time, the same call makes the phone trusted."""
    services.phone_trust.ask(phone, message.palm_proof)
    return standing_message(services.devices.require(phone.device_id), services)


@router.post("/account/phone/recovery")
@raises(e.RecoveryCodeWrong, e.TooManyAttempts, *PROVED)
def recover_phone(
    message: m.RecoverPhone,
    phone: Annotated[Device, allowed(Operation.RECOVER)],
    services: ServicesDep,
) -> m.OwnPhoneMessage:
    """Make a new phone trusted by the recovery code, which then stops working."""
    services.phone_trust.recover(phone, message.recovery_code, message.palm_proof)
    return standing_message(services.devices.require(phone.device_id), services)


@router.post("/account/phone/push", status_code=204)
def subscribe_push(
    message: m.Subscribe,
    phone: Annotated[Device, allowed(Operation.SET_PUSH)],
    services: ServicesDep,
) -> Response:
    """Notify this phone by Web Push when a new phone asks for trust."""
    key, auth = (base64url_decode(each) for each in (message.p256dh, message.auth))
    services.push.subscribe(phone, PushSubscription(message.endpoint, key, auth))
    return Response(status_code=204)


@router.post("/account/phone/push/removal", status_code=204)
def unsubscribe_push(
    phone: Annotated[Device, allowed(Operation.SET_PUSH)], services: ServicesDep
) -> Response:
    """Send this phone no more Web Push."""
    services.push.unsubscribe(phone)
    return Response(status_code=204)


@router.post("/account/phones")
@raises(*PROVED)
def show_account(
    message: m.ProvedByPalm,
    phone: Annotated[Device, allowed(Operation.SHOW_ACCOUNT)],
    services: ServicesDep,
) -> m.AccountMessage:
    """List the account's phones, apps and last sign-ins."""
    services.palm_proofs.require(phone, message.palm_proof)
    phones = services.phones.of(phone)
    names = {str(each.device_id): each.name for _, each in phones}
    sign_ins = services.provider.sign_ins(require_bound(phone))
    return m.AccountMessage(
        phones=phone_messages(phone, phones, services),
        connections=_connections(phone, services),
        sign_ins=[sign_in_message(phone, each, names) for each in sign_ins],
    )


@router.post("/account/phones/{handle}/approve")
@raises(e.PhoneGone, *PROVED)
def approve_phone(
    handle: PathId,
    message: m.ProvedByPalm,
    phone: Annotated[Device, allowed(Operation.APPROVE_PHONE)],
    services: ServicesDep,
) -> m.PhonesMessage:
    """Trust a new phone that asks for it. Returns the account's phones."""
    services.phones.approve(phone, handle, message.palm_proof)
    return m.PhonesMessage(phones=phone_messages(phone, services.phones.of(phone), services))


@router.post("/account/phones/{handle}/refuse", status_code=204)
@raises(e.PhoneGone)
def refuse_phone(
    handle: PathId,
    phone: Annotated[Device, allowed(Operation.REFUSE_PHONE)],
    services: ServicesDep,
) -> Response:
    """Remove a new phone from the account, without a palm."""
    services.phones.refuse(phone, handle)
    return Response(status_code=204)


@router.post("/account/phones/refuse", status_code=204)
def refuse_all_phones(
    phone: Annotated[Device, allowed(Operation.REFUSE_PHONE)], services: ServicesDep
) -> Response:
    """Remove every new phone that asks from the account, without a palm."""
    services.phones.refuse_all(phone)
    return Response(status_code=204)


@router.post("/account/phones/{handle}/removal")
@raises(e.PhoneGone, *PROVED)
def remove_phone(
    handle: PathId,
    message: m.RemovePhone,
    phone: Annotated[Device, allowed(Operation.REMOVE_PHONE)],
    services: ServicesDep,
) -> m.PhonesMessage:
    """Remove a phone, its passkeys, both codes, its logins and, if asked, sign-ins."""
    services.phones.remove(phone, handle, message.palm_proof, end_sign_ins=message.end_sign_ins)
    left = services.phones.of(services.devices.require(phone.device_id))
    return m.PhonesMessage(phones=phone_messages(phone, left, services))


@router.post("/account/recovery-code")
@raises(*PROVED)
def take_recovery_code(
    message: m.ProvedByPalm,
    phone: Annotated[Device, allowed(Operation.TAKE_RECOVERY_CODE)],
    services: ServicesDep,
) -> m.RecoveryCodeMessage:
    """Return a code that makes a new phone trusted. An earlier code ends."""
    code = services.phone_trust.issue_code(phone, message.palm_proof)
    return m.RecoveryCodeMessage(recovery_code=code)


def _connections(phone: Device, services: Services) -> list[m.ConnectionMessage]:
    found = services.provider.linked_clients(require_bound(phone))
    return [
        m.ConnectionMessage(
            handle=each.handle,
            client_name=each.client_name,
            client_host=each.client_host,
            since=seconds(each.since),
            signs_out=each.signs_out,
        )
        for each in found
    ]
