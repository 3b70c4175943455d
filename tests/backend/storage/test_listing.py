"""Lists: folders and files, sorted, in pages, and only what the caller may see."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.backend.storage.conftest import ANNA, BRUNO, BUCKET, Files

pytestmark = pytest.mark.anyio
NAMES = ["a.txt", "b.txt", "2025/jan/x.txt", "2025/y.txt", "2026/z.txt", "B.txt"]


async def filled(files: Files) -> None:
    for name in NAMES:
        await files.put(ANNA, f"{BUCKET}/{ANNA}/{name}", name.encode())


async def listed(files: Files, who: str = ANNA, **body: Any) -> list[dict[str, Any]]:
    answer = await files.call(who, "POST", f"object/list/{BUCKET}", json={"prefix": ANNA, **body})
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()
    return rows


async def test_a_folder_shows_folders_first_then_files(files: Files) -> None:
    await filled(files)
    rows = await listed(files)
    assert [row["name"] for row in rows] == ["2025", "2026", "B.txt", "a.txt", "b.txt"]
    assert [row["id"] is None for row in rows] == [True, True, False, False, False]
    assert rows[0]["metadata"] is None
    assert rows[3]["metadata"]["size"] == 5
    assert [row["name"] for row in await listed(files, prefix=f"{ANNA}/2025/")] == ["jan", "y.txt"]


async def test_sorting_searching_and_paging(files: Files) -> None:
    await filled(files)
    down = await listed(files, sortBy={"column": "name", "order": "desc"})
    assert [row["name"] for row in down] == ["2026", "2025", "b.txt", "a.txt", "B.txt"]
    assert [row["name"] for row in await listed(files, search="b")] == ["B.txt", "b.txt"]
    assert [row["name"] for row in await listed(files, limit=2, offset=1)] == ["2026", "B.txt"]
    by_time = await listed(files, sortBy={"column": "created_at", "order": "asc"})
    assert [row["name"] for row in by_time][2:] == ["a.txt", "b.txt", "B.txt"]


async def test_a_stranger_sees_nothing(files: Files) -> None:
    await filled(files)
    assert await listed(files, who=BRUNO) == []


@pytest.mark.parametrize("column", ["name", "created_at", "updated_at"])
@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("by_folder", [False, True], ids=["flat", "folders"])
async def test_pages_by_cursor_show_everything_once(files: Files, column: str, order: str, by_folder: bool) -> None:
    await filled(files)
    body: dict[str, Any] = {
        "prefix": f"{ANNA}/",
        "limit": 2,
        "with_delimiter": by_folder,
        "sortBy": {"column": column, "order": order},
    }
    keys: list[str] = []
    for _ in range(10):
        page = (await files.call(ANNA, "POST", f"object/list-v2/{BUCKET}", json=body)).json()
        keys += [entry["key"] for entry in page["folders"] + page["objects"]]
        if not page["hasNext"]:
            break
        body["cursor"] = page["nextCursor"]
    expected = ["2025", "2026", "B.txt", "a.txt", "b.txt"] if by_folder else NAMES
    assert sorted(keys) == sorted(f"{ANNA}/{name}" for name in expected)


@pytest.mark.parametrize(
    "body",
    [
        {"limit": 0},
        {"limit": "many"},
        {"offset": -1},
        {"sortBy": {"column": "owner; drop table"}},
        {"sortBy": "name"},
        {"prefix": 3},
        [],
    ],
    ids=str,
)
async def test_bad_questions_are_refused(files: Files, body: Any) -> None:
    answer = await files.call(ANNA, "POST", f"object/list/{BUCKET}", json=body)
    assert (answer.status_code, answer.json()["statusCode"]) == (400, "400")


@pytest.mark.parametrize(
    "place", ["nonsense", ["abc", "x"], ["2026-W01", "x", "y"], [1, "x"], ["2026-01-01", "\ud800"]]
)
async def test_a_foreign_cursor_is_refused(files: Files, place: Any) -> None:
    cursor = base64.urlsafe_b64encode(json.dumps(place).encode()).decode()
    body = {"cursor": cursor, "sortBy": {"column": "created_at"}}
    answer = await files.call(ANNA, "POST", f"object/list-v2/{BUCKET}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "InvalidParameter")


@pytest.mark.parametrize(
    ("path", "field"),
    [("list", "prefix"), ("list", "search"), ("list-v2", "prefix"), ("sign", "paths")],
)
async def test_half_a_character_is_refused(files: Files, path: str, field: str) -> None:
    value: Any = ["\ud800"] if field == "paths" else "\ud800"
    content = json.dumps({field: value, "expiresIn": 60})
    answer = await files.call(ANNA, "POST", f"object/{path}/{BUCKET}", content=content)
    assert (answer.status_code, answer.json()["code"]) == (400, "InvalidParameter")
