"""The proof that accounts are kept apart finds nothing in our database, and each hole that is made on purpose."""

from __future__ import annotations

import pytest

from functions._shared import isolation
from tests.db import access
from tests.db.accounts import rolled_back
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

HOLES = {
    ("public.contacts", "select", "authenticated"): "for select to authenticated using (true)",
    ("public.tasks", "update", "authenticated"): "for update to authenticated using (true)",
    ("public.deals", "delete", "authenticated"): "for delete to authenticated using (true)",
    ("public.projects", "insert", "authenticated"): "for insert to authenticated with check (true)",
    ("public.site_settings", "delete", "anon"): "for delete to anon using (true)",
}


async def test_a_stranger_reaches_nothing_and_every_table_has_somebodys_row(world: World) -> None:
    proof = await isolation.prove(world.connection)
    assert proof.findings == ()
    # Files of storage: they are made by its own tests.
    assert (proof.tables > 100, proof.empty) == (True, 1)
    assert not await world.connection.fetchval("select exists (select from auth.users where email like '%.invalid')")


async def test_every_hole_is_found_and_changes_the_digest_of_the_rules(world: World) -> None:
    before = await isolation.rules(world.connection)
    async with rolled_back(world.connection):
        await world.connection.execute("grant delete on public.site_settings to anon")
        for (table, _, _), policy in HOLES.items():
            await world.connection.execute(f"create policy hole on {table} {policy}")
        found = (await isolation.prove(world.connection)).findings
        changed = await isolation.rules(world.connection)
    # A view of contacts has their hole.
    expected = {*HOLES, ("public.contact_list", "select", "authenticated")}
    assert {(finding.table, finding.verb, finding.role) for finding in found} == expected
    assert changed != before
    assert await isolation.rules(world.connection) == before


def test_what_everybody_may_read_is_what_the_access_matrix_says() -> None:
    seen = [cell for cell in access.cells() if (cell.verb, cell.role, cell.expect) == ("select", "stranger", "yes")]
    assert {cell.table for cell in seen if cell.target != "stranger"} == isolation.PUBLIC
