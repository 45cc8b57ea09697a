"""Tools for networks: fetch, convert, train and check them, and draw hands (``thenar models``).

``palm_graph`` builds the ONNX graph that server and browser run; ``training`` trains the palm
network on palms drawn by ``synthesis``; ``tflite_to_onnx`` converts the hand networks. Results
go to ``weights`` and ``manifest.toml``, which the engine reads. Services never import this.
"""
