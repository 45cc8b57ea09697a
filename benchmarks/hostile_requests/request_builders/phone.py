"""Requests of a phone, each with its proof."""

from __future__ import annotations

import json
import secrets
from typing import Final

from benchmarks.hostile_requests.person import Person
from benchmarks.hostile_requests.raw_http import Request
from benchmarks.hostile_requests.request_builders.base import ClaimOverrides, host
from engine.template_codec import MEDIA_TYPE

_JPEG: Final = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffdb004300") + bytes(64)
"""Starts like a JPEG but is none."""


def _phone(
    person: Person,
    overrides: ClaimOverrides,
    method: str,
    path: str,
    body: bytes = b"",
    content_type: str = "",
) -> Request:
    full = f"/mobile/v1{path}"
    kind = (("Content-Type", content_type),) if content_type else ()
    proof = ("DPoP", person.proof_of(method, full, body, overrides))
    return Request(method, full, headers=(host(person), *kind, proof), body=body)


def _message(person: Person, overrides: ClaimOverrides, path: str, **fields: object) -> Request:
    body = json.dumps(fields).encode()
    return _phone(person, overrides, "POST", path, body, "application/json")


def phone_register(person: Person, overrides: ClaimOverrides) -> Request:
    """Register the phone again."""
    return _message(person, overrides, "/devices", name="Maya’s phone")


def phone_enrolment(person: Person, overrides: ClaimOverrides) -> Request:
    """Give consent and open an enrolment."""
    text = person.consent()
    agreed = {"consent_version": text.version, "consent_sha256": text.sha256}
    return _message(person, overrides, "/enrolments", **agreed)


def phone_sample(person: Person, overrides: ClaimOverrides) -> Request:
    """Enrol with an invalid picture."""
    path = f"/enrolments/{person.enrolment()}/samples"
    return _phone(person, overrides, "POST", path, _JPEG, "image/jpeg")


def phone_template(person: Person, overrides: ClaimOverrides) -> Request:
    """Enrol with a template."""
    path = f"/enrolments/{person.enrolment()}/templates"
    return _phone(person, overrides, "POST", path, person.another_template(), MEDIA_TYPE)


def phone_finish(person: Person, overrides: ClaimOverrides) -> Request:
    """Finish an empty enrolment."""
    return _phone(person, overrides, "POST", f"/enrolments/{person.enrolment()}/finish")


def phone_claim(person: Person, overrides: ClaimOverrides) -> Request:
    """Claim a login."""
    return _message(person, overrides, "/logins", ticket=person.login().ticket)


def phone_palm(person: Person, overrides: ClaimOverrides) -> Request:
    """Answer a login with an invalid picture."""
    path = f"/logins/{person.claimed()}/palm"
    return _phone(person, overrides, "PUT", path, _JPEG, "image/jpeg")


def phone_login_template(person: Person, overrides: ClaimOverrides) -> Request:
    """Answer a login with a template."""
    path = f"/logins/{person.claimed()}/template"
    return _phone(person, overrides, "PUT", path, person.template, MEDIA_TYPE)


def phone_look(person: Person, overrides: ClaimOverrides) -> Request:
    """Get a login."""
    return _phone(person, overrides, "GET", f"/logins/{person.claimed()}")


def phone_end(person: Person, overrides: ClaimOverrides) -> Request:
    """Approve, decline or report a login that waits for a palm."""
    end = secrets.choice(("approve", "decline", "report"))
    return _phone(person, overrides, "POST", f"/logins/{person.claimed()}/{end}")


def phone_connections(person: Person, overrides: ClaimOverrides) -> Request:
    """List the person's apps."""
    return _phone(person, overrides, "POST", "/connections", person.template, MEDIA_TYPE)


def phone_withdraw(person: Person, overrides: ClaimOverrides) -> Request:
    """Withdraw from an unknown app."""
    handle = secrets.token_urlsafe(16)
    proof = secrets.token_urlsafe(32)
    return _message(person, overrides, f"/connections/{handle}/withdraw", palm_proof=proof)


def phone_deletion_code(person: Person, overrides: ClaimOverrides) -> Request:
    """Ask for a deletion code."""
    body = person.template
    return _phone(person, overrides, "POST", "/account/deletion-code", body, MEDIA_TYPE)


def phone_deletion(person: Person, overrides: ClaimOverrides) -> Request:
    """Delete the account with another palm."""
    body = person.template[:-600] + bytes(600)
    return _phone(person, overrides, "POST", "/account/deletion", body, MEDIA_TYPE)
