"""Names and secrets: each a string of its own kind, so that none passes for another."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NewType
from uuid import UUID

Clock = Callable[[], datetime]
"""Tells the time: aware, UTC. Only ``app.py`` knows the real one."""

AccountId = NewType("AccountId", UUID)
"""Our own, internal person. Never leaves the service: no token, code or client sees it."""

PairwiseSubject = NewType("PairwiseSubject", str)
"""``sub`` and ``external_user_id``: a random pseudonym of one account within one sector."""

SectorIdentifier = NewType("SectorIdentifier", str)
"""The scope within which a subject is stable; by default the client itself."""

ClientId = NewType("ClientId", str)
"""A registered relying party."""

LoginId = NewType("LoginId", str)
"""Names one pending login on both sides. Not a secret: the browser proves itself by a cookie,
the phone by the key that claimed the ticket."""

BrowserSecret = NewType("BrowserSecret", str)
"""The browser's half of a login: 256 bits, only in that login's own cookie."""

Ticket = NewType("Ticket", str)
"""The phone's half of a login, only inside the QR code: its name and 128 secret bits that
change every few seconds. One phone may claim it."""

Claimant = NewType("Claimant", str)
"""Which phone claimed a login: opaque to the provider (mobile_api passes a key thumbprint)."""

LinkedClientHandle = NewType("LinkedClientHandle", str)
"""Names one client's acquaintance with one account, to that account's owner only."""

GrantId = NewType("GrantId", str)
"""Names one grant: what a code, its refresh tokens and its access tokens have in common."""

SessionId = NewType("SessionId", str)
"""Names what one palm began in one browser: the grants of one session share it. Internal."""

SessionSecret = NewType("SessionSecret", str)
"""What a browser shows to sign in without a palm for some minutes: 256 bits, in its cookie."""

Sid = NewType("Sid", str)
"""A session as one client knows it (``sid``): no two clients are told the same."""
