"""Write a software bill of materials (CycloneDX 1.5) of the locked environment: make sbom.

It names every package with its version and the SHA-256 of its files, from the locks beside this
file. Nothing is fetched and no clock is read, so the same locks give the same bytes.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LOCKS = ("pipeline", "torch-cpu")  # what `make environment` installs
ENTRY = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
VERSION = re.compile(r'^__version__ = "(.+)"', re.MULTILINE)


def components() -> list[dict[str, Any]]:
    """Every locked package, by name and version."""
    found: dict[tuple[str, str], list[str]] = {}
    for lock in LOCKS:
        for entry in re.split(r"\n(?=[^\s#])", (HERE / f"{lock}.txt").read_text(encoding="utf-8")):
            if match := ENTRY.search(entry):
                name, version = match[1].lower(), match[2]
                found.setdefault((name, version), []).extend(HASH.findall(entry))
    return [
        _component(name, version, sorted(found[name, version])) for name, version in sorted(found)
    ]


def _component(name: str, version: str, hashes: list[str]) -> dict[str, Any]:
    place = f"pkg:pypi/{name}@{version.replace('+', '%2B')}"
    return {
        "type": "library",
        "bom-ref": place,
        "name": name,
        "version": version,
        "purl": place,
        "hashes": [{"alg": "SHA-256", "content": content} for content in hashes],
    }


def bill() -> dict[str, Any]:
    """The whole document."""
    source = (HERE.parent / "rethink" / "__init__.py").read_text(encoding="utf-8")
    version = VERSION.search(source)
    assert version, "rethink/__init__.py has no __version__"
    subject = {"type": "application", "name": "rethinknet", "version": version[1]}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": subject},
        "components": components(),
    }


if __name__ == "__main__":
    Path(sys.argv[1]).parent.mkdir(parents=True, exist_ok=True)
    Path(sys.argv[1]).write_text(json.dumps(bill(), indent=1) + "\n", encoding="utf-8")
