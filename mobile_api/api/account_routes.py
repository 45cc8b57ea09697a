"""HTTP in, HTTP out: what a person may see and take back. No rule is made here."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter

from mobile_api import messages as m
from mobile_api.account.verification import require_bound
from mobile_api.api.http import Name, Owner, Palm, Phone, TypedRoute, Use, seconds_until
from mobile_api.api.openapi import PICTURE, PROVED, faults, proved
from oidc.types import Connection, ConnectionHandle

router: Final = APIRouter(prefix=m.API_PREFIX, route_class=TypedRoute)


@router.post(
    "/palm-proofs",
    tags=["account"],
    openapi_extra=proved(*m.SAMPLE_TYPES, m.TEMPLATE_TYPE),
    responses=faults(*PROVED, *PICTURE),
)
def prove_palm(phone: Phone, palm: Palm, use: Use) -> m.PalmProofMessage:
    """Show the palm once, for what follows on this phone within a few minutes."""
    require_bound(phone)
    proof = use.palm_proofs.prove(phone, palm)
    return m.PalmProofMessage(
        palm_proof=proof.text, expires_in=seconds_until(proof.expires_at, use)
    )


@router.post(
    "/connections",
    tags=["account"],
    openapi_extra=proved(*m.SAMPLE_TYPES, m.TEMPLATE_TYPE),
    responses=faults(*PROVED, *PICTURE),
)
def show_connections(phone: Phone, palm: Palm, use: Use) -> m.ProvedConnectionsMessage:
    """Show which apps know the person of this phone, proved by the palm."""
    require_bound(phone)
    proved_ = use.connections.show(phone, palm)
    return m.ProvedConnectionsMessage(
        connections=_connections(proved_.connections),
        palm_proof=proved_.palm_proof.text,
        expires_in=seconds_until(proved_.palm_proof.expires_at, use),
    )


@router.post(
    "/connections/{handle}/withdraw",
    tags=["account"],
    openapi_extra=proved(),
    responses=faults(*PROVED, 410, 413, 415, 422),
)
def withdraw_connection(
    handle: Name, message: m.WithdrawConnection, phone: Owner, use: Use
) -> m.ConnectionsMessage:
    """Take oneself back from one app: it knows this person no longer. Shows what is left."""
    left = use.connections.withdraw(phone, ConnectionHandle(handle), message.palm_proof)
    return m.ConnectionsMessage(connections=_connections(left))


@router.post(
    "/account/deletion",
    tags=["account"],
    openapi_extra=proved(*m.SAMPLE_TYPES, m.TEMPLATE_TYPE),
    responses=faults(*PROVED, *PICTURE),
)
def delete_account(phone: Owner, palm: Palm, use: Use) -> m.DeletedMessage:
    """Delete the account of this phone, proved by its palm: references, bonds, pseudonyms."""
    require_bound(phone)
    use.deletion.delete(phone, palm)
    return m.DeletedMessage()


@router.post(
    "/account/deletion-code",
    tags=["account"],
    openapi_extra=proved(*m.SAMPLE_TYPES, m.TEMPLATE_TYPE),
    responses=faults(*PROVED, *PICTURE),
)
def give_deletion_code(phone: Owner, palm: Palm, use: Use) -> m.DeletionCodeMessage:
    """Give a code by which the operator can delete this account. An earlier one ends."""
    require_bound(phone)
    return m.DeletionCodeMessage(deletion_code=use.deletion.give_code(phone, palm))


def _connections(found: list[Connection]) -> list[m.ConnectionMessage]:
    return [
        m.ConnectionMessage(
            handle=each.handle,
            client_name=each.client_name,
            client_host=each.client_host,
            since=int(each.since.timestamp()),
        )
        for each in found
    ]
