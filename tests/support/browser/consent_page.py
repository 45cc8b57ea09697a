"""The consent page in a real browser: how it is scanned, and where its pictures are kept."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from oidc.types import Authenticated, Level, LoginId, Ticket
from tests.support.service.sign_in import ANNA, PHONE, SignIn

ARTEFACTS = Path(__file__).parents[3] / "artefacts" / "consent"
"""The folder of screenshots; git ignores it."""


def claim(served: SignIn, page: Page) -> Any:
    """Scan the code on the page."""
    return served.handoff.claim(Ticket(link_on(page).partition("#")[2]), PHONE)


def show_palm(served: SignIn, page: Page) -> LoginId:
    """Scan the code on the page, and be recognised."""
    login: LoginId = claim(served, page).login_id
    own = Authenticated(ANNA, served.clock(), Level.PALM_AND_PHONE)
    served.handoff.record_outcome(login, PHONE, own)
    return login


def link_on(page: Page) -> str:
    """Return the link behind the code on the page."""
    return (page.get_attribute("#phone-link", "href") or "").removesuffix("&here")
