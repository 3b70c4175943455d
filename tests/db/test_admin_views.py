"""Saved views of the admin screens: names, what a view may be, and how many there are."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from tests.db import access
from tests.db.accounts import rolled_back
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

ADD = "insert into public.admin_views (name, screen, query) values ($1, $2, $3)"
MOST = 50


@pytest.fixture
async def empty(world: World) -> AsyncIterator[World]:
    """Yield the world without views; all is rolled back."""
    async with rolled_back(world.connection):
        await world.connection.execute("delete from public.admin_views")
        yield world


async def _refused(world: World, name: str, screen: str = "/admin/errors", query: str = "periodo=7g") -> str | None:
    try:
        async with world.connection.transaction(), access.acting(world.connection, "admin"):
            await world.connection.execute(ADD, name, screen, query)
    except asyncpg.PostgresError as error:
        return error.sqlstate
    return None


async def test_a_name_is_taken_once_whatever_its_letters(empty: World) -> None:
    assert await _refused(empty, "Errori del mese") is None
    assert await _refused(empty, "errori del MESE", "/admin") == asyncpg.UniqueViolationError.sqlstate


@pytest.mark.parametrize(
    ("name", "screen", "query"),
    [
        ("", "/admin", "periodo=7g"),
        ("x" * 61, "/admin", "periodo=7g"),
        ("Altrove", "https://example.com/admin", "periodo=7g"),
        ("Altrove", "//example.com", "periodo=7g"),
        ("Altrove", "/settings", "periodo=7g"),
        ("Vuota", "/admin", ""),
        ("Lunga", "/admin", "x" * 501),
    ],
)
async def test_a_view_is_an_admin_screen_with_choices(empty: World, name: str, screen: str, query: str) -> None:
    assert await _refused(empty, name, screen, query) == asyncpg.CheckViolationError.sqlstate


async def test_a_person_has_fifty_views_at_most(empty: World) -> None:
    for number in range(MOST):
        assert await _refused(empty, f"Vista {number}") is None
    assert await _refused(empty, "Una di troppo") == "SM020"
    await empty.connection.execute("delete from public.admin_views where name = 'Vista 7'")
    assert await _refused(empty, "Una di troppo") is None
