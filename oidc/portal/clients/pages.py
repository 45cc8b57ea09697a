"""The pages of one app, under one head: overview, credentials, errors, developers, tests.

Each begins with the client in its address, if the developer may see it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import urlencode

from starlette.responses import Response

from oidc.client import Authentication, Client
from oidc.errors import PalmNeeded, UnknownClient
from oidc.plumbing.columns import day_of
from oidc.portal import teams
from oidc.portal.base import Portal, PortalRoutes
from oidc.portal.sessions import Visit
from oidc.protocol import is_identifier
from oidc.storage.database import Stores
from oidc.storage.stores.clients import ClientError
from oidc.storage.stores.logins import COUNT_RETENTION
from oidc.storage.stores.operation import Actor
from oidc.types import ClientId, LoginState
from oidc.web.endpoints.home import logo_address

PALM_LIFETIME: Final = timedelta(minutes=5)
"""How long after a palm, or a link, a developer may change what protects a client."""

OVERLAPS_H: Final = ("0", "1", "24", "168", "720")
"""Offered hours for which an old secret stays valid."""

_ENDS: Final = MappingProxyType(
    {
        "completed": (LoginState.COMPLETED,),
        "declined": (LoginState.DECLINED, LoginState.CANCELLED, LoginState.REPORTED),
        "expired": (LoginState.EXPIRED,),
        "failed": (LoginState.LOCKED,),
    }
)
"""The ends that are shown. A login that a newer one replaced is no end."""

_LATEST: Final = 3
"""Errors on the overview."""

_SEARCH_LENGTH: Final = 100

# RFC 7636 Appendix B.
_VERIFIER: Final = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
_CHALLENGE: Final = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

_EXAMPLES: Final = Path(__file__).parents[2] / "examples"
"""They read what is secret from the environment, so that it stays out of the code."""

_FILES: Final = {
    Authentication.CLIENT_SECRET: {
        "Python: FastAPI": "app.py",
        "Python: Django": "app_django.py",
        "Node": "app.mjs",
        "Java: Spring Boot": "App.java",
        "Go": "app.go",
        "PHP": "app.php",
        ".NET: ASP.NET Core": "Program.cs",
    },
    Authentication.NONE: {"iOS: AppAuth": "SignIn.swift", "Android: AppAuth": "SignIn.kt"},
    Authentication.PRIVATE_KEY_JWT: {},
}
"""By how a client authenticates: the example of each framework."""

_SHOWN_ONCE: Final = "(shown once, when it was made)"


@dataclass(frozen=True, slots=True)
class Day:
    """The logins of a client that ended on a day (UTC), by end."""

    day: date
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        """How many ended."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class Snippet:
    """An example for one framework."""

    framework: str
    text: str


@dataclass(frozen=True, slots=True)
class Start:
    """What a developer needs for the first sign-in; ``environment`` may hold the secret."""

    issuer: str
    environment: str = field(repr=False)
    snippets: tuple[Snippet, ...]


def own_client(stores: Stores, visit: Visit) -> Client:
    """Return the client in the URL, if the developer is its owner or a member.

    Raises:
        NotSignedIn: no session.
        UnknownClient: it does not exist or belongs to others.
    """
    developer = visit.require_developer().developer_id
    named = str(visit.request.path_params["client_id"])
    found = is_identifier(named) and stores.owned_clients.find(ClientId(named), developer)
    if not found:
        raise UnknownClient("there is no such client")
    return found


@contextmanager
def changing(portal: Portal, visit: Visit) -> Iterator[Stores]:
    """Open a transaction in which the audit log names the developer.

    Raises:
        NotSignedIn: no session.
    """
    developer = visit.require_developer().developer_id
    with portal.services.database.write() as stores:
        stores.audit.set_actor(Actor.DEVELOPER, developer)
        yield stores


@contextmanager
def changing_with_palm(
    portal: Portal, visit: Visit, page: str = "", draft: str = ""
) -> Iterator[tuple[Stores, Client]]:
    """Open such a transaction with the client in the URL, for what needs a recent palm.

    ``page`` of the client is returned to with one, and may show the form that waits. Raises as
    ``own_client``, and ``PalmNeeded``.
    """
    digest = portal.session_digest(visit.session)
    since = portal.services.clock() - PALM_LIFETIME
    with changing(portal, visit) as stores:
        client = own_client(stores, visit)
        if not stores.portal_sessions.is_proven(digest, since):
            raise PalmNeeded(f"/clients/{client.client_id}{page}", draft)
        yield stores, client


def add_app_pages(routes: PortalRoutes) -> None:
    """Add the pages. Each needs a session and shows the developer's own clients only."""
    one = "/clients/{client_id}"
    routes.page(one, _overview)
    routes.page(f"{one}/credentials", _credentials)
    routes.page(f"{one}/errors", _errors)
    routes.page(f"{one}/team", _team)
    routes.page(f"{one}/sandbox", _sandbox)


def render_app(
    portal: Portal,
    visit: Visit,
    tab: str,
    client: Client,
    *,
    status: int = 200,
    **values: object,
) -> Response:
    """Render a page of an app; ``tab`` names its template."""
    logo = logo_address(portal.services, client.client_id)
    shown = {"client": client, "tab": tab, "logo": logo, **values}
    return portal.render(visit, f"{tab}.html", status=status, **shown)


def days_until(now: datetime, found: Counter[tuple[date, LoginState]]) -> list[Day]:
    """Return every day of which counts are kept, until today."""
    count = COUNT_RETENTION.days
    days = [(now - timedelta(days=age)).date() for age in reversed(range(count))]
    return [
        Day(
            day,
            {end: sum(found[day, each] for each in states) for end, states in _ENDS.items()},
        )
        for day in days
    ]


def _overview(portal: Portal, visit: Visit) -> Response:
    now = portal.services.clock()
    since = day_of(now) - COUNT_RETENTION + timedelta(days=1)
    with portal.services.database.read() as stores:
        client = own_client(stores, visit)
        errors = stores.client_errors.of(client.client_id)
        days = days_until(now, stores.login_days.of(client.client_id, since))
    return render_app(
        portal,
        visit,
        "overview",
        client,
        days=days,
        totals={end: sum(each.counts[end] for each in days) for end in _ENDS},
        errors=errors[:_LATEST],
    )


def _credentials(portal: Portal, visit: Visit) -> Response:
    with portal.services.database.read() as stores:
        client = own_client(stores, visit)
    ends_at = client.former_secret_ends_at
    return render_app(
        portal,
        visit,
        "credentials",
        client,
        former_ends_at=ends_at if ends_at and portal.services.clock() < ends_at else None,
        overlaps=OVERLAPS_H,
        start=start_of(client, portal.services.settings.issuer),
    )


def _errors(portal: Portal, visit: Visit) -> Response:
    """Show the errors that have every word that is searched for."""
    search = visit.request.query_params.get("q", "")[:_SEARCH_LENGTH]
    with portal.services.database.read() as stores:
        client = own_client(stores, visit)
        errors = [
            each
            for each in stores.client_errors.of(client.client_id)
            if all(word in _words_of(each) for word in search.casefold().split())
        ]
    return render_app(portal, visit, "errors", client, errors=errors, search=search)


def _words_of(error: ClientError) -> str:
    text = f"{error.endpoint} {error.error} {error.description}"
    return f"{error.happened_at:%Y-%m-%d %H:%M} {text}".casefold()


def _team(portal: Portal, visit: Visit) -> Response:
    with portal.services.database.read() as stores:
        client = own_client(stores, visit)
        team = teams.team_of(stores, client.client_id, portal.services.clock())
    return render_app(portal, visit, "team", client, team=team, team_size=teams.TEAM_SIZE)


def _sandbox(portal: Portal, visit: Visit) -> Response:
    with portal.services.database.read() as stores:
        client = own_client(stores, visit)
    asked = {
        "response_type": "code",
        "client_id": client.client_id,
        "redirect_uri": client.redirect_uris[0],
        "scope": "openid",
        "state": "test",
        "code_challenge": _CHALLENGE,
        "code_challenge_method": "S256",
        "login_hint": "person-1",
    }
    address = f"{portal.services.settings.auth_url}/oauth/authorize?{urlencode(asked)}"
    return render_app(portal, visit, "sandbox", client, address=address, verifier=_VERIFIER)


def start_of(client: Client, issuer: str, secret: str = "") -> Start:
    """Return everything filled in; without the secret a word about where it is."""
    has_secret = client.authentication is Authentication.CLIENT_SECRET
    lines = [f"ISSUER={issuer}", f"CLIENT_ID={client.client_id}"]
    lines += [f"CLIENT_SECRET={secret or _SHOWN_ONCE}"] if has_secret else []
    snippets = (
        Snippet(framework, _filled(name, client, issuer))
        for framework, name in _FILES[client.authentication].items()
    )
    return Start(issuer, "\n".join(lines), tuple(snippets))


def _filled(name: str, client: Client, issuer: str) -> str:
    text = (_EXAMPLES / name).read_text("utf-8")
    for example, own in (
        ("https://id.example", issuer),
        ("your-client-id", client.client_id),
        ("https://shop.example/callback", next(iter(client.redirect_uris), "")),
    ):
        text = text.replace(example, own)
    return text
