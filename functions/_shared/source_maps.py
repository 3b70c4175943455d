"""The source maps of the client's scripts, which the build keeps (web/vite/source-maps.ts).

The name of a script has a hash of its content, so it is the same script in every release that has it.
"""

from __future__ import annotations

import gzip
import json
import re
import string
from bisect import bisect_right
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "web" / "source-maps"
# One part of a path and no hidden file.
SCRIPT = re.compile(r"[\w~][\w.~-]{0,100}\.js", re.ASCII)
DIGITS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
VALUES = {digit: value for value, digit in enumerate(DIGITS)}


def kept(file: str) -> bytes | None:
    """Read the map of a script, still packed; None if no kept release has it."""
    path = next(FOLDER.glob(f"*/{file}.map.gz"), None) if SCRIPT.fullmatch(file) else None
    try:
        return path.read_bytes() if path else None
    except FileNotFoundError:
        # A build is deleting its release.
        return None


def files_of(script: str, places: Iterable[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """Return the file of the client that each place was written in; without those of libraries.

    Places are lines and columns that count from 1, as in a stack. Only admins need more of a map than the file, and
    their browser resolves it (web/src/lib/source-map.ts).
    """
    packed = kept(script)
    if packed is None:
        return {}
    content = json.loads(gzip.decompress(packed))
    lines = _lines(content["mappings"])
    found = {}
    for line, column in places:
        segments = lines[line - 1] if 0 < line <= len(lines) else []
        place = bisect_right(segments, (column - 1, len(content["sources"])))
        source = content["sources"][segments[place - 1][1]] if place and segments[place - 1][1] >= 0 else ""
        # The map names sources from the folder of the build.
        if file := re.fullmatch(r"(?:\.\./)+src/(.+)", source):
            found[line, column] = file[1]
    return found


def _lines(mappings: str) -> list[list[tuple[int, int]]]:
    """Decode column and source of each segment, by line; -1: no source (https://tc39.es/ecma426/#sec-mappings)."""
    lines, source = [], 0
    for line in mappings.split(";"):
        column, segments = 0, []
        for fields in map(_fields, filter(None, line.split(","))):
            column += fields[0]
            source += fields[1] if len(fields) > 1 else 0
            segments.append((column, source if len(fields) > 1 else -1))
        lines.append(segments)
    return lines


def _fields(segment: str) -> list[int]:
    fields, value, shift = [], 0, 0
    for digit in segment:
        value |= (VALUES[digit] & 31) << shift
        shift += 5
        if VALUES[digit] < 32:
            fields.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return fields
