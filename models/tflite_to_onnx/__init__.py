"""A small converter from TensorFlow Lite to ONNX, for the two hand networks.

It knows exactly the operators, activations and paddings those graphs use and refuses every
other one by name: a wrong guess would show as a palm that is found in the wrong place.
"""
