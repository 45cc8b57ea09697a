"""``thenar client``, ``thenar key`` and ``thenar portal``."""

from oidc.cli.clients import client as client
from oidc.cli.keys import key as key
from oidc.cli.portal import portal as portal

if __name__ == "__main__":
    client()
