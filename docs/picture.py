"""Take `docs/report.png` anew, of the report that is kept: `make picture`.

The verdict of the report is written into the picture, so that a test notices when it is outdated.
"""

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from PIL.PngImagePlugin import PngInfo

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "reports" / "paper"
PICTURE = ROOT / "docs" / "report.png"
SIZE = (1200, 680)
QUIET = "--disable-gpu --no-first-run --disable-background-networking --hide-scrollbars"


def verdict() -> str:
    """What a reader sees on the picture: the tally of the claims and the answers."""
    page = json.loads((KEPT / "claims.json").read_text(encoding="utf-8"))
    return json.dumps([page["counts"], [row["answer"] for row in page["questions"]]])


def main() -> None:
    """Have chromium take the picture; it opens nothing but a file of ours, so no sandbox."""
    with TemporaryDirectory() as folder:
        raw = Path(folder) / "raw.png"
        options = [*QUIET.split(), f"--user-data-dir={folder}", f"--screenshot={raw}"]
        page = (KEPT / "report.html").as_uri()
        size = f"--window-size={SIZE[0]},{SIZE[1]}"
        command = ["chromium", "--headless", "--no-sandbox", *options, size, page]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=120)
        except FileNotFoundError:
            sys.exit("chromium is needed; run: apt-get install chromium")
        label = PngInfo()
        label.add_text("verdict", verdict())
        Image.open(raw).quantize(64).save(PICTURE, pnginfo=label, optimize=True)
    print("the picture is at docs/report.png")


if __name__ == "__main__":
    main()
