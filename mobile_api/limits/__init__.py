"""Limits: requests per network and device, and palms per day.

``middleware`` counts requests in memory; ``attempts`` counts palms in the database,
for all processes.
"""
