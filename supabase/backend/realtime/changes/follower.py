"""Follows the changes of the published tables and tells each subscriber what they may see.

A change is authorised for each subscriber as that subscriber. Where a table's policy is the plain comparison of
an owner column with the caller, the row itself says whose it is and nobody else is even looked at; any other policy is
asked in the database, once for each set of claims (`asking`).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import replace

from backend.core import db, endless
from backend.core.errors import ServiceUnavailable
from backend.core.resources import Resources
from backend.realtime.changes import filters, payloads, sources
from backend.realtime.changes.asking import Asking, quoted
from backend.realtime.changes.catalog import Access, Catalog, Table
from backend.realtime.changes.pgoutput import UNCHANGED, Change
from backend.realtime.changes.subscriptions import Bearer, Listener, Subscription, Subscriptions
from backend.realtime.changes.types import Payload, Subscriber, SubscriptionError, Wanted

logger = logging.getLogger("backend.realtime.changes")

# So many changes are authorised at the same time; what must be asked in the database is asked for all of them at once.
AT_ONCE = 32
# A batch that takes longer is late: the subscribers it waits for are told, and told again when it is over.
LATE_S = 2.0
# So long the filters of a change may keep the loop before everybody else has a turn.
TURN_S = 0.005
READY_TIMEOUT_S = 10.0
NO_KEY = "Error 400: Bad Request, no primary key"
# The event triggers that tell PostgREST of new definitions tell us too.
DEFINITIONS = "pgrst"


Delivery = tuple[Subscriber, Sequence[int], Payload]


class Changes:
    """Everybody of this process who subscribed, and the task that follows the database."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._catalog = Catalog(resources.pool)
        self._asking = Asking(resources.pool)
        self._subscriptions = Subscriptions()
        # The subscribers who were told that changes are late.
        self._late: set[Subscriber] = set()
        self._late_at_s = float("inf")
        self._ready = asyncio.Event()

    async def subscribe(self, subscriber: Subscriber, wanted: Sequence[Wanted], timeout_s: float | None = None) -> None:
        """From its return on the subscriber is told.

        Raises SubscriptionError with what is wrong, ServiceUnavailable when the database is not followed in time.
        """
        try:
            async with asyncio.timeout(READY_TIMEOUT_S if timeout_s is None else timeout_s):
                await self._ready.wait()
        except TimeoutError as error:
            raise ServiceUnavailable("the database is not being followed at the moment") from error
        role = Bearer(subscriber.claims).role
        try:
            found = await self._understood(wanted, role)
        except SubscriptionError:
            self._catalog.forget()  # the table may have been published, or the right given, a moment ago
            found = await self._understood(wanted, role)
        self._subscriptions.add(subscriber, found)

    def renew(self, subscriber: Subscriber) -> None:
        """Follow the subscriber's new claims, which may name another person or role."""
        self._subscriptions.renew(subscriber)

    async def _understood(self, wanted: Sequence[Wanted], role: str) -> list[Subscription]:
        tables = list((await self._catalog.tables()).values())
        found = [_understood(one, tables) for one in wanted]
        for one in found:
            table = next((table for table in tables if (table.schema, table.name) == one.place), None)
            if table is not None:
                readable = (await self._catalog.access(table, role)).columns
                if not readable:
                    raise SubscriptionError(f"the role {role} may not read {table.schema}.{table.name}")
                for column in one.asked_columns - readable:
                    raise SubscriptionError(f"the role {role} may not read the column {column[:100]!r}")
        return found

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Nothing more; may be repeated."""
        self._subscriptions.remove(subscriber)
        self._late.discard(subscriber)

    async def run(self) -> None:
        """Follows until cancelled; after a gap everybody is told to fetch anew."""
        await endless.keep_up(self._session, logger, "changes are not followed")

    async def _session(self) -> None:
        try:
            await self._follow()
        finally:
            self._ready.clear()
            self._lose(self._subscriptions)

    async def _follow(self) -> None:
        connection = await db.connect(self._resources.settings)
        try:
            self._catalog.forget()
            listening = await db.connect(self._resources.settings)
            try:
                await listening.add_listener(DEFINITIONS, lambda *_: self._catalog.forget())
                if await sources.gives_replication(connection):
                    stream = sources.of_slot(connection, self._is_wanted)
                else:
                    stream = sources.of_triggers(connection, self._catalog, self._is_wanted)
                async with aclosing(stream) as batches:
                    async for batch in batches:
                        self._ready.set()
                        if batch and self._subscriptions:
                            await self._tell_all(batch)
            finally:
                listening.terminate()
        finally:
            connection.terminate()

    def _is_wanted(self) -> bool:
        return bool(self._subscriptions)

    async def _tell_all(self, batch: Sequence[Change]) -> None:
        """Some at once, so that questions can be asked together; delivered in the order of the commits."""
        self._late_at_s = asyncio.get_running_loop().time() + LATE_S
        for start in range(0, len(batch), AT_ONCE):
            for deliveries in await asyncio.gather(*map(self._deliveries, batch[start : start + AT_ONCE])):
                for subscriber, ids, payload in deliveries:
                    # Whoever left meanwhile, or was told to fetch anew, is not told of it.
                    if subscriber in self._subscriptions:
                        subscriber.changed(ids, payload)
        if asyncio.get_running_loop().time() < self._late_at_s:
            for subscriber in self._late:
                subscriber.late(False)
            self._late.clear()

    def _say_late(self, waiting: Iterable[Subscriber]) -> None:
        for subscriber in set(waiting) - self._late:
            if subscriber in self._subscriptions:
                self._late.add(subscriber)
                subscriber.late(True)

    async def _deliveries(self, change: Change) -> list[Delivery]:
        table = (await self._catalog.tables()).get(change.relation.oid)
        return await self._tell(table, change) if table else []

    async def _tell(self, table: Table, change: Change) -> list[Delivery]:
        """Who may see this change, and what they are told."""
        found: list[Delivery] = []
        complete: Change | None = None
        for role in db.API_ROLES:
            if not self._subscriptions.has(role, table, change.operation):
                continue
            access = await self._catalog.access(table, role)
            listeners = self._listeners(table, access, role, change)
            if change.operation == "TRUNCATE":
                # No row says what went: whoever listens must fetch anew.
                self._lose(subscriber for subscriber, _ in listeners)
                continue
            candidates = await self._interested(table, change, listeners)
            if not candidates:
                continue
            complete = complete or await self._completed(table, change)
            seeing, errors = await self._seeing(table, access, complete, list(candidates))
            made: dict[tuple[str, ...] | None, Payload] = {}
            for subscriber in seeing:
                for select, ids in _by_select(candidates[subscriber]).items():
                    if select not in made:
                        made[select] = Payload(payloads.data(table, access, complete, select, errors))
                    found.append((subscriber, ids, made[select]))
        return found

    def _listeners(self, table: Table, access: Access, role: str, change: Change) -> Sequence[Listener]:
        """The subscriptions that a change may concern, as far as can be said without asking."""
        if access.rows == "none":
            # Not even that something was written: verb and time of each row would tell who works when.
            return ()
        row = change.new if change.new is not None else change.old or {}
        owner = row.get(access.owner, UNCHANGED) if access.rows == "owner" else UNCHANGED
        if owner is None:
            return ()
        if isinstance(owner, str):
            return self._subscriptions.person(role, table, change.operation, owner)
        return self._subscriptions.everybody(role, table, change.operation)

    async def _interested(
        self, table: Table, change: Change, listeners: Sequence[Listener]
    ) -> dict[Subscriber, list[Subscription]]:
        """Whose filters let the change through. However many they are, others get their turn in between."""
        found: dict[Subscriber, list[Subscription]] = {}
        turn_ends_s = time.perf_counter() + TURN_S
        for subscriber, one in listeners:
            if not one.conditions or self._is_admitted(subscriber, one, table, change):
                found.setdefault(subscriber, []).append(one)
            if time.perf_counter() > turn_ends_s:
                await asyncio.sleep(0)
                turn_ends_s = time.perf_counter() + TURN_S
        return found

    def _is_admitted(self, subscriber: Subscriber, one: Subscription, table: Table, change: Change) -> bool:
        """A filter that fails costs its own subscriber only."""
        row = change.new if change.new is not None else change.old or {}
        try:
            return filters.admits(one.conditions, row, table.columns)
        except Exception:
            logger.exception("a filter failed")
            self._lose((subscriber,))
            return False

    def _lose(self, subscribers: Iterable[Subscriber]) -> None:
        """Tell these, if they are still there, that they must fetch anew."""
        for subscriber in set(subscribers):
            if subscriber in self._subscriptions:
                subscriber.lost()
                self.unsubscribe(subscriber)

    async def _seeing(
        self, table: Table, access: Access, change: Change, candidates: list[Subscriber]
    ) -> tuple[list[Subscriber], list[str]]:
        """Who of these may see the row, and what is wrong with showing it."""
        # A publication may leave the owner's column out: then the row does not say whose it is, and is asked for.
        is_routed = access.rows == "owner" and access.owner in (change.new or {})
        if access.rows == "all" or is_routed or change.operation == "DELETE":
            return candidates, []
        if not table.key:
            return candidates, [NO_KEY]
        return await self._asked(table, change, candidates), []

    async def _asked(self, table: Table, change: Change, candidates: list[Subscriber]) -> list[Subscriber]:
        """Those who see the row by what the database says, each set of claims asked once."""
        bearers: dict[db.Json, list[Subscriber]] = {}
        for subscriber in candidates:
            if bearer := self._subscriptions.bearer(subscriber):
                bearers.setdefault(bearer.json, []).append(subscriber)
        row = change.new or {}
        late = asyncio.get_running_loop().call_at(self._late_at_s, self._say_late, candidates)
        try:
            visible = await self._asking.who_sees(table, [row.get(name) for name in table.key], list(bearers))
        finally:
            late.cancel()
        return [subscriber for claims in visible for subscriber in bearers[claims]]

    async def _completed(self, table: Table, change: Change) -> Change:
        """The change with the long values that the update did not touch, which the log leaves out."""
        new = change.new or {}
        missing = [name for name, value in new.items() if value is UNCHANGED]
        if not missing or not table.key:
            return replace(change, new={k: v for k, v in new.items() if v is not UNCHANGED}) if missing else change
        columns = ", ".join(f"{quoted(name)}::text" for name in missing)
        conditions = " and ".join(
            f"{quoted(name)} = (${position}::text)::{kind}"
            for position, (name, kind) in enumerate(table.key.items(), 1)
        )
        query = f"select {columns} from {quoted(table.schema)}.{quoted(table.name)} where {conditions}"  # noqa: S608
        async with db.connection(self._resources.pool) as connection:
            row = await connection.fetchrow(query, *(new[name] for name in table.key))
        values = dict(zip(missing, row, strict=True)) if row else {}
        kept = {name: values.get(name, value) for name, value in new.items()}
        return replace(change, new={name: value for name, value in kept.items() if value is not UNCHANGED})


def _understood(wanted: Wanted, tables: Sequence[Table]) -> Subscription:
    """Raises SubscriptionError with what is wrong."""
    matching = [table for table in tables if wanted.schema in ("*", table.schema) and wanted.table in ("*", table.name)]
    if not matching and wanted.table != "*":
        raise SubscriptionError(
            f"{wanted.schema}.{wanted.table} is not in the publication supabase_realtime: "
            f"alter publication supabase_realtime add table {wanted.schema}.{wanted.table}"
        )
    if wanted.table == "*":
        if wanted.filter:
            raise SubscriptionError("a filter needs a table")
        return Subscription(wanted, ())
    for column in wanted.select or ():
        if column not in matching[0].columns:
            raise SubscriptionError(f"there is no column {column[:100]!r}")
    return Subscription(wanted, filters.parse(wanted.filter, matching[0].columns))


def _by_select(subscriptions: Sequence[Subscription]) -> dict[tuple[str, ...] | None, list[int]]:
    found: dict[tuple[str, ...] | None, list[int]] = {}
    for one in subscriptions:
        found.setdefault(one.wanted.select, []).append(one.wanted.id)
    return found
