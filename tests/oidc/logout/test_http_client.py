"""One POST to a client, and nothing that a hostile address could make of it."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from oidc.errors import DeliveryFailed
from oidc.logout import LogoutHttpClient
from tests.support.servers.certificates import make_certificate
from tests.support.servers.recording import Recorder, recording

POST = LogoutHttpClient(allows_private_hosts=True)


@pytest.mark.parametrize("status", [200, 204])
def test_arrives_as_a_form_with_one_field(logouts: Recorder, status: int) -> None:
    """Back-Channel Logout 1.0 §2.5, §2.8."""
    logouts.status = status

    POST(logouts.address, "a.b.c")

    (received,) = logouts.received
    assert received.path == "/logout?tenant=1"
    assert received.content_type == "application/x-www-form-urlencoded"
    assert received.fields == [("logout_token", "a.b.c")]


@pytest.mark.parametrize("status", [400, 401, 404, 500, 501, 302])
def test_anything_else_is_a_failure(logouts: Recorder, status: int) -> None:
    """Redirects too: they are not followed."""
    logouts.status = status

    with pytest.raises(DeliveryFailed, match=str(status)):
        POST(logouts.address, "a.b.c")

    assert len(logouts.received) == 1


@pytest.mark.parametrize(
    "address",
    [
        "{endpoint}", "http://localhost:{port}/", "https://127.0.0.1/", "https://[::1]/",
        "https://10.0.0.1/", "https://192.168.1.1/", "https://169.254.169.254/latest/meta-data",
        "https://0.0.0.0/", "https://[::ffff:127.0.0.1]/", "https://[fe80::1]/",
        "https://2130706433/", "https://100.64.0.1/",
    ],
)  # fmt: skip
def test_inside_is_out_of_reach(logouts: Recorder, address: str) -> None:
    """By number or by name: this machine, its networks, a cloud's metadata."""
    port = logouts.address.rpartition(":")[2].partition("/")[0]
    target = address.replace("{endpoint}", logouts.address).replace("{port}", port)

    with pytest.raises(DeliveryFailed, match="not public"):
        LogoutHttpClient(allows_private_hosts=False)(target, "a.b.c")

    assert not logouts.received


@pytest.mark.parametrize("host", [f"{'a' * 64}.example", "shop..example", ".example"])
def test_a_host_that_is_no_name_is_a_failure(host: str) -> None:
    """The resolver raises no OSError for it: the delivery of every other notice would end."""
    with pytest.raises(DeliveryFailed, match="no response"):
        POST(f"https://{host}/", "a.b.c")


def test_a_client_that_drips_is_left() -> None:
    """One byte every moment keeps each wait short; the whole is limited, too."""
    impatient = LogoutHttpClient(allows_private_hosts=True, step_s=1, limit_s=0.3)

    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as pool:
        pool.submit(_drip, server)
        with pytest.raises(DeliveryFailed):
            impatient(f"http://127.0.0.1:{server.getsockname()[1]}/", "a.b.c")


def _drip(server: socket.socket) -> None:
    """Send a good response in about a second: longer than the limit."""
    with suppress(OSError), server.accept()[0] as line:
        for byte in b"HTTP/1.1 200 OK\r\n\r\n":
            line.send(bytes([byte]))
            time.sleep(0.05)


def test_goes_by_https_to_whom_the_certificate_names(tmp_path: Path) -> None:
    """The name of the address is checked, although the connection was made by number."""
    server, trusting = make_certificate(tmp_path)
    post = LogoutHttpClient(allows_private_hosts=True, tls=trusting)

    with recording(tls=server) as secure:
        post(secure.address, "a.b.c")
        with pytest.raises(DeliveryFailed, match="CertVerification"):
            post(secure.address.replace("127.0.0.1", "localhost"), "a.b.c")
        with pytest.raises(DeliveryFailed, match="CertVerification"):
            POST(secure.address, "a.b.c")

    assert len(secure.received) == 1
