"""Limits: requests per network and device, and palms per day.

``middleware`` counts requests in memory; ``gallery_budget`` counts palms in the database, for
all processes.
"""
