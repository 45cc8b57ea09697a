"""Signs and sends the requests of a phone: proofs, nonces, the service's time, errors."""

import hashlib
import json
import secrets
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Any, Final, TypeVar

import httpx2
from joserfc import jwt
from joserfc.jwk import ECKey
from pydantic import ValidationError

from mobile_api import messages as m
from mobile_api.errors import PhoneRefused, ServiceUnreachable

JSON_TYPE: Final = "application/json"


PROOF_ATTEMPTS: Final = 3
"""How often a request is sent with a new proof."""


RETRYABLE: Final = frozenset({"use_dpop_nonce", "clock_skew"})
"""Errors whose response contains what the next proof needs: a nonce, the service's time."""


Answer = TypeVar("Answer", bound=m.AnswerMessage)


class SignedRequests:
    """Sends requests that a device key signs.

    Its clock may be wrong: proofs use the time of the service's responses.

    Args:
        api: address of the API, ending in ``/mobile/v1``.
        key: device key.
        http: HTTP client.
    """

    def __init__(self, api: str, key: ECKey, http: httpx2.Client) -> None:
        self.api, self.key = api.rstrip("/"), key
        self._http = http
        self._nonce: str | None = None
        self._clock_offset_s = 0.0

    def _post(self, path: str, message: m.RequestMessage | None, kind: type[Answer]) -> Answer:
        body = b"" if message is None else message.model_dump_json().encode()
        content_type = None if message is None else JSON_TYPE
        return self._read(self._signed("POST", path, body, content_type), kind)

    def _upload(
        self, method: str, path: str, body: bytes, content_type: str, kind: type[Answer]
    ) -> Answer:
        return self._read(self._signed(method, path, body, content_type), kind)

    def _signed(
        self, method: str, path: str, body: bytes = b"", content_type: str | None = None
    ) -> httpx2.Response:
        """Send a signed request; retry if the response has a nonce or the time."""
        headers = {} if content_type is None else {"Content-Type": content_type}
        if self._nonce is None:
            self._send("GET", "/nonce", b"", {})
        tries = 0
        while True:
            headers[m.PROOF_HEADER] = self._proof(method, path, body)
            response = self._send(method, path, body, headers)
            tries += 1
            if tries == PROOF_ATTEMPTS or _error_of(response).get("error") not in RETRYABLE:
                return response

    def _events(self, path: str) -> Iterator[str]:
        """Yield the data of each server-sent event."""
        if self._nonce is None:
            self._send("GET", "/nonce", b"", {})
        headers = {m.PROOF_HEADER: self._proof("GET", path, b"")}
        with self._http.stream("GET", self.api + path, headers=headers) as response:
            if not response.is_success:
                response.read()
            require_success(response)
            for line in response.iter_lines():
                if line.startswith("data: "):
                    yield line.removeprefix("data: ")

    def _proof(self, method: str, path: str, body: bytes) -> str:
        """Return the proof of a request. RFC 9449 §4.2, with the body's digest."""
        header = {"typ": m.PROOF_TYPE, "alg": "ES256", "jwk": self.key.as_dict(private=False)}
        claims = {
            "jti": secrets.token_urlsafe(16),
            "htm": method,
            "htu": self.api + path,
            "iat": int(time.monotonic() + self._clock_offset_s),
            "nonce": self._nonce,
            m.BODY_HASH_CLAIM: m.base64url_encode(hashlib.sha256(body).digest()),
        }
        self._nonce = None
        return jwt.encode(header, claims, self.key, algorithms=["ES256"])

    def _send(
        self, method: str, path: str, body: bytes, headers: dict[str, str]
    ) -> httpx2.Response:
        try:
            response = self._http.request(
                method, self.api + path, content=body, headers=headers
            )
        except httpx2.TransportError as fault:
            raise ServiceUnreachable("the service does not respond") from fault
        self._nonce = response.headers.get(m.NONCE_HEADER, self._nonce)
        date = response.headers.get("Date")
        if date is not None:
            self._clock_offset_s = parsedate_to_datetime(date).timestamp() - time.monotonic()
        return response

    def _read(self, response: httpx2.Response, kind: type[Answer]) -> Answer:
        require_success(response)
        try:
            return kind.model_validate_json(response.content)
        except ValidationError as fault:
            raise ServiceUnreachable("the service's response is malformed") from fault


def require_success(response: httpx2.Response) -> None:
    """Raise PhoneRefused if the service answered with an error."""
    if response.is_success:
        return
    error = _error_of(response)
    refused = PhoneRefused(
        response.status_code,
        str(error.get("error", "unknown")),
        error.get("hint"),
        error.get("reason"),
        str(error.get("message", "")),
        error.get("dispute_code"),
    )
    wait = response.headers.get("Retry-After", "")
    refused.retry_after_s = int(wait) if wait.isdecimal() else None
    raise refused


def _error_of(response: httpx2.Response) -> dict[str, Any]:
    if response.is_success:
        return {}
    try:
        body = json.loads(response.content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
