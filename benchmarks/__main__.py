"""``thenar bench``: every benchmark as a command."""

from typing import Final

from engine.lazy_commands import commands_of, lazy_group

COMMANDS: Final = commands_of(
    "benchmarks.commands",
    accuracy="Measure how often palms match others, or fail to match themselves.",
    scores="Evaluate scores of other programs; write scores for pyeer.",
    robustness="Measure how misses grow with what makes pictures hard, at a fixed threshold.",
    journey="Enrol and log in with a set of pictures over HTTP, and count who gets in.",
    attack="Measure how many drawn attacks pass for living palms, and how many palms do not.",
    calibrate="Fit the table score → FMR that thresholds come from, one fit for each set.",
    search="Measure one-to-many search: speed, memory, start, changes, and lost mates.",
    extract="Time decoding, locating and extracting.",
    oidc="Measure code exchange, refresh and userinfo per CPU second and per second.",
)

app = lazy_group(
    "Measure accuracy, speed and robustness from outside, with confidence intervals.", COMMANDS
)

if __name__ == "__main__":
    app()
