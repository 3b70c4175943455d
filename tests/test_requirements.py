"""Compare docs/requirements.md with the repository: rows have places and tests, mentioned ids have rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from tests.test_repository import ROOT, texts

DOCUMENT = "docs/requirements.md"
UNBUILT = "## Not built yet"
ID = re.compile(r"[A-Z]+-P?[0-9]{1,2}")
REFERENCE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Requirement:
    """A row of the document. A requirement that is not built yet has no places and no tests."""

    id: str
    is_built: bool
    places: tuple[str, ...]
    tests: tuple[str, ...]


def _requirements() -> Iterator[Requirement]:
    built, _, unbuilt = (ROOT / DOCUMENT).read_text().partition(UNBUILT)
    for part, is_built in ((built, True), (unbuilt, False)):
        for line in part.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            if line.startswith("| ") and cells[0] != "id":
                assert len(cells) == (4 if is_built else 2), line
                places, tests = (tuple(REFERENCE.findall(cell)) for cell in (cells[2:] or ("", "")))
                yield Requirement(cells[0], is_built, places, tests)


REQUIREMENTS = list(_requirements())
IDS = {each.id for each in REQUIREMENTS}


@cache
def _text(path: str) -> str | None:
    """Return the text of a file; of a folder, that of all SQL files below it; None if it does not exist."""
    found = ROOT / path
    if found.is_dir():
        return "\n".join(file.read_text() for file in sorted(found.rglob("*.sql")))
    return found.read_text(errors="replace") if found.is_file() else None


@cache
def _words(path: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", _text(path) or ""))


def _holds(reference: str) -> bool:
    """Return whether the path exists and contains the symbol after `:` or the test after `::`."""
    path, _, title = reference.partition("::")
    path, _, symbol = path.partition(":")
    text = _text(path)
    wanted = f"def {title}(" if title and path.endswith(".py") else title
    return text is not None and wanted in text and set(re.findall(r"\w+", symbol)) <= _words(path)


def test_ids_are_well_formed_and_unique() -> None:
    assert [each.id for each in REQUIREMENTS if not ID.fullmatch(each.id)] == []
    assert len(IDS) == len(REQUIREMENTS)


def test_every_built_requirement_has_a_place_and_a_test() -> None:
    assert [each.id for each in REQUIREMENTS if each.is_built and not (each.places and each.tests)] == []


@pytest.mark.parametrize("kind", ["places", "tests"])
def test_every_place_and_test_exists(kind: str) -> None:
    assert [f"{each.id} {one}" for each in REQUIREMENTS for one in getattr(each, kind) if not _holds(one)] == []


def test_every_mentioned_id_has_a_row() -> None:
    areas = {each.partition("-")[0] for each in IDS}
    mentioned = re.compile(rf"(?<![\w-]){ID.pattern}(?![\w-])")
    found = {
        (name, each[0])
        for name, text in texts()
        for each in mentioned.finditer(text)
        if each[0] not in IDS and (each[0].partition("-")[0] in areas or text.endswith(f"{DOCUMENT} ", 0, each.start()))
    }
    assert sorted(found) == []
