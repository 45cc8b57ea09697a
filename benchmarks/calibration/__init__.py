"""``thenar bench calibrate``: fit the table from which thresholds come.

``fit`` compares templates of a set and fits the distributions, ``fusion`` the vector penalty.
"""
