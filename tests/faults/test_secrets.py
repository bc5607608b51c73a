"""Passwords stay where they are given, and names are never taken for more than text."""

import base64
import csv
import sys
import threading
from pathlib import Path

import pytest
import yaml

from stages import own
from stages.common.catalog import load_catalog
from stages.common.closed import read_yaml
from stages.common.errors import UserError
from stages.common.params import load_params
from stages.common.plan import Cell
from stages.common.words import as_line, shown
from stages.fetch.download import download
from stages.fetch.origins import fetch
from stages.report.page_inputs import run_text
from stages.train.__main__ import summarize
from stages.train.cluster import connect
from tests.conftest import ROOT, run_stages
from tests.faults.test_download_faults import CONTENT, SHA256, Server, entry_of

PASSWORD = "a-long-password"
LOGIN = f"someone:{PASSWORD}"
STEERING = "\x1b[2J\x1b[1;1H"  # clears a terminal
HOSTILE = f"=1+1{STEERING}\nerror: forged"


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    running = Server()
    threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


def with_login(address):
    return address.replace("://", f"://{LOGIN}@")


def test_a_mirror_gets_its_password_and_nobody_else(server, monkeypatch, tmp_path, capsys):
    seen, answer = [], server.RequestHandlerClass.do_GET

    def listening(handler):
        seen.append(handler.headers["Authorization"])
        answer(handler)

    monkeypatch.setattr(server.RequestHandlerClass, "do_GET", listening)
    monkeypatch.setenv("RETHINK_MIRROR", with_login(server.address))
    fetch("mine", entry_of(), tmp_path / "raw")
    assert (tmp_path / "raw" / "data.bin").read_bytes() == CONTENT
    assert seen == [f"Basic {base64.b64encode(LOGIN.encode()).decode()}"]
    told = "".join(capsys.readouterr())
    assert server.address in told and PASSWORD not in told


@pytest.mark.parametrize("script", ["html", "overload", "in a circle", "to ftp", "nobody there"])
def test_a_failed_download_tells_no_password(server, tmp_path, script):
    server.script = [script]
    address = server.address if script != "nobody there" else "http://127.0.0.1:1"
    with pytest.raises(UserError) as caught:
        download(f"{with_login(address)}/data.bin", tmp_path / "a", SHA256, 9, pauses=())
    assert address in str(caught.value) and PASSWORD not in str(caught.value)


def test_a_mirror_that_is_none_tells_no_password(monkeypatch, tmp_path):
    monkeypatch.setenv("RETHINK_MIRROR", f"ftp://{LOGIN}@host/files")
    with pytest.raises(UserError, match="ftp://host/files is neither") as caught:
        fetch("mine", entry_of(), tmp_path / "raw")
    assert PASSWORD not in str(caught.value)


def test_an_address_of_a_cluster_takes_no_password(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    address = f"tcp://{LOGIN}@127.0.0.1:1"
    with pytest.raises(UserError, match="tls://host:port") as caught, connect(address, 1):
        pass
    assert PASSWORD not in str(caught.value)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and tells(path)]


def tells(path):
    return PASSWORD.encode() in path.read_bytes()


def test_the_report_does_not_say_where_the_cluster_is(project, monkeypatch):
    project.write_params({**project.params(), "cluster": f"tcp://{LOGIN}@inside:8786"})
    monkeypatch.chdir(project.path)
    text = run_text(load_params())
    assert "profile: tiny" in text and "inside" not in text and PASSWORD not in text


def test_the_catalogue_takes_no_password(project, monkeypatch):
    monkeypatch.chdir(project.path)
    catalog = yaml.safe_load((project.path / "data" / "catalog.yaml").read_text())
    catalog["datasets"]["tiny"]["sources"][0]["address"] = f"https://{LOGIN}@host"
    (project.path / "data" / "catalog.yaml").write_text(yaml.safe_dump(catalog))
    with pytest.raises(UserError, match="let RETHINK_MIRROR have the address") as caught:
        load_catalog()
    assert PASSWORD not in str(caught.value)


@pytest.mark.slow
def test_no_file_of_a_run_and_nothing_it_prints_has_a_password(project):
    (project.path / "data" / "paper").symlink_to(ROOT / "data" / "paper")
    secrets = {
        "PREFECT_SERVER_API_AUTH_STRING": LOGIN,
        "PREFECT_API_AUTH_STRING": LOGIN,
        "RETHINK_MIRROR": f"https://{LOGIN}@127.0.0.1:1",
    }
    steps = [(stage,) for stage in ("train", "evaluate", "compare", "report")]
    printed = run_stages(project.path, steps, **secrets)
    written = [path for path in project.path.rglob("*") if path.is_file()]
    assert project.path / "reports" / "report.html" in written and len(project.cells()) == 32
    assert not [path for path in written if tells(path)]
    assert PASSWORD not in printed


def test_what_is_shown_has_no_login_and_steers_no_terminal():
    assert shown("at tls://me:p@w@[::1]:8/a@b") == "at tls://[::1]:8/a@b"
    assert shown("https://host/a@b, a@b") == "https://host/a@b, a@b"
    assert shown(f"{STEERING}\r\x9b\u202eé\n  x") == "\\x1b[2J\\x1b[1;1H\\r\\x9b\\u202eé\n  x"
    assert as_line(HOSTILE).count("\n") == 0
    assert "\x1b" not in str(UserError(HOSTILE))


def test_the_reason_of_a_failed_cell_is_one_line(capsys):
    summarize({Cell("tiny", "BR-LR", "f1", 0): {"status": "failed", "reason": HOSTILE}})
    told = capsys.readouterr().err
    assert "\x1b" not in told and "\nerror: forged" not in told and "=1+1" in told


def test_names_and_titles_of_a_table_are_only_text(project, monkeypatch, capsys):
    monkeypatch.chdir(project.path)
    rows = [[HOSTILE, f"tag_{HOSTILE}", "tag_b"]]
    rows += [[f"{'xyz'[n % 3]}{STEERING}", n % 2, n // 2 % 2] for n in range(40)]
    with Path("mine.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    title = "a: b\n  - c: !!python/object/apply:os.system ['touch forged']\n# d"
    arguments = ["mine.csv", "--labels", "tag_*", "--models", "all-zeros", "--title", title]
    monkeypatch.setattr(sys, "argv", ["own", *arguments])
    own.main()
    told = "".join(capsys.readouterr())
    assert "40 rows, 2 labels" in told and "=1+1" in told
    assert "\x1b" not in told and "\nerror: forged" not in told
    entry = read_yaml(project.path / "data" / "catalog.yaml")["datasets"]["mine"]
    assert entry["title"] == title and set(entry) == {"title", "sources"}
    assert not (project.path / "forged").exists()


def test_names_and_values_in_a_refusal_forge_no_line(project, monkeypatch):
    monkeypatch.chdir(project.path)
    with Path("mine.csv").open("w", newline="") as file:
        csv.writer(file).writerows([[HOSTILE, "tag"], *([n, f"{n}{HOSTILE}"] for n in range(9))])
    for labels, message in (("tag", "has the values"), (f"{HOSTILE}s", "did you mean")):
        arguments = ["mine.csv", "--labels", labels, "--models", "all-zeros"]
        monkeypatch.setattr(sys, "argv", ["own", *arguments])
        with pytest.raises(UserError, match=message) as caught:
            own.main()
        assert "\nerror: forged" not in str(caught.value) and "\x1b" not in str(caught.value)
