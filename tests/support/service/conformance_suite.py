"""Plays the OpenID Foundation's conformance suite: one relying party that checks everything.

The demands that every module makes are checked on the way; what one module adds is in its test.
"""

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from oidc.settings import OidcSettings
from tests.support.service.html_page import read_page
from tests.support.service.sign_in import REDIRECT_URI, SignIn, half_hash, onward, query_of

ERROR_FIELDS: Final = {"error", "error_description", "error_uri", "state", "iss"}
"""RFC 6749 §4.1.2.1, RFC 9207 §2."""

LEGAL: Final = re.compile(r"[\x20-\x21\x23-\x5b\x5d-\x7e]+")
"""Characters of ``error`` and ``error_description``. RFC 6749 appendices A.7 and A.8."""

SESSION_MINUTES: Final[int] = OidcSettings.model_fields["session_minutes"].default

STATE: Final = "suite state +/=%20&ä"


@dataclass(frozen=True)
class Finished:
    """A login that went all the way.

    Attributes:
        tokens: the token response's body.
        claims: of the ID token, its signature verified.
        code: that was exchanged.
        header: of the ID token.
    """

    tokens: dict[str, Any] = field(repr=False)
    claims: dict[str, Any]
    header: dict[str, Any]
    code: str = field(repr=False)


@dataclass(frozen=True)
class Suite:
    """The suite, with one way for answers to travel.

    Attributes:
        sign_in: the provider, a browser, a person.
        response_mode: ``query`` or ``form_post``.
    """

    sign_in: SignIn
    response_mode: str

    def request(self, **changes: str | None) -> dict[str, str]:
        """Return an authorization request."""
        mode = None if self.response_mode == "query" else self.response_mode
        usual = {"response_mode": mode, "state": STATE, "nonce": "suite-nonce"}
        return self.sign_in.request(**usual | changes)

    def page_of(self, answer: Any) -> str:
        """Return the consent page an answer leads to: the provider asks the person."""
        assert answer.status_code in {302, 303}, answer.text
        location: str = answer.headers["location"]
        assert "/oauth/consent/" in location, location
        return location

    def open_page(self, **changes: str | None) -> str:
        """Send an authorization request that must be put to the person."""
        return self.page_of(self.sign_in.authorize(self.request(**changes)))

    def refused(self, answer: Any) -> dict[str, str]:
        """Return an error that reached the client, as every error must look."""
        returned = self.callback(answer)
        assert "code" not in returned
        assert returned.keys() <= ERROR_FIELDS
        assert LEGAL.fullmatch(returned["error"])
        assert LEGAL.fullmatch(returned["error_description"])
        return returned

    def callback(self, answer: Any) -> dict[str, str]:
        """Return what reached the client, by the requested way and by no other."""
        if self.response_mode == "form_post":
            returned = self._posted(answer)
        else:
            location = onward(answer)
            assert location.startswith(f"{REDIRECT_URI}&"), "the redirect URI's own query"
            returned = query_of(location)
            del returned["tenant"]
        assert returned["state"] == STATE
        assert returned["iss"] == self.sign_in.settings.issuer
        return returned

    def _posted(self, answer: Any) -> dict[str, str]:
        """Return the fields of the form that the browser posts to the client."""
        assert answer.status_code == 200
        assert "location" not in answer.headers
        page = read_page("https://id.example", 200, dict(answer.headers), answer.text)
        form = page.element("answer")
        assert form.attributes["method"].lower() == "post"
        assert form.attributes["action"] == REDIRECT_URI
        assert form.attributes.get("enctype", "") in {"", "application/x-www-form-urlencoded"}
        return form.fields

    def finish(self, page: str) -> str:
        """Let the person say yes; return the code."""
        self.sign_in.approve(page)
        returned = self.callback(self.sign_in.proceed(page))
        assert "error" not in returned
        return returned["code"]

    def log_in(self, **changes: str | None) -> Finished:
        """Go all the way and check what every module checks."""
        request = self.request(**changes)
        return self.complete(self.sign_in.authorize(request), request)

    def complete(self, answer: Any, request: dict[str, str], **fields: str) -> Finished:
        """Go on from the answer to an authorization request."""
        return self.exchange(self.finish(self.page_of(answer)), request, **fields)

    def log_in_silently(self, **changes: str | None) -> Finished:
        """Go all the way without any page: the browser comes back to the client at once."""
        request = self.request(**changes)
        returned = self.callback(self.sign_in.authorize(request))
        assert "error" not in returned, returned
        return self.exchange(returned["code"], request)

    def exchange(self, code: str, request: dict[str, str], **fields: str) -> Finished:
        """Exchange a code and check what every module checks."""
        redeemed = self.redeem(code, **fields)
        assert redeemed.status_code == 200, redeemed.text
        tokens = redeemed.json()
        opened = self.sign_in.opened(tokens["id_token"])
        self.check_id_token(opened.claims, request.get("nonce"))
        self.check_userinfo(self.sign_in.userinfo(tokens["access_token"]), opened.claims)
        return Finished(tokens, opened.claims, opened.header, code)

    def redeem(self, code: str, **fields: str) -> Any:
        """Exchange a code, with client_secret_basic."""
        usual = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT_URI}
        return self.sign_in.post_token(usual | fields, headers=self.sign_in.basic())

    def check_id_token(self, claims: dict[str, Any], nonce: str | None) -> None:
        """Check who it is from, for and about, and when."""
        now = self.sign_in.clock().timestamp()
        assert claims["iss"] == self.sign_in.settings.issuer
        assert claims["aud"] == self.sign_in.shop.client.client_id
        assert claims["iat"] <= now < claims["exp"]
        assert claims["sub"]
        assert len(claims["sub"]) <= 255
        assert claims.get("nonce") == nonce

    def check_userinfo(self, answer: Any, claims: dict[str, Any]) -> None:
        """Check that it is about the same person."""
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("application/json")
        assert answer.json()["sub"] == claims["sub"]


def has_right_hash(finished: Finished) -> bool:
    """Return whether ``at_hash`` belongs to the access token. OpenID Connect Core §3.1.3.6."""
    return bool(finished.claims["at_hash"] == half_hash(finished.tokens["access_token"]))


def entropy_bits(text: str) -> float:
    """Return the measured entropy of a text as the suite measures it: Shannon's, in bits."""
    counts = Counter(text).values()
    return -sum(count * math.log2(count / len(text)) for count in counts)


def endpoints(metadata: dict[str, Any]) -> dict[str, str]:
    """Return every address in the metadata."""
    return {
        name: value
        for name, value in metadata.items()
        if name.endswith(("_endpoint", "_uri")) and urlsplit(str(value)).scheme
    }
