"""``thenar bench calibrate``: fit the table from which thresholds come.

``fit`` compares templates of a set, ``tail_fit`` fits the distributions, ``fusion`` the vector
penalty.
"""
