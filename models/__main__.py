"""``thenar models``: fetch and check networks, train our own, and draw hands."""

from __future__ import annotations

from typing import Final

from engine.lazy_commands import LazyCommand, lazy_group

COMMANDS: Final = {
    "draw": LazyCommand(
        "models.synthesis.command:draw",
        "Draw synthetic hands: photos, a manifest.csv and a contact sheet.",
    ),
    "vary": LazyCommand(
        "models.synthesis.conditions.command:vary",
        "Draw hands in harder and harder poses, for thenar bench robustness.",
    ),
    "present": LazyCommand(
        "models.synthesis.presentations.command:present",
        "Draw sessions that answer challenges: living hands, prints, screens, films, puppets.",
    ),
    "camera": LazyCommand(
        "models.synthesis.presentations.camera_program:camera",
        "Answer one step of a challenge with drawn frames, for thenar phone --camera.",
    ),
    "templates": LazyCommand(
        "models.templates_command:templates",
        "Draw synthetic palms and store their templates: vectors and codes, no picture.",
    ),
    "train": LazyCommand(
        "models.network_commands:train",
        "Train the palm network on drawn palms; no picture of a person is used.",
    ),
    "average": LazyCommand(
        "models.network_commands:average",
        "Average several final checkpoints of one training, and finalise the result.",
    ),
    "export": LazyCommand(
        "models.network_commands:export",
        "Write a trained network as ONNX, checked against torch.",
    ),
    "fetch": LazyCommand(
        "models.fetch_commands:fetch",
        "Fetch the two hand networks: download their package, check it, convert it to ONNX.",
    ),
    "verify": LazyCommand(
        "models.fetch_commands:verify",
        "Check every network of the manifest: digest, loading, inputs and outputs.",
    ),
}

app = lazy_group("Neural networks: fetch, check and train them; draw hands.", COMMANDS)

if __name__ == "__main__":
    app()
