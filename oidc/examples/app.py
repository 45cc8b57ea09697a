"""An app on FastAPI that signs people in with Thenar.

pip install fastapi uvicorn authlib httpx2 itsdangerous; uvicorn app:app --port 3000
"""

import os
import secrets
from typing import Any

from authlib.integrations.starlette_client import OAuth, OAuthError
from fastapi import FastAPI, Request
from starlette.middleware.sessions import SessionMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse, Response

app = FastAPI()
app.add_middleware(SessionMiddleware, secret_key=secrets.token_urlsafe())
thenar: Any = OAuth().register(
    "thenar",
    server_metadata_url=os.environ["ISSUER"] + "/.well-known/openid-configuration",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    client_kwargs={"scope": "openid", "code_challenge_method": "S256"},
)


@app.get("/")
def home() -> Response:
    """Offer to sign in."""
    return HTMLResponse('<a href="/login">Sign in with your palm</a>')


@app.get("/login")
async def login(request: Request) -> Any:
    """Send the browser to Thenar."""
    return await thenar.authorize_redirect(request, request.url_for("callback"))


@app.get("/callback")
async def callback(request: Request) -> Response:
    """Greet who comes back: ``sub`` is this person, in this app, for ever."""
    try:
        token = await thenar.authorize_access_token(request)
    except OAuthError as fault:
        return PlainTextResponse(f"The sign-in failed: {fault.error}", 403)
    return PlainTextResponse(f"Hello, {token['userinfo']['sub']}")
