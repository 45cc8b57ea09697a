"""mod_auth_openidc in a separate Apache: one folder, one port of loopback, no privileges."""

import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from string import Template
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import httpx2

from tests.relying_parties.conversation import Settings
from tests.support.servers.program import listening_program
from tests.support.service.headless_browser import Browser, Callback
from tests.support.service.html_page import Page

PROGRAM: Final = Path("/usr/sbin/apache2")
MODULES: Final = Path("/usr/lib/apache2/modules")
MODULE: Final = MODULES / "mod_auth_openidc.so"
CONFIGURATION: Final = Path(__file__).with_name("apache.conf")


def is_installed() -> bool:
    """Return whether Apache and the module are there."""
    return PROGRAM.exists() and MODULE.exists()


class Apache:
    """A running Apache whose pages need a login.

    Args:
        settings: who the provider is, and who we are.
    """

    refreshes = True
    signs_out = True
    hears_logouts = True

    def __init__(self, settings: Settings) -> None:
        self.redirect_uri = settings.redirect_uri
        self.client_id = settings.client_id
        self.post_logout_redirect_uri = settings.post_logout_redirect_uri
        self.origin = settings.redirect_uri.removesuffix(urlsplit(settings.redirect_uri).path)

    def begin(self, parameters: Mapping[str, str]) -> str:
        """Return the address of a page that needs a login."""
        return f"{self.origin}/?{urlencode(parameters)}"

    def finish(self, there: Callback | Page, browser: Browser) -> dict[str, Any]:
        """Bring the browser back, look at its session, and refresh it."""
        answer = bring_back(there, browser)
        if "welcome" not in answer.text:
            return {"refused": refusal_on(answer)}
        learned = self.session(browser)
        renew = {"refresh": f"{self.origin}/", "access_token": learned["access_token"]}
        browser.http.get(f"{self.redirect_uri}?{urlencode(renew)}", follow_redirects=True)
        return {"learned": learned | {"refreshed": self.session(browser)}}

    def leave(self) -> str:
        """Return the module's address for signing out."""
        return f"{self.redirect_uri}?{urlencode({'logout': self.post_logout_redirect_uri})}"

    def return_from_logout(self, url: str) -> None:
        """The module wants to know nothing."""

    def is_ended(self, forms: Sequence[str], browser: Browser) -> bool:
        """Return whether a page needs a login again."""
        return "welcome" not in browser.http.get(f"{self.origin}/").text

    def session(self, browser: Browser) -> dict[str, Any]:
        """Return what the module knows about the browser's session."""
        answer = browser.http.get(f"{self.redirect_uri}?info=json")
        known: dict[str, Any] = answer.raise_for_status().json()
        return known | {"subject": known["id_token"]["sub"]}


@contextmanager
def running(folder: Path, settings: Settings, response_mode: str) -> Iterator[Apache]:
    """Run Apache in an empty folder; the provider's answers travel in the query or by form."""
    port = urlsplit(settings.redirect_uri).port or 0
    (folder / "pages").mkdir()
    (folder / "pages" / "index.html").write_text("welcome")
    written = Template(CONFIGURATION.read_text()).substitute(
        asdict(settings),
        response_mode=response_mode,
        folder=folder,
        modules=MODULES,
        port=port,
        passphrase=secrets.token_urlsafe(32),
    )
    (folder / "apache.conf").write_text(written)
    command = [str(PROGRAM), "-D", "FOREGROUND", "-f", str(folder / "apache.conf")]
    with listening_program(command, port, folder / "said.log", **unprivileged(folder)):
        yield Apache(settings)


def unprivileged(folder: Path) -> dict[str, Any]:
    """Return how root starts a program as another user, to which the folder goes."""
    if os.geteuid():
        return {}
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, "nobody", "nogroup")
    return {"user": "nobody", "group": "nogroup", "extra_groups": []}


def bring_back(there: Callback | Page, browser: Browser) -> httpx2.Response:
    """Follow the redirect to the website, or post the form to it."""
    if isinstance(there, Callback):
        return browser.http.get(there.url, follow_redirects=True)
    form = there.element("answer")
    return browser.http.post(form.attributes["action"], data=form.fields, follow_redirects=True)


def refusal_on(answer: httpx2.Response) -> dict[str, str]:
    """Return what the module's error page shows."""
    error, description = re.findall(r"<pre>(.*?)</pre>", answer.text, re.DOTALL)
    reported = error.removeprefix("OpenID Connect Provider error: ")
    return {"error": reported, "description": description}
