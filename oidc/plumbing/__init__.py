"""Code that both services are built on; it knows neither palms nor people.

Engines of databases and how long each wait may take (``patience``), schema versions, audit
chains, DPoP proofs, rate limits, client addresses, keys, cookies, the watch that wakes waiting
pages, and an HTTP client for addresses that others name.
"""
