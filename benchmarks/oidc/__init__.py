"""``thenar bench oidc``: the provider under load, beside another one.

``providers`` runs each one, ``requests`` sends, ``run`` measures in turn.
"""
