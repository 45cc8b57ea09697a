"""Every fault of drawing.

::

    ModelsError
    └── OtherCollection      the folder holds photos drawn to another plan
"""

from __future__ import annotations

from models.errors import ModelsError


class OtherCollection(ModelsError):
    """The folder holds photos drawn to another plan."""

    code = "other_collection"
