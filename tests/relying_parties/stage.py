"""Where the libraries play: a running service, one enrolled person, a browser."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey

from tests.relying_parties.apache import Apache
from tests.relying_parties.conversation import Refused, Settings
from tests.relying_parties.program import Program
from tests.support.servers.recording import Recorder
from tests.support.service.headless_browser import Browser, Callback
from tests.support.service.html_page import Page
from tests.support.service.journey import Person, World
from tests.support.service.relying_party import Registration, RelyingParty
from tests.support.service.sign_in import CHALLENGE

App = Program | Apache
"""A relying app, built on a library."""


Act = Callable[["Person", Page], None]
"""What a person does with a consent page."""


def origin_of(redirect_uri: str) -> str:
    """Return scheme, host and port."""
    parts = urlsplit(redirect_uri)
    return f"{parts.scheme}://{parts.netloc}"


def bye_of(redirect_uri: str) -> str:
    """Return where an app expects browsers after a logout."""
    return f"{origin_of(redirect_uri)}/bye"


def approve(person: Person, page: Page) -> None:
    """Scan the QR code, show the palm, say yes."""
    link = page.address("phone-link", "href")
    assert person.phone.sign_in(link, person.palm).hint == "go"


def decline(person: Person, page: Page) -> None:
    """Scan the QR code and say no."""
    claimed = person.phone.scan(page.address("phone-link", "href"))
    assert person.phone.decline(claimed.login_id).hint == "declined"


@dataclass(frozen=True)
class Stage:
    """The service, and who reads its tokens for us."""

    world: World
    party: RelyingParty
    recorder: Recorder

    def settings(self, redirect_uri: str) -> Settings:
        """Return the settings of a library."""
        return self._settings(self.party.registration, redirect_uri)

    def _settings(
        self, known: Registration, uri: str, key: dict[str, Any] | None = None
    ) -> Settings:
        names = known.client_id, known.client_secret
        return Settings(self.party.issuer, *names, uri, key, bye_of(uri))

    def register(self, authentication: str, profile: str, folder: Path) -> Settings:
        """Register a library that has no secret; one that signs also gets ES256 ID tokens."""
        options, key = ["--authentication", authentication, "--profile", profile], None
        if authentication == "private_key_jwt":
            key = ECKey.generate_key("P-256", auto_kid=True)
            published = folder / "jwks.json"
            published.write_text(json.dumps({"keys": [key.as_dict(private=False)]}))
            options += ["--jwks", str(published), "--id-token-alg", "ES256"]
        uri = self.party.registration.redirect_uri
        options += ["--post-logout-redirect-uri", bye_of(uri)]
        added = self.world.service.add_client(authentication, uri, *options)
        return self._settings(added, uri, key.as_dict(private=True) if key else None)

    def register_for_logouts(self, name: str, redirect_uri: str, path: str) -> Settings:
        """Register an app with its own address for logouts."""
        options = ["--post-logout-redirect-uri", bye_of(redirect_uri)]
        options += ["--backchannel-logout-uri", origin_of(redirect_uri) + path]
        options += ["--backchannel-logout-session-required"]
        added = self.world.service.add_client(name, redirect_uri, *options)
        return self._settings(added, redirect_uri)

    def begin_session(self, app: App, browser: Browser) -> dict[str, Any]:
        """Let a person log in at an app; return what the app learned."""
        there = browser.visit(app.begin({}))
        assert isinstance(there, Page), "this browser remembers a palm"
        approve(self.world.person(0), there)
        learned: dict[str, Any] = app.finish(browser.submit(there, "continue"), browser)[
            "learned"
        ]
        assert self.is_signed_in(app, browser)
        return learned

    def is_signed_in(self, app: App, browser: Browser) -> bool:
        """Return whether the provider knows the person of this browser: ``prompt=none``.

        A client without a secret, not on https, gets no code: any program can be it.
        """
        asked = self.party.authorization_url(
            client_id=app.client_id,
            redirect_uri=app.redirect_uri,
            prompt="none",
            scope="openid",
            code_challenge=CHALLENGE,
            code_challenge_method="S256",
        )
        browser.stop_at = app.redirect_uri
        there = browser.visit(asked)
        assert isinstance(there, Callback)
        assert there.parameters.get("error") in {None, "consent_required", "login_required"}
        return there.parameters.get("error") != "login_required"

    def notices_of(self, sid: str) -> list[str]:
        """Return the forms that tell apps without an address of the end of a session."""
        return [
            urlencode(received.fields)
            for received in self.recorder.received
            if self.claims_of(dict(received.fields)["logout_token"])["sid"] == sid
        ]

    def sign_out_at_the_provider(self, browser: Browser) -> None:
        """Let the person sign out on the provider's own page."""
        asked = browser.open_page(self.party.discovery["end_session_endpoint"])
        done = browser.submit(asked, "sign-out")
        assert isinstance(done, Page)
        assert "You are signed out" in done.element("status").text

    def log_in(self, app: App, act: Act, **parameters: str) -> dict[str, Any]:
        """Send a browser from the app to the provider and back; return what the app says."""
        try:
            asked = app.begin(parameters)
        except Refused as refusal:
            error, description = refusal.args
            return {"refused": {"error": error, "description": description}}
        with Browser(app.redirect_uri) as browser:
            there = browser.visit(asked)
            if isinstance(there, Page) and "continue" in there.elements:
                act(self.world.person(0), there)
                there = browser.submit(there, "continue")
            return app.finish(there, browser)

    def claims_of(self, id_token: str | dict[str, Any]) -> dict[str, Any]:
        """Return the claims of an ID token that the library left as it was, or has opened."""
        if isinstance(id_token, dict):
            return id_token
        opened = jwt.decode(id_token, self.party.keys, algorithms=["RS256", "ES256"])
        return dict(opened.claims)

    def check_learned(self, learned: dict[str, Any], client_id: str) -> dict[str, Any]:
        """Check that ID token, userinfo and library agree on who it is; return the claims."""
        claims = self.claims_of(learned["id_token"])
        assert claims["iss"] == self.party.issuer
        assert claims["aud"] in (client_id, [client_id])
        assert learned["subject"] == claims["sub"]
        # A client of FAPI 2.0 has it by its standard name alone.
        assert claims.get("external_user_id", claims["sub"]) == claims["sub"]
        assert learned["userinfo"]["sub"] == claims["sub"]
        return claims
