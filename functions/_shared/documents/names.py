"""What a person calls a file, as against the key it is stored under (web/src/lib/object-names.ts)."""

from __future__ import annotations

import re

MAX_NAME = 200
BYTE = re.compile(rb"=([0-9A-F]{2})")


def tidy(name: str) -> str:
    """One line of at most 200 characters, with something to read in it."""
    clean = "".join(char if char.isprintable() else " " for char in name.strip())
    stem, dot, ending = clean.rpartition(".")
    short = clean if len(clean) <= MAX_NAME else f"{stem[: MAX_NAME - len(ending) - 1]}{dot}{ending}"[:MAX_NAME]
    return short.strip() or "Documento"


def of_key(path: str) -> str:
    """The name that the client wrote as a key: other bytes than a few of ASCII stand as `=C3`."""
    key = path.rpartition("/")[2].encode()
    return tidy(BYTE.sub(lambda found: bytes([int(found[1], 16)]), key).decode(errors="replace"))
