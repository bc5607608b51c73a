"""A real browser on a page of made-up numbers and hostile names."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
import yaml
from filelock import FileLock

from stages.report.render import render
from tests.conftest import ROOT
from tests.stages.report.made_up_experiments import matrix
from tests.stages.report.made_up_report import HOSTILE, made_up

NAMES = ("chromium", "chromium-browser", "google-chrome")
INSTALL = ["apt-get", "install", "-y", "--no-install-recommends", "chromium"]
PATIENCE = 120_000  # milliseconds: a busy machine is slow, not wrong
FORMULA = "=SUM(A1)"
MODELS = ("all-zeros", "PCC", "BR", FORMULA, "RethinkNet", HOSTILE, "bayes")


def pytest_collection_modifyitems(items):
    """A browser takes seconds to start."""
    for item in items:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.slow)


def installed():
    return next(filter(None, map(shutil.which, NAMES)), None)


def install():
    """Try once; say why it cannot be done."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return "no chromium here, and only root can install it with apt"
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        for command in (["apt-get", "update", "-q"], INSTALL):
            subprocess.run(command, env=quiet, capture_output=True, timeout=300, check=True)
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode(errors="replace").strip().splitlines()
        return f"apt cannot install chromium: {lines[-1] if lines else error}"
    except subprocess.TimeoutExpired:
        return "apt took too long to install chromium"
    return None


@pytest.fixture(scope="session")
def chromium():
    with FileLock(Path(tempfile.gettempdir(), "rethink-chromium.lock")):  # apt serves one at a time
        reason = None if installed() else install()
    path = installed()
    if path is None:
        pytest.skip(reason or "apt installed no chromium")
    return path


@pytest.fixture(scope="module")
def browser(chromium):
    playwright = pytest.importorskip("playwright.sync_api").sync_playwright().start()
    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    started = playwright.chromium.launch(executable_path=chromium, args=flags, timeout=PATIENCE)
    yield started
    started.close()
    playwright.stop()


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    context = made_up(models=MODELS, failed={("chain", "PCC", "rank", 1): HOSTILE})
    labels = [HOSTILE, "עברית", "-1+2", "😀"]
    context.comparison.experiments["memory"].matrices = [matrix(labels)]
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(context), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="session")
def whole_address(tmp_path_factory):
    """A page with the data sets and models of the whole paper, and made-up numbers."""
    profile = yaml.safe_load((ROOT / "profiles/paper.yaml").read_text())
    datasets, models = profile["datasets"][:11], profile["experiments"]["algorithms"]["models"]
    path = tmp_path_factory.mktemp("whole") / "report.html"
    path.write_text(render(made_up(datasets, models, seeds=10)), encoding="utf-8")
    return path.as_uri()


def unfolded(browser, address):
    """A page with everything unfolded, until it is closed."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.locator("details").evaluate_all("nodes => nodes.forEach((node) => (node.open = true))")
    yield page
    page.close()


@pytest.fixture(scope="module")
def whole(browser, whole_address):
    """The large page with everything unfolded."""
    yield from unfolded(browser, whole_address)


@pytest.fixture
def open_page(browser, address):
    """Open the page in a context of its own; options are those of the context."""
    contexts = []

    def opened(**options):
        options = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | options
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def page(open_page):
    """A fresh page, to click on."""
    return open_page()


@pytest.fixture(scope="module")
def still(browser, address):
    """One page with everything unfolded, to look at."""
    yield from unfolded(browser, address)
