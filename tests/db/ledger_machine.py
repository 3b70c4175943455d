"""A machine that moves the credits of one wallet at random, on a real Postgres, against the model.

Each call may be cut before it commits (the connection dies: nothing happened), or lose its answer (it is sent again:
once is what happened). After each step wallet, lots, ledger and holds are compared; at the
end every invariant is asked.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

import asyncpg
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.db import ledger
from tests.db.ledger_model import Hold, Lot, Model, Refused

Value = TypeVar("Value")

AMOUNTS = st.integers(1, 40)
FAULTS = st.sampled_from([None, None, None, "cut", "answer lost"])
# A lot lives for some days, a different number each time: two that end together have no order.
DAY_H = 24

GRANT = """
select id from private.grant_credits(
  $1, $2, $3::text::public.credit_lot_kind, 'promo', $4, $5::timestamptz + make_interval(hours => $6::int),
  null, null, $7, $8
)
"""
HOLD = "select id, amount from private.hold_credits($1, $2, $3)"
SETTLE = "select id, state::text, captured from private.settle_hold($1, $2, $3)"
RELEASE = "select id, state::text, captured from private.release_hold($1)"
REFUND = "select private.refund_order($1, $2, $3)"
ADJUST = "select user_id from private.adjust_credits($1, $2, 'Prova', $1, $3)"


class LedgerMachine(RuleBasedStateMachine):
    """`database_url` is set by whoever runs it."""

    database_url: str

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.model = Model()
        self.ids: dict[str, Any] = {}
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.number = 0
        self.connection = self.run(asyncpg.connect(self.database_url))
        # What a run before this one left behind would count.
        self.run(self.connection.execute("select private.expire_lots(), private.sweep_holds()"))
        self.user_id = self.run(ledger.empty(self.connection))
        self.start = self.run(self.connection.fetchval("select now()"))

    def run(self, coroutine: Coroutine[Any, Any, Value]) -> Value:
        return self.runner.run(coroutine)

    def teardown(self) -> None:
        try:
            assert self.run(ledger.broken(self.connection)) == {}
        finally:
            self.run(self.connection.close())
            self.runner.close()

    def key(self, name: str) -> str:
        self.number += 1
        return f"{name}-{self.number}"

    # --- calls and their faults -------------------------------------------------------------------------------------

    async def ask(self, sql: str, *arguments: Any) -> tuple[Any, ...] | str:
        """The answer, or the SQLSTATE of a refusal."""
        try:
            row = await self.connection.fetchrow(sql, *arguments)
        except asyncpg.PostgresError as error:
            return str(error.sqlstate)
        assert row is not None
        return tuple(row)

    async def cut(self, sql: str, *arguments: Any) -> None:
        """The verb ran, and the connection dies before it could commit."""
        await self.connection.execute("begin")
        await self.ask(sql, *arguments)
        self.connection.terminate()
        self.connection = await asyncpg.connect(self.database_url)
        # Its locks go with the backend: whoever locks the wallet waits for the rollback.
        await self.connection.execute("select from public.credit_wallets where user_id = $1 for update", self.user_id)

    def move(
        self, fault: str | None, expected: Callable[[Model], Any], sql: str, *arguments: Any
    ) -> tuple[Any, ...] | str:
        """Calls a verb as a client with bad luck does; the model says what must come of it."""
        if fault == "cut":
            self.run(self.cut(sql, *arguments))
            self.compare()
        trial = copy.deepcopy(self.model)
        answer = self.run(self.ask(sql, *arguments))
        try:
            wanted = expected(trial)
        except Refused as refusal:
            wanted = str(refusal)
        if wanted is not None:
            assert answer == wanted, (sql, arguments)
        if isinstance(answer, str):
            assert answer == wanted, (sql, arguments)
            return answer
        self.model = trial
        self.calls.append((sql, arguments))
        if fault == "answer lost":
            assert self.run(self.ask(sql, *arguments)) == answer
        return answer

    # --- verbs ------------------------------------------------------------------------------------------------------

    @rule(amount=AMOUNTS, days=st.one_of(st.none(), st.integers(1, 50)), fault=FAULTS)
    def grant(self, amount: int, days: int | None, fault: str | None) -> None:
        key = self.key("grant")
        expires_h = None if days is None else (100 * days + self.number) * DAY_H
        lot = Lot(amount) if expires_h is None else Lot(amount, expires_h)
        arguments = (self.user_id, amount, "piano", key, self.start, expires_h, None, 0)
        self.move(fault, lambda model: model.bring("grant", lot), GRANT, *arguments)

    @rule(amount=AMOUNTS, bonus=st.integers(1, 9), cents=st.integers(100, 9000), fault=FAULTS)
    def buy(self, amount: int, bonus: int, cents: int, fault: str | None) -> None:
        order = self.key("order")
        self.ids[order] = uuid4()
        expires_h = (365 + self.number) * DAY_H
        for kind, lot in {
            "acquisto": Lot(amount, expires_h, cents, order),
            "bonus": Lot(bonus, expires_h, 0, order),
        }.items():
            arguments = (lot.left, kind, f"{kind}:{order}", self.start, expires_h, self.ids[order], lot.cents)
            self.move(fault, partial(Model.bring, kind="grant", lot=lot), GRANT, self.user_id, *arguments)

    @rule(amount=AMOUNTS, fault=FAULTS)
    def hold(self, amount: int, fault: str | None) -> None:
        key = self.key("hold")
        answer = self.move(fault, lambda model: model.hold(key, amount), HOLD, self.user_id, amount, key)
        if not isinstance(answer, str):
            self.ids[key] = answer[0]

    @precondition(lambda self: self.model.holds)
    @rule(data=st.data(), used=st.integers(0, 45), fault=FAULTS)
    def settle(self, data: st.DataObject, used: int, fault: str | None) -> None:
        key = data.draw(st.sampled_from(sorted(self.model.holds)))
        arguments = (self.ids[key], used, self.key("settle"))
        self.move(fault, lambda model: model.close(key, "settled", used), SETTLE, *arguments)

    @precondition(lambda self: self.model.holds)
    @rule(data=st.data(), fault=FAULTS)
    def release(self, data: st.DataObject, fault: str | None) -> None:
        key = data.draw(st.sampled_from(sorted(self.model.holds)))
        self.move(fault, lambda model: model.close(key, "released"), RELEASE, self.ids[key])

    @precondition(lambda self: any(lot.order for lot in self.model.lots))
    @rule(data=st.data(), cents=st.one_of(st.integers(1, 300), st.integers(1, 9999)), fault=FAULTS)
    def refund(self, data: st.DataObject, cents: int, fault: str | None) -> None:
        order = data.draw(st.sampled_from(sorted({lot.order for lot in self.model.lots if lot.order})))
        arguments = (self.ids[order], cents, self.key("refund"))
        # No row of credit_orders says that money was given back before, so it is all of it each time.
        answer = self.move(fault, lambda model: (model.refund(order, cents),), REFUND, *arguments)
        if answer == (0,):
            self.calls.pop()  # What moved nothing left no key.

    @rule(amount=st.integers(-30, 30).filter(bool), fault=FAULTS)
    def adjust(self, amount: int, fault: str | None) -> None:
        self.move(fault, lambda model: model.adjust(amount), ADJUST, self.user_id, amount, self.key("adjust"))

    # --- time and repetition ----------------------------------------------------------------------------------------

    @precondition(lambda self: any(hold.state == "open" for hold in self.model.holds.values()))
    @rule(data=st.data(), late=st.booleans())
    def sweep(self, data: st.DataObject, late: bool) -> None:
        """A hold's time is over; the work it was for may not know."""
        key = data.draw(st.sampled_from(sorted(key for key, hold in self.model.holds.items() if hold.state == "open")))
        self.run(ledger.overdue(self.connection, self.ids[key]))
        self.model.close(key, "swept")
        assert self.run(self.connection.fetchval("select private.sweep_holds()")) == 1
        if late:
            arguments = (self.ids[key], 1, self.key("settle"))
            self.move(None, lambda model: model.close(key, "settled", 1), SETTLE, *arguments)

    @precondition(lambda self: any(0 < lot.expires_h < 1e6 for lot in self.model.lots))
    @rule(data=st.data(), now=st.booleans())
    def lapse(self, data: st.DataObject, now: bool) -> None:
        """The end of a lot comes; the job runs now, or later, or a hold is first."""
        number = data.draw(st.sampled_from([n for n, lot in enumerate(self.model.lots) if 0 < lot.expires_h < 1e6]))
        self.number += 1
        lot = self.model.lots[number]
        lot.expires_h = (self.number - 10_000) / 1000
        self.run(
            self.connection.execute(
                """
                update public.credit_lots set expires_at = $2::timestamptz + $3 * interval '1 hour'
                where id = (
                  select lot_id from public.credit_ledger
                  where user_id = $1 and kind in ('grant', 'adjust') and amount > 0 order by id offset $4 limit 1
                )
                """,
                self.user_id,
                self.start,
                lot.expires_h,
                number,
            )
        )
        if now:
            self.expire()

    @rule()
    def expire(self) -> None:
        assert self.run(self.connection.fetchval("select private.expire_lots()")) == self.model.expire()

    @precondition(lambda self: self.calls)
    @rule(data=st.data())
    def replay(self, data: st.DataObject) -> None:
        """Somebody sends an old call again."""
        sql, arguments = data.draw(st.sampled_from(self.calls))
        assert not isinstance(self.run(self.ask(sql, *arguments)), str)

    # --- what must hold ---------------------------------------------------------------------------------------------

    @invariant()
    def compare(self) -> None:
        self.run(self.compared())

    async def compared(self) -> None:
        model, connection = self.model, self.connection
        held = sum(lot.held for lot in model.lots)
        assert await ledger.wallet(connection, self.user_id) == (model.balance, held)
        assert await ledger.lots(connection, self.user_id) == [(lot.left, lot.held) for lot in model.lots]
        found = await ledger.entries(connection, self.user_id)
        assert [entry[:2] for entry in found] == model.entries
        assert (found[-1][2] if found else 0) == model.balance + held
        holds = await connection.fetch(
            "select idempotency_key, state::text, captured from public.credit_holds where user_id = $1", self.user_id
        )
        assert {key: (state, captured) for key, state, captured in holds} == {
            key: _outcome(hold) for key, hold in model.holds.items()
        }


def _outcome(hold: Hold) -> tuple[str, int]:
    return hold.state, hold.captured
