"""A service under load, and those who load it: over HTTP only.

``service`` starts the real ``thenar serve`` in a process of its own, ``browser`` is a browser
without a screen, ``relying_party`` an application. The journeys of the tests use them too.
"""
