"""A small converter from TensorFlow Lite to ONNX, for the two hand networks.

It knows only the operators those graphs use and refuses others by name: a wrong guess would
misplace landmarks silently.
"""
