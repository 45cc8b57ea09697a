"""The QR code of the consent page: dark on light in every colour scheme, or scanners fail."""

from __future__ import annotations

from typing import Final

import segno

_BORDER: Final = 4
"""Modules of the quiet zone. ISO/IEC 18004 §5.3.8."""

_SIDE_PX: Final = 272
"""The picture is at most this wide; each module is a whole number of pixels."""


def qr_svg(link: str) -> str:
    """Return an inline SVG of the link, error correction M. ISO/IEC 18004.

    Its natural size makes every module equally wide on a screen without scaling.
    """
    code = segno.make(link, error="m", micro=False)
    modules, _ = code.symbol_size(border=_BORDER)
    side_px = modules * max(1, _SIDE_PX // modules)
    svg = code.svg_inline(
        border=_BORDER,
        dark="#000",
        light="#fff",
        omitsize=True,
        svgclass="qr-code",
        lineclass=None,
    )
    return svg.replace("<svg ", f'<svg width="{side_px}" height="{side_px}" ', 1)
