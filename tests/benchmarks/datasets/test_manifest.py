"""Reading a set of palm pictures."""

from benchmarks.datasets import read_palm_set

ROWS = """path,identity,session,hand,kind
a/1.jpg,p1_L,1,L,hand
a/2.jpg,p1_L,1,L,hand
b/1.jpg,p2_R,1,R,hand
wild.jpg,,,,hand
"""


def test_pictures_are_grouped_by_palm_in_order(tmp_path):
    """“The first pictures” of a palm means the first in the manifest; a file names its set."""
    (tmp_path / "phones.csv").write_text(ROWS)

    palms = read_palm_set(tmp_path / "phones.csv")

    assert palms.name == "phones"
    assert {
        name: [p.path.name for p in shots] for name, shots in palms.by_identity().items()
    } == {"p1_L": ["1.jpg", "2.jpg"], "p2_R": ["1.jpg"]}
    assert [picture.path.name for picture in palms.unlabelled()] == ["wild.jpg"]


def test_a_folder_for_each_palm_needs_no_manifest(tmp_path):
    """The simplest way to say who is who; another name is another set."""
    for name in ("ann/1.jpg", "ann/2.jpg", "bob/1.jpg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    palms = read_palm_set(tmp_path)

    assert {name: len(shots) for name, shots in palms.by_identity().items()} == {
        "ann": 2,
        "bob": 1,
    }
    assert {picture.kind for picture in palms.pictures} == {"hand"}
    (tmp_path / "bob").rename(tmp_path / "eve")
    assert read_palm_set(tmp_path).digest != palms.digest
