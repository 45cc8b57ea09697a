"""Which methods there are, and which are said to be missing."""

from __future__ import annotations

import pytest

from benchmarks.accuracy.scoring.methods import (
    BASELINES,
    CODE,
    FUSED,
    VECTOR,
    UnknownMethod,
    choose_methods,
)


def test_the_fused_score_needs_no_network_beside_the_extractor():
    """The numbers are those of what the service decides by, whichever extractor it runs."""
    methods = choose_methods(["fused"])

    assert methods.names == (FUSED, *BASELINES)
    assert methods.networks == ()


def test_the_method_asked_for_comes_first_and_none_comes_twice():
    """It is the one that is reported in full."""
    assert choose_methods(["vector", "code"]).names == (
        VECTOR,
        CODE,
    )
    assert choose_methods(["code"], baselines=False).names == (CODE,)


def test_several_networks_are_measured_in_the_order_they_are_asked_for(tmp_path):
    """Vectors and names belong together by their places."""
    one, other = tmp_path / "one.onnx", tmp_path / "other.onnx"
    for each in (one, other):
        each.touch()
    methods = choose_methods([str(other), "fused", str(one)])

    assert methods.networks == (other, one)
    assert methods.names == ("other.onnx", FUSED, "one.onnx", *BASELINES)


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("guess", "unknown method 'guess'"),
        ("none.onnx", "no file none.onnx"),
    ],
)
def test_a_method_that_is_not_there_is_said_to_be_missing(method, said):
    """An engineer learns what there is instead."""
    with pytest.raises(UnknownMethod, match=said):
        choose_methods([method])
