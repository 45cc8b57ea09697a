"""Values shared by every folder, without behaviour.

``Authenticated`` and ``ClaimedLogin`` also pass through ``handoff`` to mobile_api.
"""

from oidc.types.audit import AuditEntry, AuditEvent
from oidc.types.clients import (
    Authentication,
    AuthorizationRequest,
    Client,
    ClientLimits,
    ConfirmCode,
    Profile,
    ResponseMode,
)
from oidc.types.deadlines import Lifetimes, LoginLimits, Retention
from oidc.types.grants import Grant, LinkedClient, Pseudonym, SignIn
from oidc.types.logins import (
    OPEN_STATES,
    Authenticated,
    BrowserDescription,
    ClaimedLogin,
    ClaimedLoginState,
    LoginState,
    Mismatched,
    Network,
    NextStep,
    Outcome,
)
from oidc.types.names import (
    AccountId,
    BrowserSecret,
    Claimant,
    ClientId,
    Clock,
    GrantId,
    LinkedClientHandle,
    LoginId,
    PairwiseSubject,
    SectorIdentifier,
    SessionId,
    SessionSecret,
    Sid,
    Ticket,
)

__all__ = [
    "OPEN_STATES",
    "AccountId",
    "AuditEntry",
    "AuditEvent",
    "Authenticated",
    "Authentication",
    "AuthorizationRequest",
    "BrowserDescription",
    "BrowserSecret",
    "Claimant",
    "ClaimedLogin",
    "ClaimedLoginState",
    "Client",
    "ClientId",
    "ClientLimits",
    "Clock",
    "ConfirmCode",
    "Grant",
    "GrantId",
    "Lifetimes",
    "LinkedClient",
    "LinkedClientHandle",
    "LoginId",
    "LoginLimits",
    "LoginState",
    "Mismatched",
    "Network",
    "NextStep",
    "Outcome",
    "PairwiseSubject",
    "Profile",
    "Pseudonym",
    "ResponseMode",
    "Retention",
    "SectorIdentifier",
    "SessionId",
    "SessionSecret",
    "Sid",
    "SignIn",
    "Ticket",
]
