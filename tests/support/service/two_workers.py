"""Two real workers with one address and one protocol database, and a relying party."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from urllib.parse import urlsplit

import httpx2

from tests.support.service.html_page import read_page
from tests.support.service.process import Service
from tests.support.service.relying_party import RelyingParty

REDIRECT_URI = "http://127.0.0.1:9/callback"
"""No server listens there: nothing follows it."""


@dataclass
class TwoWorkers:
    """Two workers; the second has the first's address.

    Attributes:
        process: of the first.
    """

    first: Service
    second: Service
    process: Popen[bytes]
    party: RelyingParty

    def begin(self, **request: str) -> tuple[str, str]:
        """Begin a login at the first worker; return its path and its cookie."""
        answer = httpx2.get(self.party.authorization_url(**request), timeout=60)
        given = answer.headers.get_list("set-cookie")
        cookie = "; ".join(each.partition(";")[0] for each in given)
        return urlsplit(str(answer.url.join(answer.headers["location"]))).path, cookie

    def link(self, login: tuple[str, str]) -> str:
        """Return the link behind the QR code of a login."""
        path, cookie = login
        address = f"{self.first.local_url}{path}"
        shown = httpx2.get(address, headers={"Cookie": cookie}, timeout=60)
        page = read_page(address, shown.status_code, dict(shown.headers.items()), shown.text)
        return page.address("phone-link", "href")

    def press(self, worker: Service, login: tuple[str, str], button: str) -> httpx2.Response:
        """Press a button of the consent page, at one of them."""
        path, cookie = login
        headers = {"Cookie": cookie, "Origin": self.first.local_url}
        return httpx2.post(f"{worker.local_url}{path}/{button}", headers=headers, timeout=60)


@contextmanager
def two_workers(folder: Path, database_url: str, **settings: str) -> Iterator[TwoWorkers]:
    """Migrate, register a relying party, and run both."""
    first = Service(folder, settings={"THENAR_OIDC_DATABASE_URL": database_url, **settings})
    named = first.environment.items()
    second = Service(
        folder, settings={name: value for name, value in named if name.startswith("THENAR_")}
    )
    first.run("migrate")
    party = RelyingParty(first.issuer, first.add_client("Shop", REDIRECT_URI))
    with ExitStack() as stack:
        stack.callback(party.http.close)
        process = stack.enter_context(first.running("--only", "oidc"))
        stack.enter_context(second.running("--only", "oidc"))
        yield TwoWorkers(first, second, process, party)
