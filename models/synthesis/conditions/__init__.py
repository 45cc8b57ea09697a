"""Drawn hands under conditions: poses and distances, each at several strengths.

``changes`` lists the conditions, ``photos`` plans the photos, ``command`` is ``thenar models
vary``. The manifest says which photos are enrolled and which condition the others show.
"""
