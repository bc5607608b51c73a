import hashlib
import socket
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from stages.common.errors import DataError
from stages.fetch import download as module
from stages.fetch.download import download, mismatch

CONTENT = b"one,two\n1,0\n" * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def address(tmp_path):
    served = tmp_path / "served"
    served.mkdir()
    (served / "table.csv").write_bytes(CONTENT)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(served)))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def target(tmp_path):
    return tmp_path / "raw" / "mine" / "table.csv"


def refused(address, target, pauses=None, **known):
    with pytest.raises(DataError) as caught:
        download(address, target, pause=([] if pauses is None else pauses).append, **known)
    assert not target.exists()
    assert list(target.parent.iterdir()) == []
    return str(caught.value)


def test_the_file_comes_whole_and_alone(address, target):
    download(f"{address}/table.csv", target, SHA256, len(CONTENT))
    assert target.read_bytes() == CONTENT
    assert [path.name for path in target.parent.iterdir()] == ["table.csv"]


def test_a_file_of_unknown_hash_and_size_is_taken_as_it_is(address, target):
    download(f"{address}/table.csv", target)
    assert target.read_bytes() == CONTENT


def test_an_existing_file_stays_when_the_download_fails(address, target):
    target.parent.mkdir(parents=True)
    target.write_text("mine")
    with pytest.raises(DataError):
        download(f"{address}/absent.csv", target, SHA256, pause=lambda _: None)
    assert target.read_text() == "mine"


def test_a_file_that_is_not_there_is_not_asked_for_again(address, target):
    pauses = []
    message = refused(f"{address}/absent.csv", target, pauses)
    assert pauses == []
    assert f"{address}/absent.csv" in message
    assert "status 404" in message
    assert "RETHINK_MIRROR" in message
    assert str(target) in message


def test_more_bytes_than_expected_are_cut_off(address, target):
    message = refused(f"{address}/table.csv", target, bytes=100)
    assert "more than the allowed 100 bytes" in message


def test_more_bytes_than_the_limit_are_cut_off(address, target, monkeypatch):
    monkeypatch.setattr(module, "LIMIT", 1000)
    assert "more than the allowed 1000 bytes" in refused(f"{address}/table.csv", target)


def test_fewer_bytes_than_expected_are_refused(address, target):
    message = refused(f"{address}/table.csv", target, bytes=len(CONTENT) + 1)
    assert f"expected {len(CONTENT) + 1} bytes, found {len(CONTENT)}" in message


def test_no_connection_is_tried_twice_and_said_within_seconds(target):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    start, pauses = time.monotonic(), []
    message = refused(f"http://127.0.0.1:{port}/table.csv", target, pauses)
    assert time.monotonic() - start + sum(pauses) < 30
    assert pauses == [1.0]
    assert "Connection refused" in message


def test_a_name_that_cannot_be_resolved_is_said_plainly(target, monkeypatch):
    def offline(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", offline)
    message = refused("https://data.example/table.csv", target)
    assert "Failed to resolve 'data.example'" in message
    assert "object at 0x" not in message


@pytest.mark.parametrize("scheme", ["ftp", "file", "gopher"])
def test_only_http_addresses_are_opened(scheme, target):
    pauses = []
    refused(f"{scheme}://127.0.0.1/etc/hostname", target, pauses)
    assert pauses == []


def test_mismatch_names_what_was_expected_and_found(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    assert mismatch(path, SHA256, len(CONTENT)) is None
    assert mismatch(path, None, None) is None
    assert SHA256 in mismatch(path, "0" * 64, None)
    assert "0" * 64 in mismatch(path, "0" * 64, None)
