"""The sample app: OpenID Connect with Authlib's client, and its pages. What an app would copy.

Authlib fetches discovery and keys, makes ``state``, ``nonce`` and PKCE, exchanges the code and
verifies the ID token. Added here: the issuer of discovery and callback, the audience, and who
was requested.

The pages are a sign-in button, the callback, and the claims. Sessions are in memory, one per
browser. A login that another browser started is refused.
"""

import hmac
import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx2
from authlib.integrations.starlette_client import OAuth, OAuthError
from fastapi import Cookie, FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader
from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from starlette.responses import Response

LEEWAY_S: Final = 60
"""Allowed clock skew."""

LOGOUT_EVENT: Final = "http://schemas.openid.net/event/backchannel-logout"

REFUSED: Final = (OAuthError, JoseError, ValueError, httpx2.HTTPError)
"""The sign-in failed: an error of the provider, or a wrong callback or token."""


@dataclass(frozen=True, slots=True)
class Registration:
    """Our registration at the provider."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    redirect_uri: str


@dataclass(frozen=True, slots=True)
class PendingLogin:
    """A login that one browser started; only ``url`` is sent.

    Attributes:
        url: of the authorization request.
        state: against cross-site request forgery. RFC 6749 §10.12.
        nonce: binds the ID token to this request. OpenID Connect Core §3.1.2.1.
        code_verifier: RFC 7636 §4.1.
        subject: who must sign in; None: anybody.
    """

    url: str = field(repr=False)
    state: str = field(repr=False)
    nonce: str = field(repr=False)
    code_verifier: str = field(repr=False)
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A signed-in user: ID token header, verified claims, userinfo.

    Attributes:
        verified_again: this user was requested.
    """

    header: Mapping[str, Any]
    claims: Mapping[str, Any]
    userinfo: Mapping[str, Any]
    verified_again: bool


class OpenIdConnect:
    """The protocol, from discovery to verified claims."""

    def __init__(
        self, registration: Registration, transport: httpx2.AsyncBaseTransport | None = None
    ) -> None:
        self._registration = registration
        self.redirect_uri = registration.redirect_uri
        self._client = OAuth().register(
            "thenar",
            client_id=registration.client_id,
            client_secret=registration.client_secret,
            server_metadata_url=(
                f"{registration.issuer.rstrip('/')}/.well-known/openid-configuration"
            ),
            client_kwargs={
                "scope": "openid",
                "code_challenge_method": "S256",
                "transport": transport,
            },
        )

    async def begin(self, *, subject: str | None = None) -> PendingLogin:
        """Return the pending login; redirect the browser to its ``url``.

        ``subject`` is the ``sub`` of a linked user to verify again (specification §4.6).
        Raises one of ``REFUSED``.
        """
        metadata = await self._client.load_server_metadata()
        if metadata.get("issuer") != self._registration.issuer:
            raise _refusal("discovery names another issuer (OpenID Connect Discovery §4.3)")
        wanted = {} if subject is None else {"user_id": subject}
        began = await self._client.create_authorization_url(self.redirect_uri, **wanted)
        return PendingLogin(**began, subject=subject)

    async def finish(self, pending: PendingLogin, callback: Mapping[str, str]) -> SignedIn:
        """Check a callback and return verified claims. Raises one of ``REFUSED``."""
        self._require_our_callback(pending, callback)
        tokens = await self._client.fetch_access_token(
            self.redirect_uri,
            code=callback["code"],
            code_verifier=pending.code_verifier,
        )
        claims = await self._client.parse_id_token(
            tokens, pending.nonce, self._claims_options(), leeway=LEEWAY_S
        )
        userinfo = await self._client.userinfo(token=tokens)
        if userinfo.get("sub") != claims["sub"]:
            raise _refusal("userinfo is about another subject (OpenID Connect Core §5.3.2)")
        if pending.subject not in (None, claims["sub"]):
            raise _refusal("a different person signed in than requested")
        header = jws.extract_compact(tokens["id_token"].encode()).headers()
        return SignedIn(header, claims, userinfo, pending.subject is not None)

    async def ended(self, logout_token: str) -> str:
        """Return whose sessions a logout token ends: a ``sub``.

        Back-Channel Logout 1.0 §2.6. Raises one of ``REFUSED``.
        """
        await self._client.load_server_metadata()
        keys = KeySet.import_key_set(await self._client.fetch_jwk_set())
        token = jwt.decode(logout_token, keys, algorithms=["RS256"])
        jwt.JWTClaimsRegistry(
            leeway=LEEWAY_S,
            iss={"essential": True, "value": self._registration.issuer},
            aud={"essential": True, "value": self._registration.client_id},
            iat={"essential": True},
            exp={"essential": True},
        ).validate(token.claims)
        if LOGOUT_EVENT not in token.claims.get("events", {}) or "nonce" in token.claims:
            raise _refusal("this is no logout token")
        return str(token.claims["sub"])

    def _claims_options(self) -> dict[str, dict[str, object]]:
        """Return what Authlib would otherwise take from the provider, or not check."""
        registration = self._registration
        expected = {"iss": registration.issuer, "aud": registration.client_id}
        return {name: {"essential": True, "value": value} for name, value in expected.items()}

    def _require_our_callback(self, pending: PendingLogin, callback: Mapping[str, str]) -> None:
        """Refuse a callback for another request or from another provider."""
        if not hmac.compare_digest(callback.get("state", "").encode(), pending.state.encode()):
            raise _refusal("the callback answers another request")
        if callback.get("iss", self._registration.issuer) != self._registration.issuer:
            raise _refusal("the callback names another issuer (RFC 9207 §2.4)")
        if "error" in callback:
            raise OAuthError(callback["error"], callback.get("error_description"))
        if "code" not in callback:
            raise _refusal("the callback carries no code")


def _refusal(reason: str) -> OAuthError:
    return OAuthError("login_refused", reason)


Page = TypeVar("Page", bound=Response)

HERE: Final = Path(__file__).parent

COOKIE: Final = "bookshop-session"
"""Session cookie. No ``__Host-`` prefix: it is served over plain HTTP on loopback."""

SESSION_LIMIT: Final = 1000
"""Sessions kept; the least recently used goes first."""

PENDING_LIMIT: Final = 8
"""Pending logins per session."""

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)

TIMES: Final = ("iat", "nbf", "exp", "auth_time")
"""Claims in seconds since 1970, also shown as dates; ``times.js`` writes them as readers do."""


@dataclass(slots=True)
class Session:
    """One browser: its pending logins and who is signed in."""

    pending: OrderedDict[str, PendingLogin] = field(default_factory=OrderedDict, repr=False)
    signed_in: SignedIn | None = field(default=None, repr=False)
    message: str = ""

    def keep(self, pending: PendingLogin) -> None:
        """Keep a login that began; the oldest one goes."""
        self.pending[pending.state] = pending
        while len(self.pending) > PENDING_LIMIT:
            self.pending.popitem(last=False)


class Sessions:
    """All sessions."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, cookie: str | None) -> tuple[str, Session]:
        """Return the session of a cookie, or a new one."""
        with self._lock:
            if cookie is None or cookie not in self._sessions:
                cookie = secrets.token_urlsafe(24)
                self._sessions[cookie] = Session()
            self._sessions.move_to_end(cookie)
            while len(self._sessions) > SESSION_LIMIT:
                self._sessions.popitem(last=False)
            return cookie, self._sessions[cookie]

    def end(self, subject: str) -> None:
        """Sign this user out in every browser."""
        with self._lock:
            for each in self._sessions.values():
                if each.signed_in and each.signed_in.claims["sub"] == subject:
                    each.signed_in, each.message = None, "Thenar has signed you out here."


def build_relying_party(provider: OpenIdConnect) -> FastAPI:
    """Build the app's pages."""
    app = FastAPI(title="Corner Bookshop", docs_url=None, redoc_url=None, openapi_url=None)
    app.mount("/static", StaticFiles(directory=HERE / "static", follow_symlink=True))
    sessions = Sessions()

    @app.get("/")
    def home(session: Annotated[str | None, Cookie(alias=COOKIE)] = None) -> HTMLResponse:
        """Show the button, or who is signed in."""
        name, mine = sessions.of(session)
        message, mine.message = mine.message, ""
        return _remember(HTMLResponse(render(mine.signed_in, message)), name)

    @app.get("/login")
    async def login(
        request: Request,
        *,
        again: bool = False,
        session: Annotated[str | None, Cookie(alias=COOKIE)] = None,
    ) -> RedirectResponse:
        """Send the browser to the provider; ``again`` asks for the same person."""
        if request.url.netloc != urlsplit(provider.redirect_uri).netloc:
            # The callback would come to a host that has no such cookie.
            return RedirectResponse(urljoin(provider.redirect_uri, "/login"))
        name, mine = sessions.of(session)
        subject = mine.signed_in.claims["sub"] if again and mine.signed_in else None
        pending = await provider.begin(subject=subject)
        mine.keep(pending)
        return _remember(RedirectResponse(pending.url, status_code=302), name)

    @app.get("/callback")
    async def callback(
        request: Request, session: Annotated[str | None, Cookie(alias=COOKIE)] = None
    ) -> RedirectResponse:
        """Finish a login that this browser began."""
        name, mine = sessions.of(session)
        await _finish(provider, mine, dict(request.query_params))
        return _remember(RedirectResponse("/", status_code=303), name)

    @app.get("/logout")
    def logout(session: Annotated[str | None, Cookie(alias=COOKIE)] = None) -> RedirectResponse:
        """Forget who is signed in here."""
        name, mine = sessions.of(session)
        mine.signed_in, mine.message = None, "You have signed out of the bookshop."
        return _remember(RedirectResponse("/", status_code=303), name)

    @app.post("/backchannel-logout")
    async def end(request: Request) -> Response:
        """Take a logout token. Back-Channel Logout 1.0 §2.8."""
        given = parse_qs((await request.body()).decode(errors="replace")).get("logout_token")
        try:
            sessions.end(await provider.ended(given[0] if given else ""))
        except REFUSED:
            return Response(status_code=400, headers={"Cache-Control": "no-store"})
        return Response(headers={"Cache-Control": "no-store"})

    return app


async def _finish(provider: OpenIdConnect, mine: Session, query: dict[str, str]) -> None:
    """Finish a login; the next page shows the result."""
    pending = mine.pending.pop(query.get("state", ""), None)
    if pending is None:
        mine.message = "This browser did not start that login."
        return
    try:
        mine.signed_in = await provider.finish(pending, query)
    except REFUSED as fault:
        end = "This sign-in changed nothing." if mine.signed_in else "You are not signed in."
        mine.message = f"{end} {fault}"


def render(signed_in: SignedIn | None, message: str) -> str:
    """Return the page's HTML."""
    pages = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True)
    return pages.get_template("home.html").render(
        message=message,
        signed_in=signed_in,
        times=_times(signed_in.claims) if signed_in else {},
        header=_pretty(signed_in.header) if signed_in else "",
        claims=_pretty(signed_in.claims) if signed_in else "",
        userinfo=_pretty(signed_in.userinfo) if signed_in else "",
    )


def _times(claims: Any) -> dict[str, datetime]:  # noqa: ANN401 -- claims are whatever JSON came
    """Return the time claims as dates."""
    return {
        name: datetime.fromtimestamp(claims[name], UTC)
        for name in TIMES
        if isinstance(claims.get(name), int)
    }


def _pretty(value: object) -> str:
    """Return indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _remember(page: Page, name: str) -> Page:
    """Set the session cookie and security headers."""
    page.set_cookie(COOKIE, name, httponly=True, samesite="lax", path="/")
    page.headers["Content-Security-Policy"] = POLICY
    page.headers["Cache-Control"] = "no-store"
    page.headers["Referrer-Policy"] = "no-referrer"
    return page
