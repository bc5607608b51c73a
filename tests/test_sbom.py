"""The bill of materials names what is locked, and nothing else."""

import json
import re
import subprocess
import sys

from tests.readme import ROOT


def test_every_locked_package_is_in_it_with_the_hashes_of_its_files(tmp_path):
    path = tmp_path / "sbom.json"
    subprocess.run([sys.executable, "requirements/sbom.py", str(path)], cwd=ROOT, check=True)
    made = json.loads(path.read_text())
    assert (
        made["bomFormat"] == "CycloneDX" and made["metadata"]["component"]["name"] == "rethinknet"
    )
    locks = [
        (ROOT / "requirements" / f"{name}.txt").read_text() for name in ("pipeline", "torch-cpu")
    ]
    listed = {(part["name"], part["version"]) for part in made["components"]}
    assert listed == {
        (name.lower(), version)
        for lock in locks
        for name, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", lock, re.MULTILINE)
    }
    hashes = [h["content"] for part in made["components"] for h in part["hashes"]]
    assert sorted(hashes) == sorted(re.findall(r"sha256:(\w{64})", "".join(locks)))
    assert len({part["bom-ref"] for part in made["components"]}) == len(made["components"])
