"""Two ASGI applications behind one port."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from mobile_api.messages import API_PREFIX, PAGE_PREFIX, STATION_PATH
from mobile_api.native_apps import ASSET_LINKS, SITE_ASSOCIATION


class Dispatch:
    """Sends the phone's paths to the mobile API, all others to the provider."""

    def __init__(self, mobile: FastAPI, provider: FastAPI, path: str) -> None:
        self._mobile, self._provider = mobile, provider
        prefixes = (path + each for each in (API_PREFIX, PAGE_PREFIX, STATION_PATH))
        self._prefixes = (*prefixes, ASSET_LINKS, SITE_ASSOCIATION)

        @asynccontextmanager
        async def lifespan(_app: Starlette) -> AsyncIterator[None]:
            async with (
                provider.router.lifespan_context(provider),
                mobile.router.lifespan_context(mobile),
            ):
                yield

        self._both = Starlette(lifespan=lifespan)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "lifespan":
            await self._both(scope, receive, send)
        elif self._is_mobile(scope["path"]):
            await self._mobile(scope, receive, send)
        else:
            await self._provider(scope, receive, send)

    def _is_mobile(self, path: str) -> bool:
        return any(path == each or path.startswith(f"{each}/") for each in self._prefixes)
