"""Extract features from pictures, or the reasons of failure.

``palm_network`` runs other palm graphs on the same pictures.
"""
