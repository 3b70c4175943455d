"""The documents: their limits, their links, and what they say about the code."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend import __main__ as command_line
from tests.test_repository import ROOT, tracked

ARCHITECTURE = ROOT / "ARCHITECTURE.md"
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
PARTS = ("Context", "Decision", "Rejected", "How we know")
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(?:#[^)]*)?\)")
# A path of a test in backticks: `tests/db/`, `web/e2e/tasks.spec.ts`, `web/src/lib/csv.test.ts`.
TEST_PATH = re.compile(r"`((?:tests|db/tests|web/e2e)/[\w./-]*|web/src/[\w./-]+\.test\.tsx?)`")
# A file in backticks, as the tour names them.
FILE = re.compile(r"`((?:db|docs|functions|supabase|tests|web)/[\w./-]+\.\w+)`")


def documents() -> list[Path]:
    """Return all tracked Markdown files."""
    return [path for path in tracked() if path.suffix == ".md"]


def decisions() -> Iterator[tuple[str, str]]:
    """Yield the title and the body of each decision."""
    for path in DECISIONS:
        for section in re.split(r"^## ", path.read_text(), flags=re.MULTILINE)[1:]:
            title, _, body = section.partition("\n")
            yield f"{path.stem}: {title}", body


def tour() -> str:
    """Return the last section of CONTRIBUTING.md."""
    return (ROOT / "CONTRIBUTING.md").read_text().split("## A tour: ten questions\n")[1]


def tour_commands() -> list[str]:
    """Return the commands of the tour."""
    found: list[str] = re.findall(r"`(grep [^`]+)`", tour())
    return found


def test_the_architecture_has_at_most_200_lines() -> None:
    assert len(ARCHITECTURE.read_text().splitlines()) <= 200


def test_the_index_names_every_file_of_decisions() -> None:
    index = ARCHITECTURE.read_text().split("## Decisions\n")[1]
    assert sorted(LINK.findall(index)) == sorted(
        [f"docs/decisions/{path.name}" for path in DECISIONS] + ["docs/benchmarks.md"]
    )


def test_every_decision_has_four_parts() -> None:
    parts = {title: tuple(re.findall(r"^- \*\*([\w ]+)\.\*\*", body, re.MULTILINE)) for title, body in decisions()}
    assert len(parts) > 50
    assert {title: found for title, found in parts.items() if found != PARTS} == {}


def test_a_decision_has_at_most_120_words() -> None:
    lengths = {title: len(body.split()) for title, body in decisions()}
    assert {title: words for title, words in lengths.items() if words > 120} == {}


def test_every_relative_link_leads_somewhere() -> None:
    broken = [
        f"{path.relative_to(ROOT)}: {target}"
        for path in documents()
        for target in LINK.findall(path.read_text())
        if target and "://" not in target and not (path.parent / target).exists()
    ]
    assert broken == []


def test_every_test_that_a_document_names_exists() -> None:
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in documents()
        for name in TEST_PATH.findall(path.read_text())
        if not (ROOT / name).exists() and not (path.parent / name).exists()
    ]
    assert missing == []


@pytest.mark.parametrize("folder", ["functions", "scripts", "tests", "web"])
def test_a_readme_of_a_folder_is_short(folder: str) -> None:
    assert 5 <= len((ROOT / folder / "README.md").read_text().splitlines()) <= 20


@pytest.mark.parametrize("command", tour_commands())
def test_commands_of_the_tour_find_something(command: str) -> None:
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout != "", done.stderr) == (0, True, "")


def test_the_tour_names_files_that_exist() -> None:
    named = FILE.findall(tour())
    assert named
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_the_version_is_the_newest_of_the_changelog(capsys: pytest.CaptureFixture[str]) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0] == version
    with pytest.raises(SystemExit):
        command_line.main(["--version"])
    assert capsys.readouterr().out == f"{version}\n"
