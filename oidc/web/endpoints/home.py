"""The page at the root, and the logos of clients: pages load nothing from other hosts."""

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from oidc.protocol import is_identifier
from oidc.types import ClientId
from oidc.web.cookies import is_same_origin_form
from oidc.web.language import COOKIE, TAGS
from oidc.web.services import Services


def home_router(services: Services, *, has_portal: bool) -> APIRouter:
    """Return the route of the page, which links the portal if there is one."""
    router = APIRouter(prefix=services.paths.auth_path)

    def home(request: Request) -> Response:
        language = services.pages.language(request)
        return services.pages.home(language, has_portal=has_portal)

    router.add_api_route("/", home, methods=["GET", "HEAD"])

    @router.post("/oauth/language/{tag}")
    def choose(request: Request, tag: str) -> Response:
        """Keep the person's language, and show the page again that the form is on."""
        if tag not in TAGS or not is_same_origin_form(request, services.paths):
            return services.pages.error(request, "error_no_page", status=404)
        start = f"{services.settings.auth_url}/"
        page = request.headers.get("referer", "")
        answer = RedirectResponse(page if page.startswith(start) else start, 303)
        secure = services.settings.is_secure
        answer.set_cookie(COOKIE, tag, _KEPT_S, secure=secure, samesite="lax")
        return answer

    return router


_KEPT_S: Final = 365 * 86_400

_HEADERS: Final = {
    "Cache-Control": "public, max-age=86400, immutable",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}


def logo_router(services: Services) -> APIRouter:
    """Return the route of the logos."""
    router = APIRouter(prefix=f"{services.paths.auth_path}/oauth")

    @router.get("/logos/{client_id}")
    def logo(client_id: str) -> Response:
        png = _png(services, client_id) if is_identifier(client_id) else None
        if png is None:
            return Response(status_code=404)
        return Response(png, media_type="image/png", headers=_HEADERS)

    return router


def logo_address(services: Services, client_id: ClientId) -> str | None:
    """Return the URL of a client's logo; None if it has none."""
    with services.database.read() as stores:
        return stores.client_logos.address(services.settings.auth_url, client_id)


def _png(services: Services, client_id: str) -> bytes | None:
    with services.database.read() as stores:
        return stores.client_logos.png(ClientId(client_id))
