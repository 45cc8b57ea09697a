"""The gallery's change feed."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import uuid4

from sqlalchemy import bindparam, delete, func, insert, select, update

from mobile_api.storage import schema as t
from mobile_api.types import GalleryChange
from oidc.plumbing.store import Store
from oidc.types import AccountId

_HEAD: Final = select(t.gallery_head.c.sequence)
_LOCK_HEAD: Final = _HEAD.with_for_update()
_NEXT: Final = (
    update(t.gallery_head)
    .values(sequence=t.gallery_head.c.sequence + 1)
    .returning(t.gallery_head.c.sequence)
)
_RECORD: Final = insert(t.gallery_changes)
_SINCE: Final = (
    select(t.gallery_changes)
    .where(t.gallery_changes.c.sequence > bindparam("last"))
    .order_by(t.gallery_changes.c.sequence)
)


class GalleryHistory(Store):
    """The change feed: in which order accounts' references changed."""

    def head(self) -> int:
        """Return the sequence number of the last committed change; 0 at first."""
        return int(self._connection.execute(_HEAD).scalar_one())

    def lock(self) -> int:
        """Return the head and block other changes until the end.

        Search and change the gallery under this lock: of two phones that enrol one palm at
        once, the second finds the first one's.
        """
        return int(self._connection.execute(_LOCK_HEAD).scalar_one())

    def record(self, account: AccountId, at: datetime) -> None:
        """Record a change under the next number. Locks: numbers have no gaps."""
        sequence = self._connection.execute(_NEXT).scalar_one()
        change = {"sequence": sequence, "mark": uuid4(), "account": account, "at": at}
        self._connection.execute(_RECORD, change)

    def since(self, sequence: int) -> list[GalleryChange]:
        """Return the changes after this one, in order; old ones may be missing."""
        rows = self._connection.execute(_SINCE, {"last": sequence})
        return [GalleryChange(row.sequence, row.mark, row.account) for row in rows]

    def forget_erased(self, before: datetime) -> None:
        """Erase accounts that no longer exist from changes older than this."""
        changes = t.gallery_changes.c
        exists = select(t.accounts.c.account).where(t.accounts.c.account == changes.account)
        erased = changes.account.is_not(None) & (changes.at < before) & ~exists.exists()
        self._connection.execute(update(t.gallery_changes).where(erased).values(account=None))

    def purge(self, before: datetime) -> None:
        """Delete older changes but the last, which shows gaps; delete that one's account."""
        changes = t.gallery_changes.c
        is_old = changes.at < before
        last = select(func.max(changes.sequence)).where(is_old).scalar_subquery()
        self._changed(delete(t.gallery_changes).where(is_old, changes.sequence < last))
        named = is_old, changes.account.is_not(None)
        self._connection.execute(update(t.gallery_changes).where(*named).values(account=None))
