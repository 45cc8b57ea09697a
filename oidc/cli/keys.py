"""``thenar key``: signing keys and their rotation."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from oidc.cli.database import AsJson, fail, print_json, print_rows, protocol_database
from oidc.types import utc_now

if TYPE_CHECKING:
    from oidc.storage.stores.operation import SigningKeyRecord

key = typer.Typer(help="List and rotate the signing keys.", no_args_is_help=True)


@key.command("list")
def list_keys(*, as_json: AsJson = False) -> None:
    """List all published keys and their use: signs, next or verifies."""
    from oidc.keys import is_active  # noqa: PLC0415 - help needs no keys

    now = utc_now()
    with protocol_database() as (_, database), database.read() as stores:
        found = [each for each in stores.keys.all() if is_active(each, now)]
    rows = [_described(each, found, now) for each in found]
    names = ("kid", "alg", "use", "signs from", "retires at")
    print_rows(rows, names=names, as_json=as_json)


@key.command()
def rotate(
    *,
    alg: Annotated[str, typer.Option(help="Which key to replace: RS256 or ES256.")] = "RS256",
    compromised: Annotated[
        bool, typer.Option(help="Retire the old key at once; all it signed becomes invalid.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Publish a new key. It signs once caches know it; the old one still verifies.

    Running processes notice within a minute.
    """
    from oidc.keys import Overlap, load_cipher, require_own_keys, rotate_key  # noqa: PLC0415 - help needs no keys

    with protocol_database() as (settings, database), database.write() as stores:
        cipher = load_cipher(settings.key_source)
        require_own_keys(stores, cipher)  # no other host could decrypt the new one
        if alg not in {each.algorithm for each in stores.keys.all()}:
            fail("no signing key has this algorithm: choose RS256 or ES256")
        overlap = Overlap.none() if compromised else Overlap.for_tokens(settings.lifetimes)
        record = rotate_key(stores, cipher, alg, overlap, utc_now())
    if as_json:
        print_json({"kid": record.kid, "signs_from": record.signs_from.isoformat()})
        return
    typer.echo(f"{record.kid} signs from {record.signs_from:%Y-%m-%d %H:%M:%S} UTC")


def _described(
    record: SigningKeyRecord, living: list[SigningKeyRecord], now: datetime
) -> dict[str, str | None]:
    ready = [r for r in living if r.algorithm == record.algorithm and r.signs_from <= now]
    ends_at = record.retires_at
    is_current = bool(ready) and record is ready[-1]
    return {
        "kid": record.kid,
        "alg": record.algorithm,
        "use": "next" if record.signs_from > now else "signs" if is_current else "verifies",
        "signs_from": record.signs_from.isoformat(timespec="seconds"),
        "retires_at": None if ends_at is None else ends_at.isoformat(timespec="seconds"),
    }
