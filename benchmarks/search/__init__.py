"""``thenar bench search``: speed, memory and losses of one-to-many search.

``population`` makes palms and probes, ``gallery`` is what is measured, ``run`` measures a size.
"""
