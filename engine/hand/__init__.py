"""Finds the hand in a sample and returns 21 landmarks of its palm.

``detector`` finds hands in the whole picture, ``crop`` cuts a square round each,
``landmark_reading`` runs the landmark network on it, and ``landmarks`` decides which reading is
a palm. The landmarks go to ``roi`` and ``extract``.
"""
