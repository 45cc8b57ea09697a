"""``thenar bench compare``: what got better or worse between two results.

``quantities`` reads what a result measured, ``judge`` holds two values against their intervals,
``command`` prints the table.
"""
