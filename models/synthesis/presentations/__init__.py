"""Draws sessions before a camera: living hands that follow a challenge, and attacks.

``session`` draws one; ``species`` names the attacks. A bona fide hand and an attack meet the
same lamps and the same camera. Error rates on these are rates on drawings.
"""
