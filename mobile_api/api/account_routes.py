"""Routes of a person's own account: linked clients and deletion. No rules here."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter

from mobile_api import messages as m
from mobile_api.account.rules import Operation
from mobile_api.api.http import (
    PathId,
    ServicesDep,
    TypedRoute,
    allowed,
    seconds_until,
    shown,
)
from mobile_api.api.openapi import PALM_TYPES, SAMPLE_ERRORS, SIGNED_ERRORS, errors, signed
from mobile_api.recognition.counted_identification import Probe
from mobile_api.types import Device
from oidc.types import LinkedClient, LinkedClientHandle

router: Final = APIRouter(prefix=m.API_PREFIX, route_class=TypedRoute)


@router.post(
    "/palm-proofs",
    tags=["account"],
    openapi_extra=signed(*PALM_TYPES),
    responses=errors(*SIGNED_ERRORS, *SAMPLE_ERRORS),
)
def prove_palm(
    phone: Annotated[Device, allowed(Operation.PROVE_PALM)],
    palm: Annotated[Probe, shown(Operation.PROVE_PALM)],
    services: ServicesDep,
) -> m.PalmProofMessage:
    """Show the palm once, for requests of this phone in the next minutes."""
    proof = services.palm_proofs.prove(phone, palm)
    return m.PalmProofMessage(
        palm_proof=proof.text, expires_in=seconds_until(proof.expires_at, services)
    )


@router.post(
    "/connections",
    tags=["account"],
    openapi_extra=signed(*PALM_TYPES),
    responses=errors(*SIGNED_ERRORS, *SAMPLE_ERRORS),
)
def list_linked_clients(
    phone: Annotated[Device, allowed(Operation.LIST_APPS)],
    palm: Annotated[Probe, shown(Operation.LIST_APPS)],
    services: ServicesDep,
) -> m.VerifiedConnectionsMessage:
    """List the apps linked to this phone's account, proved by the palm."""
    verified = services.linked_clients.show(phone, palm)
    return m.VerifiedConnectionsMessage(
        connections=_connection_messages(verified.linked_clients),
        palm_proof=verified.palm_proof.text,
        expires_in=seconds_until(verified.palm_proof.expires_at, services),
    )


@router.post(
    "/connections/{handle}/withdraw",
    tags=["account"],
    openapi_extra=signed(),
    responses=errors(*SIGNED_ERRORS, 410, 413, 415, 422),
)
def withdraw_linked_client(
    handle: PathId,
    message: m.WithdrawConnection,
    phone: Annotated[Device, allowed(Operation.WITHDRAW_APP)],
    services: ServicesDep,
) -> m.ConnectionsMessage:
    """Unlink one app, which then no longer knows this person. Returns the others."""
    left = services.linked_clients.disconnect(
        phone, LinkedClientHandle(handle), message.palm_proof
    )
    return m.ConnectionsMessage(connections=_connection_messages(left))


@router.post(
    "/account/deletion",
    tags=["account"],
    openapi_extra=signed(*PALM_TYPES),
    responses=errors(*SIGNED_ERRORS, *SAMPLE_ERRORS),
)
def delete_account(
    phone: Annotated[Device, allowed(Operation.DELETE_ACCOUNT)],
    palm: Annotated[Probe, shown(Operation.DELETE_ACCOUNT)],
    services: ServicesDep,
) -> m.DeletedMessage:
    """Delete this phone's account, proved by its palm: references, phones, pseudonyms."""
    services.deletion.delete(phone, palm)
    return m.DeletedMessage()


@router.post(
    "/account/deletion-code",
    tags=["account"],
    openapi_extra=signed(*PALM_TYPES),
    responses=errors(*SIGNED_ERRORS, *SAMPLE_ERRORS),
)
def issue_deletion_code(
    phone: Annotated[Device, allowed(Operation.TAKE_DELETION_CODE)],
    palm: Annotated[Probe, shown(Operation.TAKE_DELETION_CODE)],
    services: ServicesDep,
) -> m.DeletionCodeMessage:
    """Return a code by which the operator can delete this account. An earlier code ends."""
    return m.DeletionCodeMessage(deletion_code=services.deletion.issue_code(phone, palm))


def _connection_messages(found: list[LinkedClient]) -> list[m.ConnectionMessage]:
    return [
        m.ConnectionMessage(
            handle=each.handle,
            client_name=each.client_name,
            client_host=each.client_host,
            since=int(each.since.timestamp()),
        )
        for each in found
    ]
