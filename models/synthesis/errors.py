"""Every fault of drawing.

::

    ModelsError
    ├── NoPictures           a folder to lay drawn regions beside holds none
    └── OtherCollection      the folder holds photos drawn to another plan
"""

from __future__ import annotations

from models.errors import ModelsError


class NoPictures(ModelsError):
    """A folder of real regions holds no readable picture."""

    code = "no_pictures"


class OtherCollection(ModelsError):
    """The folder holds photos drawn to another plan."""

    code = "other_collection"
