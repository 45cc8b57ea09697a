"""A developer at the portal: a browser that fills in forms, and a palm."""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from html import unescape
from typing import Any

from starlette.testclient import TestClient

from oidc.keys import load_cipher
from oidc.portal import developers
from oidc.portal.system_clients import ensure_system_clients
from oidc.types import AccountId
from tests.support.service.sign_in import ANNA, PHONE, SignIn, onward

CALLBACK = "https://app.example/callback"


def invite(sign_in: SignIn, email: str = "dora@dev.example") -> str:
    """Invite a developer as ``thenar portal invite`` does; return the invitation."""
    settings, now = sign_in.settings, sign_in.clock()
    cipher = load_cipher(settings.key_source)
    with sign_in.database.write() as stores:
        ensure_system_clients(stores, settings, cipher, now)
        return developers.invite(stores, email, "", timedelta(days=7), now).invitation


def element(html: str, name: str) -> str:
    """Return the text of the element of this id."""
    found = re.search(rf'id="{name}"[^>]*>([^<]*)<', html)
    assert found is not None, f"no #{name} in {html}"
    return unescape(found[1]).strip()


@dataclass
class Visitor:
    """One browser at the portal of a provider."""

    sign_in: SignIn
    account: AccountId = ANNA
    browser: TestClient = field(init=False)

    def __post_init__(self) -> None:
        self.browser = self.sign_in.new_browser()

    @property
    def portal(self) -> str:
        """The portal's address."""
        return f"{self.sign_in.settings.auth_url}/portal"

    def get(self, path: str = "") -> Any:
        """Open a page."""
        self.sign_in.app.state.error_log.flush()
        return self.browser.get(self.portal + path)

    def proof(self, page: str = "") -> str:
        """Return what the forms of a page carry."""
        found = re.search(r'name="proof" value="([0-9a-f]+)"', self.get(page).text)
        assert found is not None
        return found[1]

    def send(self, path: str, /, page: str = "", **fields: str) -> Any:
        """Send a form as a page of ours would."""
        data = {"proof": self.proof(page), **fields}
        return self.browser.post(self.portal + path, data=data)

    def follow_login(self, answer: Any) -> Any:
        """Sign in by palm where the portal sends the browser; return the callback's answer."""
        assert answer.status_code == 303, answer.text
        sent = self.browser.get(answer.headers["location"])
        page = sent.headers["location"]
        login = self.sign_in.recognise(page, self.account, PHONE, self.browser)
        self.sign_in.say_yes(page, login)
        done = self.sign_in.proceed(page, self.browser)
        return self.browser.get(onward(done))

    def join(self, invitation: str) -> Any:
        """Use an invitation, and sign in with it."""
        return self.follow_login(self.send("/join", "/join", invitation=invitation))

    def register(self, **changes: str) -> Any:
        """Register a client."""
        fields = {
            "client_name": "Garden App",
            "redirect_uris": CALLBACK,
            "token_endpoint_auth_method": "client_secret_basic",
            "offline_access": "yes",
            **changes,
        }
        return self.send("/clients", "/clients/new", **fields)

    def registered(self, **changes: str) -> tuple[str, str]:
        """Register a client; return its name and secret."""
        html = self.register(**changes).text
        return element(html, "client-id"), element(html, "client-secret")
