"""A server that says one thing to the first who calls, and hangs up."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def saying(said: bytes) -> Iterator[int]:
    """Give the port of a server that answers one request with these bytes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)

        def answer() -> None:
            talk, _ = server.accept()
            with talk:
                talk.recv(1000)
                talk.sendall(said)

        thread = threading.Thread(target=answer)
        thread.start()
        yield server.getsockname()[1]
        thread.join()
