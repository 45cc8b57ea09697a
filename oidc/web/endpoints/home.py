"""The page at the root, for whoever types in the address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

if TYPE_CHECKING:
    from oidc.web.services import Services


def home_router(services: Services, *, has_portal: bool) -> APIRouter:
    """Return the route of the page, which links the portal if there is one."""
    router = APIRouter(prefix=services.paths.auth_path)

    def home(request: Request) -> Response:
        language = services.pages.language(request)
        return services.pages.home(language, has_portal=has_portal)

    router.add_api_route("/", home, methods=["GET", "HEAD"])
    return router
