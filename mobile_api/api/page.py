"""The phone page behind the QR code: the built files if present, else the plain modules.

Built files have hashed names, are cached for good and are compressed. The plain page works too,
but has no networks and sends pictures. The ticket is in the URL's fragment: nothing on this
page may send it anywhere else.
"""

import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final

from fastapi import APIRouter, Header, HTTPException, Response
from fastapi.responses import FileResponse

from engine.networks.manifest import HAND_NETWORKS_LICENCE
from mobile_api.messages import PAGE_PREFIX, STATION_PATH
from oidc.plumbing.cookies import STATION_COOKIE, host_name, set_cookie
from oidc.types import Brand

BUILT: Final = Path(__file__).parents[1] / "static"

SOURCE: Final = Path(__file__).parents[1] / "phone_page"

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';"
    " img-src 'self'; media-src 'self' blob:; connect-src 'self'; worker-src 'self';"
    " manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The networks are compiled WebAssembly, hence ``'wasm-unsafe-eval'``."""

HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Permissions-Policy": "camera=(self), microphone=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

LICENCES: Final = (
    SOURCE / "licences" / "thenar.txt",
    HAND_NETWORKS_LICENCE,
    SOURCE / "licences" / "onnxruntime.txt",
    SOURCE / "licences" / "onnxruntime-third-party.txt",
)
"""Texts of what the page consists of."""

IMMUTABLE: Final = {"Cache-Control": "public, max-age=31536000, immutable"}

REVALIDATE: Final = {"Cache-Control": "no-cache"}
"""May be cached, but is revalidated every time."""

HASHED: Final = re.compile(r"-[0-9A-Za-z]{8,12}\.\w+$")
"""Names that contain a digest of the file."""

MEDIA_TYPES: Final = {
    ".js": "text/javascript",
    ".webmanifest": "application/manifest+json",
    ".wasm": "application/wasm",
    ".bin": "application/octet-stream",
}
"""Types that the machine's own table may lack."""

SERVED_SUFFIXES: Final = frozenset({*MEDIA_TYPES, ".css", ".svg", ".png"})

OURS: Final = Brand()

ICON: Final = re.compile(r"m/icon[-\w]*\.(svg|png)")

ROOT_TAG: Final = '<html lang="en" dir="ltr"'
"""Start of the page's root element, to which attributes are added."""


@dataclass(frozen=True, slots=True)
class PhonePage:
    """The page's files.

    Attributes:
        files: by path below ``/m/``.
        html: the page itself.
    """

    files: Mapping[str, Path]
    html: str


def load_page(
    *,
    accept_templates: bool,
    extractor: str,
    options: Mapping[str, int] = MappingProxyType({}),
    brand: Brand = OURS,
    built: Path = BUILT,
    source: Path = SOURCE,
) -> PhonePage:
    """Find the page's files, preferring the built ones.

    Args:
        accept_templates: whether phones may make templates.
        extractor: the service's; a page with another one sends pictures.
        options: ``own-phones``: a phone that is not trusted sends pictures, and says so first;
            ``passkeys``: there are any; ``challenges``: palm proofs need one; ``wait``:
            hours after which a palm alone makes a phone trusted. What is 0 is left out.
        brand: the operator's, as on the provider's pages.
        built: folder of the built page; may be missing.
        source: folder of the plain modules.
    """
    folder = built if (built / "index.html").is_file() else source
    html = (folder / "index.html").read_text("utf-8")
    takes = accept_templates and (folder is source or f"&quot;{extractor}&quot;" in html)
    chosen = {**options, "pictures": not takes}
    given = {name: int(value) for name, value in chosen.items() if value}
    shown = given | {"brand": brand.colour}
    attributes = "".join(f' data-{name}="{value}"' for name, value in shown.items())
    files = {
        path.relative_to(folder).as_posix(): path
        for path in folder.rglob("*")
        if path.suffix in SERVED_SUFFIXES and "node_modules" not in path.parts
    }
    html = html.replace(f">{OURS.name}<", f">{escape(brand.name)}<")
    if brand.mark is not None:
        files["brand.svg"] = brand.mark
        html = ICON.sub("m/brand.svg", html)
    return PhonePage(files, html.replace(ROOT_TAG, ROOT_TAG + attributes, 1))


def page_routes(page: PhonePage, *, is_secure: bool) -> APIRouter:
    """Return the routes of a page."""
    router = APIRouter(include_in_schema=False)

    @router.get(PAGE_PREFIX)
    def serve_page() -> Response:
        return Response(page.html, media_type="text/html", headers={**HEADERS, **REVALIDATE})

    @router.get(STATION_PATH)
    def serve_station() -> Response:
        answer = serve_page()
        # An enrolled station asks for another one at once: none is left of a removed one.
        name = host_name(STATION_COOKIE, is_secure=is_secure)
        set_cookie(answer, name, "", 0, is_secure=is_secure)
        return answer

    @router.get(f"{PAGE_PREFIX}/licences")
    def serve_licences() -> Response:
        return Response(licences(), media_type="text/plain", headers={**HEADERS, **REVALIDATE})

    @router.get(f"{PAGE_PREFIX}/{{name:path}}")
    def serve_file(name: str, accept_encoding: Annotated[str, Header()] = "") -> Response:
        path = page.files.get(name)
        if path is None:
            return Response("not found", 404, media_type="text/plain", headers=HEADERS)
        return _answer(path, accept_encoding)

    return router


def app_file_routes(files: Mapping[str, str]) -> APIRouter:
    """Return the routes of the files that name the operator's apps, by path: JSON, or 404."""
    router = APIRouter(include_in_schema=False)

    @router.get("/.well-known/{name}")
    def serve_app_file(name: str) -> Response:
        text = files.get(f"/.well-known/{name}")
        if text is None:
            raise HTTPException(404)
        return Response(text, media_type="application/json", headers=REVALIDATE)

    return router


def licences() -> str:
    """Return the licences of everything that is served with the page."""
    return f"\n\n{'=' * 96}\n\n".join(text.read_text("utf-8") for text in LICENCES)


def _answer(path: Path, accept_encoding: str) -> FileResponse:
    headers = {**HEADERS, **(IMMUTABLE if HASHED.search(path.name) else REVALIDATE)}
    if path.name == "sw.js":
        headers["Service-Worker-Allowed"] = "/"
    kind = MEDIA_TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
    packed = path.with_name(f"{path.name}.br")
    if packed.is_file():
        headers["Vary"] = "Accept-Encoding"
        if re.search(r"\bbr\b(?!;q=0(\.0*)?\s*(,|$))", accept_encoding):
            headers["Content-Encoding"] = "br"
            return FileResponse(packed, media_type=kind, headers=headers)
    return FileResponse(path, media_type=kind, headers=headers)
