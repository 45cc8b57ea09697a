"""Which methods there are, and which are said to be missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.accuracy.scoring.methods import (
    BASELINES,
    CODE,
    FUSED,
    UNSHIFTED,
    VECTOR,
    UnknownMethod,
    choose_methods,
)
from engine.settings import EngineSettings

SHIPPED = """[models.palm_print_net]
file = "palm_print_net.onnx"
sha256 = "00"
extractor = "palmnet-2"
inputs = {}
outputs = {}
"""


@pytest.fixture
def settings(tmp_path: Path) -> EngineSettings:
    """Give settings of an installation that ships a palm network."""
    (tmp_path / "manifest.toml").write_text(SHIPPED)
    return EngineSettings(manifest=tmp_path / "manifest.toml", weights_dir=tmp_path)


@pytest.fixture
def bare(tmp_path: Path) -> EngineSettings:
    """Give settings of an installation without a palm network."""
    (tmp_path / "bare.toml").write_text("[models]\n")
    return EngineSettings(manifest=tmp_path / "bare.toml")


def test_the_fused_score_needs_no_network_beside_the_extractor(bare):
    """The numbers are those of what the service decides by, whichever extractor it runs."""
    methods = choose_methods(["fused"], bare)

    assert methods.names == (FUSED, *BASELINES)
    assert methods.networks == ()


def test_the_method_asked_for_comes_first_and_none_comes_twice():
    """It is the one that is reported in full."""
    assert choose_methods(["vector", "code"], EngineSettings()).names == (
        VECTOR,
        CODE,
        UNSHIFTED,
    )
    assert choose_methods(["code"], EngineSettings(), baselines=False).names == (CODE,)


def test_a_shipped_network_is_found_by_its_name(settings, tmp_path):
    """Nothing here needs to change when one is shipped."""
    methods = choose_methods(["network"], settings)

    assert methods.networks == (tmp_path / "palm_print_net.onnx",)
    assert methods.names == ("palm_print_net.onnx", *BASELINES)


def test_several_networks_are_measured_in_the_order_they_are_asked_for(settings, tmp_path):
    """Vectors and names belong together by their places."""
    other = tmp_path / "other.onnx"
    other.touch()
    methods = choose_methods([str(other), "fused", "network"], settings)

    assert methods.networks == (other, tmp_path / "palm_print_net.onnx")
    assert methods.names == ("other.onnx", FUSED, "palm_print_net.onnx", *BASELINES)


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("network", "no palm network is shipped"),
        ("guess", "unknown method 'guess'"),
        ("none.onnx", "no file none.onnx"),
    ],
)
def test_a_method_that_is_not_there_is_said_to_be_missing(method, said, bare):
    """An engineer learns what there is instead."""
    with pytest.raises(UnknownMethod, match=said):
        choose_methods([method], bare)


def test_a_broken_manifest_is_told(tmp_path):
    """Not taken for one without a network."""
    (tmp_path / "manifest.toml").write_text("models = 3")

    with pytest.raises(UnknownMethod, match="lacks a field"):
        choose_methods(["network"], EngineSettings(manifest=tmp_path / "manifest.toml"))
