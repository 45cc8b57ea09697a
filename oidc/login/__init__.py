"""A login across two devices, from the authorization request to the code.

``create`` begins it, ``tickets`` and ``qr`` show it to a phone, ``state_machine`` holds its
rules, ``browser`` is the browser's half (``oidc.handoff`` the phone's), ``issue_code`` turns
the recognised account into a grant and hands the code to ``web``.
"""
