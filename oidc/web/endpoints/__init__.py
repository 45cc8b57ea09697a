"""The routes.

``authorization`` starts a login and redirects to ``consent``, which returns to the client.
``tokens`` serves the token, userinfo, revocation, introspection and PAR endpoints;
``registration``, ``logout`` and ``discovery`` the rest.
"""
