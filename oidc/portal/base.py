"""What all portal routes share: session, form check, error pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from oidc.clients.logos import LIMIT_BYTES
from oidc.errors import (
    ClientRefused,
    FormRefused,
    InvitationRefused,
    NotSignedIn,
    OwnerNeeded,
    PalmNeeded,
    PortalFault,
    SignInFailed,
    UnknownClient,
    UnknownDeveloper,
    UntrustedRequest,
)
from oidc.portal import developers
from oidc.portal.forms import Fields, read_fields
from oidc.portal.sessions import (
    PROOF,
    Flow,
    PortalCookies,
    RelyingParty,
    Visit,
)
from oidc.protocol import Parameters, digest_of, new_secret, parse_parameters
from oidc.storage.database import Stores
from oidc.storage.stores.developers import Developer, PortalSession
from oidc.types import ClientId
from oidc.web.body import read_form, read_upload
from oidc.web.pages import Pages
from oidc.web.services import Services

PORTAL_PATH: Final = "/portal"
"""Path under ``auth_url``."""

UPLOAD_BYTES: Final = 2 * LIMIT_BYTES
"""Maximum size of a form with a logo; a little larger ones get an error message."""

_HEADERS: Final = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}

_PROBLEMS: Final[dict[type[PortalFault | ClientRefused | UnknownClient], tuple[int, str]]] = {
    FormRefused: (403, "problem_form"),
    InvitationRefused: (400, "problem_invitation"),
    UnknownDeveloper: (403, "problem_developer"),
    OwnerNeeded: (403, "problem_owner"),
    PalmNeeded: (403, "problem_link"),
    SignInFailed: (400, "problem_sign_in"),
    ClientRefused: (400, "problem_refused"),
    UnknownClient: (404, "problem_app"),
}
"""Status, and the key of title and help in the catalogues."""


@dataclass(frozen=True, slots=True)
class Portal:
    """The parts of the portal; see their classes."""

    services: Services
    relying_party: RelyingParty
    cookies: PortalCookies
    pages: Pages

    @property
    def address(self) -> str:
        """URL of the portal."""
        return self.services.settings.auth_url + PORTAL_PATH

    @property
    def has_palm(self) -> bool:
        """Whether developers sign in by palm, and not by link."""
        return self.services.settings.portal_palm

    def session_digest(self, secret: str) -> bytes:
        """Return what is stored of a session; another way in ends those of the former."""
        return digest_of(secret if self.has_palm else f"link {secret}")

    def begin_session(
        self, stores: Stores, visit: Visit, developer: Developer, proven_at: datetime
    ) -> str:
        """Begin a session and return its secret; the browser's previous one ends.

        A new person must not inherit it.
        """
        secret, now = new_secret(), self.services.clock()
        stores.portal_sessions.end(self.session_digest(visit.session))
        ends_at = now + timedelta(seconds=self.cookies.session_s)
        digest = self.session_digest(secret)
        began = PortalSession(digest, developer.developer_id, proven_at, ends_at)
        stores.portal_sessions.begin(began)
        return secret

    def step_up(self, visit: Visit, needed: PalmNeeded) -> Response:
        """Send the browser for the palm that a change needs, and then back to its page."""
        digest = self.session_digest(visit.session)
        with self.services.database.write() as stores:
            stores.portal_sessions.keep_draft(digest, needed.draft)
        draft = digest_of(needed.draft)
        flow = self.relying_party.begin_step_up(needed.returns, digest, draft)
        return self.redirect_to_sign_in(flow)

    def visit(self, request: Request) -> Visit:
        """Return the request with its session; a new browser gets a form secret."""
        session, developer = self.cookies.session.read(request.cookies), None
        if session:
            with self.services.database.read() as stores:
                digest, now = self.session_digest(session), self.services.clock()
                developer = developers.of_session(stores, digest, now, has_palm=self.has_palm)
        secret = self.cookies.form.read(request.cookies)
        session = session if session and developer else ""
        return Visit(request, secret or new_secret(), secret is None, session, developer)

    def answer(self, visit: Visit, client_id: ClientId) -> tuple[Flow, Parameters]:
        """Return this browser's flow and the authorization response.

        Raises:
            SignInFailed: no flow, a different one, or a malformed response.
        """
        flow = self.cookies.flow(visit.request, self.services.clock().timestamp())
        if flow.client_id != client_id:
            raise SignInFailed("this browser started a different sign-in: start again")
        try:
            query = visit.request.scope["query_string"].decode("latin-1")
            return flow, parse_parameters(query)
        except UntrustedRequest as fault:
            raise SignInFailed("the authorization response is malformed") from fault

    def render(
        self, visit: Visit, template: str, *, status: int = 200, **values: object
    ) -> Response:
        """Render a page in the language of its reader."""
        response = self.pages.page(
            template,
            self.pages.language(visit.request),
            status=status,
            portal=self.address,
            support_email=self.services.settings.support_email,
            **visit.shown,
            **values,
        )
        if visit.is_new:
            self.cookies.form.set(response, visit.form_secret)
        return response

    def redirect(self, path: str = "") -> Response:
        """Redirect to a page of the portal, by GET."""
        return RedirectResponse(self.address + path, 303, headers=_HEADERS)

    def redirect_to_sign_in(self, flow: Flow) -> Response:
        """Redirect to the authorization endpoint."""
        address = self.relying_party.address(flow)
        response = RedirectResponse(address, 303, headers=_HEADERS)
        self.cookies.set_flow(response, flow)
        return response


LoginView = Callable[[Portal, Visit], Response]
Act = Callable[[Portal, Visit, Fields], Response]
ActOnFile = Callable[[Portal, Visit, bytes], Response]


class PortalRoutes:
    """Adds pages and forms to a router."""

    def __init__(self, portal: Portal) -> None:
        self._portal = portal
        self.router = APIRouter(prefix=portal.services.paths.auth_path + PORTAL_PATH)

    def page(
        self, path: str, view: LoginView, methods: Sequence[str] = ("GET", "HEAD")
    ) -> None:
        """Add a page. Exclude HEAD if a request changes something (RFC 9110 §9.2.1)."""
        portal = self._portal

        def answer(request: Request) -> Response:
            return _catch_faults(portal, request, lambda visit: view(portal, visit))

        self.router.add_api_route(path, answer, methods=list(methods))

    def form(self, path: str, act: Act) -> None:
        """Add a form. Forms from other sites or sessions are refused."""
        portal = self._portal

        async def answer(request: Request) -> Response:
            text = await read_form(request)

            def run(visit: Visit) -> Response:
                fields = read_fields(text)
                visit.require_own_form(portal.services.paths, fields.get(PROOF))
                return act(portal, visit, fields)

            return await run_in_threadpool(_catch_faults, portal, request, run)

        self.router.add_api_route(path, answer, methods=["POST"])

    def upload(self, path: str, act: ActOnFile) -> None:
        """Add a form with a file, which is read only from developers who are signed in."""
        portal = self._portal

        async def answer(request: Request) -> Response:
            visit = await run_in_threadpool(portal.visit, request)
            is_ours = visit.developer is not None
            upload = await read_upload(request, UPLOAD_BYTES) if is_ours else None

            def run(visit: Visit) -> Response:
                if upload is None:
                    raise FormRefused("signed out, or too large, or malformed")
                visit.require_own_form(portal.services.paths, upload.fields.get(PROOF, ""))
                return act(portal, visit, upload.data)

            return await run_in_threadpool(_catch_faults, portal, request, run)

        self.router.add_api_route(path, answer, methods=["POST"])


def _catch_faults(
    portal: Portal, request: Request, act: Callable[[Visit], Response]
) -> Response:
    visit = portal.visit(request)
    try:
        return act(visit)
    except NotSignedIn:
        return portal.redirect()
    except (PortalFault, ClientRefused, UnknownClient) as fault:
        if isinstance(fault, PalmNeeded) and portal.has_palm:
            return portal.step_up(visit, fault)
        status, problem = _PROBLEMS[type(fault)]
        reason = str(fault) if isinstance(fault, SignInFailed | ClientRefused) else None
        return portal.render(
            visit,
            "problem.html",
            status=status,
            problem=problem,
            reason=reason,
            request_name=getattr(request.state, "request_name", None),
        )
