"""Makes the pictures of the landing page's hero and of the README, which are real screens of the running product:

    python -m scripts.stack -- python -m scripts.landing_pictures

Chromium photographs /home on the demo account; each picture becomes AVIF and WebP in two widths in web/public/landing.
A document with what was read in it becomes docs/documents.webp.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from PIL import Image

from scripts.paths import ROOT

SHOTS = ROOT / "web" / "test-results" / "landing"
PICTURES = ROOT / "web" / "public" / "landing"
README_PICTURE = ROOT / "docs" / "documents.webp"
# Text must stay sharp; these are the lowest qualities at which it does.
FORMATS: dict[str, dict[str, Any]] = {"avif": {"quality": 60, "speed": 2}, "webp": {"quality": 82, "method": 6}}


def convert(shot: Path) -> list[Path]:
    """Convert a photograph with two pixels for each of the layout to the web formats, in full and half width."""
    made = []
    with Image.open(shot) as opened:
        photograph = opened.convert("RGB")
    for divisor in (1, 2):
        width, height = photograph.width // divisor, photograph.height // divisor
        picture = photograph.resize((width, height), Image.Resampling.LANCZOS)
        for name, options in FORMATS.items():
            made.append(PICTURES / f"{shot.stem}-{width}.{name}")
            picture.save(made[-1], **options)
    return made


def main() -> int:
    """Take the photographs, convert them and print the files. Returns the exit status of the camera."""
    camera = subprocess.run(["npx", "playwright", "test", "--project=pictures"], cwd=ROOT / "web", check=False)
    if camera.returncode:
        return camera.returncode
    PICTURES.mkdir(parents=True, exist_ok=True)
    for shot in sorted(SHOTS.glob("home-*.png")):
        for picture in convert(shot):
            print(f"{picture.relative_to(ROOT)}  {picture.stat().st_size / 1024:.0f} KB")
    README_PICTURE.parent.mkdir(exist_ok=True)
    with Image.open(SHOTS / "documents.png") as document:
        document.convert("RGB").save(README_PICTURE, **FORMATS["webp"])
    print(README_PICTURE.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
