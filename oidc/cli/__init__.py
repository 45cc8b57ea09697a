"""The provider's commands under ``thenar``: ``client``, ``client token``, ``key``, ``portal``.

Each opens the protocol database of the environment's settings (``database``), calls the
folder that does the work and prints the result.
"""
