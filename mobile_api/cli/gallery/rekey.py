"""``thenar gallery rekey``: every template under a new key."""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING, Annotated

import typer

from mobile_api.cli.gallery.opening import console, counted, open_database

if TYPE_CHECKING:
    from mobile_api.gallery.rekey import Rekeying

OLD_KEY_DELAY_S = 3.0
"""Wait before old keys are removed: running transactions may still use them."""


def rekey(
    *,
    remove_old: Annotated[
        bool,
        typer.Option("--remove-old", help="Remove the old keys from the key file at the end."),
    ] = False,
) -> None:
    """Re-encrypt every template under a new key while the service runs.

    If interrupted, run it again to continue. Old keys stay in the key file until removed:
    older backups of the database need them.
    """
    from mobile_api.erasures import sign_list  # noqa: PLC0415 - loads the database
    from mobile_api.gallery.rekey import Rekeying  # noqa: PLC0415
    from mobile_api.server.configuration import load_both  # noqa: PLC0415
    from mobile_api.server.running import require_one_key_file  # noqa: PLC0415

    with open_database() as opened:
        rekeying = Rekeying(
            opened.database,
            opened.encryption,
            opened.key_file,
            lambda: sign_list(opened.erasures, opened.database),
        )
        if rekeying.needs_key():
            require_one_key_file(load_both())
        if rekeying.begin():
            console.print(
                f"New key {opened.encryption.key_id}. Back up the key file separately."
            )
        else:
            console.print(f"Continuing with the key {opened.encryption.key_id}.")
        _rekey_all(rekeying)
        if remove_old:
            removed = rekeying.remove_old_keys(lambda: sleep(OLD_KEY_DELAY_S))
            console.print(f"Old keys removed: {removed}.")


def _rekey_all(rekeying: Rekeying) -> None:
    """Re-key step by step with a progress bar."""
    with counted("re-encrypted") as progress:
        task = progress.add_task("", total=rekeying.pending_count())
        while count := rekeying.step():
            progress.advance(task, count)
