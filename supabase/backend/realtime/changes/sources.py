"""Where changes come from: a logical replication slot, or triggers where the database gives no replication."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import asyncpg

from backend.realtime.changes.catalog import PUBLICATION, Catalog
from backend.realtime.changes.pgoutput import Change, Column, Decoder, Relation

logger = logging.getLogger("backend.realtime.changes")

if TYPE_CHECKING:
    # Generic for the type checker only; at run time the class takes no parameter.
    Connection = asyncpg.Connection[asyncpg.Record]

# How often the position of the log is looked at: a query of some 40 µs. The bell shall ring within 200 ms.
LOOK_EVERY_S = 0.015
IDLE_LOOK_EVERY_S = 0.5
# Transactions are never cut: a batch may be longer by one.
BATCH = 500
NOTIFICATION = "realtime_changes"
STATEMENT_TIMEOUT_S = 30.0
# What was written down is left for the other processes for so long after this one has read it.
KEPT_S = 60.0


async def gives_replication(connection: Connection) -> bool:
    """Whether this login may make a logical slot here."""
    return bool(
        await connection.fetchval(
            """
            select current_setting('wal_level') = 'logical'
               and (select rolsuper or rolreplication from pg_roles where rolname = current_user)
            """
        )
    )


async def of_slot(connection: Connection, is_wanted: Callable[[], bool]) -> AsyncGenerator[Sequence[Change], None]:
    """Changes in the order of their commits, from a slot that lives and dies with this connection.

    A dead process therefore leaves no slot that holds the log back. Yields an empty batch once it is ready. Making the
    slot waits for the transactions that run now, and blocks nobody.
    """
    slot = f"socio_{uuid4().hex[:12]}"
    await connection.execute("set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'")
    await connection.execute("set extra_float_digits = 1; set bytea_output = 'hex'")
    with suppress(asyncpg.InsufficientPrivilegeError):
        # Each look at the slot would write four lines into the server's log; what goes wrong stands in ours.
        await connection.execute("set log_min_messages = 'fatal'")
    await connection.execute("select pg_create_logical_replication_slot($1, 'pgoutput', true)", slot)
    logger.info("changes are read from a replication slot", extra={"slot": slot})
    decoder, seen = Decoder(), None
    yield ()
    while True:
        position = await connection.fetchval("select pg_current_wal_lsn()", timeout=STATEMENT_TIMEOUT_S)
        rows: Sequence[asyncpg.Record] = ()
        if position != seen and not is_wanted():
            # Whoever subscribes from here on asks for what is committed later than this position.
            advance = "select pg_replication_slot_advance($1, $2)"
            await connection.execute(advance, slot, position, timeout=STATEMENT_TIMEOUT_S)
            seen = position
        elif position != seen:
            rows = await connection.fetch(
                """
                select data from pg_logical_slot_get_binary_changes(
                  $1, null, $2, 'proto_version', '1', 'publication_names', $3)
                """,
                slot,
                BATCH,
                PUBLICATION,
                timeout=STATEMENT_TIMEOUT_S,
            )
            if not rows:
                seen = position
            if changes := list(decoder.decode([row["data"] for row in rows])):
                yield changes
        # To begin reading costs more than what is read: while much happens, much is read at once.
        if len(rows) < BATCH:
            await asyncio.sleep(LOOK_EVERY_S if is_wanted() else IDLE_LOOK_EVERY_S)


async def of_triggers(
    connection: Connection, catalog: Catalog, is_wanted: Callable[[], bool]
) -> AsyncGenerator[Sequence[Change], None]:
    """The same from triggers on the published tables, which write each change down; yields an empty batch first."""
    for name in ("jsonb", "json"):
        await connection.set_type_codec(name, encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
    woken = asyncio.Event()
    await connection.add_listener(NOTIFICATION, lambda *_: woken.set())
    logger.warning("the database gives no logical replication: changes are written down by triggers")
    seen: tuple[int, int] = (await connection.fetchval(_XMIN), 0)
    await _install(connection, catalog)
    yield ()
    passed, passed_at = seen, time.monotonic()
    while True:
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0 if is_wanted() else 10.0):
                await woken.wait()
        woken.clear()
        await _install(connection, catalog)
        while True:
            rows = await connection.fetch(_WRITTEN_DOWN, *map(str, seen), BATCH, timeout=STATEMENT_TIMEOUT_S)
            if not rows:
                break
            seen = (int(rows[-1]["xid"]), rows[-1]["id"])
            yield [_of_row(row) for row in rows]
        if time.monotonic() - passed_at >= KEPT_S:
            # By position and not by age: what an open transaction keeps from being read may be of any age.
            await connection.execute(_FORGET, *map(str, passed))
            passed, passed_at = seen, time.monotonic()


_FORGET = "delete from realtime.changes where (xid, id) <= ($1::text::xid8, $2::text::int8)"
_XMIN = "select pg_snapshot_xmin(pg_current_snapshot())::text::int8"
# Rows of transactions that may still be running are left for later, or one that commits late would be passed over.
_WRITTEN_DOWN = """
select c.id, c.xid::text as xid, c.operation, c.committed_at, c.new_row, c.old_row,
       c.relation::int8 as oid, n.nspname as schema, r.relname as name, r.relreplident::text as identity,
       coalesce((select array_agg(a.attname::text) from pg_index i
           join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
          where i.indrelid = r.oid and i.indisprimary), '{}') as key
  from realtime.changes c
  join pg_class r on r.oid = c.relation
  join pg_namespace n on n.oid = r.relnamespace
 where (c.xid, c.id) > ($1::text::xid8, $2::text::int8) and c.xid < pg_snapshot_xmin(pg_current_snapshot())
 order by c.xid, c.id limit $3
"""


async def _install(connection: Connection, catalog: Catalog) -> None:
    """Puts the trigger on each published table that has none."""
    tables = list((await catalog.tables()).values())
    known = await connection.fetch("select tgrelid::int8 as oid from pg_trigger where tgname = 'realtime_note_change'")
    there = {row["oid"] for row in known}
    for table in tables:
        if table.oid in there:
            continue
        statement = await connection.fetchval(
            """
            select format('create trigger realtime_note_change after insert or update or delete on %I.%I
                           for each row execute function realtime.note_change()', $1::text, $2::text)
            """,
            table.schema,
            table.name,
        )
        try:
            await connection.execute(statement)
        except asyncpg.DuplicateObjectError:  # another process was first
            logger.debug("trigger is there", extra={"table": table.name})


def _of_row(row: asyncpg.Record) -> Change:
    new, old = row["new_row"], row["old_row"]
    names = list(new or old)
    relation = Relation(
        row["oid"],
        row["schema"],
        row["name"],
        row["identity"],
        tuple(Column(name, 0, row["identity"] == "f" or name in row["key"]) for name in names),
    )
    if old is not None:
        old = {column.name: old[column.name] for column in relation.columns if column.in_key}
    shown = new if new is not None else old
    return Change(relation, row["operation"], row["committed_at"], _texts(new), _texts(old), json=shown)


def _texts(row: Mapping[str, Any] | None) -> dict[str, str | None] | None:
    return None if row is None else {name: _text(value) for name, value in row.items()}


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "t" if value else "f"
    return json.dumps(value)
