"""Template encryption: the only module where storage and templates meet.

Vectors are rotated by the key's own rotation before encryption. A leaked vector is useless
under another key or in another database.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from uuid import UUID, uuid4

from engine.gallery.protection.rotated_gallery import VectorRotation
from engine.template_codec import decode_template, encode_template, split_templates
from engine.types import ExtractorId, GroupId, PalmTemplate, Reference, ReferenceId
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.key_ring import KeyId, MasterKey
from mobile_api.types import (
    CapturedPalm,
    EncryptedReference,
    EncryptedSample,
    EnrolmentId,
    SampleId,
)
from oidc.types import AccountId


class TemplateEncryption:
    """Encrypts and decrypts templates of accounts and of pending enrolments."""

    def __init__(self, cipher: TemplateCipher) -> None:
        self._cipher = cipher
        self._turners: dict[tuple[KeyId, ExtractorId, int], VectorRotation] = {}

    @property
    def key_id(self) -> KeyId:
        """Id of the primary key, which encrypts."""
        return self._cipher.ring.primary.key_id

    @property
    def key_ids(self) -> list[KeyId]:
        """Ids of all keys on the ring."""
        return [key.key_id for key in self._cipher.ring.keys]

    def turner(self, key_id: KeyId, extractor: ExtractorId, dimension: int) -> VectorRotation:
        """Return what turns the vectors of an extractor's gallery.

        Raises:
            DecryptionFailed: the key is not on the ring.
        """
        return self._turner(self._cipher.key(key_id), extractor, dimension)

    def derived(self, key_id: KeyId, purpose: str) -> bytes:
        """Return a key for one purpose, derived from this key. Raises DecryptionFailed."""
        return self._cipher.key(key_id).derived(purpose)

    def encrypt_sample(
        self, captured: CapturedPalm, enrolment_id: EnrolmentId
    ) -> EncryptedSample:
        """Encrypt a captured palm for a pending enrolment."""
        sample_id = SampleId(uuid4())
        sealed = self._seal(captured.templates, _enrolment(enrolment_id), sample_id)
        return EncryptedSample(sample_id, captured.hand, sealed)

    def decrypt_samples(
        self, samples: Iterable[EncryptedSample], enrolment_id: EnrolmentId
    ) -> list[CapturedPalm]:
        """Decrypt the samples of a pending enrolment; their quality is not stored."""
        owner = _enrolment(enrolment_id)
        opened = self._open([(each.sealed, owner, each.sample_id) for each in samples])
        return [CapturedPalm(first, next(iter(rest), None)) for first, *rest in opened]

    def encrypt_reference(
        self, template: PalmTemplate, account: AccountId
    ) -> EncryptedReference:
        """Encrypt a template as a new reference of an account."""
        reference_id = ReferenceId(uuid4())
        sealed = self._seal([template], _account(account), reference_id)
        return EncryptedReference(reference_id, account, template.extractor, sealed)

    def reencrypt(self, stored: Sequence[EncryptedReference]) -> list[EncryptedReference]:
        """Turn and encrypt references anew, under the key that seals now."""
        return [
            EncryptedReference(
                old.reference_id,
                old.account,
                old.extractor,
                self._seal([opened.template], _account(old.account), old.reference_id),
            )
            for old, opened in zip(stored, self.decrypt_references(stored), strict=True)
        ]

    def decrypt_reference(self, stored: EncryptedReference) -> Reference:
        """Decrypt a reference; its group is its account."""
        return self.decrypt_references([stored])[0]

    def decrypt_references(self, stored: Sequence[EncryptedReference]) -> list[Reference]:
        """Decrypt references in order; faster than one by one."""
        templates = self._open(
            [(row.sealed, _account(row.account), row.reference_id) for row in stored]
        )
        return [
            Reference(row.reference_id, group_of(row.account), template)
            for row, (template,) in zip(stored, templates, strict=True)
        ]

    def _seal(self, templates: Sequence[PalmTemplate], owner: str, record: UUID) -> bytes:
        key = self._cipher.ring.primary
        content = b""
        for template in templates:
            turner = self._turner(key, template.extractor, template.vector.size)
            content += encode_template(*turner.rotate([template]))
        return self._cipher.encrypt(content, key, owner=owner, record=record)

    def _open(self, places: Sequence[tuple[bytes, str, UUID]]) -> list[list[PalmTemplate]]:
        """Decrypt ciphertexts, each with owner and record; return the templates of each."""
        templates: list[PalmTemplate] = []
        counts: list[int] = []
        of_turner: dict[VectorRotation, list[int]] = {}
        for sealed, owner, record in places:
            opened = self._cipher.decrypt(sealed, owner=owner, record=record)
            decoded = [decode_template(each) for each in split_templates(opened.content)]
            counts.append(len(decoded))
            for template in decoded:
                templates.append(template)
                if opened.key is not None:
                    turner = self._turner(opened.key, template.extractor, template.vector.size)
                    of_turner.setdefault(turner, []).append(len(templates) - 1)
        self._turn_back(templates, of_turner)
        rest = iter(templates)
        return [list(islice(rest, count)) for count in counts]

    @staticmethod
    def _turn_back(
        templates: list[PalmTemplate], of_turner: dict[VectorRotation, list[int]]
    ) -> None:
        for turner, numbers in of_turner.items():
            back = turner.rotate_back([templates[number] for number in numbers])
            for number, template in zip(numbers, back, strict=True):
                templates[number] = template

    def _turner(self, key: MasterKey, extractor: ExtractorId, dimension: int) -> VectorRotation:
        name = key.key_id, extractor, dimension
        turner = self._turners.get(name)
        if turner is None:
            secret = key.derived(f"rotation/{extractor}")
            turner = self._turners[name] = VectorRotation(secret, dimension)
        return turner


def group_of(account: AccountId) -> GroupId:
    """Return the engine's group of an account's references."""
    return GroupId(account)


def account_of(group_id: GroupId) -> AccountId:
    """Return the account of a group."""
    return AccountId(group_id)


def _account(account: AccountId) -> str:
    return f"account:{account}"


def _enrolment(enrolment_id: EnrolmentId) -> str:
    return f"enrolment:{enrolment_id}"
