"""The portal as a relying party of its provider, and the sessions and forms of its browsers.

Authorization code, PKCE, ID token: RFC 6749 §4.1, RFC 7636, RFC 9207, OpenID Connect Core
§3.1.3.7. The token endpoint is called in this process, but every check of a remote relying
party is made.

Three cookies hold the session secret, the secret of this browser's forms (OWASP ASVS 5.0,
3.5.1) and the encrypted flow.
"""

import base64
import hashlib
import hmac
import json
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from starlette.requests import Request
from starlette.responses import Response

from oidc.errors import BearerFault, FormRefused, NotSignedIn, SignInFailed, SigningKeyFault
from oidc.keys import KeyCipher
from oidc.plumbing.cookies import host_name, set_cookie
from oidc.portal.system_clients import PORTAL, callback_of, secret_of
from oidc.protocol import Parameters, acr_of, new_secret
from oidc.storage.stores.developers import Developer
from oidc.token_endpoint.requests import RawRequest
from oidc.tokens.access import PresentedAccessToken, Scheme, userinfo_claims
from oidc.tokens.claims import at_hash
from oidc.types import ClientId, Level
from oidc.web.body import FORM
from oidc.web.cookies import SecretCookie, is_same_origin_form
from oidc.web.paths import Paths
from oidc.web.services import Services

FLOW_S: Final = 900
"""Time to sign in, in seconds; longer than a login with its renewals."""

_ALGORITHMS: Final = ["RS256"]
_SLACK_S: Final = 30


@dataclass(frozen=True, slots=True)
class Flow:
    """What the portal remembers between redirect and callback.

    Attributes:
        returns: path of the page that waits for a palm.
        session: digest of the session that asks for one, in hexadecimal.
        draft: digest of the form that waits, in hexadecimal.
    """

    client_id: ClientId
    state: str = field(repr=False)
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)
    ends_at: float
    invitation: str | None = field(default=None, repr=False)
    returns: str = ""
    session: str = field(default="", repr=False)
    draft: str = ""

    @property
    def is_step_up(self) -> bool:
        """Whether a session asks for another palm. RFC 9470."""
        return bool(self.session)


@dataclass(frozen=True, slots=True)
class Received:
    """The verified results of a login. Holds no token.

    Attributes:
        header: of the ID token.
        claims: of the ID token.
        access_claims: of the access token, as a resource server reads them.
        response: the token response without its tokens.
    """

    header: dict[str, Any]
    claims: dict[str, Any] = field(repr=False)
    access_claims: dict[str, Any] = field(repr=False)
    userinfo: dict[str, str] = field(repr=False)
    response: dict[str, Any]

    @property
    def auth_time(self) -> datetime:
        """When the palm was shown."""
        return datetime.fromtimestamp(self.claims["auth_time"], UTC)


class RelyingParty:
    """Signs people in at this provider. Blocking."""

    def __init__(self, services: Services) -> None:
        self._context = services

    def begin(self, client_id: ClientId, invitation: bytes | None = None) -> Flow:
        """Return a new flow: state, nonce and verifier of 256 random bits each."""
        ends_at = self._context.clock().timestamp() + FLOW_S
        digest = None if invitation is None else invitation.hex()
        return Flow(client_id, new_secret(), new_secret(), new_secret(), ends_at, digest)

    def begin_step_up(self, returns: str, session: bytes, draft: bytes) -> Flow:
        """Return a new flow for a session that asks for another palm."""
        flow = self.begin(PORTAL)
        return replace(flow, returns=returns, session=session.hex(), draft=draft.hex())

    @property
    def _acr(self) -> str:
        """The only level that is accepted here, whatever the client's row says."""
        return acr_of(self._context.settings.issuer, Level.PALM_AND_PHONE)

    def address(self, flow: Flow) -> str:
        """Return the URL of the authorization request. RFC 7636 §4.3."""
        challenge = hashlib.sha256(flow.verifier.encode()).digest()
        acr = {"essential": True, "value": self._acr}
        query = {
            "response_type": "code",
            "client_id": flow.client_id,
            "redirect_uri": callback_of(self._context.settings, flow.client_id),
            "scope": "openid",
            "state": flow.state,
            "nonce": flow.nonce,
            "code_challenge": base64.urlsafe_b64encode(challenge).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
            "claims": json.dumps({"id_token": {"acr": acr}}),
            "prompt": "login",  # a signed-out developer's browser may have a session
        }
        return f"{self._context.settings.auth_url}/oauth/authorize?{urlencode(query)}"

    def finish(self, flow: Flow, answer: Parameters) -> Received:
        """Return the results for an authorization response, and revoke the grant.

        Raises:
            SignInFailed: an error response, or one to another request.
        """
        if not hmac.compare_digest(flow.state.encode(), (answer.state or "").encode()):
            raise SignInFailed("the response belongs to another sign-in: start again")
        if answer.get("iss") != self._context.settings.issuer:
            raise SignInFailed("the response names another issuer (RFC 9207)")
        error, code = answer.get("error"), answer.get("code")
        if error is not None or code is None:
            description = answer.get("error_description") or "no reason given"
            raise SignInFailed(f"{error or 'no code was sent'}: {description}")
        return self._build_received(flow, self._redeem(flow, code))

    def _redeem(self, flow: Flow, code: str) -> dict[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": callback_of(self._context.settings, flow.client_id),
            "code_verifier": flow.verifier,
            "client_id": flow.client_id,
            "client_secret": secret_of(self._context.cipher, flow.client_id),
        }
        raw = RawRequest(FORM, None, urlencode(form).encode())
        answer = self._context.token_endpoint.respond(raw)
        if answer.status != 200:
            reason = answer.body.get("error_description", "no reason given")
            raise SignInFailed(f"{answer.body.get('error')}: {reason}")
        return dict(answer.body)

    def _build_received(self, flow: Flow, response: dict[str, Any]) -> Received:
        id_token, access_token = response.pop("id_token"), response.pop("access_token")
        token = self._verify_id_token(flow, id_token, access_token)
        try:
            shown = PresentedAccessToken(Scheme.BEARER, access_token)
            living = self._context.userinfo.authorize(shown, "GET", [])
            userinfo = userinfo_claims(living)
        except BearerFault as fault:
            raise SignInFailed(f"userinfo refused the token: {fault}") from fault
        if userinfo["sub"] != token.claims["sub"]:
            raise SignInFailed("userinfo names a different subject (Core §5.3.2)")
        self._end(flow, access_token)
        header = dict(jws.extract_compact(id_token.encode()).headers())
        return Received(header, dict(token.claims), dict(living.claims), userinfo, response)

    def _verify_id_token(self, flow: Flow, id_token: str, access_token: str) -> jwt.Token:
        """Return the verified ID token. OpenID Connect Core §3.1.3.7."""
        registry = jwt.JWTClaimsRegistry(
            now=lambda: int(self._context.clock().timestamp()),
            leeway=_SLACK_S,
            iss={"essential": True, "value": self._context.settings.issuer},
            aud={"essential": True, "value": flow.client_id},
            nonce={"essential": True, "value": flow.nonce},
            at_hash={"essential": True, "value": at_hash(access_token)},
            acr={"essential": True, "value": self._acr},
            auth_time={"essential": True},
            sub={"essential": True},
            exp={"essential": True},
        )
        try:
            keys = KeySet.import_key_set(self._context.keys.jwks())  # type: ignore[arg-type]
            token = jwt.decode(id_token, keys, _ALGORITHMS)
            registry.validate(token.claims)
        except (JoseError, ValueError) as fault:
            raise SignInFailed("the ID token is not valid") from fault
        return token

    def _end(self, flow: Flow, access_token: str) -> None:
        introspection = self._context.client_endpoints.introspection
        with self._context.database.write() as stores:
            client = stores.clients.find(flow.client_id)
            if client is not None:
                introspection.revoke(stores, client, access_token)


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
    """Sets, reads and deletes the portal's cookies.

    Attributes:
        form: a browser's form secret, until it closes.
        session: the secret of a session; setting it signs the browser in.
        session_s: lifetime of a session.
    """

    def __init__(self, services: Services) -> None:
        self._cipher = KeyCipher(services.cipher.derive(b"thenar portal cookies"))
        self._is_secure = is_secure = services.settings.is_secure
        self._flow = host_name("thenar-portal-flow", is_secure=is_secure)
        self.form = SecretCookie("thenar-portal-form", str, is_secure, None)
        self.session_s = services.settings.portal_session_minutes * 60
        self.session = SecretCookie("thenar-portal-session", str, is_secure, self.session_s)

    def set_flow(self, response: Response, flow: Flow) -> None:
        """Store an encrypted flow."""
        encrypted = self._cipher.encrypt(json.dumps(asdict(flow)).encode(), _FLOW_CONTEXT)
        text = base64.urlsafe_b64encode(encrypted).decode()
        set_cookie(response, self._flow, text, FLOW_S, is_secure=self._is_secure)

    def flow(self, request: Request, now: float) -> Flow:
        """Return the browser's flow.

        Raises:
            SignInFailed: missing, not ours or expired.
        """
        try:
            encrypted = base64.urlsafe_b64decode(request.cookies.get(self._flow, ""))
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
        set_cookie(response, self._flow, "", 0, is_secure=self._is_secure)
