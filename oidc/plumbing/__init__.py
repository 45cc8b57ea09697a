"""Code that both services are built on; it knows neither palms nor people.

Engines of databases, schema versions, audit chains, DPoP proofs, rate limits, client addresses,
cookies, and an HTTP client for addresses that others name.
"""
