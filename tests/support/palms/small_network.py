"""A network of one exact operation: negative numbers times a slope of each channel."""

from typing import Final

from onnx import parser

NETWORK: Final[bytes] = parser.parse_model("""
<ir_version: 8, opset_import: ["": 17]>
small (float[1, 2, 2, 3] picture) => (float[1, 2, 2, 3] result)
<float[2, 1, 1] slope = {0.25, -2.0}>
{ result = PRelu(picture, slope) }
""").SerializeToString()
"""Input ``picture`` and output ``result``, shape (1, 2, 2, 3); slopes 0.25 and -2."""
