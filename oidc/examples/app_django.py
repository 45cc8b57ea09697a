"""An app on Django that signs people in with Thenar.

pip install django authlib requests; python app_django.py runserver 3000
"""

import os
import secrets
from typing import Any

from authlib.integrations.django_client import OAuth, OAuthError
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpRequest, HttpResponse
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1", "localhost"],
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware"],
    ROOT_URLCONF=__name__,
    SECRET_KEY=secrets.token_urlsafe(50),
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
)
thenar: Any = OAuth().register(
    "thenar",
    server_metadata_url=os.environ["ISSUER"] + "/.well-known/openid-configuration",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    client_kwargs={"scope": "openid", "code_challenge_method": "S256"},
)


def home(request: HttpRequest) -> HttpResponse:
    return HttpResponse('<a href="/login">Sign in with your palm</a>')


def login(request: HttpRequest) -> HttpResponse:
    return thenar.authorize_redirect(request, request.build_absolute_uri("/callback"))


def callback(request: HttpRequest) -> HttpResponse:
    """Greet who comes back: ``sub`` is this person, in this app, for ever."""
    try:
        token = thenar.authorize_access_token(request)
    except OAuthError as fault:
        return HttpResponse(f"The sign-in failed: {fault.error}", status=403)
    return HttpResponse(f"Hello, {token['userinfo']['sub']}")


urlpatterns = [path("", home), path("login", login), path("callback", callback)]

if __name__ == "__main__":
    execute_from_command_line()
