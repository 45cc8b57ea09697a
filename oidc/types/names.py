"""Identifiers and secrets, each a type of its own so that none is passed for another."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NewType
from uuid import UUID

Clock = Callable[[], datetime]
"""Returns the time: aware, UTC. Only ``app.py`` knows the real one."""

AccountId = NewType("AccountId", UUID)
"""Our internal person. Never leaves the service: no token, code or client sees it."""

PairwiseSubject = NewType("PairwiseSubject", str)
"""``sub`` and ``external_user_id``: random pseudonym of an account within one sector."""

SectorIdentifier = NewType("SectorIdentifier", str)
"""The scope within which a subject is stable; by default the client itself."""

ClientId = NewType("ClientId", str)
"""A registered relying party."""

LoginId = NewType("LoginId", str)
"""A pending login, on both sides. Not a secret: the browser shows a cookie, the phone its key.
A pending login, on both sides. Not a secret: the browser shows a cookie, the phone its key."""

BrowserSecret = NewType("BrowserSecret", str)
"""The browser's half of a login: 256 bits, only in that login's cookie."""

Ticket = NewType("Ticket", str)
"""The phone's half of a login, only in the QR code: login ID and 128 secret bits that change
every few seconds. One phone may claim it."""

Claimant = NewType("Claimant", str)
"""The phone that claimed a login; opaque here (mobile_api passes a key thumbprint)."""

LinkedClientHandle = NewType("LinkedClientHandle", str)
"""One client's link to one account, shown to that account's owner only."""

GrantId = NewType("GrantId", str)
"""What a code, its refresh tokens and its access tokens have in common."""

SessionId = NewType("SessionId", str)
"""What one palm began in one browser; shared by the grants of a session. Internal."""

SessionSecret = NewType("SessionSecret", str)
"""256 bits in a browser's cookie: lets it sign in without a palm for some minutes."""

Sid = NewType("Sid", str)
"""A session as one client knows it (``sid``), different for each client."""
