"""A folder of drawn sessions, as written by ``thenar models present``."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.datasets.manifest import DatasetFault, PalmSet
from engine.decode import decode_sample
from engine.presentation_attack.challenge import Challenge
from engine.presentation_attack.session import Frame, Phase

SESSION: Final = "session.json"
BONA_FIDE: Final = "bona_fide"


@dataclass(frozen=True, slots=True)
class DrawnSession:
    """One session: who, what, and the frames' files.

    Attributes:
        person: whose palm it is, or is copied.
        source: name of the real picture that was copied; None: a drawn one.
        is_species_kept_out: from everything that was tuned; of the scene, lamp and camera.
        frames: of each frame its file, step, phase and time, as JSON.
    """

    folder: Path = field(repr=False)
    species: str
    person: int
    session: int
    source: str | None
    is_species_kept_out: bool
    is_scene_kept_out: bool
    challenge: Challenge
    frames: tuple[dict[str, Any], ...] = field(repr=False)

    @property
    def name(self) -> str:
        """Species, person and session: one name for one session."""
        return f"{self.species}/{self.folder.name}"

    def read_frames(self) -> Iterator[tuple[int, Frame]]:
        """Yield step and frame, decoded as the service does."""
        for one in self.frames:
            sample = decode_sample((self.folder / one["file"]).read_bytes())
            yield one["step"], Frame(sample, one["at_s"], Phase(one["phase"]))


def read_sessions(place: Path) -> list[DrawnSession]:
    """Read all sessions of a folder. Raises ``DatasetFault`` if there is none."""
    files = sorted(place.glob(f"*/*/{SESSION}"))
    if not files:
        raise DatasetFault(f"no sessions in {place}: run thenar models present")
    return [_read_session(file) for file in files]


def described(place: Path, sessions: Sequence[DrawnSession]) -> PalmSet:
    """Return name and digest of the sessions, as results want them."""
    digest = hashlib.sha256()
    for session in sessions:
        digest.update((session.folder / SESSION).read_bytes())
    return PalmSet(place.resolve().name, digest.hexdigest(), ())


def _read_session(file: Path) -> DrawnSession:
    content = json.loads(file.read_text("utf-8"))
    return DrawnSession(
        folder=file.parent,
        species=content["species"],
        person=content["person"],
        session=content["session"],
        source=content["source"],
        is_species_kept_out=content["is_species_kept_out"],
        is_scene_kept_out=content["is_scene_kept_out"],
        challenge=Challenge.from_json(json.dumps(content["challenge"])),
        frames=tuple(content["frames"]),
    )
