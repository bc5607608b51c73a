"""A folder and an object store keep the same promises."""

import threading

import pytest

from stages.errors import UserError
from stages.io.places import check_writable, open_place


@pytest.fixture(params=["folder", "s3"])
def place(request, tmp_path):
    if request.param == "folder":
        return open_place(str(tmp_path / "place"))
    return open_place(f"{request.getfixturevalue('s3')}/{tmp_path.name}")


def test_what_was_written_is_read_listed_replaced_and_removed(place):
    assert place.names() == []
    place.write("a/b.json", b"one")
    place.write("a/c/d.json", b"two")
    place.write("e.json", b"three")
    assert place.read("a/b.json") == b"one"
    place.write("a/b.json", b"uno")
    assert place.read("a/b.json") == b"uno"
    assert place.names() == ["a/b.json", "a/c/d.json", "e.json"]
    assert place.names("a") == ["a/b.json", "a/c/d.json"]
    place.remove("a/b.json")
    place.remove("a/b.json")
    assert place.names("a") == ["a/c/d.json"]


def test_a_file_that_is_not_there_is_not_found(place):
    with pytest.raises(FileNotFoundError):
        place.read("nowhere/at/all.json")


def test_of_many_who_create_one_file_at_once_one_succeeds(place):
    won = []
    ready = threading.Barrier(8)

    def create(number):
        ready.wait()
        if place.create("claim", str(number).encode()):
            won.append(number)

    threads = [threading.Thread(target=create, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert place.read("claim") == str(won[0]).encode()
    assert place.names() == ["claim"]


def test_a_place_that_takes_files_is_left_as_it_was(place):
    check_writable(place)
    assert place.names() == []


def test_a_store_that_takes_no_files_is_named_with_what_to_do(tmp_path, s3):
    (tmp_path / "file").write_text("in the way")
    for address in (str(tmp_path / "file" / "store"), "s3://no-such-bucket/store"):
        with pytest.raises(UserError, match=r"is not writable: .*RETHINK_STORE") as caught:
            check_writable(open_place(address))
        assert address in str(caught.value)


def test_an_address_of_an_unknown_kind_is_refused_with_what_is_known():
    with pytest.raises(UserError, match="'nosuch://x' cannot be opened"):
        open_place("nosuch://x")
