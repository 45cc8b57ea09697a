"""Drawn hands for tests. Drawing one takes a fraction of a second, so each is drawn once.

The pictures are kept in the system's temporary folder under a name that changes whenever the
code that draws them changes.
"""

import hashlib
import tempfile
from functools import cache
from pathlib import Path

from engine.types import Hand
from models import synthesis
from models.synthesis.photo import draw_photo

SIZE_PX = 640
"""Long side of the pictures."""


SPOILT = Path(__file__).with_name("spoilt")
"""Drawn once, with the tag ``before-the-cut``."""


def spoilt(name: str) -> bytes:
    """Return a JPEG that must be refused: the back of a hand, a palm cut off or in the dark."""
    return (SPOILT / f"{name}.jpg").read_bytes()


def photo(seed: int, *, hand: Hand = Hand.RIGHT, shot: int = 1) -> bytes:
    """Return a JPEG of a drawn hand, palm to the camera.

    Args:
        seed: the person; another seed is another person.
        hand: which of the person's hands.
        shot: which photo of it; another shot is the same palm seen differently.
    """
    path = _folder() / f"{seed}-{hand.value}-{shot}.jpg"
    if not path.exists():
        drawn = draw_photo(seed, hand, shot, size_px=SIZE_PX)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as partial:
            partial.write(drawn.encode())
        Path(partial.name).replace(path)
    return path.read_bytes()


@cache
def _folder() -> Path:
    """Return the folder of the pictures this version of the code draws."""
    digest = hashlib.sha256()
    root = Path(synthesis.__path__[0])
    for source in sorted([*root.glob("*.py"), *root.glob("hand/*.py")]):
        digest.update(source.read_bytes())
    folder = Path(tempfile.gettempdir()) / f"thenar-drawn-{digest.hexdigest()[:16]}"
    folder.mkdir(exist_ok=True)
    return folder
