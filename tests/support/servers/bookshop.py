"""The demo's relying party, served on loopback in a thread."""

from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from mobile_api.demo.relying_party import OpenIdConnect, Registration, build_relying_party
from tests.support.servers.app_server import listening
from tests.support.service.process import Service, free_port


@contextmanager
def open_bookshop(
    service: Service, name: str = "Corner Bookshop", *options: str
) -> Iterator[str]:
    """Register a bookshop at a running service, open it, and give its address.

    Args:
        service: where it is registered.
        name: of the bookshop.
        options: of ``thenar client add``.
    """
    port = free_port()
    address = f"http://localhost:{port}"
    added = service.add_client(name, f"{address}/callback", *options)
    registration = Registration(
        service.issuer, added.client_id, added.client_secret, f"{address}/callback"
    )
    app = build_relying_party(OpenIdConnect(registration))
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning")
    with listening(uvicorn.Server(config)):
        yield address
