"""The retention register: every rule is run and recorded, a second run erases nothing, and no table is forgotten."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge.api import Context
from functions._shared import retention as rules
from functions.jobs import retention
from tests.conftest import Clock
from tests.db import accounts

pytestmark = pytest.mark.anyio

# Tables with a person's rows that no rule names: kept while the account lives, and why.
KEPT_WITH_ACCOUNT = {
    "the account itself and its choices": """
        public.profiles public.user_roles public.flat_rate_choices public.notification_prefs public.insight_prefs
        public.notification_settings public.push_subscriptions private.ai_consents private.calendar_feeds
        public.whatsapp_accounts public.whatsapp_settings public.mail_accounts public.mail_inboxes
        public.credit_settings private.mail_places public.mail_addresses private.mail_address_tokens
        public.mail_templates public.agent_mandates private.autonomy_stops private.ethical_chains
        private.known_devices public.privacy_choices public.admin_views""",
    "part of a contact, and erased with it": """
        public.contact_emails public.contact_phones public.contact_channels public.contact_tags public.tags
        public.segments public.interactions public.contact_distinct public.dismissed_parties public.import_batches
        private.import_changes public.stages public.deal_stage_log public.task_events""",
    "written correspondence of a business": """
        public.mail_threads public.mail_thread_letters public.outgoing_mails public.mail_reports public.mail_batches
        public.whatsapp_messages public.whatsapp_templates public.sdi_notices""",
    "proof of consent and of refusal": "public.consents public.consent_events public.mail_suppressions",
    "part of a document, and erased with it": """
        public.document_pages public.document_fields public.document_links public.document_tags
        public.document_aliases public.document_corrections public.invoices public.invoice_schedules""",
    "computed from other rows, and erased with them": """
        private.contact_search private.document_search private.document_words private.message_search
        private.mail_search private.whatsapp_search
        private.home_pages private.insight_marks private.leases private.assistant_use private.demo_rows""",
    "gone in minutes, in days at most": """
        private.mail_logins private.mail_revocations private.whatsapp_signups private.whatsapp_releases""",
    "what the person wrote to us, and takes back": "private.ideas private.roadmap_votes",
    "proof of where AI worked, in counts": "public.ai_usage",
    "proof that a request was answered": "public.data_exports public.data_imports private.memory_tombstones",
}


def _context(resources: Resources) -> Context:
    return Context("test", {"role": "service_role"}, "", resources)


async def _runs(resources: Resources) -> list[tuple[str, int, bool]]:
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select rule, erased, is_ok from private.retention_runs order by id")
    return [(row["rule"], row["erased"], row["is_ok"]) for row in rows]


async def _register(resources: Resources, user_id: UUID, aal: str = "aal1") -> dict[str, dict[str, Any]]:
    async with db.connection(resources.pool) as connection, connection.transaction():
        claims = {"sub": str(user_id), "role": "authenticated", "aal": aal}
        await connection.execute("select set_config('request.jwt.claims', $1, true)", json.dumps(claims))
        await connection.execute("set local role authenticated")
        rows = await connection.fetch("select * from public.retention_register()")
    return {row["rule"]: dict(row) for row in rows}


async def _delete_contacts(resources: Resources, user_id: UUID, *ages: int) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.executemany(
            "insert into public.contacts (user_id, first_name, deleted_at)"
            " values ($1, 'Anna', now() - make_interval(days => $2))",
            [(user_id, age) for age in ages],
        )


async def test_every_rule_with_an_interval_has_sweeps(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select rule from public.retention_rules where every is not null")
    assert {row["rule"] for row in rows} == set(rules.SWEEPS)


async def without_rule(resources: Resources) -> set[str]:
    """Return the tables of a person that no rule names and no list here gives a reason for."""
    async with db.connection(resources.pool) as connection:
        personal = {row[0] for row in await connection.fetch("select private.personal_tables()")}
        ruled = {row[0] for row in await connection.fetch("select unnest(tables) from public.retention_rules")}
    listed = [table for tables in KEPT_WITH_ACCOUNT.values() for table in tables.split()]
    assert sorted(listed) == sorted(set(listed) - ruled)
    return personal - ruled - set(listed)


async def test_a_table_of_a_person_has_a_rule_or_a_reason(resources: Resources) -> None:
    assert await without_rule(resources) == set()


async def test_every_rule_runs_and_a_second_run_erases_nothing(resources: Resources, now: Clock) -> None:
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
    await _delete_contacts(resources, anna, 29, 31, 32)
    await retention.handler({}, _context(resources))
    first = await _runs(resources)
    assert {rule for rule, _, _ in first} == set(rules.SWEEPS)
    assert [run for run in first if run[1]] == [("trash", 2, True)]
    # Not due yet.
    await retention.handler({}, _context(resources))
    assert await _runs(resources) == first
    now.advance(days=1)
    await retention.handler({}, _context(resources))
    second = (await _runs(resources))[len(first) :]
    assert {rule for rule, _, _ in second} == set(rules.SWEEPS)
    assert not any(erased for _, erased, _ in second)


async def test_a_rule_is_due_again_after_its_interval(resources: Resources, now: Clock) -> None:
    await retention.handler({}, _context(resources))
    for passed, due in ((timedelta(minutes=10), 1), (timedelta(minutes=50), 5)):
        before = len(await _runs(resources))
        now.advance(seconds=passed.total_seconds())
        await retention.handler({}, _context(resources))
        assert len(await _runs(resources)) - before == due


async def test_a_rule_that_failed_is_recorded_and_due_at_once(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        anna = await accounts.create(connection)
        await connection.execute(
            """
            create function public.keep() returns trigger language plpgsql as
              $$ begin raise exception 'kept on purpose'; end $$;
            create trigger keep before delete on public.contacts for each row execute function public.keep();
            """
        )
    await _delete_contacts(resources, anna, 31)
    with pytest.raises(ExceptionGroup, match="not every retention rule"):
        await retention.handler({}, _context(resources))
    assert [run for run in await _runs(resources) if not run[2]] == [("trash", 0, False)]
    assert not (await _register(resources, anna))["trash"]["last_is_ok"]
    async with db.connection(resources.pool) as connection:
        await connection.execute("drop trigger keep on public.contacts")
    await retention.handler({}, _context(resources))
    assert (await _runs(resources))[-1] == ("trash", 1, True)


async def test_a_person_sees_the_rules_of_their_data_and_an_admin_all(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        anna, bruno = [await accounts.create(connection) for _ in range(2)]
        await connection.execute("insert into public.user_roles (user_id, role) values ($1, 'admin')", bruno)
    await _delete_contacts(resources, anna, 3, 31)
    await _delete_contacts(resources, bruno, 3)
    await retention.handler({}, _context(resources))
    hers = await _register(resources, anna)
    assert "waiting_list" not in hers
    trash = hers["trash"]
    assert (trash["waiting"], trash["last_erased"], trash["erased_30_days"], trash["last_is_ok"]) == (1, 1, 1, True)
    assert hers["chat"]["last_run_at"] is None
    # Without the second factor an admin is a person like others.
    assert "waiting_list" not in await _register(resources, bruno)
    assert set(rules.SWEEPS) < set(await _register(resources, bruno, "aal2"))


async def test_records_of_runs_are_erased_after_24_months(resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            "insert into private.retention_runs (rule, started_at, erased, is_ok)"
            " values ('trash', now() - interval '25 months', 0, true), ('trash', now() - interval '23 months', 0, true)"
        )
    await retention.handler({"rules": ["runs"]}, _context(resources))
    assert await _runs(resources) == [("trash", 0, True), ("runs", 1, True)]
