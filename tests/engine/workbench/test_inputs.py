"""inputs: the files that were meant, and whose palm each shows."""

import pytest

from engine.workbench.inputs import input_files
from engine.workbench.manifest import InputFault


@pytest.fixture
def folder(tmp_path):
    """Two people with two pictures each, and something else."""
    for name in ("ann/1.jpg", "ann/2.PNG", "bob/1.webp", "bob/2.template", "bob/notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    return tmp_path


def test_a_folder_of_folders_names_its_palms(folder):
    """The simplest way to say who is who."""
    files = input_files([folder])

    assert [(file.name, file.label) for file in files] == [
        ("ann/1.jpg", "ann"),
        ("ann/2.PNG", "ann"),
        ("bob/1.webp", "bob"),
        ("bob/2.template", "bob"),
    ]


def test_files_and_flat_folders_are_named_after_themselves(folder):
    """Without folders or a manifest, each file is a separate palm."""
    assert [f.label for f in input_files([folder / "ann"])] == ["1", "2"]
    assert [f.label for f in input_files([folder / "bob" / "1.webp"])] == ["1"]


def test_a_manifest_is_obeyed(folder):
    """It tells the palm, and which pictures show whole hands."""
    (folder / "manifest.csv").write_text(
        "path,identity,kind\nann/1.jpg,ann_L,hand\nbob/1.webp,,hand\nbob/2.template,x,negative\n",
        "utf-8",
    )

    assert [(f.name, f.label) for f in input_files([folder])] == [
        ("ann/1.jpg", "ann_L"),
        ("bob/1.webp", "1"),
    ]


@pytest.mark.parametrize(
    ("path", "manifest", "words"),
    [
        ("empty", None, "no pictures"),
        (".", "path,who\n", "columns"),
        (".", "path,identity,kind\na,b,negative\n", "no pictures"),
        (".", "path,identity,hand\na,b,middle\n", "line 2: hand is one of L, R"),
        (".", "path,identity\n,b\n", "line 2: no path"),
        (".", "path,identity\na,b,c\n", "more values than columns"),
    ],
)
def test_what_is_wrong_is_said(folder, path, manifest, words):
    """A wrong path is the commonest mistake at a command line."""
    (folder / "empty").mkdir()
    if manifest is not None:
        (folder / "manifest.csv").write_text(manifest, "utf-8")

    with pytest.raises(InputFault, match=words):
        input_files([folder / path])


def test_a_manifest_in_another_encoding_is_one_sentence(folder):
    """As spreadsheets save it; with a byte order mark it is read."""
    manifest = folder / "manifest.csv"
    manifest.write_text("path,identity\nann/1.jpg,ann\n", "utf-16")
    with pytest.raises(InputFault, match="not CSV in UTF-8"):
        input_files([folder])

    manifest.write_text("path,identity\nann/1.jpg,ann\n", "utf-8-sig")
    assert [file.label for file in input_files([folder])] == ["ann"]
