"""Who visits the portal: the session, the forms it may send, and the flow it is in.

Three cookies, ``__Host-`` on https, ``SameSite=Lax``, unreadable for scripts: the session's
secret, a secret that every form of this browser must prove (OWASP ASVS 5.0, 3.5.1), and the
flow, sealed, while the browser is away to sign in.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

from oidc.errors import FormRefused, NotSignedIn, SignInFailed, SigningKeyFault
from oidc.keys.encryption import KeyCipher
from oidc.portal.relying_party import Flow
from oidc.protocol.identifiers import new_secret
from oidc.web.csrf import is_same_origin_form

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from oidc.storage.developers import Developer
    from oidc.web.paths import Paths

PROOF: Final = "proof"
"""Name of the hidden field in every form."""

_FLOW_CONTEXT: Final = "thenar portal flow"


@dataclass(frozen=True, slots=True)
class Visit:
    """One request to the portal.

    Attributes:
        request: itself.
        form_secret: of this browser.
        is_new: whether the browser must be given that secret first.
        session: secret of the session; empty without one.
        developer: who is signed in; None: nobody.
    """

    request: Request
    form_secret: str = field(repr=False)
    is_new: bool
    session: str = field(repr=False)
    developer: Developer | None

    @property
    def proof(self) -> str:
        """What the forms of a page shown now must carry."""
        key, bound = self.form_secret.encode(), self.session.encode()
        return hmac.new(key, b"portal form " + bound, hashlib.sha256).hexdigest()

    def require_own_form(self, paths: Paths, proof: str) -> None:
        """Check that a form came from a page of ours, of this browser and this session.

        Raises:
            FormRefused: it did not.
        """
        is_right = hmac.compare_digest(self.proof.encode(), proof.encode())
        if self.is_new or not is_right or not is_same_origin_form(self.request, paths):
            raise FormRefused("the form is too old or from another site: reload the page")

    def require_developer(self) -> Developer:
        """Return who is signed in.

        Raises:
            NotSignedIn: nobody.
        """
        if self.developer is None:
            raise NotSignedIn("sign in first")
        return self.developer


class PortalCookies:
    """Gives, reads and takes back the portal's cookies."""

    def __init__(self, cipher: KeyCipher, *, is_secure: bool) -> None:
        self._cipher = KeyCipher(cipher.derive(b"thenar portal cookies"))
        self._is_secure = is_secure

    @property
    def session_name(self) -> str:
        """Name of the cookie that carries the session."""
        return self._name("session")

    def form_secret(self, request: Request) -> str | None:
        """Return the secret of this browser's forms; None if it has none yet."""
        return self._read(request, "form") or None

    def session(self, request: Request) -> str:
        """Return the session's secret; empty without one."""
        return self._read(request, "session")

    def set_form_secret(self, response: Response, secret: str) -> None:
        """Give a browser its secret, for as long as it runs."""
        self._set(response, "form", secret, None)

    def set_session(self, response: Response, secret: str, lifetime_s: int) -> None:
        """Sign the browser in."""
        self._set(response, "session", secret, lifetime_s)

    def delete_session(self, response: Response) -> None:
        """Take the session's cookie back."""
        self._set(response, "session", "", 0)

    def set_flow(self, response: Response, flow: Flow, lifetime_s: int) -> None:
        """Let the browser carry a flow, unreadable to it."""
        sealed = self._cipher.encrypt(json.dumps(asdict(flow)).encode(), _FLOW_CONTEXT)
        text = base64.urlsafe_b64encode(sealed).decode()
        self._set(response, "flow", text, lifetime_s)

    def flow(self, request: Request, now: float) -> Flow:
        """Return the flow that the browser carries.

        Raises:
            SignInFailed: none, not ours, or too old.
        """
        try:
            sealed = base64.urlsafe_b64decode(self._read(request, "flow"))
            flow = Flow(**json.loads(self._cipher.decrypt(sealed, _FLOW_CONTEXT)))
        except (ValueError, TypeError, SigningKeyFault) as fault:
            raise SignInFailed(
                "this sign-in was not started in this browser: start again"
            ) from fault
        if flow.ends_at <= now:
            raise SignInFailed("signing in took too long: start again")
        return flow

    def delete_flow(self, response: Response) -> None:
        """Take the flow back."""
        self._set(response, "flow", "", 0)

    def _read(self, request: Request, name: str) -> str:
        return request.cookies.get(self._name(name), "")

    def _name(self, name: str) -> str:
        prefix = "__Host-" if self._is_secure else ""
        return f"{prefix}thenar-portal-{name}"

    def _set(self, response: Response, name: str, value: str, lifetime_s: int | None) -> None:
        response.set_cookie(
            self._name(name),
            value,
            max_age=lifetime_s,
            path="/",
            secure=self._is_secure,
            httponly=True,
            samesite="lax",
        )


def visit_of(
    request: Request, cookies: PortalCookies, session: str, developer: Developer | None
) -> Visit:
    """Return the visit; a browser without a form secret gets a new one."""
    known = cookies.form_secret(request)
    return Visit(request, known or new_secret(), known is None, session, developer)
