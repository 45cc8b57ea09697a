"""Session, CSRF protection and sign-in flow of the portal, in three cookies.

They hold the session secret, the secret of this browser's forms (OWASP ASVS 5.0, 3.5.1)
and the encrypted flow.
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
from oidc.plumbing.cookies import host_name, set_cookie
from oidc.portal.relying_party import Flow
from oidc.protocol.identifiers import new_secret
from oidc.web.cookies.cookie import is_same_origin_form

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from oidc.storage.stores.clients.developers import Developer
    from oidc.web.paths import Paths

PROOF: Final = "proof"
"""Name of the hidden field in every form."""

CONFIRMED: Final = "confirmed"
"""Query parameter of a page that a palm returns to."""

SAVED: Final = "saved"
"""Query parameter of a page that a change returns to."""

_FLOW_CONTEXT: Final = "thenar portal flow"


@dataclass(frozen=True, slots=True)
class Visit:
    """One request to the portal, with its session.

    Attributes:
        form_secret: of this browser.
        is_new: whether the form secret must be set first.
        session: its secret, or empty.
        developer: who is signed in, or None.
    """

    request: Request
    form_secret: str = field(repr=False)
    is_new: bool
    session: str = field(repr=False)
    developer: Developer | None

    @property
    def proof(self) -> str:
        """CSRF token for forms of this browser and session."""
        key, bound = self.form_secret.encode(), self.session.encode()
        return hmac.new(key, b"portal form " + bound, hashlib.sha256).hexdigest()

    @property
    def is_confirmed(self) -> bool:
        """Whether the browser has just returned with the palm that a change needs."""
        return CONFIRMED in self.request.query_params

    @property
    def shown(self) -> dict[str, object]:
        """What every page shows of it."""
        return {
            "proof": self.proof,
            "developer": self.developer,
            "is_confirmed": self.is_confirmed,
            "is_saved": SAVED in self.request.query_params,
            # What answers a form cannot be shown again, in another language.
            "may_reload": self.request.method != "POST",
        }

    def require_own_form(self, paths: Paths, proof: str) -> None:
        """Check the CSRF token and origin of a form.

        Raises:
            FormRefused: they do not match.
        """
        is_right = hmac.compare_digest(self.proof.encode(), proof.encode())
        if self.is_new or not is_right or not is_same_origin_form(self.request, paths):
            raise FormRefused("the form is too old or from another site: reload the page")

    def require_developer(self) -> Developer:
        """Return who is signed in.

        Raises:
            NotSignedIn: there is no session.
        """
        if self.developer is None:
            raise NotSignedIn("sign in first")
        return self.developer


class PortalCookies:
    """Sets, reads and deletes the portal's cookies."""

    def __init__(self, cipher: KeyCipher, *, is_secure: bool) -> None:
        self._cipher = KeyCipher(cipher.derive(b"thenar portal cookies"))
        self._is_secure = is_secure

    def form_secret(self, request: Request) -> str | None:
        """Return this browser's form secret, or None."""
        return self._read(request, "form") or None

    def session(self, request: Request) -> str:
        """Return the session secret, or an empty string."""
        return self._read(request, "session")

    def set_form_secret(self, response: Response, secret: str) -> None:
        """Set the form secret until the browser closes."""
        self._set(response, "form", secret, None)

    def set_session(self, response: Response, secret: str, lifetime_s: int) -> None:
        """Sign the browser in."""
        self._set(response, "session", secret, lifetime_s)

    def delete_session(self, response: Response) -> None:
        """Delete the session cookie."""
        self._set(response, "session", "", 0)

    def set_flow(self, response: Response, flow: Flow, lifetime_s: int) -> None:
        """Store an encrypted flow."""
        encrypted = self._cipher.encrypt(json.dumps(asdict(flow)).encode(), _FLOW_CONTEXT)
        text = base64.urlsafe_b64encode(encrypted).decode()
        self._set(response, "flow", text, lifetime_s)

    def flow(self, request: Request, now: float) -> Flow:
        """Return the browser's flow.

        Raises:
            SignInFailed: missing, not ours or expired.
        """
        try:
            encrypted = base64.urlsafe_b64decode(self._read(request, "flow"))
            flow = Flow(**json.loads(self._cipher.decrypt(encrypted, _FLOW_CONTEXT)))
        except (ValueError, TypeError, SigningKeyFault) as fault:
            raise SignInFailed(
                "this sign-in was not started in this browser: start again"
            ) from fault
        if flow.ends_at <= now:
            raise SignInFailed("signing in took too long: start again")
        return flow

    def delete_flow(self, response: Response) -> None:
        """Delete the flow cookie."""
        self._set(response, "flow", "", 0)

    def _read(self, request: Request, name: str) -> str:
        return request.cookies.get(self._name(name), "")

    def _name(self, name: str) -> str:
        return host_name(f"thenar-portal-{name}", is_secure=self._is_secure)

    def _set(self, response: Response, name: str, value: str, lifetime_s: int | None) -> None:
        set_cookie(response, self._name(name), value, lifetime_s, is_secure=self._is_secure)


def visit_of(
    request: Request, cookies: PortalCookies, session: str, developer: Developer | None
) -> Visit:
    """Return the request with its session; a new browser gets a form secret."""
    known = cookies.form_secret(request)
    return Visit(request, known or new_secret(), known is None, session, developer)
