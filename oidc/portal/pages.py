"""Renders the portal's pages, in English, in the consent page's style."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from oidc.web.language import Languages
from oidc.web.pages import page_headers

if TYPE_CHECKING:
    from oidc.settings import OidcSettings
    from oidc.web.pages import Pages

_HERE: Final = Path(__file__).parent


class PortalPages:
    """Renders the pages."""

    def __init__(self, pages: Pages, settings: OidcSettings) -> None:
        self._pages = pages
        self._settings = settings
        self._english = Languages().choose("en", None)
        self._environment = Environment(
            loader=FileSystemLoader([_HERE / "templates", _HERE.parent / "web" / "templates"]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def render(self, template: str, *, status: int = 200, **values: object) -> HTMLResponse:
        """Render a page; its forms lead to this host only."""
        html = self._environment.get_template(template).render(
            asset=self._pages.asset_address,
            language=self._english,
            t=self._english.translate,
            brand=self._settings.brand_name,
            portal=f"{self._settings.auth_url}/portal",
            support_email=self._settings.support_email,
            **values,
        )
        headers = {**page_headers(""), "Content-Language": self._english.tag}
        return HTMLResponse(html, status, headers=headers)
