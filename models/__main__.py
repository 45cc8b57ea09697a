"""``thenar models``: train the palm network, and draw hands."""

from typing import Final

from engine.lazy_commands import LazyCommand, lazy_group

COMMANDS: Final = {
    "draw": LazyCommand(
        "models.synthesis.command:draw",
        "Draw synthetic hands: photos, a manifest.csv and a contact sheet.",
    ),
    "vary": LazyCommand(
        "models.synthesis.command:vary",
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
        "models.drawn_templates:templates",
        "Draw synthetic palms and store their templates: vectors and codes, no picture.",
    ),
    "train": LazyCommand(
        "models.network_commands:train",
        "Train the palm network on drawn palms; no picture of a person is used.",
    ),
    "covers": LazyCommand(
        "models.network_commands:covers",
        "Train the network that finds what covers a palm.",
    ),
    "average": LazyCommand(
        "models.network_commands:average",
        "Average several final checkpoints of one training, and finalise the result.",
    ),
    "export": LazyCommand(
        "models.network_commands:export",
        "Write a trained network as ONNX, checked against torch.",
    ),
}

app = lazy_group("Train the palm network and draw hands.", COMMANDS)

if __name__ == "__main__":
    app()
