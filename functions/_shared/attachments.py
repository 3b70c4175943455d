"""Files that a browser saves: a name that every file system takes, and the headers that say it."""

import re
from urllib.parse import quote

UNFIT = re.compile(r"[^\w\s.,&'’()+-]")
MAX_LETTERS = 120


def tidy(words: str) -> str:
    """A name without ending, of what file systems take."""
    return re.sub(r"\s+", " ", UNFIT.sub(" ", words)).strip(" .")[:MAX_LETTERS].rstrip(" .")


def headers(name: str) -> dict[str, str]:
    """To be saved under this name (RFC 6266), and kept by nobody on the way."""
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    return {"Content-Disposition": disposition, "Cache-Control": "private, no-store"}
