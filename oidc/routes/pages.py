"""The pages a person may see, with headers that leave a browser no choice.

No script, style, picture or request of a third party; no framing; no referrer to strangers. The
form may lead to this host and to the origin of this login's redirect URI: browsers apply
``form-action`` to the redirect that answers a form, too (Content Security Policy Level 3
§6.4.2).
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from oidc.addresses import form_action_of, host_of
from oidc.qr import qr_svg
from oidc.types import OPEN_STATES, Hint, LoginState

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.answers import ClientAnswer
    from oidc.settings import OidcSettings
    from oidc.waiting import View

_HERE: Final = Path(__file__).parent.parent
_MEDIA_TYPES: Final = {
    "page.css": "text/css",
    "consent.js": "text/javascript",
    "form_post.js": "text/javascript",
}

STATUS: Final = {
    Hint.WAIT_SCAN: "Scan the code with the camera of your phone.",
    Hint.WAIT_PALM: "Continue on your phone: show your palm to its camera.",
    Hint.PALM_RETRY: "That did not work. Try again on your phone.",
    Hint.WAIT_APPROVE: "Palm recognised. Approve on your phone.",
    Hint.GO: "Approved. You are signed in.",
    Hint.DECLINED: "Declined on the phone. Nothing was shared.",
    Hint.EXPIRED: "Time ran out. Nothing was shared.",
    Hint.LOCKED: "The palm could not be verified. Nothing was shared.",
    Hint.CANCELLED: "Cancelled. Nothing was shared.",
}
"""What the page says, for every hint."""


class Pages:
    """Renders the pages."""

    def __init__(self, settings: OidcSettings) -> None:
        self._settings = settings
        self._environment = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._static = {name: (_HERE / "static" / name).read_bytes() for name in _MEDIA_TYPES}

    def consent(self, view: View, now: datetime) -> HTMLResponse:
        """Show who asks, the QR code, and what happens."""
        progress, request = view.progress, view.request
        link = f"{self._settings.phone_url}#{view.ticket}"
        is_pending = progress.state is LoginState.PENDING
        return self._page(
            "consent.html",
            form_action=form_action_of(request.redirect_uri),
            here=f"{self._settings.auth_url}/oauth/consent/{progress.login_id}",
            client_name=request.client_name,
            client_host=host_of(request.redirect_uri),
            keeps_signed_in="offline_access" in request.scope,
            hint=progress.hint,
            is_over=progress.state not in OPEN_STATES or progress.hint is Hint.GO,
            seconds_left=seconds_left(progress.expires_at, now),
            messages=STATUS,
            link=link if is_pending else None,
            qr=Markup(qr_svg(link)) if is_pending else None,  # noqa: S704
            demo_command=self._demo_command(link) if is_pending else None,
        )

    def form_post(self, answer: ClientAnswer) -> HTMLResponse:
        """Post the answer to the client. OAuth 2.0 Form Post Response Mode §2.

        The script submits the form; without scripts the person presses its button.
        """
        return self._page(
            "form_post.html",
            form_action=form_action_of(answer.redirect_uri),
            redirect_uri=answer.redirect_uri,
            client_host=host_of(answer.redirect_uri),
            fields=answer.fields,
        )

    def error(self, message: str, *, status: int) -> HTMLResponse:
        """Show what went wrong, and whom to ask."""
        return self._page(
            "error.html",
            status=status,
            message=message,
            support_email=self._settings.support_email,
        )

    def asset(self, name: str) -> Response:
        """Return a script or style; its address changes with its content."""
        if name not in self._static:
            return Response(status_code=404)
        headers = {
            "Cache-Control": "public, max-age=31536000, immutable",
            "X-Content-Type-Options": "nosniff",
        }
        return Response(self._static[name], media_type=_MEDIA_TYPES[name], headers=headers)

    def _page(
        self, template: str, *, status: int = 200, form_action: str = "", **values: object
    ) -> HTMLResponse:
        html = self._environment.get_template(template).render(asset=self._asset, **values)
        return HTMLResponse(html, status, headers=_headers(form_action))

    def _asset(self, name: str) -> str:
        version = hashlib.sha256(self._static[name]).hexdigest()[:12]
        return f"{self._settings.auth_url}/oauth/static/{name}?v={version}"

    def _demo_command(self, link: str) -> str | None:
        template = self._settings.demo_command_template
        return None if template is None else template.replace("{link}", link)


def seconds_left(expires_at: datetime, now: datetime) -> int:
    """Return whole seconds until the deadline, never negative."""
    return max(0, round((expires_at - now).total_seconds()))


def _headers(form_action: str) -> dict[str, str]:
    policy = (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        f"form-action 'self' {form_action}".rstrip(),
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
    return {
        "Content-Security-Policy": "; ".join(policy),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        # Not no-referrer: browsers would then send ``Origin: null`` with our own forms.
        "Referrer-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        "Cache-Control": "no-store",
    }
