"""Draws the square of the palm that recognition looks at, fast enough to train a network.

``models.synthesis`` draws photographs of whole hands; this package draws only the region of
interest, thousands of times a second: ``identity`` makes the layers of a palm that nobody owns,
``sample`` pictures it once with another light, another stretch and another place. No part of it
was learnt from a picture of a person: the principal lines follow published polynomial
statistics, all else follows rules.
"""
