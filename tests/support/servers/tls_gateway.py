"""A TLS gateway in front of a service on loopback, as an operator would put one there.

Addresses of https hosts are served by one process on plain http: the gateway ends TLS, keeps
the Host header and adds nothing else. No name is resolved, nothing leaves the machine.
"""

import httpx2


class Gateway(httpx2.BaseTransport):
    """Carries requests for any of some https hosts to one local service.

    Args:
        hosts: which hosts it answers for.
        port: of the service on loopback.
    """

    def __init__(self, hosts: frozenset[str], port: int) -> None:
        self._hosts = hosts
        self._port = port
        self._inner = httpx2.HTTPTransport()
        self.seen: list[str] = []

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Pass a request on."""
        if request.url.scheme != "https" or request.url.host not in self._hosts:
            raise httpx2.ConnectError(f"no such host behind the gateway: {request.url.host}")
        self.seen.append(f"{request.method} {request.url.host}{request.url.path}")
        local = request.url.copy_with(scheme="http", host="127.0.0.1", port=self._port)
        inner = httpx2.Request(
            request.method, local, headers=request.headers, stream=request.stream
        )
        inner.headers["Host"] = request.url.netloc.decode()
        return self._inner.handle_request(inner)

    def close(self) -> None:
        """Keep the gateway open: all clients share it."""

    def shut(self) -> None:
        """Close connections."""
        self._inner.close()
