"""Renders the pages for people, with a strict content security policy.

Nothing from third parties, no framing, no referrer to other sites. Forms lead to this host.
Browsers apply ``form-action`` to every redirect that follows (Content Security Policy Level 3
§6.4.2), so a form that ends at a client is answered by a page that leads on.

The first QR code of a consent page is always dark on light, for scanners. The browser draws
those that follow (``consent.js``); without scripts, the page is loaded again.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import segno
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from oidc.login.views import LoginView, Progress
from oidc.logout import ConfirmationNeeded, SignedOut
from oidc.protocol import host_of, is_loopback
from oidc.settings import OidcSettings
from oidc.types import OPEN_STATES, Brand, LoginState, NextStep
from oidc.web.language import COOKIE, Language, Languages

_BORDER: Final = 4
"""Modules of the quiet zone. ISO/IEC 18004 §5.3.8."""

_SIDE_PX: Final = 272
"""Greatest width; each module is a whole number of pixels."""

_MASK: Final = 3
"""Fixed: trying all eight takes 7 ms, and random ticket bits suit each. ISO/IEC 18004 §7.8."""


@dataclass(frozen=True, slots=True)
class QrCode:
    """A drawn code; ``path`` is the ``d`` of an SVG path.

    ``side`` counts modules with the quiet zone; ``side_px`` makes them equally wide.
    """

    side: int
    side_px: int
    path: str

    @property
    def svg(self) -> str:
        """Inline SVG, dark on light."""
        box = f"0 0 {self.side} {self.side}"
        return (
            f'<svg width="{self.side_px}" height="{self.side_px}" viewBox="{box}"'
            ' class="qr-code" shape-rendering="crispEdges">'
            f'<path fill="#fff" d="M0 0h{self.side}v{self.side}h-{self.side}z"/>'
            f'<path id="qr-modules" fill="#000" d="{self.path}"/></svg>'
        )


def draw_qr(link: str) -> QrCode:
    """Draw a link, error correction M. ISO/IEC 18004."""
    code = segno.make(link, error="m", micro=False, mask=_MASK)
    side, _ = code.symbol_size(border=_BORDER)
    rows = enumerate(code.matrix, start=_BORDER)
    path = "".join(_row(number, bytes(row)) for number, row in rows)
    return QrCode(int(side), int(side) * max(1, _SIDE_PX // int(side)), path)


def _row(number: int, modules: bytes) -> str:
    drawn, column = [], _BORDER
    for is_dark, run in groupby(modules):
        length = len(list(run))
        if is_dark:
            drawn.append(f"M{column} {number}h{length}v1h-{length}z")
        column += length
    return "".join(drawn)


_HERE: Final = Path(__file__).parent
_MEDIA_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)

_HEADERS: Final = {
    "Content-Security-Policy": f"{_POLICY}; form-action 'self'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    # With no-referrer browsers would send ``Origin: null`` with our own forms.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
    "Vary": "Accept-Language, Cookie",
}

CODE_HINTS: Final = frozenset({NextStep.WAIT_CODE, NextStep.CODE_RETRY})
"""States in which the browser must enter the confirmation code."""

SAME_DEVICE_SUFFIX: Final = "&here"
"""Follows the ticket in the link for people who continue on the same device."""


@dataclass(frozen=True, slots=True)
class ShownCode:
    """The content of the QR code on the page at one moment, and its lifetime."""

    link: str = field(repr=False)
    lasts_s: float


class Pages:
    """Renders the pages; ``more`` folders have templates and catalogues of their own."""

    def __init__(self, settings: OidcSettings, *more: Path) -> None:
        self._settings = settings
        self._environment = Environment(
            loader=FileSystemLoader([each / "templates" for each in (_HERE, *more)]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._languages = Languages(*(each / "locales" for each in more))
        # No phone reaches a demo on loopback.
        host = urlsplit(settings.phone_url).hostname or ""
        self._is_here_only = bool(settings.demo_command_template) and is_loopback(host)
        brand = settings.brand
        shown = {"brand": brand.name, "languages": self._languages}
        self._environment.globals.update(shown, home=f"{settings.auth_url}/")
        self._static = {each.name: each.read_bytes() for each in (_HERE / "static").iterdir()}
        tokens = self._static["tokens.css"].decode()
        self._static["tokens.css"] = tokens.replace(Brand().colour, brand.colour).encode()
        if brand.mark is not None:
            self._static["icon.svg"] = brand.mark.read_bytes()

    def language(self, request: Request, ui_locales: str | None = None) -> Language:
        """Return the language for the sender of this request."""
        # What the person chose in the menu comes first.
        asked = f"{request.cookies.get(COOKIE, '')} {ui_locales or ''}"
        return self._languages.choose(asked, request.headers.get("accept-language"))

    def shown_code(self, view: LoginView, now: datetime) -> ShownCode:
        """Return the current QR code."""
        age_s = max(0.0, (now - view.opened_at).total_seconds())
        link = f"{self._settings.phone_url}#{view.tickets.at(age_s)}"
        step_s = view.tickets.step_s
        return ShownCode(link, step_s - age_s % step_s)

    def consent(
        self,
        view: LoginView,
        now: datetime,
        language: Language,
        *,
        handheld: bool = False,
        logo: str | None = None,
    ) -> HTMLResponse:
        """Render the consent page: client with the URL of its logo, QR code and progress."""
        progress, request = view.progress, view.request
        is_pending = progress.state is LoginState.PENDING
        shown = self.shown_code(view, now) if is_pending else None
        return self.page(
            "consent.html",
            language,
            here=f"{self._settings.auth_url}/oauth/consent/{progress.login_id}",
            client_name=request.client_name,
            client_logo=logo,
            client_host=host_of(request.redirect_uri),
            registered_itself=request.registered_itself,
            keeps_signed_in="offline_access" in request.scope,
            hint=progress.hint,
            hints=list(NextStep),
            is_over=is_over(progress),
            is_renewable=progress.is_renewable,
            wants_code=progress.hint in CODE_HINTS,
            tries_left=progress.tries_left,
            verifies=view.verifies,
            is_handheld=handheld or view.at_station or self._is_here_only,
            is_here_only=self._is_here_only,
            at_station=view.at_station,
            seconds_left=seconds_left(progress.expires_at, now),
            link=shown and shown.link + SAME_DEVICE_SUFFIX,
            qr=shown and Markup(draw_qr(shown.link).svg),  # noqa: S704 - drawn here, of digits only
            demo_command=shown and self.demo_command(shown.link),
        )

    def home(self, language: Language, *, has_portal: bool) -> HTMLResponse:
        """Render the page at the root."""
        return self.page(
            "home.html",
            language,
            phone_url=self._settings.phone_url,
            demo_app_url=self._settings.demo_app_url,
            portal=f"{self._settings.auth_url}/portal" if has_portal else None,
            configuration=f"{self._settings.issuer}/.well-known/openid-configuration",
            support_email=self._settings.support_email,
        )

    def lead_on(
        self,
        address: str,
        language: Language,
        fields: Sequence[tuple[str, str]] = (),
    ) -> HTMLResponse:
        """Render a page that leads on to the client, by itself or by its button.

        Args:
            address: of the client.
            language: of the page.
            fields: to post there (Form Post Response Mode §2); without them it is a link.
        """
        host = host_of(address)
        page = self.page(
            "return.html", language, address=address, client_host=host, fields=fields
        )
        page.headers["Content-Security-Policy"] = _POLICY
        return page

    def confirm_logout(self, asked: ConfirmationNeeded, language: Language) -> HTMLResponse:
        """Render the sign-out confirmation. RP-Initiated Logout 1.0 §2."""
        request, client = asked.request, asked.request.client
        sent = {
            "client_id": None if client is None else client.client_id,
            "post_logout_redirect_uri": request.return_uri,
            "state": request.state,
            "id_token_hint": asked.id_token,
            "proof": asked.proof or None,
        }
        return self.page(
            "logout_confirm.html",
            language,
            here=f"{self._settings.auth_url}/oauth/logout/confirm",
            client_name=None if client is None else client.name,
            minutes=self._settings.session_minutes,
            what="logout_what" if asked.id_token is None else "logout_what_app",
            fields=[(name, value) for name, value in sent.items() if value is not None],
        )

    def signed_out(self, done: SignedOut, language: Language) -> HTMLResponse:
        """Render the sign-out page, with a link back to the client if possible."""
        client = done.request.client
        return self.page(
            "logout_done.html",
            language,
            return_address=done.request.return_address,
            client_name=None if client is None else client.name,
        )

    def error(
        self,
        request: Request,
        key: str,
        *,
        status: int,
        reason: str | None = None,
        client_name: str | None = None,
    ) -> HTMLResponse:
        """Render an error page; a header names the error for the access log.

        Args:
            request: gives the language, and the name that its log line has, for support.
            key: of the sentence in the catalogues.
            status: HTTP status.
            reason: for the client's developer, in English.
            client_name: for a sentence that has it.
        """
        page = self.page(
            "error.html",
            self.language(request),
            status=status,
            request_name=getattr(request.state, "request_name", None),
            message_key=key,
            reason=reason,
            client_name=client_name,
            support_email=self._settings.support_email,
        )
        page.headers["X-Error"] = key
        return page

    def asset(self, name: str) -> Response:
        """Return a script or stylesheet, cacheable for ever."""
        if name not in self._static:
            return Response(status_code=404)
        headers = {
            "Cache-Control": "public, max-age=31536000, immutable",
            "X-Content-Type-Options": "nosniff",
        }
        media_type = _MEDIA_TYPES[Path(name).suffix]
        return Response(self._static[name], media_type=media_type, headers=headers)

    def page(
        self, template: str, language: Language, *, status: int = 200, **values: object
    ) -> HTMLResponse:
        """Render a page in a language."""
        html = self._environment.get_template(template).render(
            asset=self.asset_address, language=language, t=language.translate, **values
        )
        headers = {**_HEADERS, "Content-Language": language.tag}
        return HTMLResponse(html, status, headers=headers)

    def asset_address(self, name: str) -> str:
        """Return the URL of a script or stylesheet; it changes with the content."""
        version = hashlib.sha256(self._static[name]).hexdigest()[:12]
        return f"{self._settings.auth_url}/oauth/static/{name}?v={version}"

    def demo_command(self, link: str) -> str | None:
        """Return the command shown in demo mode."""
        template = self._settings.demo_command_template
        return None if template is None else template.replace("{link}", link)


def is_over(progress: Progress) -> bool:
    """Return whether the browser has a result to collect."""
    return progress.state not in OPEN_STATES or progress.hint is NextStep.GO


def seconds_left(expires_at: datetime, now: datetime) -> int:
    """Return whole seconds until the deadline, never negative."""
    return max(0, round((expires_at - now).total_seconds()))
