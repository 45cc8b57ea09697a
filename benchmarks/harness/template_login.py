"""Enrol, log in and delete with phones that make templates themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.harness.browser import Browser
from benchmarks.harness.login_flow import LoginFlow
from mobile_api.errors import PhoneRefused
from mobile_api.reference_phone.client import parse_link

if TYPE_CHECKING:
    from mobile_api.reference_phone.client import ReferencePhone


class PalmNotMatched(Exception):
    """A login ended with a non-match."""


class TemplateLoginFlow(LoginFlow):
    """Drives phones that send templates instead of pictures."""

    def enrol_templates(self, templates: list[bytes]) -> ReferencePhone | None:
        """Enrol a person; return the phone, or None if the palm is refused."""
        phone = self._new_phone()
        with self._step("enrolment begun"):
            enrolment = phone.open_enrolment(phone.consent())
        try:
            for template in templates:
                with self._step("enrolment sample"):
                    phone.add_template(enrolment.enrolment_id, template)
            with self._step("enrolment acknowledged"):
                phone.finish_enrolment(enrolment.enrolment_id)
        except PhoneRefused:
            return None  # drawn palms may be too similar: not what is timed
        return phone

    def sign_in(self, phone: ReferencePhone, template: bytes) -> bool:
        """Answer one login; False if the palm did not match. Only matches are timed."""
        try:
            with (
                self._step("whole login"),
                Browser(self._party.registration.redirect_uri) as browser,
            ):
                self._complete_login(browser, phone, template)
        except (PalmNotMatched, PhoneRefused):
            return False
        return True

    def _complete_login(self, browser: Browser, phone: ReferencePhone, template: bytes) -> None:
        with self._step("consent page"):
            page = browser.open_page(self._party.authorization_url())
        with self._step("scan"):
            link = parse_link(page.address("phone-link", "href"))
            opened = phone.claim(link.ticket)
        with self._step("palm"):
            said = phone.answer_template(opened.login_id, template)
        if said.hint != "wait_approve":
            raise PalmNotMatched
        with self._step("approve"):
            phone.approve(opened.login_id)
        self._finish(browser, page)

    def delete_account(self, phone: ReferencePhone, template: bytes) -> bool:
        """Delete the account; False if the palm did not match."""
        try:
            with self._step("erasure acknowledged"):
                phone.delete_account_by_template(template)
        except PhoneRefused:
            return False
        return True
