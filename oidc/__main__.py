"""``thenar client``, ``thenar key`` and ``thenar portal``."""

from oidc.commands.clients import client as client
from oidc.commands.keys import key as key
from oidc.commands.portal import portal as portal

if __name__ == "__main__":
    client()
