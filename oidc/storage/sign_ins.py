"""Store of sign-ins: which phone signed its owner in, where and when."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from oidc.types import Claimant, ClientId, GrantId, PairwiseSubject


@dataclass(frozen=True, slots=True)
class SignInRecord:
    """One finished login by palm.

    Attributes:
        grant_id: what it gave, possibly deleted since.
        claimant: the phone.
        amr: of the person, even if the grant says less.
        at: aware, UTC.
    """

    grant_id: GrantId
    client_id: ClientId
    subject: PairwiseSubject = field(repr=False)
    claimant: Claimant = field(repr=False)
    amr: tuple[str, ...]
    at: datetime


class SignInStore(Protocol):
    """Stores sign-ins."""

    def add(self, record: SignInRecord) -> None:
        """Add a sign-in."""

    def latest(self, subjects: Sequence[PairwiseSubject], count: int) -> list[SignInRecord]:
        """Return the latest sign-ins of these subjects, newest first."""

    def grants_of(
        self, subjects: Sequence[PairwiseSubject], claimant: Claimant
    ) -> list[GrantId]:
        """Return what a phone was granted for these subjects."""

    def remove(self, subjects: Sequence[PairwiseSubject]) -> None:
        """Delete the sign-ins of these subjects."""

    def purge(self, before: datetime) -> int:
        """Delete older sign-ins; return how many."""
