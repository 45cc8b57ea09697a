"""The token endpoint, behind one class: ``endpoint.TokenEndpoint``.

The only importer of Authlib, which finds the grant, asks for the client, checks the redirect
URI and the PKCE verifier. What it leaves open is closed here: content type, encoding, repeated
fields, two ways of authentication at once, codes and refresh tokens spent atomically before
anything is minted.
"""
