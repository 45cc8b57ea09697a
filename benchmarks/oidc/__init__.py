"""``thenar bench oidc`` and ``waiting``: the provider under load, beside two others.

``providers`` runs each one, ``requests`` and ``load`` send, ``run`` measures in turn with
``process_usage``. ``waiting`` keeps many logins pending at once.
"""
