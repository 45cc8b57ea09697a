"""From a picture of a palm to a template, a comparison score and a search result.

Rooms in the order of a request: ``decode`` (with ``containers``), ``presentation_attack``,
``hand``, ``roi``, ``quality``, ``features`` → template; ``comparison`` → score; ``gallery`` →
candidates; ``decision`` → match or non-match. ``pipeline.py`` calls the steps: read it first.
The engine knows no web and no person; callers group references by an opaque ``GroupId``.
"""
