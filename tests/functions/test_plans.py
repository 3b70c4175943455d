"""The plan of a goal: what it says of each step is what the agent then does, and what is left out is not done."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import asyncpg
import httpx
import pytest

from backend.core import db
from functions._shared.goals import agents, chores, dry_run, plans, proposals, quotes, recovery
from tests.db import goals
from tests.functions import signed_in
from tests.functions.test_goals import Business
from tests.functions.test_goals import business as business
from tests.functions.test_goals import databases as databases

pytestmark = pytest.mark.anyio
FULL = plans.Terms("supervisionata", 3)


async def plan_of(business: Business, agent: proposals.Agent, terms: plans.Terms) -> dict[str, Any]:
    return await plans.make(business.context, agent, terms)


def wanted(plan: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {step["key"]: step for step in plan["steps"] if not step["is_left_out"]}


async def agree(business: Business, agent: proposals.Agent, terms: plans.Terms) -> dict[str, dict[str, Any]]:
    """Give the mandate that the plan is about; answers the steps of the plan."""
    await business.start(
        terms.autonomy, agent=agent.name, last_tone=terms.last_tone, skipped_steps=list(terms.skipped_steps)
    )
    return wanted(await plan_of(business, agent, terms))


async def approved(business: Business, step: dict[str, Any]) -> None:
    await business.call("decide_goal_steps", [step["id"]], [step["hash"]], True)
    await business.run()


def compare(step: dict[str, Any], planned: dict[str, dict[str, Any]]) -> None:
    """Fail unless a step that was proposed is as the plan said."""
    own = planned[proposals.key_of(step["tool"], step["args"])]
    assert own["tool"] == step["tool"]
    assert own["tone"] == step["preview"]["tone"]
    assert own["channel"] == step["preview"].get("channel", "email" if step["tool"] == "mail" else None)
    assert own["asks"] == (step["state"] == "in_approvazione")
    assert own["max_credits"] == step["max_credits"]


@pytest.mark.parametrize(
    "terms",
    [
        FULL,
        plans.Terms("supervisionata", 2),
        plans.Terms("assistita", 3),
        plans.Terms("proponi", 3),
        plans.Terms("supervisionata", 3, skipped_steps=("1",)),
        plans.Terms("supervisionata", 3, skipped_steps=("1", "4")),
        # Those in between cannot be left out.
        plans.Terms("supervisionata", 3, skipped_steps=("2", "3", "4")),
    ],
)
async def test_reminders_are_those_of_the_plan_on_its_days(business: Business, terms: plans.Terms) -> None:
    planned = await agree(business, recovery.CHASE, terms)
    await business.invoice("7", -4)
    seen: dict[str, int] = {}
    late = -4
    for days in (0, 1, 4, 7, 12, 30):
        steps = await (business.later(days) if days else business.run())
        late += days
        for step in steps[len(seen) :]:
            compare(step, planned)
            seen[proposals.key_of(step["tool"], step["args"])] = late
            if step["state"] == "in_approvazione":
                await approved(business, step)
    assert seen == {key: step["days"] for key, step in planned.items()}


@pytest.mark.parametrize(
    "terms", [FULL, plans.Terms("assistita", 1), plans.Terms("supervisionata", 3, skipped_steps=("1", "2"))]
)
async def test_quotes_are_followed_up_as_planned(business: Business, terms: plans.Terms) -> None:
    planned = await agree(business, quotes.CHASE, terms)
    await business.quote("Sito web", 6)
    seen: list[str] = []
    silent = 6
    for days in (0, 1, 13, 1, 40):
        steps = await (business.later(days) if days else business.run())
        silent += days
        for step in steps[len(seen) :]:
            compare(step, planned)
            seen.append(proposals.key_of(step["tool"], step["args"]))
            assert silent == planned[seen[-1]]["days"]
            # It begins again with each letter.
            silent = 0
            if step["state"] == "in_approvazione":
                await approved(business, step)
    assert seen == list(planned)


@pytest.mark.parametrize("skipped", [(), ("merge",), ("task",)])
@pytest.mark.parametrize("autonomy", ["proponi", "assistita"])
async def test_chores_are_those_of_the_plan(business: Business, autonomy: str, skipped: tuple[str, ...]) -> None:
    async with db.connection(business.resources.pool) as connection:
        for name in ("Bianchi srl", "Bianchi s.r.l."):
            await goals.client(connection, business.user_id, name, None)
    await business.do("update public.contacts set vat_number = '12345678903' where name like 'Bianchi%'")
    await business.quote("Sito web", 1)
    await business.do("delete from public.contact_emails where contact_id = $1", business.client)
    planned = await agree(business, chores.CONTACTS, plans.Terms(autonomy, 1, skipped_steps=skipped))
    steps = await business.run()
    for step in steps:
        compare(step, planned)
    assert {step["tool"] for step in steps} == set(planned) == {"merge", "task"} - set(skipped)


async def test_each_step_of_an_agent_has_a_plan(business: Business) -> None:
    for agent in agents.ALL:
        plan = await plan_of(business, agent, replace(FULL, skipped_steps=("1", "merge", "nessuno")))
        assert len({step["key"] for step in plan["steps"]}) == len(plan["steps"]) >= 1
        assert plan["max_credits"] == 0
    # Its one step cannot be left out.
    assert [step["is_left_out"] for step in (await plan_of(business, chores.MONTH, FULL))["steps"]] == [False]


async def test_a_rehearsal_counts_by_step_and_leaves_out_what_the_mandate_does(business: Business) -> None:
    await business.invoice("7", 60)
    report = await dry_run.report(business.context, business.user_id, recovery.CHASE)
    assert report["steps"] == {"1": 1, "2": 1, "3": 1, "4": 1}
    await business.start(skipped_steps=["1", "4"])
    report = await dry_run.report(business.context, business.user_id, recovery.CHASE)
    assert report["steps"] == {"2": 1, "3": 1}


async def test_a_step_that_the_new_mandate_leaves_out_is_not_carried_out(business: Business) -> None:
    await business.invoice("7", -2)
    await business.start("proponi")
    [step] = await business.run()
    await business.start("proponi", skipped_steps=["1"])
    await approved(business, step)
    [left] = await business.steps()
    assert (left["state"], left["error"]) == ("saltato", "left_out")
    assert await business.outbox() == []


async def test_what_the_plan_says_of_undoing_is_true(business: Business) -> None:
    steps = wanted(await plan_of(business, recovery.CHASE, replace(FULL, uses_whatsapp=True, uses_pec=True)))
    assert [step["undo"] for step in steps.values()] == [{"s": 10}, {"s": 10}, None, {"s": 10}]
    await business.invoice("7", 2)
    await business.start()
    await business.run()
    [mail] = await business.outbox()
    assert mail["not_before"] - mail["created_at"] == timedelta(seconds=10)
    chore = wanted(await plan_of(business, chores.CONTACTS, FULL))
    assert (chore["merge"]["undo"], chore["task"]["undo"]) == ({"days": 30}, {})
    async with db.connection(business.resources.pool) as connection:
        twins = [await goals.client(connection, business.user_id, "Bianchi srl", None) for _ in range(2)]
    merge = (await business.call("merge_contacts", *twins))[0]
    await business.do("update public.merge_log set created_at = now() - interval '30 days' - interval '1 minute'")
    with pytest.raises(asyncpg.PostgresError) as refused:
        await business.call("undo_merge", merge)
    assert refused.value.sqlstate == "SC023"
    await business.do("update public.merge_log set created_at = now() - interval '30 days' + interval '1 minute'")
    await business.call("undo_merge", merge)


async def test_hours_of_the_plan_are_those_of_letters(business: Business) -> None:
    plan = await plan_of(business, recovery.CHASE, FULL)
    assert (plan["plans_at"], plan["mail_hours"]) == ("7:00", ["8:00", "21:00"])
    await business.start()
    await business.run()
    [row] = await business.do("select (next_run_at at time zone 'Europe/Rome')::time::text as at from public.goals")
    assert row["at"] == f"0{plan['plans_at']}:00"


async def test_letters_of_the_assistant_have_their_price_and_total(business: Business) -> None:
    terms = plans.Terms("supervisionata", 3, uses_whatsapp=True, letter_credits=1, letter_budget=50)
    plan = await plan_of(business, recovery.CHASE, terms)
    assert [step["max_credits"] for step in plan["steps"]] == [1, 1, 0, 1]
    # The words of a model always ask; the template by WhatsApp leaves as the mandate says.
    assert [step["asks"] for step in plan["steps"]] == [True, True, False, True]
    assert plan["max_credits"] == 50
    # A price that the mandate does not cover is not paid.
    plan = await plan_of(business, recovery.CHASE, replace(terms, letter_credits=0))
    assert ([step["max_credits"] for step in plan["steps"]], plan["max_credits"]) == ([0] * 4, 0)


async def test_a_planned_goal_waits_for_its_mandate(business: Business) -> None:
    await business.invoice("7", 2)
    goal = await business.call("plan_goal", recovery.CHASE.name, "Recupero crediti")
    assert goal["state"] == "pianificato"
    # A second tap.
    assert (await business.call("plan_goal", recovery.CHASE.name, "Altro"))["id"] == goal["id"]
    assert await business.run() == []
    with pytest.raises(asyncpg.PostgresError) as refused:
        await business.call("start_goal", recovery.CHASE.name, "Recupero crediti")
    assert refused.value.sqlstate == "SG004"
    assert await business.start() == goal["id"]
    assert [step["state"] for step in await business.run()] == ["fatto"]
    assert (await business.call("plan_goal", recovery.CHASE.name, "Altro"))["state"] in ("attivo", "in_attesa")


async def test_a_planned_goal_is_dropped(business: Business) -> None:
    goal = await business.call("plan_goal", recovery.CHASE.name, "Recupero crediti")
    assert (await business.call("move_goal", goal["id"], "annullato"))["state"] == "annullato"
    assert (await business.call("plan_goal", recovery.CHASE.name, "Recupero crediti"))["id"] != goal["id"]


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, 200),
        ({"agent": "altro"}, 400),
        ({"autonomy": "tutto"}, 400),
        ({"last_tone": 4}, 400),
        ({"skipped_steps": "1"}, 400),
        ({"skipped_steps": [1]}, 400),
        ({"letter_credits": -1}, 400),
        ({"letter_budget": True}, 400),
    ],
)
async def test_the_plan_answers_for_a_mandate_that_can_be_given(
    business: Business, client: httpx.AsyncClient, changes: dict[str, Any], status: int
) -> None:
    body = {"agent": "recupero_crediti", "autonomy": "assistita", "last_tone": 2, "skipped_steps": ["4"]} | changes
    headers = signed_in.headers(business.resources, business.user_id)
    answer = await client.post("/functions/v1/goal_plan", json=body, headers=headers)
    assert answer.status_code == status
    if status == 200:
        assert [step["is_left_out"] for step in answer.json()["steps"]] == [False, False, False, True]
    assert (await client.post("/functions/v1/goal_plan", json=body)).status_code == 401
