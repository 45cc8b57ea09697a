"""Login: the palm that answers a pending login of the provider.

``service`` verifies or identifies the palm and answers the login by ``mobile_api.provider``.
Only the provider turns that account into a pseudonym.
"""
