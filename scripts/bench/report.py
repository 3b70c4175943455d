"""Write docs/benchmarks.md: replace the rows that a run measured and keep all others."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache

from scripts.bench.goals import Result
from scripts.paths import ROOT

OUTPUT = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- bench: written by `make bench` -->\n", "<!-- /bench -->"
# Each area and its measurements, by the names of `scripts.bench.__main__.MEASUREMENTS`.
AREAS: Mapping[str, Sequence[str]] = {
    "Start and idle": ("start",),
    "Sign-in and API": ("user", "gateway", "polling", "logins", "storm", "traces"),
    "Realtime": ("changes", "broadcast", "memory"),
    "Storage": ("upload",),
    "Documents": ("search", "ocr"),
    "What is sure of a document": ("extraction",),
    "Contacts, deals and tasks": ("work",),
    "Home": ("home", "screen", "queue", "writers"),
    "Jobs of a day, in steps": ("jobs",),
    "Credits and payments": ("spends", "webhooks"),
    "Assistant": ("answers", "questions", "rush", "streams"),
    "Agents": ("agents",),
    "Mail": ("sending", "reading"),
    "WhatsApp": ("whatsapp", "campaign"),
    "Export and deletion of an account": ("export", "erasure"),
    "Public site": ("javascript", "lighthouse"),
}
COLUMNS = ("only=", "goal", "what", "bar", "ratio", "measured", "date", "commit", "machine")
HEADER = f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n"


def record(name: str, results: Sequence[Result]) -> None:
    """Write the rows of one measurement into the file."""
    date, cores = datetime.now(UTC).date().isoformat(), os.cpu_count() or 1
    rows = [row(name, result, date, commit(), cores) for result in results]
    OUTPUT.write_text(merged(OUTPUT.read_text(), {name: rows}))


@cache
def commit() -> str:
    """Return the commit that is measured, with a plus if files differ from it; a dash outside of a repository.

    Asked once, before the first row is written: the file that the rows are written to is one of the repository.
    """
    command = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "–"
    return said.stdout.strip()


def row(name: str, result: Result, date: str, commit: str, cores: int) -> str:
    """Return one line of a table; a missed goal has its ratio in bold."""
    ratio = f"{result.ratio:.2f}" if result.holds else f"**{result.ratio:.2f}**"
    bar = f"{'≥' if result.at_least else '≤'} {result.most:g}"
    cells = (name, result.goal, result.what, bar, ratio, result.details, date, commit, f"{cores} cores")
    return f"| {' | '.join(cells)} |\n"


def merged(text: str, measured: Mapping[str, Sequence[str]]) -> str:
    """Return `text` with the rows of each measured name replaced, in tables by area."""
    before, rest = text.split(BEGIN)
    tables, after = rest.split(END)
    rows = {**_rows(tables), **measured}
    sections = [
        f"\n### {area}\n\n{HEADER}{''.join(line for name in names for line in rows.get(name, ()))}"
        for area, names in AREAS.items()
    ]
    return f"{before}{BEGIN}{''.join(sections)}\n{END}{after}"


def _rows(tables: str) -> dict[str, list[str]]:
    """Group the lines of the tables by the name in their first cell."""
    found: dict[str, list[str]] = {}
    for line in tables.splitlines(keepends=True):
        if line.startswith("| "):
            found.setdefault(line.split("|")[1].strip(), []).append(line)
    return found
