"""The service with its gallery on Milvus: a real server, several processes, real HTTP."""

import socket
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from engine.errors import GalleryFault, GalleryUnreachable
from engine.gallery.milvus.stored import MilvusStored, open_table
from mobile_api.cli.gallery import app
from mobile_api.erasures import sign_list
from mobile_api.errors import PhoneRefused
from mobile_api.gallery.milvus import MilvusAddress, open_shared
from mobile_api.gallery.replica import GalleryReplica
from mobile_api.gallery.template_encryption import Rekeying, TemplateEncryption
from mobile_api.recognition import load
from mobile_api.storage.cipher import TemplateCipher
from mobile_api.storage.key_file import KeyFile, KeyId
from tests.support.palms.fake_engine import FAKE_DIMENSION, FAKE_EXTRACTOR, picture
from tests.support.service.mobile_api import MobileWorld

MAYA, OMAR = 1, 2
SHOTS = [picture(MAYA, shot=shot) for shot in (0, 1)]

_NUMBERS = count()


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("milvus://one.example:19530/palms", "http://one.example:19530"),
        ("milvus+tls://user:secret@one.example/p2", "https://user:secret@one.example"),
        ("http://one.example/palms", None),
        ("milvus://one.example", None),
        ("milvus:///palms", None),
        ("milvus://one.example/a_b", None),
        (f"milvus://one.example/{25 * 'a'}", None),
    ],
)
def test_an_address_names_a_server_and_a_gallery(url: str, server: str | None) -> None:
    """Or is refused before anything is opened. Its password is in no message."""
    with nullcontext() if server else pytest.raises(GalleryFault):
        address = MilvusAddress.read(url)
        assert (address.server, address.name) == (server, url.rpartition("/")[2])
        assert "secret" not in repr(address)


@pytest.fixture
def world(tmp_path: Path, milvus_url: str) -> Iterator[MobileWorld]:
    """Give a mobile API whose gallery is on a server."""
    url = milvus_url.replace("http:", "milvus:") + f"/w{next(_NUMBERS)}"
    drop_collection(milvus_url)
    with MobileWorld(tmp_path, gallery_url=url) as world:
        yield world
    drop_collection(milvus_url)


def drop_collection(milvus_url: str) -> None:
    """Remove the fake extractor's galleries: other tests' have another dimension."""
    table = open_table(milvus_url, "any", FAKE_EXTRACTOR)
    table._client.drop_collection(table._collection)
    table.close()


def encryption_of(world: MobileWorld) -> TemplateEncryption:
    """Return the keys of a world."""
    return TemplateEncryption(TemplateCipher(KeyFile(world.settings.key_file).current))


def on_server(world: MobileWorld, key_id: KeyId | None = None) -> MilvusStored:
    """Open what lies on the server, beside the service."""
    encryption = encryption_of(world)
    address = MilvusAddress.read(str(world.settings.gallery_url))
    key = key_id or encryption.key_id
    return open_shared(address, FAKE_EXTRACTOR, FAKE_DIMENSION, encryption, key)


def signs_in(world: MobileWorld, client: TestClient, shot: int) -> bool:
    """Return whether Maya's palm, from a phone, is recognised by a process."""
    phone = world.phone(client)
    login = phone.claim(world.handoff.open()).login_id
    return phone.answer_picture(login, picture(MAYA, shot=shot)).hint == "wait_approve"


@pytest.mark.milvus
def test_who_enrols_by_one_process_is_known_to_all_until_deleted(world: MobileWorld) -> None:
    """The whole way over HTTP: enrol, sign in, be no second person, be forgotten."""
    other = world.start()
    phone = world.enrolled(SHOTS)
    known = signs_in(world, world.client, 3), signs_in(world, other, 4)
    twice = world.phone(other)
    with pytest.raises(PhoneRefused) as refused:
        twice.enrol([picture(MAYA, shot=shot) for shot in (5, 6)])
    held = len(on_server(world))
    phone.delete_account(picture(MAYA, shot=7))
    forgotten = signs_in(world, other, 8), signs_in(world, world.client, 9)

    assert known == (True, True)
    assert refused.value.error == "already_enrolled"
    assert held == 2
    assert forgotten == (False, False)
    assert len(on_server(world)) == 0


@pytest.mark.milvus
def test_a_start_takes_what_is_there_and_repairs_what_is_not(world: MobileWorld) -> None:
    """A row lost or changed on the server comes again; a whole gallery is not read again."""
    world.enrolled(SHOTS)
    world.enrolled([picture(OMAR, shot=shot) for shot in (0, 1)])
    assert signs_in(world, world.start(), 2)
    server = on_server(world)
    server.refresh()
    place = server.position.sequence
    (row, *_) = next(iter(server._table.all_rows()))
    server._table.delete([row])
    server._table.insert([replace(row, sealed=row.sealed[:-8] + "AAAAAAA=")])
    for gallery in galleries_of(world):  # one of them may have found it by itself already
        gallery.verify()
    damages = sum(each.state().stored.damage_count for each in galleries_of(world))
    repaired = server.verify(), len(server.names())
    server._table.delete([row])
    server.reset()
    assert signs_in(world, world.start(), 3)
    server.refresh()

    assert (place, damages) == (2, 1)
    assert repaired == (server.verify(), len(server.names())) == (0, 4)
    assert server.position.sequence == place


@pytest.mark.milvus
def test_a_read_of_all_rows_shows_the_last_change(world: MobileWorld) -> None:
    """Otherwise a start takes a row that was just removed for one that is there."""
    world.enrolled(SHOTS)
    assert signs_in(world, world.client, 2)
    server = on_server(world)
    (row, *_) = next(iter(server._table.all_rows()))
    counts = []
    for change in 10 * (server._table.delete, server._table.insert):
        change([row])
        counts.append(len(server.names()))

    assert counts == 10 * [1, 2]


@pytest.mark.milvus
def test_a_new_key_turns_the_gallery_on_the_server(
    world: MobileWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While both processes serve; what is left under the old key goes by a command."""
    other = world.start()
    world.enrolled(SHOTS)
    assert signs_in(world, other, 2)
    old = encryption_of(world).key_id
    key_file = KeyFile(world.settings.key_file)
    sign = partial(sign_list, world.erasures(), world.database)
    rekeying = Rekeying(world.database, encryption_of(world), key_file, sign)
    rekeying.begin()
    while rekeying.step():
        pass
    during = signs_in(world, world.client, 3), signs_in(world, other, 4)
    for gallery in galleries_of(world):
        gallery.current()
        gallery.wait()
    after = signs_in(world, world.client, 5), signs_in(world, other, 6)
    held = len(on_server(world)), len(on_server(world, old))
    rekeying.remove_old_keys()
    world.start()
    left = on_server(world).other_keys(len(old))
    pruned = prune(world, monkeypatch)

    assert during == after == (True, True)
    assert held == (2, 2)  # other processes may still be searching the old one
    assert left == [old]
    assert old in pruned
    assert on_server(world).other_keys(len(old)) == []
    assert signs_in(world, world.client, 7)


def prune(world: MobileWorld, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let the operator remove what no key file knows; return its output."""
    monkeypatch.setenv("THENAR_MOBILE_DATABASE_URL", world.settings.database_url)
    monkeypatch.setenv("THENAR_MOBILE_KEY_FILE", str(world.settings.key_file))
    monkeypatch.setenv("THENAR_MOBILE_GALLERY_URL", str(world.settings.gallery_url))
    recognition = world.recognition
    monkeypatch.setattr(load, "load_recognition", lambda _: recognition)
    return CliRunner().invoke(app, ["prune"], input="y\n").output


def test_a_service_whose_gallery_is_away_does_not_start(tmp_path: Path) -> None:
    """No person could sign in; the operator reads what is missing."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"milvus://127.0.0.1:{port}/palms"
    world = MobileWorld(tmp_path, gallery_url=url)
    with pytest.raises(GalleryUnreachable):
        world.start()
    world.database.close()


def galleries_of(world: MobileWorld) -> list[GalleryReplica]:
    """Return the galleries of all processes of a world."""
    return [app.state.gallery for app in world.applications]
