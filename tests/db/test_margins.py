"""The margin of each action: what was paid for the credits it used, against what the provider charges."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from tests.db import access, ledger, talks
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

HOST, MODEL = "api.example", "model-1"


async def _rate(
    connection: Connection,
    valid_from: str,
    euros_in: str | None = None,
    euros_out: str | None = None,
    model: str = MODEL,
    *,
    minute: str | None = None,
) -> None:
    async with access.acting(connection, "admin"):
        await connection.execute(
            "select public.admin_set_ai_rate($1, $2, $3::text::date, 'Price list of the provider', $4, $5, $6)",
            HOST,
            model,
            valid_from,
            *(None if euros is None else Decimal(euros) for euros in (euros_in, euros_out, minute)),
        )


async def _answers(connection: Connection, people: int = 5, paid_cents: int = 100, **outcome: Any) -> None:
    """People of whom each bought a hundred credits and asked once."""
    for _ in range(people):
        user_id = await ledger.empty(connection)
        lot: dict[str, Any] = {"kind": "acquisto", "order_id": uuid4(), "paid_cents": paid_cents} if paid_cents else {}
        await ledger.grant(connection, user_id, 100, **lot)
        await connection.execute(
            "insert into private.ai_consents (user_id, host, provider) values ($1, $2, 'Example')", user_id, HOST
        )
        turn = await talks.begin(connection, user_id, mode="ia", host=HOST, model=MODEL)
        ended = {"mode": "ia", "cost": 1, "tokens_in": 1000, "tokens_out": 500, **outcome}
        await talks.finish(connection, turn["run_id"], **ended)


async def _transcripts(connection: Connection, people: int = 5, seconds: int | None = 90) -> None:
    """People of whom each bought a hundred credits and had a voice note written down, at the second attempt."""
    for _ in range(people):
        user_id, message_id = await ledger.empty(connection), uuid4()
        await ledger.grant(connection, user_id, 100, kind="acquisto", order_id=uuid4(), paid_cents=100)
        for attempt, used in ((1, 0), (2, 2)):
            hold_id = await connection.fetchval(
                "select id from private.hold_credits($1, 2, private.transcript_key($2, $3), 'voice_minute', $4)",
                user_id,
                message_id,
                attempt,
                str(message_id),
            )
            if used:
                await ledger.settle(connection, hold_id, used)
            else:
                await ledger.release(connection, hold_id)
        await connection.execute(
            "insert into public.ai_usage (user_id, message_id, work, mode, host, provider, model, seconds)"
            " values ($1, $2, 'transcript', 'ia', $3, 'Example', $4, $5)",
            user_id,
            message_id,
            HOST,
            MODEL,
            seconds,
        )


async def _credits(connection: Connection) -> Any:
    return json.loads(await connection.fetchval("select private.measure_credits()::text"))


async def _margin(connection: Connection, name: str = "chat") -> Any:
    return next((row for row in (await _credits(connection))["tables"]["margins"] if row["name"] == name), None)


@pytest.fixture(autouse=True)
async def _no_other_answers(connection: Connection) -> None:
    await connection.execute("delete from public.ai_usage")


async def test_margin_is_what_was_paid_less_what_the_provider_charges(connection: Connection) -> None:
    await _rate(connection, "2020-01-01", "2", "6")
    await _answers(connection)
    row = await _margin(connection)
    # A credit was bought for one cent; an answer costs 0.2 + 0.3 cents.
    assert (row["answers"], row["credits"], row["paid_credits"], row["uncounted"]) == (5, 5, 5, 0)
    assert (row["charged_cents"], row["cost_cents"], row["margin_cents"]) == (5, 2.5, 2.5)
    assert (await _credits(connection))["figures"]["negative_margins"] == 0


async def test_free_credits_bring_nothing_and_failed_answers_cost_too(connection: Connection) -> None:
    await _rate(connection, "2020-01-01", "2", "6")
    await _answers(connection, paid_cents=0)
    await _answers(connection, state="error", error_code="ai_cut")
    row = await _margin(connection)
    assert (row["answers"], row["credits"], row["paid_credits"]) == (10, 5, 0)
    assert (row["charged_cents"], row["cost_cents"], row["margin_cents"]) == (0, 5, -5)


async def test_a_cost_without_a_rate_is_not_known_and_never_zero(connection: Connection) -> None:
    await _rate(connection, "2020-01-01", "2", "6", model="another")
    # A rate that begins tomorrow is none yet.
    await _rate(connection, "2099-01-01", "2", "6")
    await _answers(connection)
    row = await _margin(connection)
    assert (row["charged_cents"], row["cost_cents"], row["margin_cents"]) == (5, None, None)
    report = await _credits(connection)
    assert (report["figures"]["unknown_costs"], report["figures"]["negative_margins"]) == (1, 0)
    assert report["tables"]["unpriced"] == [{"host": HOST, "model": MODEL}]


async def test_answers_without_tokens_are_counted_apart(connection: Connection) -> None:
    await _rate(connection, "2020-01-01", "2", "6")
    await _answers(connection)
    await _answers(connection, people=1, tokens_in=0, tokens_out=0)
    row = await _margin(connection)
    assert (row["answers"], row["uncounted"], row["cost_cents"]) == (6, 1, 2.5)
    await connection.execute("update public.ai_usage set tokens_in = null, tokens_out = null")
    assert (await _margin(connection))["cost_cents"] is None


async def test_a_transcript_costs_its_minutes(connection: Connection) -> None:
    await _rate(connection, "2020-01-01", minute="0.006")
    await _transcripts(connection)
    row = await _margin(connection, "voice_minute")
    assert (row["answers"], row["credits"], row["paid_credits"], row["uncounted"]) == (5, 10, 10, 0)
    # A minute and a half costs 0.9 cents.
    assert (row["charged_cents"], row["cost_cents"], row["margin_cents"]) == (10, 4.5, 5.5)
    await _transcripts(connection, people=1, seconds=None)
    row = await _margin(connection, "voice_minute")
    assert (row["answers"], row["uncounted"], row["cost_cents"]) == (6, 1, 4.5)
    assert await _margin(connection) is None


async def test_a_transcript_without_a_rate_of_minutes_has_no_known_cost(connection: Connection) -> None:
    await _rate(connection, "2020-01-01", "2", "6")
    await _transcripts(connection)
    row = await _margin(connection, "voice_minute")
    assert (row["charged_cents"], row["cost_cents"], row["margin_cents"]) == (10, None, None)
    report = await _credits(connection)
    assert report["figures"]["unknown_costs"] == 1
    assert report["tables"]["unpriced"] == [{"host": HOST, "model": MODEL}]


async def test_each_day_has_its_rate(connection: Connection) -> None:
    await _rate(connection, "2020-01-01", "2", "6")
    await _rate(connection, "2021-01-01", "20", "60")
    cost = "select private.ai_cost_cents($1, $2, 1000, 500, null, $3::text::date)"
    days = ("2019-12-31", "2020-12-31", "2021-01-01")
    assert [await connection.fetchval(cost, HOST, MODEL, day) for day in days] == [None, Decimal("0.5"), Decimal(5)]


async def test_fewer_than_five_people_have_no_margin(connection: Connection) -> None:
    await _rate(connection, "2020-01-01", "2", "6")
    await _answers(connection, people=4)
    assert await _margin(connection) is None


async def test_a_negative_margin_turns_the_light_yellow(connection: Connection) -> None:
    await _rate(connection, "2020-01-01", "2000", "6000")
    await _answers(connection)
    await connection.execute("delete from private.admin_snapshots")
    await connection.execute("select private.take_snapshot('credits', interval '1 hour')")
    async with access.acting(connection, "admin"):
        report = json.loads(await connection.fetchval("select public.admin_report('credits', 24)::text"))
    assert (report["light"], report["figures"]["negative_margins"]) == ("warning", 1)


async def test_a_rate_is_logged_with_the_one_before(connection: Connection) -> None:
    await _rate(connection, "2020-01-01", "2", "6")
    await _rate(connection, "2020-01-01", "3", "9")
    rows = await connection.fetch(
        "select before ->> 'input_euros' as before, after ->> 'input_euros' as after, target, reason"
        " from public.admin_actions where action = 'ai_rate' order by id"
    )
    target = f"{HOST} {MODEL} 2020-01-01"
    assert [tuple(row) for row in rows] == [
        (None, "2", target, "Price list of the provider"), ("2.0000", "3", target, "Price list of the provider"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("euros_in", "euros_out", "minute", "model"),
    [
        ("-1", "1", None, MODEL),
        ("1", "1", None, " "),
        ("1", None, "1", MODEL),
        (None, "1", "1", MODEL),
        (None, None, "-1", MODEL),
        (None, None, None, MODEL),
    ],
)
async def test_what_is_no_rate_is_refused(
    euros_in: str | None, euros_out: str | None, minute: str | None, model: str, connection: Connection
) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await _rate(connection, "2020-01-01", euros_in, euros_out, model, minute=minute)
