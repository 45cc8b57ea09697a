"""``thenar client`` and ``thenar key``."""

from oidc.commands.clients import client as client
from oidc.commands.keys import key as key

if __name__ == "__main__":
    client()
