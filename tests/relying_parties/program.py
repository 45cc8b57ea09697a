"""A library in its own process, and the conversation with it.

The other side is ``conversation.py`` or ``conversation.mjs``.
"""

import json
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urlsplit

from tests.relying_parties.conversation import Refused, Settings
from tests.support.service.headless_browser import Browser, Callback
from tests.support.service.html_page import Page

ROOT: Final = Path(__file__).parents[2]

SILENCE_LIMIT_S: Final = 60
"""A library that says nothing for so long is stopped; the test then fails."""

LOOPBACK_WITHOUT_TLS: Final = {
    "AUTHLIB_INSECURE_TRANSPORT": "1",
    "OAUTHLIB_INSECURE_TRANSPORT": "1",
}
"""Two libraries want a setting that a test has no TLS."""


@dataclass(frozen=True)
class Library:
    """A library of relying apps.

    Attributes:
        name: of its script.
        has_pages: the browser comes back to it by itself; otherwise it is handed the callback.
        refreshes: whether it can use refresh tokens.
        signs_out: whether it can sign people out at a provider.
        hears_logouts: whether it can receive logouts of other apps.
        authentication: how it proves who it is at the token endpoint.
        profile: what it is held to.
    """

    name: str
    has_pages: bool = False
    refreshes: bool = True
    signs_out: bool = False
    hears_logouts: bool = False
    authentication: str = "client_secret"
    profile: str = "standard"

    def __str__(self) -> str:
        """Return a name for reports."""
        usual = self.authentication == "client_secret"
        return self.name if usual else f"{self.name}-{self.authentication}"


class Program:
    """A running library.

    Args:
        command: what to run.
        settings: what it is given first.
        library: what it can do.
        log: where its complaints go.
    """

    def __init__(
        self, command: Sequence[str], settings: Settings, library: Library, log: Path
    ) -> None:
        self.redirect_uri = settings.redirect_uri
        self.client_id = settings.client_id
        self.post_logout_redirect_uri = settings.post_logout_redirect_uri
        self.refreshes = library.refreshes
        self.signs_out = library.signs_out
        self.hears_logouts = library.hears_logouts
        self._has_pages = library.has_pages
        self._finishes_logout = library.name in ("openid_client", "oidc_client_ts")
        self._log = log
        with log.open("wb") as complaints:
            self._process = subprocess.Popen(  # noqa: S603 -- our own command line
                command,
                cwd=ROOT,
                env=os.environ | LOOPBACK_WITHOUT_TLS,  # noqa: TID251 -- handed on, not read
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
            )
        self._say(asdict(settings))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self._process.kill()
        self._process.communicate()

    def begin(self, parameters: Mapping[str, str]) -> str:
        """Return the address a browser visits to log in, with extra parameters.

        Raises:
            Refused: the pushed request was refused.
        """
        self._say({"parameters": dict(parameters)})
        said = self._hear()
        if "refused" in said:
            raise Refused(said["refused"]["error"], said["refused"]["description"])
        return str(said["visit"])

    def finish(self, there: Callback | Page, browser: Browser) -> dict[str, Any]:
        """Bring the browser back; return what the library says then."""
        assert isinstance(there, Callback), f"the browser was left on a page: {there}"
        if self._has_pages:
            browser.http.get(there.url, follow_redirects=True)
        else:
            self._say({"callback": there.url})
        return self._hear()

    def leave(self) -> str:
        """Return the address a browser visits to sign out."""
        self._say({"logout": True})
        return str(self._hear()["visit"])

    def return_from_logout(self, url: str) -> None:
        """Tell a library that wants to know where the browser came back to."""
        if self._finishes_logout:
            self._say({"callback": url})
            assert self._hear() == {"left": True}

    def is_ended(self, forms: Sequence[str], browser: Browser) -> bool:
        """Return whether the app knows by now that the person signed out in another app."""
        if self._has_pages:
            origin = self.redirect_uri.removesuffix(urlsplit(self.redirect_uri).path)
            known: dict[str, str | None] = browser.http.get(f"{origin}/who").json()
            return known["subject"] is None
        for form in forms:
            self._say({"logout_form": form})
            assert self._hear()["ended"]
        return bool(forms)

    def _say(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        stop = threading.Timer(SILENCE_LIMIT_S, self._process.kill)
        stop.start()
        line = self._process.stdout.readline()
        stop.cancel()
        assert line, f"the library fell silent:\n{self._log.read_text()[-4000:]}"
        said: dict[str, Any] = json.loads(line)
        return said
