"""Stores of the biometric database: one class with its SQL each.

A ``Transaction`` makes those that a use case uses. No store commits.
"""
