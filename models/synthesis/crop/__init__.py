"""Draws only the region of interest of synthetic palms, fast enough to train a network.

``identity`` draws a palm's layers, ``sample`` pictures them once. Nothing was learnt from
pictures of people: principal lines follow published statistics, the rest rules.
"""
