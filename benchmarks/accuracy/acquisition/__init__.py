"""Extract features from pictures, with times and reasons of failure.

``palm_network`` runs other palm graphs on the same pictures.
"""
