"""``thenar engine``: make, compare and search templates from files.

For engineers. Stores nothing.
"""

from typing import Final

from engine.lazy_commands import LazyCommand, lazy_group
from engine.workbench.manifest import MANIFEST_HELP

_PLACE: Final = "engine.workbench.commands"

COMMANDS: Final = {
    "extract": LazyCommand(
        f"{_PLACE}:extract", "Make a template from each picture and show the results."
    ),
    "compare": LazyCommand(
        f"{_PLACE}:compare",
        "Compare one palm with others, one to one, and decide at the target FMR.",
    ),
    "identify": LazyCommand(
        f"{_PLACE}:identify",
        "Search for palms in a folder of palms, one to many, and decide at the target FPIR.",
    ),
    "compile": LazyCommand(
        f"{_PLACE}:compile_all",
        "Compile the comparison and search, so that no process does at its start.",
    ),
    "verify": LazyCommand(
        f"{_PLACE}:verify",
        "Check every network of the manifest: digest, loading, inputs and outputs.",
    ),
}

app = lazy_group(
    """Make, compare and search palm templates from files.

    FILES are pictures (JPEG, PNG, WebP, BMP, TIFF, PGM), template files written by
    `extract --out`, or folders of them. In a folder, the path of the subfolder says whose palm
    it is, or `manifest.csv`.
    """
    + MANIFEST_HELP
    + """

    Settings: `THENAR_ENGINE_…`, see engine/docs/settings.md.

    Exit status: 0 if every file gave a template, 1 if one did not, 2 for a wrong command, 3 if
    `compare` met a left and a right hand, or two extractors.""",
    COMMANDS,
)

if __name__ == "__main__":
    app()
