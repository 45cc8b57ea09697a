"""Check the Debian packages that only some tests need.

Run before the tests. As root it installs what is missing; otherwise it prints the one line to
run and names the tests that are left out until then.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class SystemPackage:
    """A Debian package, how to see that it is there, and what needs it."""

    name: str
    programs: str
    needed_by: str


PACKAGES = (
    SystemPackage(
        "postgresql",
        "/usr/lib/postgresql/*/bin/initdb",
        "the storage contracts and journeys on PostgreSQL (-m postgres)",
    ),
    SystemPackage(
        "pgbouncer",
        "/usr/sbin/pgbouncer",
        "PostgreSQL behind a pooler (tests/conformance/test_pooler.py, a journey)",
    ),
    SystemPackage(
        "sqlite3",
        "/usr/bin/sqlite3",
        "backup and restore as README describes them (tests/journeys/test_backup.py)",
    ),
    SystemPackage(
        "chromium", "/usr/bin/chromium", "the journeys in a real browser (-m browser)"
    ),
    SystemPackage(
        "firefox-esr",
        "/usr/bin/firefox-esr",
        "the phone's page in another browser (tests/journeys/phone_page/test_firefox.py)",
    ),
    SystemPackage(
        "webkit2gtk-driver",
        "/usr/bin/WebKitWebDriver",
        "the engine of iPhones (tests/oidc/browser/test_leading_on.py)",
    ),
    SystemPackage("xvfb", "/usr/bin/Xvfb", "the screen of WebKit (webkit2gtk-driver)"),
    SystemPackage(
        "nginx-light",
        "/usr/sbin/nginx",
        "a login through nginx (tests/journeys/test_deployment.py)",
    ),
    SystemPackage(
        "caddy", "/usr/bin/caddy", "a login through Caddy (tests/journeys/test_deployment.py)"
    ),
    SystemPackage(
        "prometheus", "/usr/bin/promtool", "the alert rules (tests/journeys/test_monitoring.py)"
    ),
    SystemPackage(
        "libapache2-mod-auth-openidc",
        "/usr/lib/apache2/modules/mod_auth_openidc.so",
        "the journey with a website behind Apache (tests/relying_parties)",
    ),
)


def is_installed(package: SystemPackage) -> bool:
    """Return whether the package's program is there."""
    return any(Path("/").glob(package.programs.lstrip("/")))


def main() -> int:
    """Install what is missing, or say how. Return 0: tests without it still run."""
    missing = [package for package in PACKAGES if not is_installed(package)]
    if not missing:
        return 0
    names = [package.name for package in missing]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("Installing Debian packages for the tests:", *names, flush=True)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], check=True, env=environment)
        install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *names]
        subprocess.run(install, check=True, env=environment, stdout=subprocess.DEVNULL)
        return 0
    for package in missing:
        print(f"Left out, because {package.name} is not installed: {package.needed_by}.")
    print("To run them too:  sudo apt-get install", *names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
