"""A person's own account: whose it is, what a phone may do with it, and how it ends.

``rules`` is the table of what each operation needs, ``gate`` asks it for every route.
It also remembers for minutes that a palm matched. ``phones`` lists, approves and removes
phones, and lets a new one wait or use a recovery code. ``deletion``
deletes an account here, then in the provider. ``disputes`` is what an operator decides.
"""
