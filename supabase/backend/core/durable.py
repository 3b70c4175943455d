"""What it takes for a file to survive a power cut, besides its own fsync."""

from __future__ import annotations

import os
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Flush a folder to disk, so that new names in it survive a power cut, not only the bytes of the files."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
