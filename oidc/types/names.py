"""Identifiers and secrets, each its own type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NewType
from uuid import UUID

Clock = Callable[[], datetime]
"""Returns the time: aware, UTC."""


@dataclass(frozen=True, slots=True)
class Brand:
    """The operator's look: a name, a colour as in CSS, and an SVG file; None: ours."""

    name: str = "Thenar"
    colour: str = "#0b6e5f"
    mark: Path | None = None


AccountId = NewType("AccountId", UUID)
"""Our internal person, here an alias (``oidc.aliases``). Never leaves the service."""

PairwiseSubject = NewType("PairwiseSubject", str)
"""``sub`` and ``external_user_id``: random, one for each account and sector."""

SectorIdentifier = NewType("SectorIdentifier", str)
"""Where a subject is stable; by default the client."""

ClientId = NewType("ClientId", str)

LoginId = NewType("LoginId", str)
"""Not a secret."""

BrowserSecret = NewType("BrowserSecret", str)
"""The browser's half of a login: 256 bits, in its cookie."""

Ticket = NewType("Ticket", str)
"""The phone's half: login ID and 128 secret bits."""

Claimant = NewType("Claimant", str)
"""The alias of a phone, opaque here."""

LinkedClientHandle = NewType("LinkedClientHandle", str)
"""One client's link to one account."""

GrantId = NewType("GrantId", str)

SessionId = NewType("SessionId", str)
"""Shared by the grants of one palm in one browser. Internal."""

SessionSecret = NewType("SessionSecret", str)
"""256 bits in a cookie."""

Sid = NewType("Sid", str)
"""A session as one client knows it, different for each."""
