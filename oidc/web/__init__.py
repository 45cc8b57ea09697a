"""The provider's HTTP routes and pages; protocol rules live in the other folders.

``endpoints`` holds the routes, ``cookies`` what a browser is known by. ``services``
holds what the routes share; ``pages`` renders ``templates`` in the languages of ``locales``;
``fast_path`` serves tokens.
"""
