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
        self._rotations: dict[tuple[KeyId, ExtractorId, int], VectorRotation] = {}

    @property
    def key_id(self) -> KeyId:
        """Id of the primary key, which encrypts."""
        return self._cipher.ring.primary.key_id

    @property
    def key_ids(self) -> list[KeyId]:
        """Ids of all keys on the ring."""
        return [key.key_id for key in self._cipher.ring.keys]

    def rotation(self, key_id: KeyId, extractor: ExtractorId, dimension: int) -> VectorRotation:
        """Return an extractor's vector rotation under a key. Raises DecryptionFailed."""
        return self._rotation(self._cipher.key(key_id), extractor, dimension)

    def derived(self, key_id: KeyId, purpose: str) -> bytes:
        """Return a key for one purpose, derived from this key. Raises DecryptionFailed."""
        return self._cipher.key(key_id).derived(purpose)

    def encrypt_sample(
        self, captured: CapturedPalm, enrolment_id: EnrolmentId
    ) -> EncryptedSample:
        """Encrypt a captured palm for a pending enrolment."""
        sample_id = SampleId(uuid4())
        ciphertext = self._encrypt(captured.templates, _enrolment(enrolment_id), sample_id)
        return EncryptedSample(sample_id, captured.hand, ciphertext)

    def decrypt_samples(
        self, samples: Iterable[EncryptedSample], enrolment_id: EnrolmentId
    ) -> list[CapturedPalm]:
        """Decrypt the samples of a pending enrolment; their quality is not stored."""
        owner = _enrolment(enrolment_id)
        decrypted = self._decrypt(
            [(each.ciphertext, owner, each.sample_id) for each in samples]
        )
        return [CapturedPalm(first, next(iter(rest), None)) for first, *rest in decrypted]

    def encrypt_reference(
        self, template: PalmTemplate, account: AccountId
    ) -> EncryptedReference:
        """Encrypt a template as a new reference of an account."""
        reference_id = ReferenceId(uuid4())
        ciphertext = self._encrypt([template], _account(account), reference_id)
        return EncryptedReference(reference_id, account, template.extractor, ciphertext)

    def reencrypt(self, stored: Sequence[EncryptedReference]) -> list[EncryptedReference]:
        """Encrypt references again under the primary key, with its rotation."""
        return [
            EncryptedReference(
                old.reference_id,
                old.account,
                old.extractor,
                self._encrypt([decrypted.template], _account(old.account), old.reference_id),
            )
            for old, decrypted in zip(stored, self.decrypt_references(stored), strict=True)
        ]

    def decrypt_reference(self, stored: EncryptedReference) -> Reference:
        """Decrypt a reference; its group is its account."""
        return self.decrypt_references([stored])[0]

    def decrypt_references(self, stored: Sequence[EncryptedReference]) -> list[Reference]:
        """Decrypt references in order; faster than one by one."""
        templates = self._decrypt(
            [(row.ciphertext, _account(row.account), row.reference_id) for row in stored]
        )
        return [
            Reference(row.reference_id, group_of(row.account), template)
            for row, (template,) in zip(stored, templates, strict=True)
        ]

    def _encrypt(self, templates: Sequence[PalmTemplate], owner: str, record: UUID) -> bytes:
        key = self._cipher.ring.primary
        content = b""
        for template in templates:
            rotation = self._rotation(key, template.extractor, template.vector.size)
            content += encode_template(*rotation.rotate([template]))
        return self._cipher.encrypt(content, key, owner=owner, record=record)

    def _decrypt(
        self, ciphertexts: Sequence[tuple[bytes, str, UUID]]
    ) -> list[list[PalmTemplate]]:
        """Decrypt ciphertexts, each with owner and record; return the templates of each."""
        templates: list[PalmTemplate] = []
        counts: list[int] = []
        by_rotation: dict[VectorRotation, list[int]] = {}
        for ciphertext, owner, record in ciphertexts:
            decrypted = self._cipher.decrypt(ciphertext, owner=owner, record=record)
            decoded = [decode_template(each) for each in split_templates(decrypted.content)]
            counts.append(len(decoded))
            for template in decoded:
                templates.append(template)
                if decrypted.key is not None:
                    rotation = self._rotation(
                        decrypted.key, template.extractor, template.vector.size
                    )
                    by_rotation.setdefault(rotation, []).append(len(templates) - 1)
        self._rotate_back(templates, by_rotation)
        rest = iter(templates)
        return [list(islice(rest, count)) for count in counts]

    @staticmethod
    def _rotate_back(
        templates: list[PalmTemplate], by_rotation: dict[VectorRotation, list[int]]
    ) -> None:
        for rotation, numbers in by_rotation.items():
            back = rotation.rotate_back([templates[number] for number in numbers])
            for number, template in zip(numbers, back, strict=True):
                templates[number] = template

    def _rotation(
        self, key: MasterKey, extractor: ExtractorId, dimension: int
    ) -> VectorRotation:
        name = key.key_id, extractor, dimension
        rotation = self._rotations.get(name)
        if rotation is None:
            secret = key.derived(f"rotation/{extractor}")
            rotation = self._rotations[name] = VectorRotation(secret, dimension)
        return rotation


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
