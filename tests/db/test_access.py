"""The access matrix: every cell by role switch and through PostgREST, and the proof that it would notice a hole."""

from __future__ import annotations

import asyncpg
import pytest

from tests.db import access
from tests.db.accounts import rolled_back
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

CELLS = access.cells()
# One test for each table, not for each cell: thousands of them would spend more on pytest than on the database.
TABLES = list(dict.fromkeys(cell.table for cell in CELLS))
MOVES = access.moves()


@pytest.mark.parametrize("table", TABLES)
async def test_cells_hold_by_role_switch(table: str, world: World) -> None:
    cells = [cell for cell in CELLS if cell.table == table]
    found = {str(cell): await access.direct(world.connection, cell, world.values) for cell in cells}
    assert found == {str(cell): cell.expect for cell in cells}


@pytest.mark.parametrize("table", TABLES)
async def test_cells_hold_through_postgrest(table: str, world: World) -> None:
    cells = [cell for cell in CELLS if cell.table == table]
    found = {str(cell): await access.rest(world.client, world.tokens[cell.role], cell, world.values) for cell in cells}
    assert found == {str(cell): cell.expect for cell in cells}


@pytest.mark.parametrize("move", [move for move in MOVES if move.direct], ids=str)
async def test_move_holds_by_role_switch(move: access.Move, world: World) -> None:
    assert await access.direct_move(world.connection, move, world.values) == move.direct


@pytest.mark.parametrize("move", [move for move in MOVES if move.rest], ids=str)
async def test_move_holds_through_postgrest(move: access.Move, world: World) -> None:
    assert await access.rest_move(world.client, world.tokens[move.role], move, world.values) == move.rest


async def test_every_exposed_table_is_in_the_matrix(world: World) -> None:
    tables = await world.connection.fetch(
        """
        select relname::text as name, (
          select case when attnotnull then 'people' else 'people or nobody' end
          from pg_attribute where attrelid = pg_class.oid and attname = 'user_id'
        ) as owners, exists (
          select from pg_attribute where attrelid = pg_class.oid and attname = 'version' and attnum = 1
        ) as has_versions, exists (
          select from pg_attribute where attrelid = pg_class.oid and attname = 'key' and attnum = 1
        ) as has_keys
        from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
        """
    )
    declared = {(cell.table, cell.verb, cell.role, "people" if cell.user_id else cell.target) for cell in CELLS}
    wanted = {
        (table["name"], verb, role, target)
        for table in tables
        for verb in access.VERBS
        for role in access.ROLES
        for target in (
            table["owners"].split(" or ")
            if table["owners"]
            else ("published", "draft")
            if table["has_versions"]
            else ("shown", "hidden")
            if table["has_keys"]
            else ("all",)
        )
    }
    assert wanted - declared == set()
    assert declared - wanted == set()


@pytest.mark.long
async def test_the_matrix_notices_every_dropped_and_every_widened_policy(world: World) -> None:
    """Policy mutation: a policy that can go, or let everybody through, without a cell changing, is not tested."""
    policies = await world.connection.fetch("select * from pg_policies where schemaname = 'public'")
    assert policies
    survivors = []
    for policy in policies:
        name = f'"{policy["policyname"]}" on public.{policy["tablename"]}'
        mutants = [f"drop policy {name}"]
        mutants += [f"alter policy {name} using (true)"] * (policy["qual"] is not None)
        mutants += [f"alter policy {name} with check (true)"] * (policy["with_check"] is not None)
        survivors += [mutant for mutant in mutants if not await _noticed(world, mutant, policy["tablename"])]
    assert survivors == []


async def _noticed(world: World, mutant: str, table: str) -> bool:
    async with rolled_back(world.connection):
        await world.connection.execute(mutant)
        for cell in CELLS:
            if cell.table == table and await access.direct(world.connection, cell, world.values) != cell.expect:
                return True
        return "with check" in mutant and await _give_away(world, table) != "denied"


async def test_no_row_can_be_given_away_even_with_the_right_to_every_column(world: World) -> None:
    """The update policies hold by themselves, should a column grant ever be too wide."""
    tables = await world.connection.fetch(
        "select tablename from pg_policies where schemaname = 'public' and cmd = 'UPDATE'"
    )
    assert {table["tablename"]: await _give_away(world, table["tablename"]) for table in tables} == {
        table["tablename"]: "denied" for table in tables
    }


async def _give_away(world: World, table: str) -> str:
    async with rolled_back(world.connection):
        await world.connection.execute(f"grant update on public.{table} to authenticated")
        move = access.Move("give away", "owner", f"update public.{table} set user_id = '{{stranger}}'", *[""] * 6)
        return await access.direct_move(world.connection, move, world.values)


async def test_a_table_made_by_a_migration_starts_closed(world: World) -> None:
    """The default privileges of hosted Supabase are gone: forgetting a revoke opens nothing."""
    async with rolled_back(world.connection):
        await world.connection.execute("create table public.forgotten (id int)")
        for role in access.ROLES:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                async with world.connection.transaction(), access.acting(world.connection, role):
                    await world.connection.execute("select from public.forgotten")


async def test_a_wallet_brings_the_notifications_of_its_owner_alone(world: World) -> None:
    seen = {}
    for actor in ("owner", "stranger"):
        answer = await world.client.get(
            "/credit_wallets?select=user_id,notifications(user_id)",
            headers={"Authorization": f"Bearer {world.tokens[actor]}"},
        )
        (wallet,) = answer.json()
        assert wallet["user_id"] == str(access.PEOPLE[actor])
        seen[actor] = {notice["user_id"] for notice in wallet["notifications"]}
    assert seen["owner"] == {str(access.PEOPLE["owner"])}
    assert seen["stranger"] <= {str(access.PEOPLE["stranger"])}
