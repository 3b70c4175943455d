"""The job `error_groups`: an error stays in its group when the build moves its code to another script."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge import tasks
from functions._shared import source_maps
from functions.jobs import error_groups
from tests.backend.core.test_jobs import rows

pytestmark = pytest.mark.anyio

PAGE = "features/crm/contact-page.tsx"
# Of the first line columns 1 to 4 are of the first source, 5 to 8 of the second, then of none, then of the first.
MAPPINGS = "AAAA,ICAA,I,IDAA;;ACAA"
SOURCES = ["../../../node_modules/react/index.js", f"../../src/{PAGE}"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "source-maps"
    monkeypatch.setattr(source_maps, "FOLDER", folder)
    return folder


def keep(folder: Path, script: str, sources: list[str] = SOURCES) -> None:
    """Keep a map as the build does."""
    (folder / "release").mkdir(parents=True, exist_ok=True)
    content = {"version": 3, "sources": sources, "names": [], "mappings": MAPPINGS}
    (folder / "release" / f"{script}.map.gz").write_bytes(gzip.compress(json.dumps(content).encode()))


async def report(resources: Resources, *frames: str) -> None:
    """Report an error with these places in its stack, and group it."""
    stack = "\n".join(["Error: boom", *(f"    at n (https://socio.example/assets/{frame})" for frame in frames)])
    async with db.transaction(resources.pool) as connection:
        await connection.execute(
            "insert into public.error_logs (session_id, error_message, error_stack) values ('s', 'boom', $1)", stack
        )
    await run_job(resources)


async def run_job(resources: Resources) -> None:
    """Run the job once."""
    await tasks.of_product(resources.settings)["error_groups"].handler(resources, {})


async def groups(resources: Resources) -> dict[str, tuple[str, int]]:
    """Return state and number of errors of each place."""
    found = await rows(
        resources,
        "select place, state, count(log_id) as count from private.error_groups"
        " left join private.grouped_errors on group_id = id group by id",
    )
    return {row["place"]: (row["state"], row["count"]) for row in found}


async def test_an_error_whose_code_moved_to_another_script_is_in_its_group(resources: Resources, folder: Path) -> None:
    keep(folder, "app-11111111.js")
    keep(folder, "screens-22222222.js")
    # The first frame is of a library.
    await report(resources, "app-11111111.js:1:1", "app-11111111.js:1:6")
    await report(resources, "screens-22222222.js:3:9")
    assert await groups(resources) == {PAGE: ("open", 2)}


async def test_without_a_map_the_place_is_the_script(resources: Resources, folder: Path) -> None:
    keep(folder, "app-11111111.js")
    await report(resources, "app-00000000.js:1:6")
    # Of no source, before the first line and after the last, and only a library.
    await report(resources, "app-11111111.js:1:10", "app-11111111.js:0:1", "app-11111111.js:9:1", "app-11111111.js:1:2")
    assert await groups(resources) == {"app": ("open", 2)}


async def test_a_group_of_a_script_becomes_that_of_the_file_with_what_was_decided(
    resources: Resources, folder: Path
) -> None:
    await report(resources, "app-00000000.js:1:6")
    async with db.transaction(resources.pool) as connection:
        await connection.execute(
            "update private.error_groups set state = 'muted', muted_until = 100, decided_at = now()"
        )
    for script in ("app-11111111.js", "screens-22222222.js"):
        keep(folder, script)
        await report(resources, f"{script}:1:6")
    assert await groups(resources) == {PAGE: ("muted", 3)}
    # Two groups of scripts whose code is in one file now stay two.
    await report(resources, "screens-00000000.js:1:6")
    await report(resources, "screens-22222222.js:1:6")
    assert await groups(resources) == {PAGE: ("muted", 4), "screens": ("open", 1)}


async def test_two_groups_of_scripts_do_not_become_the_same(resources: Resources, folder: Path) -> None:
    for script in ("app", "screens"):
        await report(resources, f"{script}-00000000.js:1:6")
        keep(folder, f"{script}-11111111.js")
    async with db.transaction(resources.pool) as connection:
        await connection.execute(
            "insert into public.error_logs (session_id, error_message, error_stack)"
            " select 's', 'boom', 'at n (https://socio.example/assets/' || script || '-11111111.js:1:6)'"
            " from unnest(array['app', 'screens']) as script"
        )
    await run_job(resources)
    assert await groups(resources) == {PAGE: ("open", 3), "screens": ("open", 1)}


def test_few_maps_are_read_at_a_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_groups, "MAX_SCRIPTS", 1)
    for script in ("app-11111111.js", "screens-22222222.js"):
        keep(folder, script)
    often: list[dict[str, Any]] = [{"file": "app-11111111.js", "line": 1, "column": 6}]
    rarely: list[dict[str, Any]] = [{"file": "screens-22222222.js", "line": 1, "column": 6}]
    found = error_groups.places_of({"1": often, "2": often, "3": rarely, "4": []})
    assert found == {"1": PAGE, "2": PAGE, "3": None, "4": None}
