"""Which levels a login accepts: what client and operator accept, less what is not demanded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oidc.errors import AuthorizationRefused
from oidc.protocol.acr import LEVELS, acr_of, granted, played
from oidc.types import Level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oidc.types import AuthorizationRequest, Client


def levels_of(client: Client, *, palm_alone: bool) -> tuple[Level, ...]:
    """Return the levels that a client accepts, best first.

    ``palm_alone``: the operator allows it, which does not concern sandboxes.
    """
    is_accepted = {
        Level.PALM_AND_PHONE: True,
        Level.PALM_AT_STATION: client.accept_stations,
        Level.PALM: client.accept_palm_alone and (palm_alone or client.sandbox),
    }
    accepted = tuple(each for each in LEVELS if is_accepted[each])
    return played(accepted) if client.sandbox else accepted


def demanded(
    accepted: Sequence[Level], acr_values: Sequence[str] | None, issuer: str
) -> tuple[Level, ...]:
    """Return the accepted levels that an essential ``acr`` leaves; None demands nothing.

    Raises ``AuthorizationRefused`` if there are none. OpenID Connect Core §5.5.1.1, Core Unmet
    Authentication Requirements 1.0 §1.
    """
    if acr_values is None:
        return tuple(accepted)
    left = tuple(each for each in accepted if acr_of(issuer, each) in acr_values)
    if not left:
        raise AuthorizationRefused(
            "unmet_authentication_requirements", "this client cannot have the essential acr"
        )
    return left


def is_enough(
    shown: Level, request: AuthorizationRequest, wishes: Sequence[str], issuer: str
) -> bool:
    """Return whether an earlier palm reached a level that is accepted, and the first wish.

    ``wishes``: ``acr_values``, in order of preference; what is not accepted is passed over.
    """
    named = {acr_of(issuer, each): each for each in request.accepts}
    wished = next((named[each] for each in wishes if each in named), None)
    return granted(shown, request.accepts if wished is None else (wished,)) is not None
