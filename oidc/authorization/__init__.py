"""The authorization request: checked, and answered with a code or a login.

``request`` trusts client and redirect URI, then runs ``checks``; ``pushed`` stores requests
(PAR). ``authorizer`` decides whether a palm is needed, and hands over to ``login``.
"""
