"""A phone's screen lock, as Chromium's virtual authenticator plays it. CDP domain WebAuthn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from playwright.sync_api import CDPSession, Page

OPTIONS: Final = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@dataclass(frozen=True, slots=True)
class ScreenLock:
    """The authenticator of one page."""

    session: CDPSession
    authenticator: str

    @classmethod
    def of(cls, page: Page) -> ScreenLock:
        """Give a page's phone a screen lock."""
        session = page.context.new_cdp_session(page)
        session.send("WebAuthn.enable")
        made = session.send("WebAuthn.addVirtualAuthenticator", {"options": OPTIONS})
        return cls(session, made["authenticatorId"])

    def opens(self, *, for_person: bool) -> None:
        """Let the person succeed or fail from now on."""
        self._send("setUserVerified", isUserVerified=for_person)

    @property
    def passkeys(self) -> list[dict[str, Any]]:
        """The passkeys that the phone keeps."""
        found: list[dict[str, Any]] = self._send("getCredentials")["credentials"]
        return found

    def sync_from(self, other: ScreenLock) -> None:
        """Let the phone have another one's passkeys, as the platform's account does."""
        for each in other.passkeys:
            self._send("addCredential", credential=each)

    def forget_passkeys(self) -> None:
        """Let the phone keep none, as if the person had removed them in its settings."""
        self._send("clearCredentials")

    def _send(self, method: str, **more: object) -> dict[str, Any]:
        given = {"authenticatorId": self.authenticator, **more}
        said: dict[str, Any] = self.session.send(f"WebAuthn.{method}", given)
        return said
