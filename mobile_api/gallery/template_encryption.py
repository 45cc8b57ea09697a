"""Template encryption: the only module where storage and templates meet.

Vectors are rotated by the key's own rotation before encryption, once: the gallery of this key
holds them as they are stored. A leaked vector is useless under another key or in another
database.

``Rekeying`` encrypts them all under another key. A new key becomes the primary one, under the
lock that every enrolment takes. Then batches of references are re-encrypted, one transaction
each. Interrupted, it continues. Old keys can go once nothing is encrypted under them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from engine.gallery.protection import VectorRotation
from engine.template_codec import decode_template, encode_template, split_templates
from engine.types import ExtractorId, GroupId, PalmTemplate, Reference, ReferenceId
from mobile_api.errors import KeyFileFault
from mobile_api.storage.alias_keys import encrypt_again, is_left_behind
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.database import Database, Transaction
from mobile_api.storage.key_file import KeyFile, KeyId
from mobile_api.storage.stores.enrolments import EncryptedSample
from mobile_api.storage.stores.references import EncryptedReference
from mobile_api.storage.stores.template_keys import KeyCount
from mobile_api.types import CapturedPalm, EnrolmentId, SampleId
from oidc.types import AccountId


class TemplateEncryption:
    """Encrypts and decrypts templates of accounts and of pending enrolments."""

    def __init__(self, cipher: TemplateCipher) -> None:
        self._cipher = cipher
        self._rotations: dict[tuple[KeyId, ExtractorId, int], VectorRotation] = {}

    @property
    def key_id(self) -> KeyId:
        """Id of the primary key, which encrypts."""
        return self._cipher.keys.primary.key_id

    @property
    def key_ids(self) -> list[KeyId]:
        """Ids of all keys in the key file."""
        return [key.key_id for key in self._cipher.keys.keys]

    def rotation(self, key_id: KeyId, extractor: ExtractorId, dimension: int) -> VectorRotation:
        """Return an extractor's vector rotation under a key, also if the key was removed since.

        Raises DecryptionFailed.
        """
        name = key_id, extractor, dimension
        rotation = self._rotations.get(name)
        if rotation is None:
            secret = self._cipher.key(key_id).derived(f"rotation/{extractor}")
            rotation = self._rotations[name] = VectorRotation(secret, dimension)
        return rotation

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
        decrypted = self._decrypt([(each.sealed, owner, each.sample_id) for each in samples])
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

    def decrypt_references(self, stored: Sequence[EncryptedReference]) -> list[Reference]:
        """Decrypt references in order; the group of each is its account."""
        return _references(stored, self._decrypt(_places(stored)))

    def rotated_references(
        self, stored: Sequence[EncryptedReference], key_id: KeyId
    ) -> list[Reference]:
        """Decrypt references with vectors as the gallery of a key holds them."""
        return _references(stored, self._decrypt(_places(stored), wanted=key_id))

    def _encrypt(self, templates: Sequence[PalmTemplate], owner: str, record: UUID) -> bytes:
        key = self._cipher.keys.primary
        content = b""
        for template in templates:
            rotation = self.rotation(key.key_id, template.extractor, template.vector.size)
            content += encode_template(*rotation.rotate([template]))
        return self._cipher.encrypt(content, key, owner=owner, record=record)

    def _decrypt(
        self, places: Iterable[tuple[bytes, str, UUID]], *, wanted: KeyId | None = None
    ) -> list[list[PalmTemplate]]:
        """Decrypt ciphertexts, each with owner and record; return the templates of each.

        Vectors are as rotated by the wanted key; None: as they were extracted.
        """
        decrypted: list[list[PalmTemplate]] = []
        by_key: dict[KeyId | None, list[list[PalmTemplate]]] = {}
        for ciphertext, owner, record in places:
            found = self._cipher.decrypt(ciphertext, owner=owner, record=record)
            decrypted.append([decode_template(each) for each in split_templates(found.content)])
            key_id = None if found.key is None else found.key.key_id
            by_key.setdefault(key_id, []).append(decrypted[-1])
        for key_id, rows in by_key.items():
            if key_id != wanted:
                self._rotate(rows, key_id, wanted)
        return decrypted

    def _rotate(
        self, rows: Sequence[list[PalmTemplate]], key_id: KeyId | None, wanted: KeyId | None
    ) -> None:
        """Replace templates rotated by one key by those of another."""
        by_size: dict[tuple[ExtractorId, int], list[tuple[list[PalmTemplate], int]]] = {}
        for row in rows:
            for number, template in enumerate(row):
                kind = template.extractor, template.vector.size
                by_size.setdefault(kind, []).append((row, number))
        for kind, at in by_size.items():
            templates = [row[number] for row, number in at]
            if key_id is not None:
                templates = self.rotation(key_id, *kind).rotate_back(templates)
            if wanted is not None:
                templates = self.rotation(wanted, *kind).rotate(templates)
            for (row, number), template in zip(at, templates, strict=True):
                row[number] = template


def _places(stored: Sequence[EncryptedReference]) -> Iterator[tuple[bytes, str, UUID]]:
    for row in stored:
        yield row.sealed, _account(row.account), row.reference_id


def _references(
    stored: Sequence[EncryptedReference], templates: Sequence[list[PalmTemplate]]
) -> list[Reference]:
    """Return references of templates; the group of each is its account."""
    return [
        Reference(row.reference_id, group_of(row.account), template)
        for row, (template,) in zip(stored, templates, strict=True)
    ]


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


STEP_ROWS = 200
"""References per transaction; on SQLite other writers wait some 20 ms for it."""


@dataclass(frozen=True, slots=True)
class Rekeying:
    """Re-keys the templates of a database.

    ``sign_erasures`` authenticates the list of erasures by the primary key.
    """

    database: Database
    encryption: TemplateEncryption
    key_file: KeyFile
    sign_erasures: Callable[[], None]

    def needs_key(self) -> bool:
        """Return whether ``begin`` adds a key to the file."""
        with self.database.read_in_transaction() as transaction:
            return self._needs_key(transaction)

    def begin(self) -> bool:
        """Add a new primary key unless a re-keying is under way; return whether it was added.

        Keys from a setting or a command have their new key already. Raises KeyFileFault.
        """
        with self.database.write() as transaction:
            transaction.history.lock()
            if not self._needs_key(transaction):
                return False
            self.key_file.add_primary()
            return True

    def _needs_key(self, transaction: Transaction) -> bool:
        is_under_way = len(self.key_file.current().keys) > 1 and _others(
            transaction.template_keys.count_by_key(), self.encryption.key_id
        )
        return self.key_file.is_file and not is_under_way

    def pending_count(self) -> int:
        """Return how many references are not under the primary key."""
        with self.database.read_in_transaction() as transaction:
            others = _others(transaction.template_keys.count_by_key(), self.encryption.key_id)
        return sum(each.references for each in others)

    def step(self) -> int:
        """Re-encrypt one batch; return its size, 0 when done. Raises DecryptionFailed."""
        with self.database.write() as transaction:
            transaction.history.lock()  # before references, as every writer does
            outdated = transaction.template_keys.lock_outdated(
                self.encryption.key_id, STEP_ROWS
            )
            transaction.template_keys.replace(self.encryption.reencrypt(outdated))
            encrypt_again(transaction, self.key_file.current)
        return len(outdated)

    def remove_old_keys(self) -> int:
        """Remove all keys but the primary one, once no process uses one; return how many.

        Raises KeyFileFault if something is still encrypted under one.
        """
        with self.database.write() as transaction:
            transaction.history.lock()
            others = _others(transaction.template_keys.count_by_key(), self.encryption.key_id)
            references = sum(each.references for each in others)
            samples = sum(each.samples for each in others)
            if references or samples:
                raise KeyFileFault(
                    f"old keys still encrypt {references} references and {samples} samples of"
                    " pending enrolments: re-key the references; the samples go when their"
                    " enrolments finish or expire"
                )
            if is_left_behind(transaction, self.key_file.current()):
                raise KeyFileFault("an old key still encrypts the key of the aliases: re-key")
            self.sign_erasures()
            count = len(self.key_file.current().keys) - 1
            self.key_file.remove_old()
        return count


def _others(by_key: list[KeyCount], key_id: str) -> list[KeyCount]:
    return [each for each in by_key if each.key_id != key_id]
