"""The token endpoint and the other endpoints that clients call.

The only importer of Authlib, which finds the grant and checks redirect URI and PKCE verifier.
Here are content type, encoding, repeated fields, client authentication, DPoP, and spending
codes and refresh tokens before anything is signed. ``web.tokens`` calls ``endpoint`` and
``client_endpoints``; ``issuing`` hands claims to ``keys``.
"""
