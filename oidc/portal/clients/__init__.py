"""A developer's clients: ``pages`` shows one and its tests, ``changes`` has every form."""
