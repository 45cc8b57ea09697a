"""A login across two devices, from the authorization request to the code.

``create`` begins it, ``tickets`` show it to a phone, ``state_machine`` holds its rules,
``browser`` is one half (``oidc.handoff`` the other). ``issue_code`` turns the account into a
grant; ``web`` gets the code.
"""
