"""Templates in and out of their seals: the only place where storage and templates meet."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import uuid4

from engine.template_codec import decode_template, encode_template
from engine.types import GroupId, PalmTemplate, Reference, ReferenceId
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.types import EnrolmentId, SampleId, SealedReference, SealedSample
from oidc.types import AccountId


class Vault:
    """Seals templates for an account or a pending enrolment, and opens them again."""

    def __init__(self, cipher: TemplateCipher) -> None:
        self._cipher = cipher

    def seal_sample(self, template: PalmTemplate, enrolment_id: EnrolmentId) -> SealedSample:
        """Encrypt a template of a pending enrolment."""
        sample_id = SampleId(uuid4())
        sealed = self._cipher.seal(
            encode_template(template), owner=_enrolment(enrolment_id), record=sample_id
        )
        return SealedSample(sample_id, template.hand, sealed)

    def open_samples(
        self, samples: Iterable[SealedSample], enrolment_id: EnrolmentId
    ) -> list[PalmTemplate]:
        """Decrypt the templates of a pending enrolment."""
        owner = _enrolment(enrolment_id)
        return [
            decode_template(
                self._cipher.open(sample.sealed, owner=owner, record=sample.sample_id)
            )
            for sample in samples
        ]

    def seal_reference(self, template: PalmTemplate, account: AccountId) -> SealedReference:
        """Encrypt a template as a new reference of an account."""
        reference_id = ReferenceId(uuid4())
        sealed = self._cipher.seal(
            encode_template(template), owner=_account(account), record=reference_id
        )
        return SealedReference(reference_id, account, template.extractor, sealed)

    def open_reference(self, stored: SealedReference) -> Reference:
        """Decrypt a reference; its group is its account."""
        template = self._cipher.open(
            stored.sealed, owner=_account(stored.account), record=stored.reference_id
        )
        return Reference(
            stored.reference_id, group_of(stored.account), decode_template(template)
        )


def group_of(account: AccountId) -> GroupId:
    """Return the name under which the engine keeps an account's references."""
    return GroupId(account)


def account_of(group_id: GroupId) -> AccountId:
    """Return the account behind a group."""
    return AccountId(group_id)


def _account(account: AccountId) -> str:
    return f"account:{account}"


def _enrolment(enrolment_id: EnrolmentId) -> str:
    return f"enrolment:{enrolment_id}"
