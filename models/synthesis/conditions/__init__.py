"""Drawn hands under conditions: poses and distances, each at several strengths.

``changes`` lists the conditions, ``photos`` plans the photos of ``thenar models vary``. The
manifest says which photos are enrolled and which condition the others show.
"""
