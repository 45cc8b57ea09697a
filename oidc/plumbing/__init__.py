"""What both services are built on, and what knows neither palms nor people.

Engines of databases, schema versions, audit chains, DPoP proofs, rate limits, client addresses,
cookies, and an HTTP client for addresses that others name.
"""
