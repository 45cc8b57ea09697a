"""The demo's printed text: its address, and sign-ins to try."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import segno
from rich.console import Console

from mobile_api.demo.people import DemoPeople
from mobile_api.demo.service import DemoService
from mobile_api.demo.site import Certificate

_UNKNOWN_PHONE: Final = """ To see
     the page of an unknown phone, leave --state out."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A sign-in that a visitor can try.

    Attributes:
        shop: address of the sample app.
        invitation: link into the portal.
        settings: file with the service's settings.
        station: link for a station; empty: a browser used it; None: not shown.
    """

    service: DemoService
    shop: str
    people: DemoPeople
    invitation: str
    settings: Path
    station: str | None = None


def print_instructions(console: Console, tried: Tried) -> None:
    """Print what to try, with links and fingerprints as they are: “:CD:” is no emoji."""
    console.print(_instructions(tried), soft_wrap=True, emoji=False)


def _instructions(tried: Tried) -> str:
    certificate = tried.service.site.certificate
    own = _at_this_computer(tried) if certificate is None else _with_a_phone(tried, certificate)
    return f"""
[bold]Corner Bookshop[/]  {tried.shop}  the sample app: start here
[bold]Thenar[/]           {tried.service.url}  the service
{own}{_at_a_station(tried)}{_as_a_drawn_person(tried)}
[bold]As an app developer[/]
  Open this invitation to the developer portal. It lets one person in, who signs in by palm:
  {tried.invitation}

[bold]As an operator[/]
  Every command works on the demo after this line, for example “thenar client list”:
  set -a; . {tried.settings}; set +a

{_attack_detection(tried)}
  Data in {tried.service.data}, log in {tried.service.log}. Stop with Ctrl-C.
"""


def _attack_detection(tried: Tried) -> str:
    if tried.service.asks_challenges:
        return """\
  New palms and unknown phones must show a moving hand. The drawn people are
  still pictures: they were enrolled before, and sign in from their own phones only."""
    return """\
  The demo's people are still pictures, so it runs without attack detection
  (THENAR_ENGINE_ATTACK_DETECTION=none). A service asks for moving hands by default,
  and so does “make demo CHALLENGE=1”."""


def _at_this_computer(tried: Tried) -> str:
    return f"""
[bold]With your own palm and the webcam[/]
  1. Open {tried.service.url}/m and press “Set up my palms”.
  2. Open {tried.shop}, press “Sign in with your palm”, then “Use this device”, and show
     your palm to the webcam.

  For a phone in your network, start “make demo LAN=1”.
"""


def _at_a_station(tried: Tried) -> str:
    if tried.station is None:
        return ""
    opened = f"Open this link there:\n     {tried.station}"
    return f"""
[bold]At a station, without a phone[/]
  1. Set up your palms first, in this browser or on a phone: a station shows no accounts.
  2. Another browser, or a private window, becomes the station.
     {opened if tried.station else "One has become it already: use that one."}
  3. Open {tried.shop} there, press “Sign in with your palm”, then “Show your palm here”.
"""


def _with_a_phone(tried: Tried, certificate: Certificate) -> str:
    page = f"{tried.service.url}/m"
    return f"""
[bold]With your own palm and a phone in your network[/]
  1. Scan this code with the phone's camera, or open {page}
{_code(page)}
     The browser warns, as the demo made its certificate itself. There is nothing to install.
     Accept it: “Advanced”, then “Proceed”; in Safari “Show Details”, then “visit this website”.
     It is the right one if the warning shows this SHA-256 fingerprint:
     {certificate.fingerprint}
  2. Press “Set up my palms” and show both palms to the phone's camera.
  3. Open {tried.shop} here, accept the same certificate, and press “Sign in with your palm”.
     Scan the code that appears with the phone.

  Not at an address of numbers: confirming with the phone's screen lock (passkeys), and a page
  that opens without a network. Browsers allow both for names with a known certificate only.
"""


def _as_a_drawn_person(tried: Tried) -> str:
    people = tried.people.people
    unknown = "" if tried.service.asks_challenges else _UNKNOWN_PHONE
    return f"""
[bold]Without a camera, as one of {len(people)} drawn people[/]
  1. Open {tried.shop} and press “Sign in with your palm”.
  2. The consent page shows a QR code and, this being the demo, a command. Copy it into a
     second terminal, or press “Use this device” and show your palm to the webcam. LINK is the
     link behind the QR code:

     {tried.service.demo_command.replace("{link}", "LINK")}

     It acts as the phone of {people[0].name}, with a photo that was not used to enrol.
     To be someone else, up to {people[-1].name}, change --state and --palm.{unknown}
  3. The browser continues by itself. Then try “Verify this user again”.
"""


def _code(link: str) -> str:
    """Draw a QR code with characters."""
    drawn = io.StringIO()
    segno.make(link, error="l", micro=False).terminal(drawn, border=2, compact=True)
    return f"[bright_white on black]{drawn.getvalue().rstrip()}[/]"
