import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from stages.common.catalog import Entry
from stages.common.errors import DataError
from stages.common.raw_files import find_source
from stages.fetch.download import download
from stages.fetch.origins import fetch

CONTENT = bytes(range(256)) * 4000
WRONG = CONTENT[:-1] + b"?"
HTML = b"<!doctype html><title>Please log in</title>"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def answer(handler, body, length=None, kind="application/octet-stream"):
    handler.send_response(200)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(length or len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def redirect(handler, address):
    handler.send_response(302)
    handler.send_header("Location", address)
    handler.end_headers()


ANSWERS = {
    "right": lambda handler: answer(handler, CONTENT),
    "cut": lambda handler: answer(handler, CONTENT[: len(CONTENT) * 6 // 10], len(CONTENT)),
    "html": lambda handler: answer(handler, HTML, kind="text/html"),
    "wrong": lambda handler: answer(handler, WRONG),
    "huge": lambda handler: answer(handler, CONTENT + CONTENT),
    "overload": lambda handler: handler.send_error(503),
    "hang up": lambda handler: handler.connection.close(),
    "to a file": lambda handler: redirect(handler, "file:///etc/hostname"),
    "to ftp": lambda handler: redirect(handler, "ftp://127.0.0.1/data.bin"),
    "in a circle": lambda handler: redirect(handler, handler.path),
}


class Server(ThreadingHTTPServer):
    """Answers as its script says, the last line over and over."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Scripted)
        self.script, self.asked, self.accepted = ["right"], 0, None
        self.address = f"http://127.0.0.1:{self.server_port}"


class Scripted(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked += 1
        self.server.accepted = self.headers["Accept-Encoding"]
        script = self.server.script
        ANSWERS[script.pop(0) if len(script) > 1 else script[0]](self)

    def log_message(self, *_):
        pass


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    monkeypatch.delenv("RETHINK_MIRROR", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def server():
    running = Server()
    threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def target(tmp_path):
    return tmp_path / "raw" / "mine" / "data.bin"


def entry_of(address=None):
    file = {"name": "data.bin", "sha256": SHA256, "bytes": len(CONTENT)}
    source = {"format": "csv", "files": [file], "labels": ["y"], "address": address}
    return Entry.model_validate({"sources": [source]})


def fails(server, target):
    """Try once more against a failing server; the message and the pauses."""
    pauses = []
    with pytest.raises(DataError) as caught:
        download(f"{server.address}/data.bin", target, SHA256, len(CONTENT), pause=pauses.append)
    assert list(target.parent.iterdir()) == []
    return str(caught.value), pauses


def test_three_faults_in_a_row_are_survived_with_growing_pauses(server, target):
    server.script = ["cut", "html", "wrong", "right"]
    pauses = []
    download(f"{server.address}/data.bin", target, SHA256, len(CONTENT), pause=pauses.append)
    assert target.read_bytes() == CONTENT
    assert pauses == [1.0, 2.0, 4.0]
    assert server.asked == 4


def test_lasting_faults_name_address_hashes_and_remedy_and_the_next_run_succeeds(server, target):
    server.script = ["cut", "html", "wrong"]
    message, pauses = fails(server, target)
    assert pauses == [1.0, 2.0, 4.0]
    assert f"{server.address}/data.bin" in message
    assert f"expected SHA-256 {SHA256}" in message
    for body in (HTML, WRONG):
        assert f"found {hashlib.sha256(body).hexdigest()}" in message
    assert "the transfer broke off" in message
    assert "Set RETHINK_MIRROR" in message
    assert f"put it at {target}" in message

    server.script = ["right"]
    fetch("mine", entry_of(server.address), target.parent)
    assert target.read_bytes() == CONTENT


def test_a_cut_is_noticed_even_when_neither_hash_nor_size_is_known(server, target):
    server.script = ["cut", "right"]
    download(f"{server.address}/data.bin", target, pause=lambda _: None)
    assert target.read_bytes() == CONTENT
    assert server.accepted == "identity"  # compressed on the way, the length would say nothing


@pytest.mark.parametrize("fault", ["html", "wrong", "cut", "huge", "overload"])
def test_a_lasting_fault_leaves_nothing_behind(fault, server, target):
    server.script = [fault]
    fails(server, target)
    assert server.asked == 4


def test_a_server_that_hangs_up_is_asked_twice(server, target):
    server.script = ["hang up"]
    _, pauses = fails(server, target)
    assert pauses == [1.0]


@pytest.mark.parametrize("fault", ["to a file", "to ftp", "in a circle"])
def test_a_redirect_out_of_http_is_refused_at_once(fault, server, target):
    server.script = [fault]
    _, pauses = fails(server, target)
    assert pauses == []


@pytest.fixture
def fetched(tmp_path, monkeypatch):
    """A data set fetched from a mirror folder, then damaged in one byte."""
    mirror = tmp_path / "mirror"
    (mirror / "mine").mkdir(parents=True)
    (mirror / "mine" / "data.bin").write_bytes(CONTENT)
    monkeypatch.setenv("RETHINK_MIRROR", str(mirror))
    folder = tmp_path / "raw" / "mine"
    fetch("mine", entry_of(), folder)
    flip_one_byte(folder / "data.bin")
    return folder


def flip_one_byte(path: Path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_a_flipped_byte_is_never_consumed(fetched):
    with pytest.raises(DataError, match="is damaged: expected SHA-256") as caught:
        find_source(entry_of(), fetched)
    assert "python -m stages.fetch --dataset mine" in str(caught.value)


def test_a_flipped_byte_is_repaired_with_one_warning(fetched, capsys):
    fetch("mine", entry_of(), fetched)
    assert (fetched / "data.bin").read_bytes() == CONTENT
    assert find_source(entry_of(), fetched)
    warnings = capsys.readouterr().err.splitlines()
    assert len(warnings) == 1
    assert "data.bin is damaged" in warnings[0]


def test_a_flipped_byte_is_a_clear_error_when_nothing_has_the_file(fetched, monkeypatch):
    monkeypatch.delenv("RETHINK_MIRROR")
    with pytest.raises(DataError) as caught:
        fetch("mine", entry_of(), fetched)
    message = str(caught.value)
    assert f"{fetched / 'data.bin'} is damaged: expected SHA-256 {SHA256}" in message
    assert f"Put the files into {fetched}" in message
    assert "RETHINK_MIRROR" in message


def test_a_flipped_byte_is_repaired_from_the_network(fetched, server, monkeypatch):
    monkeypatch.delenv("RETHINK_MIRROR")
    fetch("mine", entry_of(server.address), fetched)
    assert (fetched / "data.bin").read_bytes() == CONTENT
    assert server.asked == 1
