"""Code that both services are built on; it knows neither palms nor people.

Databases: engines, how long each wait may take (``patience``), schema versions, audit chains.
Requests: DPoP proofs, rate limits, client addresses, keys, cookies. Besides: the watch that
wakes waiting pages, and an HTTP client for addresses that others name.
"""
