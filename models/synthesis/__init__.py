"""Draws photos of synthetic hands, for tests, the demo and training.

A hand is a skeleton with round cones, posed, traced, lit and photographed; its lines are drawn
in palm coordinates. Two seeds decide everything: the person's (both hands) and the shot's
(pose, light, camera). Start at ``photo``. ``crop`` draws regions only, fast enough for
training.
"""
