"""The file of a calibration, as ``engine.decision.calibration`` reads it."""

from typing import Final

from engine.comparison.compare import VectorPenalty
from engine.decision.calibration import Calibration, MatedScores, NonMatedScores
from engine.types import ExtractorId

HEADING: Final = """\
# Score → share of non-mated comparisons that reach it. Written by `thenar bench calibrate`.
# The worst set decides. Rates below 30 / comparisons are extrapolated.
# The tables of mated scores show what a threshold costs; thresholds do not use them.
# Scores are fused; the vector penalty was fitted by its option `--drawn`.
"""


def calibration_toml(calibration: Calibration) -> str:
    """Write a calibration for ``engine.decision.calibration.parse_calibration``."""
    blocks = [header_toml(calibration.extractor, calibration.vector_penalty)]
    blocks += [_fit_toml(fit) for fit in calibration.non_mated]
    blocks += [_mated_toml(fit) for fit in calibration.mated]
    return "\n\n".join(blocks) + "\n"


def header_toml(extractor: ExtractorId, penalty: VectorPenalty) -> str:
    """Write the head of a calibration: extractor and vector penalty."""
    cosines = ", ".join(f"{cosine:g}" for cosine in penalty.expected_cosines)
    table = f"[doubt]\nweight = {penalty.weight:g}\nexpected_cosines = [{cosines}]"
    return f'{HEADING}extractor = "{extractor}"\n\n{table}'


def _fit_toml(fit: NonMatedScores) -> str:
    tail = [f"scale = {fit.scale:.6f}", f"shape = {fit.shape:.4f}"]
    return "\n".join(["[[fit]]", *_table(fit, f"pictures = {fit.pictures}"), *tail])


def _mated_toml(fit: MatedScores) -> str:
    return "\n".join(["[[mated]]", *_table(fit)])


def _table(fit: NonMatedScores | MatedScores, *pictures: str) -> list[str]:
    return [
        f'data = "{fit.data}"',
        f"palms = {fit.palms}",
        *pictures,
        f"comparisons = {fit.comparisons}",
        f"rates = [{', '.join(f'{rate:.6g}' for rate in fit.rates)}]",
        f"scores = [{', '.join(f'{score:.5f}' for score in fit.scores)}]",
    ]
