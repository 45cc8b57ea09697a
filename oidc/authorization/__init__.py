"""The authorization request: read, checked, and answered with a code or a login.

``request`` trusts client and redirect URI first, then runs the table in ``checks``;
``interaction`` reads prompt, max_age and claims; ``pushed`` stores requests that clients push
(PAR). ``sign_on`` decides whether a palm is needed: if so it hands the request to ``login``.
"""
