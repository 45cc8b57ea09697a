"""pyoidc (oic): PKCE, state, nonce, signature of the ID token, refresh.

Its userinfo request is a POST with the access token in the form body.
"""

from collections.abc import Mapping
from typing import Any

from oic import rndstr
from oic.oauth2.message import ErrorResponse
from oic.oic import Client
from oic.oic.message import (
    AuthorizationResponse,
    BackChannelLogoutRequest,
    RegistrationResponse,
)
from oic.utils.authn.client import CLIENT_AUTHN_METHOD

from tests.relying_parties.conversation import Refused, Settings, play

BASIC = "client_secret_basic"


class Pyoidc:
    """What an application does with pyoidc."""

    def __init__(self, settings: Settings) -> None:
        self.client = Client(client_authn_method=CLIENT_AUTHN_METHOD)
        self.client.provider_config(settings.issuer)
        self.client.store_registration_info(
            RegistrationResponse(
                client_id=settings.client_id,
                client_secret=settings.client_secret,
                redirect_uris=[settings.redirect_uri],
            )
        )
        self.redirect_uri = settings.redirect_uri
        self.bye = settings.post_logout_redirect_uri

    def begin(self, parameters: Mapping[str, str]) -> str:
        """Return an authorization request."""
        self.state = rndstr()
        challenge, self.verifier = self.client.add_code_challenge()
        request = self.client.construct_AuthorizationRequest(
            request_args={
                "response_type": "code",
                "scope": ["openid", "offline_access"],
                "redirect_uri": self.redirect_uri,
                "state": self.state,
                "nonce": rndstr(),
                **challenge,
                **parameters,
            }
        )
        return str(request.request(self.client.authorization_endpoint))

    def finish(self, callback: str) -> dict[str, Any]:
        """Exchange the code, ask who it is, refresh."""
        answer = self.client.parse_response(
            AuthorizationResponse, info=callback.partition("?")[2], sformat="urlencoded"
        )
        if isinstance(answer, ErrorResponse):
            raise Refused(answer["error"], answer.get("error_description"))
        tokens = self.client.do_access_token_request(
            state=answer["state"],
            request_args={"code": answer["code"], "code_verifier": self.verifier},
            authn_method=BASIC,
        )
        learned, self.hint = self.describe(tokens), tokens["id_token_jwt"]
        refreshed = self.client.do_access_token_refresh(state=self.state, authn_method=BASIC)
        return learned | {"refreshed": self.describe(refreshed)}

    def describe(self, tokens: Any) -> dict[str, Any]:
        """Ask for userinfo; the library has verified the ID token."""
        userinfo = self.client.do_user_info_request(state=self.state)
        return {
            "subject": tokens["id_token"]["sub"],
            "id_token": tokens["id_token"].to_dict(),
            "userinfo": userinfo.to_dict(),
        }

    def leave(self) -> str:
        """Return a logout request of the last login."""
        request = self.client.construct_EndSessionRequest(
            request_args={"post_logout_redirect_uri": self.bye, "state": rndstr()},
            id_token=self.hint,
        )
        return str(request.request(self.client.provider_info["end_session_endpoint"]))

    def hear_of_logout(self, form: str) -> str:
        """Return which session a logout token ends; the library verifies it."""
        request = BackChannelLogoutRequest().from_urlencoded(form)
        request.verify(
            aud=self.client.client_id,
            iss=self.client.provider_info["issuer"],
            keyjar=self.client.keyjar,
        )
        return str(request["logout_token"]["sid"])


if __name__ == "__main__":
    play(Pyoidc)
