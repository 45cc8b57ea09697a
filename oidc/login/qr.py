"""The first QR code of a consent page: always dark on light, for scanners.

The browser draws those that follow (``consent.js``); without scripts, the page is loaded again.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Final

import segno

_BORDER: Final = 4
"""Modules of the quiet zone. ISO/IEC 18004 §5.3.8."""

_SIDE_PX: Final = 272
"""Greatest width; each module is a whole number of pixels."""

_MASK: Final = 3
"""Fixed: trying all eight takes 7 ms, and random ticket bits suit each. ISO/IEC 18004 §7.8."""


@dataclass(frozen=True, slots=True)
class QrCode:
    """A drawn code; ``path`` is the ``d`` of an SVG path.

    ``side`` counts modules with the quiet zone; ``side_px`` makes them equally wide.
    """

    side: int
    side_px: int
    path: str

    @property
    def svg(self) -> str:
        """Inline SVG, dark on light."""
        box = f"0 0 {self.side} {self.side}"
        return (
            f'<svg width="{self.side_px}" height="{self.side_px}" viewBox="{box}"'
            ' class="qr-code" shape-rendering="crispEdges">'
            f'<path fill="#fff" d="M0 0h{self.side}v{self.side}h-{self.side}z"/>'
            f'<path id="qr-modules" fill="#000" d="{self.path}"/></svg>'
        )


def draw_qr(link: str) -> QrCode:
    """Draw a link, error correction M. ISO/IEC 18004."""
    code = segno.make(link, error="m", micro=False, mask=_MASK)
    side, _ = code.symbol_size(border=_BORDER)
    rows = enumerate(code.matrix, start=_BORDER)
    path = "".join(_row(number, bytes(row)) for number, row in rows)
    return QrCode(int(side), int(side) * max(1, _SIDE_PX // int(side)), path)


def _row(number: int, modules: bytes) -> str:
    drawn, column = [], _BORDER
    for is_dark, run in groupby(modules):
        length = len(list(run))
        if is_dark:
            drawn.append(f"M{column} {number}h{length}v1h-{length}z")
        column += length
    return "".join(drawn)
