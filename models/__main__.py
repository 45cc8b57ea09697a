"""``thenar models``: train the palm network, and draw hands."""

from typing import Final

from engine.lazy_commands import commands_of, lazy_group

COMMANDS: Final = {
    **commands_of(
        "models.synthesis.command",
        draw="Draw synthetic hands: photos, a manifest.csv and a contact sheet.",
        vary="Draw hands in harder and harder poses, for thenar bench robustness.",
    ),
    **commands_of(
        "models.synthesis.presentations.command",
        present="Draw sessions that answer challenges: living hands, prints, screens, films,"
        " puppets.",
    ),
    **commands_of(
        "models.synthesis.presentations.camera_program",
        camera="Answer one step of a challenge with drawn frames, for thenar phone --camera.",
    ),
    **commands_of(
        "models.drawn_templates",
        templates="Draw synthetic palms and store their templates: vectors and codes, no"
        " picture.",
    ),
    **commands_of(
        "models.network_commands",
        train="Train the palm network on drawn palms; no picture of a person is used.",
        covers="Train the network that finds what covers a palm.",
        average="Average several final checkpoints of one training, and finalise the result.",
        export="Write a trained network as ONNX, checked against torch.",
    ),
}

app = lazy_group("Train the palm network and draw hands.", COMMANDS)

if __name__ == "__main__":
    app()
