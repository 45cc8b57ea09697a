"""Values shared by every folder, without behaviour.

``Authenticated`` and ``ClaimedLogin`` also pass through ``handoff`` to mobile_api.
"""

from oidc.types.audit import AuditEntry as AuditEntry
from oidc.types.audit import AuditEvent as AuditEvent
from oidc.types.clients import ASSERTION_ALGORITHMS as ASSERTION_ALGORITHMS
from oidc.types.clients import FAPI_ALGORITHMS as FAPI_ALGORITHMS
from oidc.types.clients import Authentication as Authentication
from oidc.types.clients import AuthorizationRequest as AuthorizationRequest
from oidc.types.clients import Client as Client
from oidc.types.clients import ClientLimits as ClientLimits
from oidc.types.clients import ConfirmCode as ConfirmCode
from oidc.types.clients import Policy as Policy
from oidc.types.clients import Profile as Profile
from oidc.types.clients import ResponseMode as ResponseMode
from oidc.types.clients import Setter as Setter
from oidc.types.deadlines import Lifetimes as Lifetimes
from oidc.types.deadlines import LoginLimits as LoginLimits
from oidc.types.deadlines import Retention as Retention
from oidc.types.grants import Grant as Grant
from oidc.types.grants import LinkedClient as LinkedClient
from oidc.types.grants import Pseudonym as Pseudonym
from oidc.types.grants import SignIn as SignIn
from oidc.types.levels import Level as Level
from oidc.types.logins import OPEN_STATES as OPEN_STATES
from oidc.types.logins import Authenticated as Authenticated
from oidc.types.logins import BrowserDescription as BrowserDescription
from oidc.types.logins import ClaimedLogin as ClaimedLogin
from oidc.types.logins import ClaimedLoginState as ClaimedLoginState
from oidc.types.logins import LoginState as LoginState
from oidc.types.logins import Mismatched as Mismatched
from oidc.types.logins import Network as Network
from oidc.types.logins import NextStep as NextStep
from oidc.types.logins import Outcome as Outcome
from oidc.types.names import AccountId as AccountId
from oidc.types.names import Brand as Brand
from oidc.types.names import BrowserSecret as BrowserSecret
from oidc.types.names import Claimant as Claimant
from oidc.types.names import ClientId as ClientId
from oidc.types.names import Clock as Clock
from oidc.types.names import GrantId as GrantId
from oidc.types.names import LinkedClientHandle as LinkedClientHandle
from oidc.types.names import LoginId as LoginId
from oidc.types.names import PairwiseSubject as PairwiseSubject
from oidc.types.names import SectorIdentifier as SectorIdentifier
from oidc.types.names import SessionId as SessionId
from oidc.types.names import SessionSecret as SessionSecret
from oidc.types.names import Sid as Sid
from oidc.types.names import Ticket as Ticket
from oidc.types.processes import RENEWAL_S as RENEWAL_S
from oidc.types.processes import Process as Process
from oidc.types.processes import Running as Running
