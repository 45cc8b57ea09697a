"""An application that really listens, in a thread of the tests' own process."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn


@contextmanager
def listening(server: uvicorn.Server, *listeners: socket.socket) -> Iterator[None]:
    """Serve for as long as the context lasts.

    Args:
        server: not started yet.
        listeners: sockets that listen already; without them it listens where it is to listen.
    """
    thread = threading.Thread(target=server.run, args=(list(listeners) or None,), daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        thread.join(0.01)
    assert server.started, "the server did not start"
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(30)
