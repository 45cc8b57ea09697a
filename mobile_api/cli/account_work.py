"""The work of ``thenar account``: apart from its options, so that help loads nothing of it."""

from mobile_api.account.deletion import delete_by_code
from mobile_api.account.disputes import (
    DisputedPalm,
    dismiss_dispute,
    release_palm,
    show_dispute,
    suspend_palm,
)
from mobile_api.cli.opened import OpenDatabase, opened
from mobile_api.codes import MOTIONS_CODE_LIFETIME, digest_of, new_code
from mobile_api.erasures import check_list, list_erased, renew_list
from mobile_api.types import Clock
from oidc.types import AccountId


def delete(code: str, clock: Clock) -> None:
    """Delete the account of a deletion code."""
    with opened() as found:
        with found.database.write() as transaction:
            erased = delete_by_code(transaction, code, clock())
        _finish(found, erased)


def disputed(
    code: str, clock: Clock, *, suspend: bool = False, dismiss: bool = False
) -> DisputedPalm:
    """Lock or unlock a disputed palm if asked; return what is known of who claims it."""
    now = clock()
    with opened() as found, found.database.write() as transaction:
        if suspend:
            suspend_palm(transaction, code, now)
        if dismiss:
            dismiss_dispute(transaction, code, now)
        return show_dispute(transaction, found.encryption, code, now)


def release(code: str, clock: Clock) -> AccountId | None:
    """Remove a disputed palm; return the account that was deleted with its only one."""
    with opened() as found:
        with found.database.write() as transaction:
            erased = release_palm(transaction, found.encryption, code, clock())
        _finish(found, erased)
    return erased


def motions_code(clock: Clock) -> str:
    """Return a new code for leaving out motions."""
    code = new_code()
    with opened() as found, found.database.write() as transaction:
        transaction.motion_codes.add(
            digest_of("motions", code), clock() + MOTIONS_CODE_LIFETIME
        )
    return code


def erasures(*, renew: bool) -> int:
    """Renew the list of erasures if asked, check it, and return the count of its accounts.

    Raises ProcessesRun: they serve phones, by the list that would end.
    """
    with opened() as found:
        if renew:
            _require_no_phones_served()
            renew_list(found.erasures, found.database)
        return check_list(found.erasures, found.database)


def _require_no_phones_served() -> None:
    from mobile_api.server.configuration import load_both  # noqa: PLC0415 - loads the provider
    from mobile_api.server.running import require_stopped  # noqa: PLC0415

    require_stopped(load_both(), serving_phones=True)


def _finish(found: OpenDatabase, erased: AccountId | None) -> None:
    """Remove what was deleted from files, and list an erased account."""
    found.database.compact()
    if erased is not None:
        list_erased(found.erasures, found.database, erased)
