"""The documents: their limits, and what they say about the code."""

from __future__ import annotations

import re
import tomllib

import pytest

from backend import __main__ as command_line
from tests.test_repository import ROOT


@pytest.mark.parametrize("folder", ["functions", "scripts", "tests", "web"])
def test_a_readme_of_a_folder_is_short(folder: str) -> None:
    assert 5 <= len((ROOT / folder / "README.md").read_text().splitlines()) <= 20


def test_the_version_is_the_newest_of_the_changelog(capsys: pytest.CaptureFixture[str]) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0] == version
    with pytest.raises(SystemExit):
        command_line.main(["--version"])
    assert capsys.readouterr().out == f"{version}\n"
