"""Authorization codes, stored as digests. RFC 6749 §4.1.2."""

from oidc.protocol import digest_of
from oidc.storage.database import Stores
from oidc.storage.stores.grants import Code
from oidc.types import ClientId


def find(stores: Stores, code: str, client_id: ClientId) -> Code | None:
    """Return this client's code, spent or not, locked: others must not spend it."""
    found = stores.codes.lock(digest_of(code))
    return None if found is None or found.client_id != client_id else found
