"""Enrols a person of the demo with the reference phone, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import httpx2

from mobile_api.demo.errors import DemoError
from mobile_api.errors import PhoneError, PhoneRefused
from mobile_api.messages import API_PREFIX
from mobile_api.reference_phone.client import ReferencePhone, new_key
from mobile_api.reference_phone.state import PhoneIdentity, save_identity

if TYPE_CHECKING:
    from pathlib import Path

    from mobile_api.demo.people import DemoPerson
    from mobile_api.demo.service import DemoService

TIMEOUT_S: Final = 60.0
"""A busy service may queue a picture."""

UNUSABLE: Final = frozenset({"palm_not_found", "back_of_hand", "quality_too_low"})
"""Errors after which a picture is skipped."""


def enrol(person: DemoPerson, service: DemoService, phone_file: Path) -> None:
    """Register a phone, enrol both palms, and save the phone last.

    If an earlier start stopped before saving, the phone is bound at its first login.

    Raises:
        DemoError: the person cannot be enrolled.
    """
    identity = PhoneIdentity(new_key())
    with httpx2.Client(timeout=TIMEOUT_S, verify=service.site.trust) as http:
        phone = ReferencePhone(service.url + API_PREFIX, identity.key, http)
        try:
            phone.register(f"Phone of {person.name}")
            _send_palms(phone, person)
        except PhoneError as fault:
            raise DemoError(f"{person.name} could not be enrolled: {fault}") from fault
    save_identity(phone_file, identity.with_registration(phone.api))


def _send_palms(phone: ReferencePhone, person: DemoPerson) -> None:
    """Agree, send the pictures and finish."""
    enrolment = phone.open_enrolment(phone.consent()).enrolment_id
    for picture in person.enrolment:
        try:
            phone.add_picture(enrolment, picture.read_bytes())
        except PhoneRefused as refusal:
            if refusal.error not in UNUSABLE:
                raise
    try:
        phone.finish_enrolment(enrolment)
    except PhoneRefused as refusal:
        if refusal.error != "already_enrolled":
            raise
