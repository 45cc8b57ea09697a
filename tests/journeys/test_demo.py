"""``thenar demo``: from drawn people to a finished login; a second start is ready at once."""

import re
import signal
from pathlib import Path

import pytest

from tests.support.servers.demo import running, sign_in
from tests.support.service.headless_browser import Browser
from tests.support.service.process import free_port


def test_the_demo_reaches_a_finished_login_twice(tmp_path):
    """What README promises: the button, the command on the page, the tokens; again at once."""
    ports, data = (free_port(), free_port()), tmp_path / "demo"
    with running(2, data, ports) as first, Browser(f"{first.shop}/callback") as browser:
        signed_in, command = sign_in(first, "sign-in", browser)
        again, _ = sign_in(first, "verify-again", browser)
        subject = signed_in.element("subject").text
        said = first.printed
    with running(2, data, ports) as second, Browser(f"{second.shop}/callback") as browser:
        later, _ = sign_in(second, "sign-in", browser)

    assert "phone --state" in command
    assert again.element("subject").text == later.element("subject").text == subject
    assert first.shop in said
    assert invitation(second.printed) == invitation(said)
    assert f"http://127.0.0.1:{ports[0]}" in said
    assert "2 drawn people" in said
    assert "enrolling people" in said
    assert "enrolling people" not in second.printed
    assert first.process.returncode == second.process.returncode == 0


def invitation(said: str) -> str:
    """Return the invitation to the portal."""
    [link] = re.findall(r"http\S+/portal/join#\S+", said)
    return str(link)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP])
def test_a_demo_listens_on_loopback_only_and_ends_as_a_whole(tmp_path, end):
    """A visitor who closes the terminal can start it again: its service has ended with it."""
    ports = (free_port(), free_port())
    with running(2, tmp_path / "demo", ports, end=end) as demo:
        assert listeners(ports) == ["0100007F"] * 2

    assert demo.process.returncode == 0
    assert listeners(ports) == []


def listeners(ports: tuple[int, int]) -> list[str]:
    """Return the addresses at which a process listens on these ports. proc(5)."""
    rows = [
        line.split()
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        for line in Path(table).read_text().splitlines()[1:]
    ]
    listening = [row[1].split(":") for row in rows if row[3] == "0A"]
    return [host for host, port in listening if int(port, 16) in ports]
