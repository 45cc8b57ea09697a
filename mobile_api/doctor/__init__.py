"""``thenar doctor``: checks what a service needs and reports problems.

run.py runs all checks in order; checks.py reads files, clocks and databases; probe.py requests
the public addresses; findings.py judges what they return; command.py prints the findings.
"""
