"""requests-oauthlib: OAuth with PKCE and state; what is in the ID token it leaves to others."""

from collections.abc import Mapping
from typing import Any

from oauthlib.oauth2 import OAuth2Error
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

from tests.relying_parties.conversation import Refused, Settings, play


class RequestsOAuthlib:
    """What an application does with requests-oauthlib."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.secret = HTTPBasicAuth(settings.client_id, settings.client_secret)
        self.session = self.new_session()
        discovery = f"{settings.issuer}/.well-known/openid-configuration"
        self.provider = self.session.get(discovery, withhold_token=True).json()

    def new_session(self) -> OAuth2Session:
        """Return a session for one person."""
        return OAuth2Session(
            self.settings.client_id,
            redirect_uri=self.settings.redirect_uri,
            scope=["openid", "offline_access"],
            pkce="S256",
        )

    def begin(self, parameters: Mapping[str, str]) -> str:
        """Return an authorization request."""
        self.session = self.new_session()
        endpoint = self.provider["authorization_endpoint"]
        url, _ = self.session.authorization_url(endpoint, **parameters)
        return str(url)

    def finish(self, callback: str) -> dict[str, Any]:
        """Exchange the code, ask who it is, refresh."""
        endpoint = self.provider["token_endpoint"]
        try:
            tokens = self.session.fetch_token(
                endpoint, authorization_response=callback, auth=self.secret
            )
        except OAuth2Error as fault:
            raise Refused(fault.error, fault.description) from fault
        learned = self.describe(tokens)
        refreshed = self.session.refresh_token(endpoint, auth=self.secret)
        return learned | {"refreshed": self.describe(refreshed)}

    def describe(self, tokens: Mapping[str, Any]) -> dict[str, Any]:
        """Ask for userinfo with the session's access token."""
        answer = self.session.get(self.provider["userinfo_endpoint"])
        answer.raise_for_status()
        userinfo = answer.json()
        return {
            "subject": userinfo["sub"],
            "id_token": tokens["id_token"],
            "userinfo": userinfo,
        }


if __name__ == "__main__":
    play(RequestsOAuthlib)
