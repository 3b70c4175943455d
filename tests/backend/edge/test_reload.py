"""In development a function is loaded again when its files have changed, and a broken one leaves the last good one."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from backend.core.config import Settings
from backend.edge.errors import BootError
from backend.edge.loader import Loader
from tests.backend.edge.conftest import Write

pytestmark = pytest.mark.anyio


def says(word: str) -> str:
    return f"from backend.edge import api\nasync def handler(request, context):\n    return api.Response('{word}')\n"


async def test_a_changed_function_answers_anew(service: httpx.AsyncClient, write: Write) -> None:
    for word in ("one", "two", "six"):
        write("changing.py", says(word))
        assert (await service.get("/changing")).text == word


async def test_a_changed_module_of_a_folder_counts_as_well(service: httpx.AsyncClient, write: Write) -> None:
    write("folder/__init__.py", "from functions.folder import part\n" + says("").replace("''", "part.WORD"))
    for word in ("a", "longer"):  # Python's own cache of a submodule cannot tell equal sizes within a second apart
        write("folder/part.py", f"WORD = '{word}'\n")
        assert (await service.get("/folder")).text == word


async def test_a_broken_change_is_told_once_and_the_last_good_version_goes_on(
    service: httpx.AsyncClient, write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    write("changing.py", says("good"))
    await service.get("/changing")
    write("changing.py", "this is no Python\n")
    assert [(await service.get("/changing")).text for _ in range(3)] == ["good"] * 3
    assert len(caplog.records) == 1
    write("changing.py", says("better"))
    assert (await service.get("/changing")).text == "better"


def test_production_loads_once(tmp_path: Path, write: Write) -> None:
    write("once.py", says("one"))
    loader = Loader((tmp_path / "functions",), reload=False)
    first = loader.function("once")
    write("once.py", says("two"))
    assert loader.function("once") is first


def test_a_function_is_loaded_while_a_thread_imports(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Importing(str):
        """Who looks at this name is in the middle of somebody else's import."""

        __slots__ = ()

        def startswith(self, *_: Any) -> bool:
            monkeypatch.setitem(sys.modules, "imported_meanwhile", ModuleType("imported_meanwhile"))
            return False

    monkeypatch.setitem(sys.modules, Importing("importing"), ModuleType("importing"))
    write("quiet.py", says("one"))
    assert Loader((tmp_path / "functions",), reload=False).function("quiet").__name__ == "functions.quiet"


def test_a_file_without_a_handler_is_no_function(tmp_path: Path, write: Write) -> None:
    write("nothing.py", "x = 1\n")
    with pytest.raises(BootError):
        Loader((tmp_path / "functions",), reload=False).function("nothing")


async def test_the_first_folder_that_has_a_function_counts(settings: Settings, tmp_path: Path, write: Write) -> None:
    write("ip_hash.py", says("other"))
    own = replace(settings, functions_path=(tmp_path / "functions", settings.root / "functions"))
    loader = Loader(own.functions_folders, reload=False)
    assert loader.function("ip_hash").__file__ == str(tmp_path / "functions" / "ip_hash.py")
    assert loader.function("health_report").__file__ == str(settings.root / "functions" / "health_report.py")
