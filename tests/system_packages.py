"""Check the Debian packages that only some tests need.

Run before the tests. As root it installs what is missing; otherwise it prints the one line to
run and names the tests that are left out until then.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGES = {
    "postgresql": ("usr/lib/postgresql/*/bin/initdb", "whatever runs on it (-m postgres)"),
    "pgbouncer": ("usr/sbin/pgbouncer", "tests/conformance/test_pooler.py"),
    "sqlite3": ("usr/bin/sqlite3", "backup and restore (tests/journeys/test_backup.py)"),
    "chromium": ("usr/bin/chromium", "the journeys in a real browser (-m browser)"),
    "firefox-esr": ("usr/bin/firefox-esr", "tests/journeys/phone_page/test_engines.py"),
    "webkit2gtk-driver": ("usr/bin/WebKitWebDriver", "WebKit, as iPhones have it (-m browser)"),
    "xvfb": ("usr/bin/Xvfb", "the screen of WebKit (webkit2gtk-driver)"),
    "nginx-light": ("usr/sbin/nginx", "tests/journeys/test_deployment.py"),
    "caddy": ("usr/bin/caddy", "tests/journeys/test_deployment.py"),
    "prometheus": ("usr/bin/promtool", "the alert rules (tests/journeys/test_monitoring.py)"),
    "libapache2-mod-auth-openidc": (
        "usr/lib/apache2/modules/mod_auth_openidc.so",
        "a website behind Apache (tests/relying_parties)",
    ),
}
"""A Debian package: a program of it, and what needs it."""


def main() -> int:
    """Install what is missing, or say how. Return 0: tests without it still run."""
    names = [
        name for name, (program, _) in PACKAGES.items() if not any(Path("/").glob(program))
    ]
    if not names:
        return 0
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Debian packages for the tests:", *names, flush=True)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], check=True, env=environment)
        install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *names]
        subprocess.run(install, check=True, env=environment, stdout=subprocess.DEVNULL)
        return 0
    for name in names:
        print(f"Left out, because {name} is not installed: {PACKAGES[name][1]}.")
    print("To run them too:  sudo apt-get install", *names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
