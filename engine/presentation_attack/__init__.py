"""Presentation attack detection on a sample, before its hand is located. ISO/IEC 30107-1."""
