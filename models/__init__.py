"""Trains the palm network, and draws hands (``thenar models``). Runs from a checkout only.

``palm_graph`` builds the ONNX graph that server and browser run; ``training`` trains the palm
network on palms drawn by ``synthesis``. Results go to ``engine/networks``. Services never
import this.
"""
