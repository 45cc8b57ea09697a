"""Extract features from pictures, with times and reasons of failure.

``palm_network`` runs other networks on the same pictures.
"""
