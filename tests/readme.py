"""The commands of a page, block by block, so that tests run what the page says."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def blocks(page, kind="bash", section=None):
    """The code blocks of one kind, as lists of lines, of the whole page or of one section."""
    text = (ROOT / page).read_text()
    if section:
        text = re.search(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", text, re.S | re.M)[1]
    return [
        block.strip("\n").splitlines() for block in re.findall(rf"```{kind}\n(.*?)```", text, re.S)
    ]
