"""Developers at the portal."""

import pytest

from tests.support.service.portal_developer import Visitor, invite
from tests.support.service.sign_in import BERT, SignIn


@pytest.fixture
def dora(sign_in: SignIn) -> Visitor:
    """Give a developer who has joined."""
    visitor = Visitor(sign_in)
    visitor.join(invite(sign_in))
    return visitor


@pytest.fixture
def emil(sign_in: SignIn) -> Visitor:
    """Give another one."""
    visitor = Visitor(sign_in, BERT)
    visitor.join(invite(sign_in, "emil@dev.example"))
    return visitor
