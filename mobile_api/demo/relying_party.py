"""The sample app: OpenID Connect with Authlib's client, and its pages. What an app would copy.

Authlib fetches discovery and keys, makes ``state``, ``nonce`` and PKCE, keeps them in the
browser's session, exchanges the code and verifies the ID token. Added here: the issuer of
discovery and callback, the audience, and who was requested.

The pages are a sign-in button, the callback, and the claims. Sessions are in memory, one per
browser. A login that another browser started is refused.
"""

import json
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx2
from authlib.integrations.starlette_client import OAuth, OAuthError
from fastapi import FastAPI, Request
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
        issuer = registration.issuer.rstrip("/")
        self._client = OAuth().register(
            "thenar",
            client_id=registration.client_id,
            client_secret=registration.client_secret,
            server_metadata_url=f"{issuer}/.well-known/openid-configuration",
            client_kwargs={
                "scope": "openid",
                "code_challenge_method": "S256",
                "transport": transport,
            },
        )

    async def begin(self, request: Request, subject: str | None = None) -> RedirectResponse:
        """Keep a login in the session, and send the browser to the provider.

        ``subject`` is the ``sub`` of a linked user to verify again (specification §4.6).
        Raises one of ``REFUSED``.
        """
        metadata = await self._client.load_server_metadata()
        if metadata.get("issuer") != self._registration.issuer:
            raise _refusal("discovery names another issuer (OpenID Connect Discovery §4.3)")
        uri, wanted = self.redirect_uri, {} if subject is None else {"user_id": subject}
        began = await self._client.create_authorization_url(uri, **wanted)
        kept = {"redirect_uri": uri, "subject": subject, **began}
        await self._client.save_authorize_data(request, **kept)
        return RedirectResponse(began["url"], status_code=302)

    async def finish(self, request: Request) -> SignedIn:
        """Check a callback and return verified claims. Raises one of ``REFUSED``."""
        subject = await self._requested(request)
        tokens = await self._client.authorize_access_token(
            request, claims_options=self._claims_options(), leeway=LEEWAY_S
        )
        if (claims := tokens.get("userinfo")) is None:
            raise _refusal("the provider sent no ID token")
        userinfo = await self._client.userinfo(token=tokens)
        if userinfo.get("sub") != claims["sub"]:
            raise _refusal("userinfo is about another subject (OpenID Connect Core §5.3.2)")
        if subject not in (None, claims["sub"]):
            raise _refusal("a different person signed in than requested")
        header = jws.extract_compact(tokens["id_token"].encode()).headers()
        return SignedIn(header, claims, userinfo, subject is not None)

    async def _requested(self, request: Request) -> str | None:
        """Return who was requested, in a callback to a login of this session."""
        answer, issuer = request.query_params, self._registration.issuer
        state, ours = answer.get("state"), self._client.framework
        asked: dict[str, str | None] | None = await ours.get_state_data(request.session, state)
        if asked is None:
            raise _refusal("this browser did not start that login")
        if answer.get("iss", issuer) != issuer:
            raise _refusal("the callback names another issuer (RFC 9207 §2.4)")
        if "error" not in answer and "code" not in answer:
            raise _refusal("the callback carries no code")
        return asked["subject"]

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


def _refusal(reason: str) -> OAuthError:
    return OAuthError("login_refused", reason)


HERE: Final = Path(__file__).parent

COOKIE: Final = "bookshop-session"
"""Session cookie. No ``__Host-`` prefix: it is served over plain HTTP on loopback."""

SESSION_LIMIT: Final = 1000
"""Sessions kept; the least recently used goes first."""

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
}

TIMES: Final = ("iat", "nbf", "exp", "auth_time")
"""Claims in seconds since 1970, also shown as dates; ``times.js`` writes them as readers do."""

Session = dict[str, Any]
"""One browser: its pending logins, as Authlib keeps them, and who is signed in."""


class Sessions:
    """All sessions."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def of(self, cookie: str | None) -> tuple[str, Session]:
        """Return the session of a cookie, or a new one."""
        if cookie is None or cookie not in self._sessions:
            cookie = secrets.token_urlsafe(24)
            self._sessions[cookie] = {}
        self._sessions.move_to_end(cookie)
        while len(self._sessions) > SESSION_LIMIT:
            self._sessions.popitem(last=False)
        return cookie, self._sessions[cookie]

    def end(self, subject: str) -> None:
        """Sign this user out in every browser."""
        for each in self._sessions.values():
            if "signed_in" in each and each["signed_in"].claims["sub"] == subject:
                del each["signed_in"]
                each["message"] = "Thenar has signed you out here."


def build_relying_party(provider: OpenIdConnect) -> FastAPI:
    """Build the app's pages."""
    app = FastAPI(title="Corner Bookshop", docs_url=None, redoc_url=None, openapi_url=None)
    app.mount("/static", StaticFiles(directory=HERE / "static", follow_symlink=True))
    sessions = Sessions()

    @app.middleware("http")
    async def with_session(
        request: Request, answer: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        """Give each page its browser's session, and security headers."""
        name, request.scope["session"] = sessions.of(request.cookies.get(COOKIE))
        page = await answer(request)
        page.set_cookie(COOKIE, name, httponly=True, samesite="lax", path="/")
        page.headers.update(HEADERS)
        return page

    @app.get("/")
    async def home(request: Request) -> HTMLResponse:
        """Show the button, or who is signed in."""
        mine: Session = request.session
        return HTMLResponse(render(mine.get("signed_in"), mine.pop("message", "")))

    @app.get("/login")
    async def login(request: Request, *, again: bool = False) -> RedirectResponse:
        """Send the browser to the provider; ``again`` asks for the same person."""
        if request.url.netloc != urlsplit(provider.redirect_uri).netloc:
            # The callback would come to a host that has no such cookie.
            return RedirectResponse(urljoin(provider.redirect_uri, "/login"))
        mine: SignedIn | None = request.session.get("signed_in")
        return await provider.begin(request, mine.claims["sub"] if again and mine else None)

    @app.get("/callback")
    async def callback(request: Request) -> RedirectResponse:
        """Finish a login that this browser began; the next page shows the result."""
        await _finish(provider, request)
        return RedirectResponse("/", status_code=303)

    @app.get("/logout")
    async def logout(request: Request) -> RedirectResponse:
        """Forget who is signed in here."""
        request.session.pop("signed_in", None)
        request.session["message"] = "You have signed out of the bookshop."
        return RedirectResponse("/", status_code=303)

    @app.post("/backchannel-logout")
    async def end(request: Request) -> Response:
        """Take a logout token. Back-Channel Logout 1.0 §2.8."""
        return await _end(provider, sessions, request)

    return app


async def _end(provider: OpenIdConnect, sessions: Sessions, request: Request) -> Response:
    given = parse_qs((await request.body()).decode(errors="replace")).get("logout_token")
    try:
        sessions.end(await provider.ended(given[0] if given else ""))
    except REFUSED:
        return Response(status_code=400)
    return Response()


async def _finish(provider: OpenIdConnect, request: Request) -> None:
    mine: Session = request.session
    try:
        mine["signed_in"] = await provider.finish(request)
    except REFUSED as fault:
        is_in = "signed_in" in mine
        end = "This sign-in changed nothing." if is_in else "You are not signed in."
        mine["message"] = f"{end} {fault}"


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
