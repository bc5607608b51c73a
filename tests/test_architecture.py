"""docs/architecture.md is true: its files are there, and the walk of a cell is short."""

import re

from tests.readme import ROOT

TEXT = (ROOT / "docs" / "architecture.md").read_text()
MOST_FILES = 35


def named_files(section):
    part = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", TEXT, re.S | re.M)[1]
    return re.findall(r"^\|[^|`]*`([^`|]+)` *\|", part, re.M) or re.findall(r"`([^`]+)`", part)


def test_the_walk_of_a_cell_visits_few_files_and_each_once():
    files = named_files("The walk of one cell")
    assert len(files) == len(set(files)) <= MOST_FILES
    assert [file for file in files if not (ROOT / file).is_file()] == []


def test_every_place_that_answers_where_is_what_is_there():
    places = re.findall(r"^\| [^|]+ \| `([^`]+)` \|$", TEXT, re.M)
    assert len(places) >= 12
    assert [place for place in places if not (ROOT / place).exists()] == []
