"""The OpenID provider: people and pseudonyms, never a palm.

A login:

    web             HTTP routes and pages
    authorization   checks the request, decides whether a palm is needed
    login           creates login and QR code, waits, issues the code
    handoff         the phone's half of the login
    accounts        pseudonyms, consents, sessions
    token_endpoint  exchanges codes and refresh tokens
    tokens, keys    make, sign and verify tokens
    logout          ends sessions, notifies clients

A token request: ``web.fast_path`` → ``token_endpoint`` (authenticates the client, checks and
spends by ``tokens``, commits to ``storage``) → ``keys`` (signature).

``linked_clients`` shows a person who knows them and who was let in.
``aliases`` makes what this database calls accounts and phones.
``clients`` registers relying parties; ``protocol`` holds parameters and addresses.
``plumbing`` is shared with mobile_api: databases, audit chains, DPoP, rate limits.
"""
