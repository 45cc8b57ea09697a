"""The OpenID provider. It never sees a picture or a template.

The provider knows people and no palms: somebody else says through ``oidc/handoff.py`` which
account a login is for. Start reading in ``oidc/authorization/request.py``.
"""
