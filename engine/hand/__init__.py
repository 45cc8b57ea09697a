"""Finds the hand in a sample and returns 21 landmarks of its palm.

``detector`` finds hands, ``crop`` cuts a square round each, ``landmark_reading`` runs the
landmark network on it, ``landmarks`` decides which is a palm. The result goes to ``roi``.
"""
