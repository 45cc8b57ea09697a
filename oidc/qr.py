"""The QR code of the consent page: dark on light in every colour scheme, or scanners fail."""

from __future__ import annotations

import segno


def qr_svg(link: str) -> str:
    """Return an inline SVG of the link: error correction M, quiet zone of four modules.

    ISO/IEC 18004. Without size attributes: the page's style decides how large it is.
    """
    code = segno.make(link, error="m", micro=False)
    return code.svg_inline(
        border=4, dark="#000", light="#fff", omitsize=True, svgclass="qr-code", lineclass=None
    )
