"""A large download goes on where it stopped, and only with the right bytes."""

import hashlib
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from stages.common.errors import DataError
from stages.fetch.download import download, part_of

CONTENT = bytes(range(251)) * 16_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
PIECE = 1_500_000  # of which a megabyte was written when the line broke


class Flaky(BaseHTTPRequestHandler):
    """Sends a piece and hangs up; understands ranges unless told otherwise."""

    def do_GET(self):
        start = 0
        wanted = re.match(r"bytes=(\d+)-", self.headers.get("Range", ""))
        self.server.asked.append(int(wanted[1]) if wanted else 0)
        if wanted and self.server.ranges:
            start = int(wanted[1])
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        self.end_headers()
        self.wfile.write(self.server.content[start : start + self.server.piece])

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    running = ThreadingHTTPServer(("127.0.0.1", 0), Flaky)
    running.asked, running.ranges, running.piece, running.content = [], True, PIECE, CONTENT
    threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


def get(server, target, attempts=3):
    address = f"http://127.0.0.1:{server.server_port}/x.zip"
    pauses = [0.0] * attempts
    download(
        address, target, SHA256, len(CONTENT), pauses=pauses, pause=lambda _: 0, resumed_from=1000
    )


def test_a_line_that_breaks_again_and_again_delays_and_never_begins_anew(server, tmp_path):
    get(server, tmp_path / "x.zip", attempts=1)
    assert (tmp_path / "x.zip").read_bytes() == CONTENT
    assert server.asked == [0, 1 << 20, 2 << 20, 3 << 20]
    assert [path.name for path in tmp_path.iterdir()] == ["x.zip"]


def test_a_killed_run_is_continued_by_the_next(server, tmp_path):
    part_of(tmp_path / "x.zip").write_bytes(CONTENT[:500_000])
    server.piece = len(CONTENT)
    get(server, tmp_path / "x.zip")
    assert server.asked == [500_000]
    assert (tmp_path / "x.zip").read_bytes() == CONTENT


def test_a_server_without_ranges_sends_all_of_it(server, tmp_path):
    part_of(tmp_path / "x.zip").write_bytes(CONTENT[:500_000])
    server.ranges, server.piece = False, len(CONTENT)
    get(server, tmp_path / "x.zip")
    assert (tmp_path / "x.zip").read_bytes() == CONTENT


def test_a_continuation_of_other_bytes_is_thrown_away_and_fetched_whole(server, tmp_path):
    part_of(tmp_path / "x.zip").write_bytes(b"?" * 500_000)
    server.piece = len(CONTENT)
    get(server, tmp_path / "x.zip")
    assert server.asked == [500_000, 0]
    assert (tmp_path / "x.zip").read_bytes() == CONTENT


def test_wrong_bytes_from_the_start_leave_nothing_behind(server, tmp_path):
    server.content, server.piece = CONTENT[:-1] + b"?", len(CONTENT)
    with pytest.raises(DataError, match=f"expected SHA-256 {SHA256}"):
        get(server, tmp_path / "x.zip")
    assert list(tmp_path.iterdir()) == []
