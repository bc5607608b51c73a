"""The figures of docs/reliability.md come from the ledgers."""

import pytest

from torture import figures, soak
from torture.ledger import Ledger
from torture.targets import TARGETS

PAGE = "before\n<!-- figures: kills -->\nold\n<!-- end -->\nafter <!-- figures: soak --> x"
READ = {"inputs": 7, "counts": {"read": 4, "refused": 3}, "found": [], "peak": 2**20}
LEDGERS = {
    "hostile": {name: dict(READ) for name in TARGETS},
    "kills": {"killed": {"worker": 990, "dvc": 10}, "runs": 9, "broken": []},
    "load": {"1000": {"plan": {"seconds": 1, "peak": 2}, "page": {"bytes": 10**6}},
             "10000": {"plan": {"seconds": 10, "peak": 3}}},
    "soak": {"samples": [(1, 50, 20), (100, 51, 20)], "cells": 100, "hours": 1, "minutes": 1,
             "growth": {"lead": 3, "scheduler": 0}},
    "faults": {"counts": {"fetch, clock": {"right": 2, "refused": 1}}, "wrong": []},
    "bits": {"2 workers": {"cells": 36, "equal": 36, "apart": 0.0}},
}  # fmt: skip


def test_only_what_stands_between_the_marks_is_written():
    page = figures.written(PAGE, LEDGERS)
    assert page.startswith("before\n<!-- figures: kills -->\n\nKills: 1,000, in 9 runs of")
    assert "| worker | 990 |" in page and "old" not in page
    assert page.endswith("<!-- end -->\nafter <!-- figures: soak --> x")
    assert figures.written(page, LEDGERS) == page and figures.written(PAGE, {}) == PAGE


@pytest.mark.parametrize(
    ("theme", "text"),
    [
        ("hostile", "| saved models | 7 | 4 | 3 | 0 | 1 |"),
        ("load", "| plan | 1.0 s, 2 MB | 10.0 s, 3 MB | 1.00 |"),
        ("soak", "A cell costs the lead 3.0 KB"),
        ("faults", "Cases: 3 so far, of the 440 asked for. 2 right results, 1 clear errors"),
        ("bits", "| 2 workers | 36 of 36 | 0 |"),
    ],
)
def test_every_theme_is_a_table(theme, text):
    assert text in figures.THEMES[theme](LEDGERS[theme])


def test_the_page_has_a_place_for_every_theme():
    places = [match[2] for match in figures.PLACE.finditer(figures.PAGE.read_text())]
    assert sorted(places) == sorted(figures.THEMES)


def test_growth_is_that_after_the_first_cells():
    assert soak.slope([0, 100, 200, 400], [1, 50, 50, 50]) == pytest.approx(0, abs=1e-9)
    assert soak.slope([0, 100, 200, 400], [0, 1, 2, 4]) == pytest.approx(10)
    assert 50_000 < soak.cells_of(24) < 500_000


@pytest.mark.parametrize(("hours", "too_fast"), [(1, 0), (24, 2)])
def test_growth_counts_once_the_run_is_long_enough(hours, too_fast, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("torture.ledger.FOLDER", tmp_path)
    cells, ledger = soak.cells_of(hours), Ledger("soak")
    ledger.data = {"samples": [(1, 50, 20), (cells // 2, 2000, 2000), (cells, 5000, 5000)],
                   "cells": cells, "minutes": 1}  # fmt: skip
    assert soak.report(ledger) == too_fast
    assert ("growth is judged from 12 hours on" in capsys.readouterr().out) == (not too_fast)


def test_a_run_that_was_too_short_to_look_at_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr("torture.ledger.FOLDER", tmp_path)
    ledger = Ledger("soak")
    ledger.data = {"samples": [(1, 50, 20)], "cells": 1, "minutes": 1}
    with pytest.raises(SystemExit, match="give more --hours"):
        soak.report(ledger)
