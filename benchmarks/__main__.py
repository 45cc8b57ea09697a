"""``thenar bench``: every benchmark as a command."""

from typing import Final

from engine.lazy_commands import LazyCommand, lazy_group

COMMANDS: Final = {
    "accuracy": LazyCommand(
        "benchmarks.accuracy.command:accuracy",
        "Measure how often palms match others, or fail to match themselves.",
    ),
    "scores": LazyCommand(
        "benchmarks.accuracy.command:scores",
        "Evaluate scores of other programs; write scores for pyeer.",
    ),
    "robustness": LazyCommand(
        "benchmarks.robustness.command:robustness",
        "Measure how misses grow with what makes pictures hard, at a fixed threshold.",
    ),
    "journey": LazyCommand(
        "benchmarks.journey.command:journey",
        "Enrol and log in with a set of pictures over HTTP, and count who gets in.",
    ),
    "attack": LazyCommand(
        "benchmarks.attack.command:attack",
        "Measure how many drawn attacks pass for living palms, and how many palms do not.",
    ),
    "calibrate": LazyCommand(
        "benchmarks.calibration.command:calibrate",
        "Fit the table score → FMR that thresholds come from, one fit for each set.",
    ),
    "search": LazyCommand(
        "benchmarks.search.command:search",
        "Measure one-to-many search: speed, memory, start, changes, and lost mates.",
    ),
    "extract": LazyCommand(
        "benchmarks.extract.command:extract", "Time decoding, locating and extracting."
    ),
    "oidc": LazyCommand(
        "benchmarks.oidc.command:oidc",
        "Measure code exchange, refresh and userinfo per CPU second and per second.",
    ),
}

app = lazy_group(
    "Measure accuracy, speed and robustness from outside, with confidence intervals.", COMMANDS
)

if __name__ == "__main__":
    app()
