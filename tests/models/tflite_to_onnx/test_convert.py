"""The converter: each operator against its definition, both networks against LiteRT."""

from __future__ import annotations

import dataclasses
import hashlib

import cv2
import numpy as np
import onnx
import pytest
import tflite
from onnx.reference import ReferenceEvaluator

from engine.decode import decode_sample
from engine.networks.manifest import read_manifest
from engine.settings import EngineSettings
from models.errors import ConversionRefused
from models.sources import read_sources
from models.tflite_to_onnx.convert import convert, convert_graph
from models.tflite_to_onnx.graph import Operator, Tensor, TfliteGraph, read_graph
from tests.support.palms.drawn_palms import photo
from tests.support.palms.hand_models import hand_model
from tests.support.palms.tflite_files import FileOperator, FileTensor, prelu_file, tflite_file

NAMES = {"x": "x", "y": "y"}
NO_ACTIVATION = {"FusedActivationFunction": 0}


class Options:
    """An operator's options: one method for each name, as the schema's tables have."""

    def __init__(self, **numbers: int) -> None:
        for name, number in numbers.items():
            setattr(self, name, lambda number=number: number)


def graph_of(kind, x_shape, y_shape, constants=(), **options):
    """Return a network of one operator from x to y, its constants in between."""
    tensors = [Tensor("x", x_shape, None)]
    tensors += [Tensor(f"c{i}", c.shape, c) for i, c in enumerate(constants)]
    tensors.append(Tensor("y", y_shape, None))
    last = len(tensors) - 1
    operator = Operator(kind, tuple(range(last)), (last,), Options(**options))
    return TfliteGraph(tuple(tensors), (operator,), (0,), (last,))


def computed(graph, x):
    """Convert a network and run it on x, channels last; return y channels last."""
    model = onnx.load_from_string(convert_graph(graph, name="test", names=NAMES))
    image = x.transpose(0, 3, 1, 2) if x.ndim == 4 else x
    (result,) = list(ReferenceEvaluator(model).run(None, {"x": image}))
    y = np.asarray(result)
    return y.transpose(0, 2, 3, 1) if y.ndim == 4 else y


def numbers(*shape):
    """Return the same random numbers for the same shape."""
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def convolved(x, weights, bias, stride, pads):
    """Convolve by definition: x (1, h, w, c), weights (out, kh, kw, c)."""
    top, left, bottom, right = pads
    x = np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)))[0]
    kh, kw = weights.shape[1:3]
    rows = range(0, x.shape[0] - kh + 1, stride)
    columns = range(0, x.shape[1] - kw + 1, stride)
    patches = [[x[r : r + kh, c : c + kw] for c in columns] for r in rows]
    return np.einsum("rcijk,oijk->rco", np.array(patches), weights)[None] + bias


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "padding", "pads"),
    [
        (6, 3, 1, tflite.Padding.SAME, (1, 1, 1, 1)),
        (6, 3, 2, tflite.Padding.SAME, (0, 0, 1, 1)),
        (7, 3, 2, tflite.Padding.SAME, (1, 1, 1, 1)),
        (6, 5, 2, tflite.Padding.SAME, (1, 1, 2, 2)),
        (6, 1, 1, tflite.Padding.VALID, (0, 0, 0, 0)),
        (6, 3, 1, tflite.Padding.VALID, (0, 0, 0, 0)),
    ],
)
def test_convolution_is_the_definition_with_the_odd_padding_below_and_right(
    size, kernel, stride, padding, pads
):
    """ONNX's own SAME would shift a strided convolution of an even picture by one pixel."""
    x, weights, bias = numbers(1, size, size, 3), numbers(4, kernel, kernel, 3), numbers(4)
    expected = convolved(x, weights, bias, stride, pads)
    options = {"StrideH": stride, "StrideW": stride, "Padding": padding}
    options |= {"DilationHFactor": 1, "DilationWFactor": 1, **NO_ACTIVATION}
    graph = graph_of("CONV_2D", x.shape, expected.shape, (weights, bias), **options)

    assert np.allclose(computed(graph, x), expected, atol=1e-5)


def test_depthwise_convolution_has_one_filter_a_channel_and_the_clipped_activation():
    """Its weights are stored channels last with the channels as filters."""
    x, weights, bias = numbers(1, 5, 5, 4), numbers(1, 3, 3, 4), numbers(4)
    channels = [
        convolved(x[..., [c]], weights[..., [c]], bias[[c]], 1, (1, 1, 1, 1)) for c in range(4)
    ]
    expected = np.clip(np.concatenate(channels, axis=3), 0, 6)
    options = {"StrideH": 1, "StrideW": 1, "Padding": tflite.Padding.SAME}
    options |= {"DilationHFactor": 1, "DilationWFactor": 1, "DepthMultiplier": 1}
    options["FusedActivationFunction"] = tflite.ActivationFunctionType.RELU6
    graph = graph_of("DEPTHWISE_CONV_2D", x.shape, x.shape, (weights, bias), **options)

    assert np.allclose(computed(graph, x), expected, atol=1e-5)


def test_prelu_multiplies_what_is_below_zero_by_the_slope_of_its_channel():
    """It is written as two scalings and a sum, slopes above one and below zero included."""
    x, slope = numbers(1, 4, 5, 3), np.array([0.25, -2.0, 7.0], np.float32).reshape(1, 1, 3)
    graph = graph_of("PRELU", x.shape, x.shape, (slope,))

    assert np.allclose(computed(graph, x), np.where(x < 0, slope * x, x), atol=1e-6)


def test_max_pooling_takes_the_largest_of_each_window():
    """Halves the picture."""
    x = numbers(1, 4, 6, 2)
    expected = x.reshape(1, 2, 2, 3, 2, 2).max(axis=(2, 4))
    options = {"FilterHeight": 2, "FilterWidth": 2, "StrideH": 2, "StrideW": 2}
    options |= {"Padding": tflite.Padding.SAME, **NO_ACTIVATION}
    graph = graph_of("MAX_POOL_2D", x.shape, expected.shape, **options)

    assert np.array_equal(computed(graph, x), expected)


def test_padding_adds_zeros_where_the_file_says():
    """The detector pads channels; pairs are in the file's order of axes."""
    x, pairs = numbers(1, 2, 3, 2), np.array([[0, 0], [1, 0], [0, 2], [0, 4]], np.int32)
    expected = np.pad(x, pairs)
    graph = graph_of("PAD", x.shape, expected.shape, (pairs,))

    assert np.array_equal(computed(graph, x), expected)


def test_resizing_keeps_the_middle_of_the_picture_in_the_middle():
    """Other conventions of pixel centres would move every fine box by half a cell."""
    x = np.tile(np.arange(4, dtype=np.float32)[None, None, :, None], (1, 4, 1, 2))
    graph = graph_of(
        "RESIZE_BILINEAR", x.shape, (1, 8, 8, 2), HalfPixelCenters=1, AlignCorners=0
    )

    row = computed(graph, x)[0, 3, :, 1]

    assert row.tolist() == [0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3]


def test_reshape_reads_values_in_the_order_of_the_file():
    """Channels first would give every anchor another one's box."""
    x = numbers(1, 3, 4, 6)
    graph = graph_of("RESHAPE", x.shape, (1, 36, 2), (np.array([1, -1, 2], np.int32),))

    assert np.array_equal(computed(graph, x), x.reshape(1, 36, 2))


@pytest.mark.parametrize(("shape", "axis"), [((1, 4, 3), 1), ((1, 2, 3, 4), 3)])
def test_concatenation_follows_the_files_axis(shape, axis):
    """Axes of pictures move with the layout."""
    x, other = numbers(*shape), numbers(*shape) + 1
    expected = np.concatenate([x, x], axis=axis)
    graph = graph_of("CONCATENATION", shape, expected.shape, Axis=axis, **NO_ACTIVATION)
    twice = dataclasses.replace(graph.operators[0], inputs=(0, 0))

    result = computed(dataclasses.replace(graph, operators=(twice,)), x)

    assert np.array_equal(result, expected)
    assert not np.array_equal(result, np.concatenate([x, other], axis=axis))


def test_addition_and_the_fully_connected_layer_and_the_mean_and_the_logistic_function():
    """The landmark network's end."""
    x, weights, bias = numbers(1, 5), numbers(3, 5), numbers(3)
    connected = graph_of("FULLY_CONNECTED", (1, 5), (1, 3), (weights, bias), **NO_ACTIVATION)
    image = numbers(1, 3, 3, 4)
    axes = np.array([2, 1], np.int32)
    mean = graph_of("MEAN", image.shape, (1, 4), (axes,), KeepDims=0)
    doubled = graph_of("ADD", image.shape, image.shape, **NO_ACTIVATION)
    twice = dataclasses.replace(doubled.operators[0], inputs=(0, 0))

    assert np.allclose(computed(connected, x), x @ weights.T + bias, atol=1e-6)
    assert np.allclose(computed(mean, image), image.mean(axis=(1, 2)), atol=1e-6)
    assert np.allclose(
        computed(dataclasses.replace(doubled, operators=(twice,)), image), 2 * image
    )
    assert np.allclose(
        computed(graph_of("LOGISTIC", (1, 5), (1, 5)), x), 1 / (1 + np.exp(-x)), atol=1e-6
    )


IMAGE = (1, 4, 4, 2)
CONV = {"StrideH": 1, "StrideW": 1, "Padding": 0, "DilationHFactor": 1, "DilationWFactor": 1}


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        (graph_of("SOFTMAX", (1, 5), (1, 5)), "SOFTMAX"),
        (
            graph_of(
                "CONV_2D",
                IMAGE,
                IMAGE,
                (numbers(2, 1, 1, 2), numbers(2)),
                **CONV,
                FusedActivationFunction=tflite.ActivationFunctionType.TANH,
            ),
            "activation",
        ),
        (
            graph_of(
                "DEPTHWISE_CONV_2D",
                IMAGE,
                IMAGE,
                (numbers(1, 1, 1, 2), numbers(2)),
                DepthMultiplier=2,
            ),
            "multiplier",
        ),
        (
            graph_of(
                "RESIZE_BILINEAR", IMAGE, (1, 8, 8, 2), HalfPixelCenters=0, AlignCorners=0
            ),
            "half-pixel",
        ),
        (
            graph_of("MEAN", IMAGE, (1, 4, 4), (np.array([3], np.int32),), KeepDims=0),
            "height and width",
        ),
        (graph_of("ADD", IMAGE, IMAGE, (numbers(2),), **NO_ACTIVATION), "broadcasting"),
    ],
)
def test_what_the_converter_does_not_know_is_refused_by_name(graph, said):
    """A silent guess would move landmarks; nobody would look for it in the converter."""
    with pytest.raises(ConversionRefused, match=said):
        convert_graph(graph, name="test", names=NAMES)


def test_weights_that_are_computed_are_refused():
    """A network that makes its own weights cannot be written with constants."""
    graph = graph_of("PRELU", IMAGE, IMAGE, (numbers(1, 1, 2),))
    slope = Tensor("c0", (1, 1, 2), None)
    tensors = (graph.tensors[0], slope, graph.tensors[2])

    with pytest.raises(ConversionRefused, match="constant"):
        convert_graph(dataclasses.replace(graph, tensors=tensors), name="test", names=NAMES)


def test_an_operator_without_options_is_refused_where_they_are_needed():
    """Defaults differ between versions of the format."""
    graph = graph_of("CONCATENATION", IMAGE, IMAGE)
    bare = dataclasses.replace(graph.operators[0], options=None)

    with pytest.raises(ConversionRefused, match="no options"):
        convert_graph(dataclasses.replace(graph, operators=(bare,)), name="test", names=NAMES)


def test_names_that_are_not_the_networks_are_refused():
    """A manifest written for another version of the network must not pass."""
    with pytest.raises(ConversionRefused, match="Identity"):
        convert(prelu_file(), name="test", names={"input_1": "x", "Output": "y"})


def test_half_float_weights_are_unfolded_when_a_file_is_read():
    """The networks are stored that way; nothing else may stand behind DEQUANTIZE."""
    graph = read_graph(prelu_file((0.25, -2.0)))

    assert [op.kind for op in graph.operators] == ["PRELU"]
    assert graph.tensors[2].constant is not None
    assert graph.tensors[2].constant.dtype == np.float32
    assert graph.tensors[2].constant.ravel().tolist() == [0.25, -2.0]


X = FileTensor("input_1", (1, 2))
DEQUANTIZE = tflite.BuiltinOperator.DEQUANTIZE


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no TensorFlow Lite file"),
        (b"not a network at all", "no TensorFlow Lite file"),
        (tflite_file([X], [], subgraphs=2), "2 subgraphs"),
        (tflite_file([X, FileTensor("w", (2,), np.zeros(2, np.int8))], []), "type"),
        (tflite_file([X, FileTensor("w", (2,))], [FileOperator(DEQUANTIZE, (0,), 1)]), "half"),
    ],
)
def test_files_that_are_not_understood_are_refused(data, said):
    """One network, known number types, half floats only."""
    with pytest.raises(ConversionRefused, match=said):
        read_graph(data)


def _original(name: str) -> tuple[bytes, dict[str, str]]:
    """Return a hand network's original file and its names; skip where it is not here."""
    settings = EngineSettings()
    path = settings.weights_dir / f"{name}.tflite"
    if not path.exists():
        pytest.skip(f"{path.name} is not here: thenar models fetch")
    names = {source.model: source.names for source in read_sources(settings.manifest)}
    return path.read_bytes(), dict(names[name])


@pytest.mark.hands
@pytest.mark.parametrize("name", ["hand_detector", "hand_landmarks"])
def test_converting_gives_the_very_file_of_the_manifest(name):
    """The manifest's digest is what the engine trusts, on every machine."""
    data, names = _original(name)

    digest = hashlib.sha256(convert(data, name=name, names=names)).hexdigest()

    assert digest == read_manifest(EngineSettings().manifest)[name].sha256


@pytest.mark.hands
@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("hand_detector", {"boxes": 1e-3, "logits": 1e-4}),
        (
            "hand_landmarks",
            {"landmarks": 1e-3, "presence": 1e-4, "handedness": 1e-4, "world_landmarks": 1e-4},
        ),
    ],
)
def test_the_converted_network_answers_as_litert_does(name, limits, tmp_path):
    """Within a thousandth of a pixel on boxes and landmarks, on noise and on hands."""
    litert = pytest.importorskip("ai_edge_litert.interpreter")
    data, names = _original(name)
    original = tmp_path / "original.tflite"
    original.write_bytes(data)
    # LiteRT's own kernels: its faster ones differ from them by more than we do.
    kernels = litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = litert.Interpreter(
        model_path=str(original), num_threads=1, experimental_op_resolver_type=kernels
    )
    interpreter.allocate_tensors()
    (entry,) = interpreter.get_input_details()
    ends = {names[end["name"]]: end["index"] for end in interpreter.get_output_details()}

    for picture in _pictures(entry["shape"][1]):
        interpreter.set_tensor(entry["index"], picture)
        interpreter.invoke()
        planes = np.ascontiguousarray(picture.transpose(0, 3, 1, 2))
        ours = hand_model(name).run({"picture": planes})
        for output, limit in limits.items():
            theirs = interpreter.get_tensor(ends[output])
            assert np.abs(theirs - ours[output]).max() <= limit, output


def _pictures(size):
    """Yield noise, black, white and drawn hands, as the networks take them."""
    rng = np.random.default_rng(7)
    for _ in range(4):
        yield rng.random((1, size, size, 3), dtype=np.float32)
    yield np.zeros((1, size, size, 3), np.float32)
    yield np.ones((1, size, size, 3), np.float32)
    for seed in range(4):
        pixels = decode_sample(photo(seed)).pixels
        square = np.asarray(cv2.resize(pixels, (size, size), interpolation=cv2.INTER_AREA))
        yield square[None].astype(np.float32) / np.float32(255)
