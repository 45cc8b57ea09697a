"""idpyoidc: PKCE, state, nonce, signature of the ID token, userinfo, refresh."""

from collections.abc import Mapping
from typing import Any, Final

from cryptojwt import KeyJar
from idpyoidc.client.defaults import DEFAULT_OIDC_SERVICES
from idpyoidc.client.oauth2.stand_alone_client import backchannel_logout
from idpyoidc.client.rp_handler import RPHandler
from idpyoidc.message.oauth2 import is_error_message

from tests.relying_parties.conversation import Refused, Settings, play, query_of

SERVICES: Final = {
    name: service for name, service in DEFAULT_OIDC_SERVICES.items() if name != "registration"
} | {"end_session": {"class": "idpyoidc.client.oidc.end_session.EndSession"}}
"""The library wants the list of what is used; this client is registered already."""

PKCE: Final = {
    "function": "idpyoidc.client.oauth2.add_on.pkce.add_support",
    "kwargs": {"code_challenge_length": 64, "code_challenge_method": "S256"},
}


class Idpyoidc:
    """What an application does with idpyoidc."""

    def __init__(self, settings: Settings) -> None:
        self.issuer = settings.issuer
        configuration = {
            "issuer": settings.issuer,
            "client_id": settings.client_id,
            "client_secret": settings.client_secret,
            "client_type": "oidc",
            "redirect_uris": [settings.redirect_uri],
            "post_logout_redirect_uris": [settings.post_logout_redirect_uri],
            "response_types_supported": ["code"],
            "scopes_supported": ["openid", "offline_access"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            "client_authn_methods": ["client_secret_basic"],
            "services": SERVICES,
            "add_ons": {"pkce": PKCE},
        }
        self.handler = RPHandler(
            base_url=settings.redirect_uri,
            client_configs={settings.issuer: configuration},
            keyjar=KeyJar(),
        )

    def begin(self, parameters: Mapping[str, str]) -> str:
        """Return an authorization request."""
        asked = {"scope": ["openid", "offline_access"], **parameters}
        return str(self.handler.begin(self.issuer, req_args=asked))

    def finish(self, callback: str) -> dict[str, Any]:
        """Exchange the code, ask who it is, refresh."""
        client = self.handler.issuer2rp[self.issuer]
        answer = client.finalize_auth(query_of(callback))
        if is_error_message(answer):
            raise Refused(answer["error"], answer["error_description"])
        found = self.handler.finalize(self.issuer, query_of(callback))
        self.state = found["state"]
        refreshed = client.refresh_access_token(found["state"])
        userinfo = client.get_user_info(found["state"], access_token=refreshed["access_token"])
        return {
            "subject": found["id_token"]["sub"],
            "id_token": found["id_token"].to_dict(),
            "userinfo": found["userinfo"].to_dict(),
            "refreshed": {
                "subject": refreshed["__verified_id_token"]["sub"],
                "id_token": refreshed["id_token"],
                "userinfo": userinfo.to_dict(),
            },
        }

    def leave(self) -> str:
        """Return a logout request of the last login."""
        return str(self.handler.logout(self.state)["url"])

    def hear_of_logout(self, form: str) -> str:
        """Return the state of the login that a logout token ends."""
        return str(backchannel_logout(self.handler.issuer2rp[self.issuer], request=form))


if __name__ == "__main__":
    play(Idpyoidc)
