"""OpenAPI descriptions of proofs, raw bodies and errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mobile_api import messages as m

DESCRIPTION: Final = """
The API for phones. Every request marked with the header **DPoP** carries a proof: a JWT (`typ`
dpop+jwt, `alg` ES256, `jwk` the public P-256 key; claims `jti`, `htm`, `htu`, `iat`, `nonce`,
and `bh`, the base64url SHA-256 of the body, even if empty). Every response carries a new
**DPoP-Nonce**, which is valid once and for a minute. Errors are `{"error": code, "message":
text}`, some with a `hint` or `reason`. No response contains a comparison score.
"""

_PROOF: Final = {
    "name": m.PROOF_HEADER,
    "in": "header",
    "required": True,
    "schema": {"type": "string"},
    "description": "Proof of possession of the device key, over method, address and body.",
}

ERROR_CODES: Final = {
    400: "`body_incomplete`",
    401: "`use_dpop_nonce`, `invalid_dpop_proof`, `clock_skew`",
    403: "`device_unknown`, `device_unbound`, `phone_not_trusted`, `phone_owns_later`,"
    " `palm_mismatch`, `station_refused`, `station_elsewhere`, `station_code_wrong`,"
    " `palm_proof_expired`, `passkey_refused`, `passkey_needed`, `template_not_accepted`,"
    " `template_unmatched`,"
    " `recovery_code_wrong`, `challenge_needed`, `motions_code_needed`,"
    " `challenge_failed` (with reason), `presentation_attack`, `palm_disputed`",
    409: "`consent_changed`, `too_many_samples`, `too_few_samples`, `samples_repeat`,"
    " `samples_disagree`, `one_palm_twice`, `already_enrolled`, `already_claimed`,"
    " `not_from_station`,"
    " `challenge_off`, `wrong_state` (of a login with hint)",
    410: "`challenge_gone`, `enrolment_gone`, `ticket_stale`, `connection_gone`, `phone_gone`,"
    " `login_gone` (with hint if it is known how it ended)",
    413: "`body_too_large`",
    415: "`wrong_content_type`",
    422: "`invalid_request`; of a picture `sample_unreadable`, `sample_cmyk`,"
    " `sample_too_large`, `palm_not_found`, `back_of_hand`, `quality_too_low` (with reason);"
    " of a template `template_refused`, `extractor_mismatch`",
    429: "`too_many_attempts`, `too_many_requests`; see Retry-After",
    503: "`temporarily_unavailable`, `service_busy`, `gallery_unreachable`;"
    " `deletion_unlisted`: erased, but not yet listed for restored backups; see Retry-After",
}


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Document the errors of a route by status; any may be without its databases."""
    return {
        status: {"model": m.ErrorMessage, "description": ERROR_CODES[status]}
        for status in (*statuses, 503)
    }


def signed(*statuses: int, body: Sequence[str] = ()) -> dict[str, Any]:
    """Document a signed request: errors besides 401 and 403, content types of a raw body."""
    extra: dict[str, Any] = {"parameters": [_PROOF]}
    if body:
        content = {each: {"schema": _schema(each)} for each in body}
        extra["requestBody"] = {"required": True, "content": content}
    return {"openapi_extra": extra, "responses": errors(401, 403, *statuses)}


def _schema(content_type: str) -> dict[str, Any]:
    """Return the schema of a raw body; JSON is a challenge in place of a picture."""
    if content_type == "application/json":
        return m.ShowChallenge.model_json_schema()
    return {"type": "string", "format": "binary"}


SHOWN_TYPES: Final = (*m.SAMPLE_TYPES, "application/json")
"""A picture, or a challenge that was passed."""

PALM_TYPES: Final = (*SHOWN_TYPES, m.TEMPLATE_TYPE)
"""The same, or a template."""

BODY_ERRORS: Final = (400, 413, 415, 422)
SAMPLE_ERRORS: Final = (410, *BODY_ERRORS, 429)

PALM: Final = signed(*SAMPLE_ERRORS, body=PALM_TYPES)
"""A signed request that shows a palm."""
