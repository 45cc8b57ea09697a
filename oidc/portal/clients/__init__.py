"""A developer's clients: ``pages`` to register, show and change them; ``logo`` and ``team``.

``form_faults`` finds every fault of a form at once, ``snippets`` fills in where to begin,
``membership`` tells who may see a client.
"""
