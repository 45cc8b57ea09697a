"""Start a real service and drive it over HTTP; journeys and tests use this too.

``service`` runs ``thenar serve`` in its own process. ``browser``, ``relying_party`` and the
reference phone act in ``login_flow``.
"""
