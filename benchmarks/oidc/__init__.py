"""``thenar bench oidc``: the provider under load, beside another one.

``providers`` runs each one, ``requests`` and ``load`` send, ``run`` measures in turn with
``process_usage``.
"""
