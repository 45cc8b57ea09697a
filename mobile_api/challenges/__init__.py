"""Challenges: a palm that moves as this service has just asked is shown now, by a hand.

``service`` draws a challenge, takes the frames of one step after the other and lets one that
was passed be used once. It reduces frames to observations in memory; ``encryption`` encrypts
those between the steps. The engine judges: ``engine.presentation_attack``.
"""
