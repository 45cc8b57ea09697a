"""Stands between a client and a server, and can fall silent as a machine that vanished does."""

import socket
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Self
from urllib.parse import urlsplit

GIVEN_UP_S = 120.0
"""After so long a silent connection is closed, so that a test ends that fails."""


class SilentProxy(AbstractContextManager["SilentProxy"]):
    """Forwards connections to a server.

    Args:
        url: of the server; with host and port.

    Attributes:
        url: of the same server, by this way.
        opened: how many connections were opened.
        gave_up: whether a silent connection was closed, so that a failing test ends.
        hung: released for each connection that fell silent at a message.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._server = (str(parts.hostname), int(parts.port or 0))
        self._listener = socket.create_server(("127.0.0.1", 0))
        port = self._listener.getsockname()[1]
        self.url = url.replace(f":{parts.port}/", f":{port}/")
        self.opened = 0
        self._ends: list[socket.socket] = []
        self._silent: set[socket.socket] = set()
        self._message: bytes | None = None
        self.gave_up, self._is_once = False, True
        self.hung = threading.Semaphore(0)
        self._threads: list[threading.Thread] = []
        self._timers: list[threading.Timer] = []

    def __enter__(self) -> Self:
        """Begin to forward."""
        self._begin(self._accept)
        return self

    def fall_silent_at(self, message: bytes | None, *, once: bool = True) -> None:
        """Let the first connection, or all, fall silent that send this; None: no more."""
        self._message, self._is_once = message, once

    def __exit__(self, *_raised: object) -> None:
        """Close every connection."""
        for timer in self._timers:
            timer.cancel()
            timer.join()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._threads[0].join()
        _hang_up(*self._ends)
        for thread in self._threads[1:]:
            thread.join()
        for end in self._ends:
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._server)
                self.opened += 1
                self._ends += client, server
                self._begin(self._pump, client, server, from_client=True)
                self._begin(self._pump, server, client, from_client=False)

    def _begin(self, work: Callable[..., None], *arguments: object, **options: bool) -> None:
        thread = threading.Thread(target=work, args=arguments, kwargs=options)
        thread.start()
        self._threads.append(thread)

    def _pump(self, source: socket.socket, sink: socket.socket, *, from_client: bool) -> None:
        with suppress(OSError):
            while octets := source.recv(65536):
                if from_client and self._message is not None and self._message in octets:
                    self._hang(source, sink)
                if source not in self._silent:
                    sink.sendall(octets)
        if source not in self._silent:
            _hang_up(source, sink)

    def _hang(self, *ends: socket.socket) -> None:
        if self._is_once:
            self._message = None
        self._silent.update(ends)
        self._timers.append(threading.Timer(GIVEN_UP_S, self._give_up, ends))
        self._timers[-1].start()
        self.hung.release()

    def _give_up(self, *ends: socket.socket) -> None:
        self.gave_up = True
        _hang_up(*ends)


def _hang_up(*ends: socket.socket) -> None:
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
