"""Valid requests to every endpoint that no OpenAPI description covers, each within its flow.

A mutated valid request passes more checks than one that is wrong from the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from benchmarks.hostile_requests.request_builders import (
    authorization,
    pages,
    registration,
    tokens,
)
from benchmarks.hostile_requests.request_builders.base import Builder, ClaimOverrides

__all__ = ["BUILDERS", "Builder", "ClaimOverrides"]

BUILDERS: Final[Mapping[str, Builder]] = {
    build.__name__: build
    for build in (
        authorization.authorize,
        authorization.authorize_form,
        authorization.authorize_silently,
        authorization.authorize_linked,
        authorization.authorize_pushed,
        authorization.authorize_by_object,
        authorization.push,
        authorization.push_plain,
        authorization.logout,
        authorization.logout_form,
        authorization.logout_confirm,
        tokens.exchange,
        tokens.exchange_basic,
        tokens.exchange_signed,
        tokens.refresh,
        tokens.revoke,
        tokens.introspect,
        tokens.userinfo,
        tokens.userinfo_form,
        tokens.userinfo_bound,
        registration.register,
        registration.register_again,
        registration.read_registration,
        registration.unregister,
        pages.consent_page,
        pages.consent_state,
        pages.consent_events,
        pages.consent_cancel,
        pages.consent_continue,
        pages.consent_renew,
        pages.consent_code,
        pages.page,
        pages.preflight,
        pages.portal_callback,
    )
}
