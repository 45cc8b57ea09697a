"""``thenar bench diff``: what got better or worse between two results.

``quantities`` reads what a result measured, ``judge`` compares two values by their intervals,
``table`` prints.
"""
