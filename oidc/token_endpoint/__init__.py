"""The token endpoint and the other endpoints that clients call.

The only importer of Authlib's server, which finds the grant and checks redirect URI and PKCE.
Form parsing, client authentication, DPoP, and spending before signing are ours. ``web.tokens``
calls ``endpoint`` and ``client_endpoints``.
"""
