"""Draws whole hands that nobody owns: for tests, for the demo and for training.

A hand is a body: round cones on a skeleton, joined smoothly, posed by joint angles, lit, and
photographed. Its palm lines live in palm coordinates, so they bend with the hand. Everything
follows from two seeds: the person's, which fixes both hands, and the shot's, which fixes the
pose, the light and the camera of one photo. Exports nothing; start reading at ``photo``.
"""
