"""Error rates with intervals from scores. Pure functions.

``error_rates`` and ``bootstrap`` are the basis; ``evaluation``, ``gallery_sizes`` and
``checks`` make the numbers of a report.
"""
