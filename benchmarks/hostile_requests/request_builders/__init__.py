"""Valid requests to every endpoint, each within a complete flow.

A mutated valid request passes more checks than one that is wrong from the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from benchmarks.hostile_requests.request_builders import (
    authorization,
    pages,
    phone,
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
        pages.portal_page,
        pages.portal_callback,
        pages.portal_register,
        pages.portal_change,
        pages.portal_secret,
        pages.portal_remove,
        pages.portal_away,
        phone.phone_register,
        phone.phone_enrolment,
        phone.phone_sample,
        phone.phone_template,
        phone.phone_finish,
        phone.phone_claim,
        phone.phone_palm,
        phone.phone_login_template,
        phone.phone_look,
        phone.phone_end,
        phone.phone_connections,
        phone.phone_withdraw,
        phone.phone_deletion_code,
        phone.phone_deletion,
    )
}
