"""The token endpoint and the other endpoints that clients call, for ``web``.

``grants`` reads top to bottom. Authlib has the error objects and PKCE.
"""
