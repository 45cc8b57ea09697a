"""Finds the hand in a sample and returns 21 landmarks of its palm.

``landmarks`` makes several attempts. ``detector`` prepares what the networks are shown and
finds hands. ``reading`` runs the landmark network on a square round each. ``landmarks``
measures which hand it is and whether it shows its palm. The result goes to ``roi``.
"""
