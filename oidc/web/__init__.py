"""The provider's HTTP routes and pages; protocol rules live in the other rooms.

``authorization`` starts a login and redirects to ``consent``, whose page follows the login
by ``login_events`` until it returns to the client. ``tokens`` serves the token, userinfo,
revocation, introspection and PAR endpoints; ``registration``, ``logout`` and ``metadata``
the rest. ``services`` holds what the routes share; ``pages`` renders ``templates`` in the
languages of ``locales``.
"""
