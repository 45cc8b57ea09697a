"""``thenar bench accuracy``: palms taken for each other, or not for themselves."""
