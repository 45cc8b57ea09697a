"""Messages to a phone about the account's phones and sign-ins."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from mobile_api import messages as m
from mobile_api.account.rules import Operation
from mobile_api.api.http import Services, seconds_until
from mobile_api.types import AccountPhone, Device, PhoneRequest
from oidc.types import Level, SignIn

REQUESTS_SHOWN: Final = 3
"""Most requests that a person looks at one by one; the others can be refused together."""


def standing_message(phone: Device, services: Services) -> m.OwnPhoneMessage:
    """Return a phone's own state and the phones that ask it for trust."""
    standing = services.phones.standing(phone)
    return m.OwnPhoneMessage(
        trust=standing.trust,
        challenge=services.gate.demands_challenge(phone, Operation.PROVE_PALM),
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
