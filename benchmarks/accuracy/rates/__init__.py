"""Error rates with intervals from scores. Pure functions.

``error_rates`` is the basis, ``evaluation`` and ``checks`` make the numbers of a report.
"""
