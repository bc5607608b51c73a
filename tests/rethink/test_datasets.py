"""Data sets of the benchmark, without the pipeline."""

import json
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
import scipy.sparse as sp

import rethink
from rethink.scaling import UnitScaler
from stages.common.catalog import LIBRARY, for_the_library, load_catalog
from stages.prepare.dataset import content_hash, prepare
from stages.prepare.readers import read_dataset
from tests.conftest import MIRROR, ROOT, needs_mirror

EMOTIONS = "mulan/data/multi-label/emotions"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("RETHINK_MIRROR", str(MIRROR))
    return tmp_path / "home"


def test_the_librarys_catalogue_is_that_of_the_pipeline(monkeypatch):
    monkeypatch.chdir(ROOT)
    made = json.loads(json.dumps(for_the_library(load_catalog())))
    kept = json.loads(LIBRARY.read_text())
    assert made == kept, "run: python -m stages.common.catalog"


@needs_mirror
@pytest.mark.parametrize("name", ["emotions", "birds", "medical", "corel5k"])
def test_a_set_holds_what_the_pipeline_prepares(name, home, monkeypatch):
    monkeypatch.chdir(ROOT)
    entry = load_catalog().entry(name)
    source = next(source for source in entry.sources if source.format == "arff")
    expected = prepare(read_dataset(source, MIRROR / source.mirror), entry)
    result = rethink.datasets.load(name, data_home=home)
    scaled = UnitScaler().fit_transform(result.X)
    assert content_hash(scaled, result.Y) == expected.card["content"]
    assert sp.issparse(result.X) == (expected.card["storage"] == "sparse")
    assert result.label_names == list(expected.label_names)
    assert result.feature_names == list(expected.names) and result.title == entry.title


@needs_mirror
def test_x_and_y_may_come_alone(home):
    X, Y = rethink.datasets.load("emotions", data_home=home, return_X_y=True)
    assert X.shape == (593, 72) and Y.shape == (593, 6) and Y.dtype == np.uint8


@needs_mirror
def test_a_damaged_copy_is_refused_and_the_error_says_what_to_do(tmp_path, monkeypatch):
    folder = tmp_path / "mirror" / EMOTIONS
    shutil.copytree(MIRROR / EMOTIONS, folder)
    with (folder / "emotions.arff").open("ab") as file:
        file.write(b"\n")
    monkeypatch.setenv("RETHINK_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setattr("rethink.datasets.fetch_file", no_network)
    with pytest.raises(
        OSError, match=r"(?s)its SHA-256 differs.*no network.*Put emotions.arff into"
    ):
        rethink.datasets.load("emotions", data_home=tmp_path / "home")


def no_network(*args, **kwargs):
    raise OSError("no network")


@needs_mirror
def test_a_served_mirror_is_asked_first_and_once(tmp_path, monkeypatch, served):
    address, asked = served(MIRROR)
    monkeypatch.setenv("RETHINK_MIRROR", address)
    for _ in range(2):
        result = rethink.datasets.load("emotions", data_home=tmp_path)
    assert result.Y.shape == (593, 6)
    assert asked == [f"/{EMOTIONS}/emotions.arff", f"/{EMOTIONS}/emotions.xml"]


def test_an_unknown_name_gives_the_nearest():
    with pytest.raises(ValueError, match="unknown data set 'emotion'; did you mean 'emotions'"):
        rethink.datasets.load("emotion")


def test_a_mirror_that_is_no_folder_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("RETHINK_MIRROR", str(tmp_path / "none"))
    with pytest.raises(OSError, match="neither a folder nor an http"):
        rethink.datasets.load("scene", data_home=tmp_path)


@pytest.fixture
def served():
    """A folder behind a real HTTP server, and the paths that were asked for."""
    servers = []

    def serve(folder):
        asked = []

        class Handler(SimpleHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                super().do_GET()

            def log_message(self, *args):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}", asked

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()
