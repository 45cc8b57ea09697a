"""Authorization request parameters, parsed strictly from query or form.

Empty ones count as absent, unknown ones are ignored (RFC 6749 §3.1).
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from joserfc.util import urlsafe_b64decode

from oidc.errors import UntrustedRequest
from oidc.types import ResponseMode

_FIELD_COUNT: Final = 100

_KNOWN: Final = frozenset(
    {
        "acr_values",
        "claims",
        "client_id",
        "code_challenge",
        "code_challenge_method",
        "display",
        "dpop_jkt",
        "id_token_hint",
        "login_hint",
        "max_age",
        "nonce",
        "post_logout_redirect_uri",
        "prompt",
        "redirect_uri",
        "registration",
        "request",
        "request_uri",
        "response_mode",
        "response_type",
        "scope",
        "state",
        "ui_locales",
        "user_id",
    }
)
"""None may be repeated. RFC 6749 §3.1."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of an authorization request.

    Attributes:
        values: the first value of each, unless empty.
        repeated: known ones sent more than once.
        is_pushed: by the authenticated client (RFC 9126).
        reference: digest of the reference that names a stored request, hexadecimal.
    """

    values: dict[str, str]
    repeated: frozenset[str]
    is_pushed: bool = False
    reference: str | None = None

    def get(self, name: str) -> str | None:
        """Return the parameter; None if absent or empty."""
        return self.values.get(name)

    @property
    def state(self) -> str | None:
        """The ``state`` to return; None if absent or ambiguous."""
        return None if "state" in self.repeated else self.get("state")

    @property
    def response_mode(self) -> ResponseMode:
        """Where the response goes, errors included: query, unless form_post is usable.

        Forms need http(s), and browsers would rewrite line breaks.
        """
        asked = None if "response_mode" in self.repeated else self.get("response_mode")
        asked = asked or _mode_in(self.get("request"))
        is_web = (self.get("redirect_uri") or "").startswith(("https:", "http:"))
        is_plain = all(character >= " " for character in self.state or "")
        if asked == ResponseMode.FORM_POST and is_web and is_plain:
            return ResponseMode.FORM_POST
        return ResponseMode.QUERY


def _mode_in(request_object: str | None) -> str | None:
    """Return the response mode of a request object, which will be refused there. Core §6.1.

    Its signature does not matter: the address of the answer is a registered one.
    """
    _, _, payload = (request_object or "").partition(".")
    try:
        claims = json.loads(urlsafe_b64decode(payload.partition(".")[0].encode()))
    except (ValueError, RecursionError):
        return None
    mode = claims.get("response_mode") if isinstance(claims, dict) else None
    return mode if isinstance(mode, str) else None


def parse_parameters(text: str) -> Parameters:
    """Parse a query or form body. Raises ``UntrustedRequest``."""
    try:
        pairs = parse_qsl(
            text, keep_blank_values=True, errors="strict", max_num_fields=_FIELD_COUNT
        )
    except ValueError as fault:
        raise UntrustedRequest("the request is malformed") from fault
    counts = Counter(name for name, _ in pairs)
    repeated = frozenset(name for name, count in counts.items() if count > 1)
    values = {name: value for name, value in reversed(pairs) if value}
    return Parameters(values, repeated & _KNOWN)
