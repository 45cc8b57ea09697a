"""``thenar bench oidc`` and ``waiting``: the provider under load, beside two others.

``providers`` runs each one, ``requests`` builds the requests, ``load`` sends them, ``run``
measures in turn, ``process_usage`` reads CPU time and memory. ``waiting`` holds many pending
logins open at once.
"""
