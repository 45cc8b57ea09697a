"""Finds the hand in a sample and returns 21 landmarks of its palm.

``landmarks`` makes several attempts: ``picture`` prepares what the networks are shown,
``detector`` finds hands, ``reading`` runs the landmark network on a square round each, ``pose``
measures which hand it is and whether it shows its palm. The result goes to ``roi``.
"""
