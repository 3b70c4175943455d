"""Lots at the end of their life: expiry, extension, refunds, corrections by an admin."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest

from tests.db import ledger
from tests.db.accounts import Connection
from tests.db.ledger import refused

pytestmark = pytest.mark.anyio

ADMIN = uuid4()


@pytest.fixture(autouse=True)
async def every_invariant_holds_afterwards(connection: Connection) -> AsyncIterator[None]:
    yield
    assert await ledger.broken(connection) == {}


async def bought(
    connection: Connection, user_id: UUID, *, amount: int = 500, bonus: int = 50, cents: int = 3999
) -> UUID:
    """An order of a pack, granted as checkout does."""
    order_id = uuid4()
    await ledger.grant(
        connection,
        user_id,
        amount,
        f"pack:{order_id}",
        kind="acquisto",
        expires="1 year",
        order_id=order_id,
        paid_cents=cents,
    )
    await ledger.grant(connection, user_id, bonus, f"bonus:{order_id}", expires="1 year", order_id=order_id)
    return order_id


async def spend(connection: Connection, user_id: UUID, amount: int) -> None:
    """Work that used so many credits."""
    key = str(uuid4())
    held = await ledger.hold(connection, user_id, amount, key)
    await ledger.settle(connection, held["id"], amount, key)


async def refund(connection: Connection, order_id: UUID, cents: int, key: str = "refund") -> int:
    """Takes credits back; how many."""
    taken: int = await connection.fetchval("select private.refund_order($1, $2, $3)", order_id, cents, key)
    return taken


async def refundable(connection: Connection, order_id: UUID) -> int:
    """Cents of the unused credits."""
    cents: int = await connection.fetchval("select private.refundable($1)", order_id)
    return cents


async def adjust(
    connection: Connection, user_id: UUID, amount: int, reason: str = "Errore nostro", key: str = "fix"
) -> int:
    """Corrects a wallet; its balance afterwards."""
    call = "select balance from private.adjust_credits($1, $2, $3, $4, $5)"
    balance: int = await connection.fetchval(call, user_id, amount, reason, ADMIN, key)
    return balance


# --- expiry ---------------------------------------------------------------------------------------------------------


async def test_free_lot_expires_with_a_row_of_its_own_and_only_once(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 7, "forever")
    lot_id = await ledger.grant(connection, user_id, 5, "plan", kind="piano", expires="1 month")
    assert await connection.fetchval("select private.expire_lots()") == 0
    await ledger.lapse(connection, lot_id)
    assert await connection.fetchval("select private.expire_lots()") == 1
    assert await connection.fetchval("select private.expire_lots()") == 0
    assert await ledger.entries(connection, user_id) == [("grant", 7, 7), ("grant", 5, 12), ("expire", -5, 7)]
    assert await ledger.wallet(connection, user_id) == (7, 0)


async def test_what_was_bought_expires_when_its_account_is_gone_even_after_a_dispute_gave_it_back(
    connection: Connection,
) -> None:
    user_id = await ledger.empty(connection)
    order_id = await bought(connection, user_id, cents=2000)
    await connection.execute("delete from auth.users where id = $1", user_id)
    assert await refund(connection, order_id, 1000) == 275
    for _ in range(2):
        await connection.execute(
            "update public.credit_lots set expires_at = now() - interval '1 second' where order_id = $1", order_id
        )
        assert await connection.fetchval("select private.expire_lots()") == 2
        assert await connection.fetchval("select private.expire_lots()") == 0
        assert await ledger.wallet(connection, user_id) == (0, 0)
        # As a dispute that is won does.
        await connection.execute("select private.reclaim($1, 0, false, gen_random_uuid()::text)", order_id)
    assert "extend" not in {kind for kind, _, _ in await ledger.entries(connection, user_id)}


@pytest.mark.parametrize(
    ("late_by", "until"), [("1 second", "1 year"), ("13 months", "2 years"), ("4 years", "5 years")]
)
async def test_what_was_bought_is_extended_with_its_bonus_and_never_burnt(
    late_by: str, until: str, connection: Connection
) -> None:
    user_id = await ledger.empty(connection)
    order_id = await bought(connection, user_id)
    await connection.execute(
        "update public.credit_lots set expires_at = now() - $2::text::interval where order_id = $1", order_id, late_by
    )
    assert await connection.fetchval("select private.expire_lots()") == 2
    assert await connection.fetchval("select private.expire_lots()") == 0
    assert (await ledger.entries(connection, user_id))[2:] == [("extend", 0, 550), ("extend", 0, 550)]
    assert await ledger.wallet(connection, user_id) == (550, 0)
    assert await connection.fetchval(
        """
        select bool_and(expires_at > now() and expires_at between
          now() - $2::text::interval + $3::text::interval - interval '2 days'
          and now() - $2::text::interval + $3::text::interval + interval '2 days')
        from public.credit_lots where order_id = $1
        """,
        order_id,
        late_by,
        until,
    )


async def test_extension_keeps_the_hour_in_italy_across_daylight_saving_and_leap_years(connection: Connection) -> None:
    """Prove FAULT-13, whatever zone the session is in."""
    user_id = await ledger.empty(connection)
    order_id = await bought(connection, user_id)
    for zone, before, after in [
        ("America/New_York", "2025-03-29T23:59:59+01:00", "2027-03-29T23:59:59+02:00"),
        ("UTC", "2024-02-29T12:00:00+01:00", "2027-02-28T12:00:00+01:00"),
        ("Asia/Tokyo", "2025-12-31T23:59:59+01:00", "2026-12-31T23:59:59+01:00"),
    ]:
        await connection.execute(f"set local timezone = '{zone}'")
        await connection.execute(
            "update public.credit_lots set expires_at = $2::text::timestamptz where order_id = $1", order_id, before
        )
        await connection.fetchval("select private.expire_lots()")
        found = await connection.fetchval(
            "select bool_and(expires_at = $2::text::timestamptz) from public.credit_lots where order_id = $1",
            order_id,
            after,
        )
        assert found, await connection.fetch("select expires_at from public.credit_lots where order_id = $1", order_id)


async def test_expired_credits_cannot_be_spent_before_the_job_has_run(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    lot_id = await ledger.grant(connection, user_id, 5, "plan", kind="piano", expires="1 month")
    await ledger.grant(connection, user_id, 2, "gift")
    await ledger.lapse(connection, lot_id)
    await refused("SC003", ledger.hold, connection, user_id, 3)
    await ledger.hold(connection, user_id, 2)
    assert await ledger.wallet(connection, user_id) == (0, 2)


async def test_held_credits_outlive_their_lot_and_expire_when_they_come_back(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    lot_id = await ledger.grant(connection, user_id, 9, "plan", kind="piano", expires="1 month")
    used = await ledger.hold(connection, user_id, 3, "used")
    unused = await ledger.hold(connection, user_id, 2, "unused")
    await ledger.lapse(connection, lot_id)
    await connection.fetchval("select private.expire_lots()")
    assert await ledger.wallet(connection, user_id) == (0, 5)
    await ledger.settle(connection, used["id"], 2)
    await ledger.release(connection, unused["id"])
    assert await ledger.wallet(connection, user_id) == (0, 0)
    assert (await ledger.entries(connection, user_id))[1:] == [
        ("expire", -4, 5),
        ("settle", -2, 3),
        ("expire", -1, 2),
        ("expire", -2, 0),
    ]


# --- refunds --------------------------------------------------------------------------------------------------------


async def test_unused_order_is_refunded_whole(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    order_id = await bought(connection, user_id)
    assert await refundable(connection, order_id) == 3999
    assert await refund(connection, order_id, 3999) == 550
    assert await ledger.wallet(connection, user_id) == (0, 0)
    assert await refundable(connection, order_id) == 0


async def test_refund_is_price_times_unused_by_bought(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    order_id = await bought(connection, user_id)
    await spend(connection, user_id, 50)  # the bonus goes first
    assert await refundable(connection, order_id) == 3999
    await spend(connection, user_id, 123)
    assert await refundable(connection, order_id) == 3999 * 377 // 500
    assert await refund(connection, order_id, 3999 * 377 // 500) == 377
    assert await ledger.wallet(connection, user_id) == (0, 0)


async def test_part_of_the_money_takes_its_share_of_each_lot(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    order_id = await bought(connection, user_id, amount=100, bonus=10, cents=1000)
    assert await refund(connection, order_id, 300) == 33
    assert await ledger.lots(connection, user_id) == [(70, 0), (7, 0)]
    assert await refundable(connection, order_id) == 700
    assert await refund(connection, order_id, 700, "rest") == 77


async def test_refund_leaves_other_lots_alone_and_the_wallet_above_nothing(connection: Connection) -> None:
    """Prove FAULT-12: what was spent stays spent, however much money went back."""
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 40, "gift")
    order_id = await bought(connection, user_id)
    other_id = await bought(connection, user_id)
    await connection.execute(
        "update public.credit_lots set expires_at = expires_at - interval '1 day' where order_id = $1", order_id
    )
    await spend(connection, user_id, 540)
    assert await refund(connection, order_id, 3999) == 10
    assert await ledger.wallet(connection, user_id) == (590, 0)
    assert await refundable(connection, order_id) == 0
    assert await refundable(connection, other_id) == 3999
    assert await refund(connection, order_id, 3999, "again") == 0


async def test_same_refund_happens_once(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    order_id = await bought(connection, user_id, amount=100, bonus=10, cents=1000)
    assert await refund(connection, order_id, 300) == 33
    assert await refund(connection, order_id, 300) == 33
    assert await ledger.wallet(connection, user_id) == (77, 0)


async def test_key_of_another_movement_refunds_nothing(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    order_id, other_id = await bought(connection, user_id), await bought(connection, user_id)
    await refund(connection, order_id, 300)
    await refused("SC001", refund, connection, other_id, 300)
    await refused("SC001", refund, connection, order_id, 300, f"pack:{order_id}")


async def test_refund_waits_while_credits_of_the_order_are_held(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    order_id = await bought(connection, user_id)
    held = await ledger.hold(connection, user_id, 60)
    await refused("SC006", refund, connection, order_id, 3999)
    await ledger.settle(connection, held["id"], 20)
    assert await refund(connection, order_id, 3999) == 530


async def test_order_that_brought_no_credits_has_none_to_give_back(connection: Connection) -> None:
    assert await refundable(connection, uuid4()) == 0
    assert await refund(connection, uuid4(), 999) == 0


@pytest.mark.parametrize("cents", [0, -1, None])
async def test_refund_of_no_money_is_refused(cents: int, connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    order_id = await bought(connection, user_id)
    await refused("22023", refund, connection, order_id, cents)


async def test_order_gives_its_credits_once_under_whatever_key(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    order_id = await bought(connection, user_id)

    async def again(connection: Connection) -> None:
        await ledger.grant(connection, user_id, 500, "other", kind="acquisto", order_id=order_id, paid_cents=3999)

    await refused("23505", again, connection)


async def test_key_of_a_grant_for_another_order_is_refused(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    order_id = await bought(connection, user_id)

    async def again(connection: Connection) -> None:
        key = f"pack:{order_id}"
        await ledger.grant(connection, user_id, 500, key, kind="acquisto", order_id=uuid4(), paid_cents=3999)

    await refused("SC001", again, connection)


@pytest.mark.parametrize(
    ("kind", "of_an_order", "cents"), [("bonus", True, 1), ("acquisto", False, 1), ("acquisto", True, -1)]
)
async def test_free_credits_cost_nothing_and_paid_ones_have_an_order(
    kind: str, of_an_order: bool, cents: int, connection: Connection
) -> None:
    user_id = await ledger.empty(connection)

    async def wrong(connection: Connection) -> None:
        order_id = uuid4() if of_an_order else None
        await ledger.grant(connection, user_id, 5, kind=kind, order_id=order_id, paid_cents=cents)

    await refused("23514", wrong, connection)


# --- corrections ----------------------------------------------------------------------------------------------------


async def test_admin_adds_credits_with_a_reason(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    assert await adjust(connection, user_id, 5) == 5
    assert await adjust(connection, user_id, 5) == 5
    row = await connection.fetchrow("select * from public.credit_ledger where user_id = $1", user_id)
    assert row is not None
    assert (row["kind"], row["account"], row["reason"]) == ("adjust", "adjustment", "Errore nostro")
    assert (row["ref_type"], row["ref_id"]) == ("admin", str(ADMIN))
    assert await connection.fetchval("select kind from public.credit_lots where id = $1", row["lot_id"]) == "rettifica"


async def test_admin_takes_credits_in_the_draw_order_but_never_more_than_there_are(connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await ledger.grant(connection, user_id, 3, "a")
    await ledger.grant(connection, user_id, 3, "b", expires="1 day")
    await ledger.hold(connection, user_id, 1)
    await refused("SC003", adjust, connection, user_id, -6)
    assert await adjust(connection, user_id, -4) == 1
    assert await adjust(connection, user_id, -4) == 1
    assert await ledger.lots(connection, user_id) == [(1, 0), (0, 1)]


@pytest.mark.parametrize(("amount", "reason"), [(6, "Errore nostro"), (5, "Altro"), (-5, "Errore nostro")])
async def test_key_of_another_correction_is_refused(amount: int, reason: str, connection: Connection) -> None:
    user_id = await ledger.empty(connection)
    await adjust(connection, user_id, 5)
    await refused("SC001", adjust, connection, user_id, amount, reason)


@pytest.mark.parametrize(("amount", "reason"), [(0, "Niente"), (5, ""), (5, None), (None, "Niente"), (5, "a\nb")])
async def test_correction_without_an_amount_or_a_reason_is_refused(
    amount: int, reason: str, connection: Connection
) -> None:
    user_id = await ledger.empty(connection)
    await refused(("23514", "23502"), adjust, connection, user_id, amount, reason)
