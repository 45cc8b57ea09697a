"""``thenar bench oidc``: the provider under load.

``providers`` runs each one, ``requests`` sends, ``run`` measures in turn.
"""
