"""The queries of the product under row level security: served by an index, and no dearer as the tables grow.

Buffers are counted instead of milliseconds: they do not depend on what else the machine does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from tests.db import access
from tests.db.accounts import Connection, rolled_back
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

OWNER = access.PEOPLE["owner"]
SMALL, LARGE = 500, 5_000
NOTIFICATIONS_EACH = 20

# What PostgREST runs for the calls of the client, and what the server asks behind an admin page.
QUERIES = {
    "profile": ("owner", f"select * from public.profiles where user_id = '{OWNER}'"),
    "balance": ("owner", f"select balance from public.credit_wallets where user_id = '{OWNER}'"),
    "notifications": ("owner", "select * from public.notifications order by created_at desc limit 50"),
    "mark one read": (
        "owner",
        "update public.notifications set is_read = true, read_at = now() where id = '{owner_notification}'",
    ),
    "mark all read": (
        "owner",
        f"""
        update public.notifications set is_read = true, read_at = now()
        where user_id = '{OWNER}' and is_read = false
        """,
    ),
    "delete notification": ("owner", "delete from public.notifications where id = '{owner_notification}'"),
    "own roles": ("owner", "select * from public.user_roles"),
    "statement": ("owner", "select * from public.credit_ledger order by id desc limit 50"),
    "statement page": (
        "owner",
        f"""
        select * from public.credit_ledger join public.credit_lots
          on credit_lots.user_id = credit_ledger.user_id and credit_lots.id = lot_id
        where credit_ledger.user_id = '{OWNER}' and credit_ledger.id < 1000000 order by credit_ledger.id desc limit 50
        """,
    ),
    "lots": ("owner", "select * from public.credit_lots"),
    "holds": ("owner", "select * from public.credit_holds"),
    "lots of holds": ("owner", "select * from public.hold_lots"),
    "credit settings": ("owner", "select * from public.credit_settings"),
    "open tasks": (
        "owner",
        """
        select * from public.tasks where deleted_at is null and state <> 'fatto' and id > '{owner_task}'
        order by id limit 50
        """,
    ),
    "tasks by date": (
        "owner",
        "select * from public.tasks where deleted_at is null and state <> 'fatto' order by due_at, id limit 50",
    ),
    "tasks of a column": (
        "owner",
        """
        select * from public.tasks where deleted_at is null and state = 'in_attesa' order by position, id limit 50
        """,
    ),
    "first place of a column": ("owner", "insert into public.tasks (title, state) values ('x', 'in_attesa')"),
    "tasks of a month": (
        "owner",
        """
        select * from public.tasks
        where deleted_at is null and due_at >= now() and due_at < now() + interval '1 month' order by due_at
        """,
    ),
    "tasks done": (
        "owner",
        """
        select * from public.tasks where deleted_at is null and state = 'fatto' and completed_at is not null
        order by completed_at desc, id desc limit 50
        """,
    ),
    "tasks of a project": (
        "owner",
        "select * from public.tasks where project_id = '{owner_project}' order by position",
    ),
    "subtasks": ("owner", "select * from public.tasks where parent_id = '{owner_task}' order by position, id"),
    "projects": ("owner", "select * from public.projects where deleted_at is null order by status, name"),
    "complete a task": ("owner", "select public.complete_task('{owner_task}')"),
    "due reminders": (
        "service_role",
        "select id from public.tasks where next_remind_at <= now() order by next_remind_at limit 200",
    ),
    "overdue holds": (
        "service_role",
        "select id from public.credit_holds where state = 'open' and expires_at <= now() order by expires_at limit 200",
    ),
    "lots that end": (
        "service_role",
        """
        select user_id from public.credit_lots
        where remaining > 0 and expires_at <= now() order by expires_at limit 200
        """,
    ),
    "use of a month": (
        "service_role",
        f"""
        select sum(amount) from public.credit_ledger
        where user_id = '{OWNER}' and kind = 'settle' and created_at >= now() - interval '1 month'
        """,
    ),
    "contacts": ("owner", "select * from public.contact_list order by name, id limit 50"),
    "contacts page": (
        "owner",
        """
        select * from public.contact_list where name > 'M' or (name = 'M' and id > '{owner_contact}')
        order by name, id limit 50
        """,
    ),
    "contacts to be in touch with": (
        "owner",
        "select * from public.contact_list where next_touch_at <= now() order by next_touch_at, id limit 50",
    ),
    "contacts by last interaction": (
        "owner",
        "select * from public.contact_list order by last_interaction_at desc nulls last, id limit 50",
    ),
    "contacts by debt": (
        "owner",
        "select * from public.contact_list order by owed_cents desc nulls last, id limit 50",
    ),
    "money of a contact": ("owner", "select * from public.contact_money('{owner_contact}')"),
    "contact": ("owner", "select * from public.contact_list where id = '{owner_contact}'"),
    "people of a company": ("owner", "select * from public.contact_list where company_id = '{owner_contact}'"),
    "contacts with a tag": (
        "owner",
        """
        select * from public.contact_list where exists (
          select from public.contact_tags where contact_id = contact_list.id and tag_id = '{owner_tag}'
        ) order by name, id limit 50
        """,
    ),
    "addresses of a contact": ("owner", "select * from public.contact_emails where contact_id = '{owner_contact}'"),
    "timeline": (
        "owner",
        "select * from public.timeline where contact_id = '{owner_contact}' order by at desc, id desc limit 30",
    ),
    "documents": (
        "owner",
        "select * from public.documents where deleted_at is null order by created_at desc, id desc limit 100",
    ),
    "documents of a kind": (
        "owner",
        """
        select * from public.documents where deleted_at is null and kind = 'f24'
        order by created_at desc, id desc limit 100
        """,
    ),
    "documents being read": (
        "owner",
        """
        select * from public.documents where deleted_at is null and state in ('in_coda', 'lettura', 'ocr', 'analisi')
        order by created_at, id limit 300
        """,
    ),
    "documents with a tag": (
        "owner",
        """
        select * from public.documents where deleted_at is null and exists (
          select from public.document_tags where document_id = documents.id and tag_id = '{owner_tag}'
        ) order by created_at desc, id desc limit 100
        """,
    ),
    "documents in the trash": (
        "owner",
        "select * from public.documents where deleted_at is not null order by deleted_at desc, id desc limit 100",
    ),
    "documents by kind and state": ("owner", "select public.document_counts()"),
    "pages of a document": (
        "owner",
        "select no, width, height, state from public.document_pages where document_id = '{owner_document}' order by no",
    ),
    "fields of a document": ("owner", "select * from public.document_fields where document_id = '{owner_document}'"),
    "links of a document": ("owner", "select * from public.document_links where document_id = '{owner_document}'"),
    "invoices": ("owner", "select * from public.invoices order by issued_on desc, id desc limit 100"),
    "open invoices, the late ones first": (
        "owner",
        """
        select id, open_cents, next_due_on, state, twin from public.invoice_register
        where direction = 'passiva' and paid_on is null and kind <> 'autofattura' and deleted_at is null
        order by next_due_on nulls last, issued_on desc, id limit 200
        """,
    ),
    "invoices of a document": ("owner", "select * from public.invoices where document_id = '{owner_document}'"),
    "what is to be paid": (
        "owner",
        "select * from public.invoice_schedules where paid_on is null and due_on < now() order by due_on limit 100",
    ),
    "the days of payment": (
        "owner",
        """
        select due_on, cents, paid_on, is_late, currency from public.invoice_parts
        where direction = 'passiva' and counts and (paid_on is null or due_on >= '2026-01-01')
        order by due_on, invoice_id, no limit 1000
        """,
    ),
    "home": ("owner", "select public.home_overview()"),
    "a home computed again": ("service_role", f"select private.refresh_home('{OWNER}')"),
    "insights": ("owner", "select * from public.insights where state = 'nuova' order by score desc limit 50"),
    "what was made of insights": ("owner", "select * from public.insight_prefs"),
    "whose home is of yesterday": (
        "service_role",
        f"""
        select user_id from private.home_pages
        where day < current_date and user_id > '{OWNER}' order by user_id limit 100
        """,
    ),
    "documents that stand still": (
        "service_role",
        """
        select id from public.documents
        where state in ('in_coda', 'lettura', 'ocr', 'analisi') and updated_at < now() - interval '1 hour' limit 200
        """,
    ),
    "documents whose trash is over": (
        "service_role",
        "select id from public.documents where deleted_at < now() - interval '30 days' order by deleted_at limit 200",
    ),
    "deals": (
        "owner",
        """
        select * from public.deals where deleted_at is null and (won_at is null or won_at >= now() - interval '1 year')
        order by id limit 1000
        """,
    ),
    "move a deal": (
        "owner",
        "update public.deals set position = 'a1' where id = '{owner_deal}'",
    ),
    "stays usual for a stage": ("owner", "select * from public.stage_habits()"),
    "imports": ("owner", "select * from public.import_batches order by created_at desc limit 20"),
    "merges": ("owner", "select * from public.merge_log where created_at > now() - interval '30 days' limit 20"),
    "conversations": (
        "owner",
        """
        select * from public.conversations where not is_temporary and archived_at is null
        order by last_message_at desc limit 50
        """,
    ),
    "messages of a conversation": (
        "owner",
        "select * from public.messages where conversation_id = '{owner_conversation}' order by created_at",
    ),
    "versions of an answer": (
        "owner",
        """
        select id from public.messages
        where conversation_id = '{owner_conversation}' and parent_id = '{owner_question}' order by created_at
        """,
    ),
    "proposals of a conversation": (
        "owner",
        "select * from public.tool_calls where conversation_id = '{owner_conversation}' order by message_id, seq",
    ),
    "memories of a conversation": (
        "owner",
        """
        select memory_id from public.memory_uses join public.messages on messages.id = message_id
        where conversation_id = '{owner_conversation}'
        """,
    ),
    "feedback": ("owner", "select * from public.message_feedback where message_id = '{owner_answer}'"),
    "answers under way": ("owner", "select * from public.runs where state = 'running'"),
    "drafts of a contact": (
        "owner",
        "select * from public.drafts where contact_id = '{owner_contact}' order by created_at desc",
    ),
    "mails to a contact": (
        "owner",
        "select * from public.outgoing_mails where contact_id = '{owner_contact}' order by created_at desc",
    ),
    "batches of mails": ("owner", "select * from public.campaign_progress()"),
    "the inbox": (
        "owner",
        "select * from public.mail_threads where not is_done order by last_at desc limit 50",
    ),
    "the mails of a thread": (
        "owner",
        "select * from public.received_mails where thread_id = '{owner_thread}' order by at",
    ),
    "the letters of a thread": (
        "owner",
        "select * from public.mail_thread_letters where thread_id = '{owner_thread}'",
    ),
    "the threads of an invoice": (
        "owner",
        "select * from public.mail_threads where invoice_id = '{owner_invoice}'",
    ),
    "mails that are due": ("service_role", "select private.due_mail_senders()"),
    "the next mail of a person": ("service_role", f"select private.next_mail('{OWNER}', 0)"),
    "search mails": ("owner", "select * from public.search_mails('saluto')"),
    "search whatsapp": ("owner", "select * from public.search_whatsapp('buongiorno')"),
    "mails of an invoice": ("owner", "select * from public.related_mails(_invoice_id => '{owner_invoice}')"),
    "search conversations": ("owner", "select * from public.search_conversations('richiamare')"),
    "a turn": (
        "service_role",
        f"""select private.begin_turn('{OWNER}', '{{"content": "x", "conversation_id": "{{owner_conversation}}"}}')""",
    ),
    "answers that died": ("service_role", "select private.sweep_runs()"),
    "proposals that expire": ("service_role", "select private.expire_tool_calls()"),
    "temporary conversations": (
        "service_role",
        """
        delete from public.conversations where is_temporary and last_message_at < now() - interval '1 hour'
        """,
    ),
    "trash that is over": (
        "service_role",
        "select id from public.contacts where deleted_at < now() - interval '30 days' limit 200",
    ),
    "latest events": ("service_role", "select * from public.analytics_events order by created_at desc limit 50"),
    "latest errors": ("service_role", "select * from public.error_logs order by created_at desc limit 50"),
    "rate of a session": (
        "service_role",
        "select from public.analytics_events where session_id = 's1' and created_at > now() - interval '1 minute'",
    ),
    "rate of guests": (
        "service_role",
        """
        select from public.error_logs where user_id is null and created_at > now() - interval '1 minute'
        order by created_at desc offset 299
        """,
    ),
    "rate of a table": (
        "service_role",
        """
        select from public.error_logs where created_at > now() - interval '1 minute'
        order by created_at desc offset 599
        """,
    ),
    "old errors": (
        "service_role",
        "select id from public.error_logs where created_at < now() - interval '90 days' limit 100",
    ),
    "old notifications": (
        "service_role",
        """
        select id from public.notifications
        where is_read and coalesce(read_at, created_at) < now() - interval '12 months' limit 100
        """,
    ),
}

# Every table is analyzed, as autovacuum would have it: one that is left nearly empty is read from end to end.
# Always the same dates by chance: where rows lie decides how many pages the newest fifty are on.
CROWD = """
select setseed(0.5);
set local session_replication_role = replica;
create temporary table crowd on commit drop as select gen_random_uuid() as id, n from generate_series(1, {users}) as n;
insert into public.notifications (user_id, title, message, created_at)
  select id, 'T', 'M', now() - random() * interval '90 days' from crowd, generate_series(1, {each});
set local session_replication_role = origin;
analyze public.notifications;
"""

FILL = """
set local session_replication_role = replica;
insert into public.profiles (user_id) select id from crowd;
insert into public.user_roles (user_id, role) select id, 'admin' from crowd;
insert into public.credit_wallets (user_id) select id from crowd;
insert into public.credit_lots (user_id, kind, amount, remaining) select id, 'bonus', 1, 1 from crowd;
insert into public.credit_ledger (user_id, kind, amount, account, lot_id, idempotency_key, balance_after)
  select user_id, 'grant', 1, 'promo', id, 'x', 1 from public.credit_lots where kind = 'bonus';
insert into public.credit_settings (user_id) select id from crowd;
insert into public.credit_holds (user_id, amount, state, idempotency_key, expires_at, closed_at)
  select id, 1, 'released', 'x', now(), now() from crowd;
insert into public.hold_lots (user_id, hold_id, lot_id, part, amount)
  select user_id, credit_holds.id, credit_lots.id, 1, 1 from public.credit_holds join public.credit_lots using (user_id)
  where credit_lots.kind = 'bonus' and credit_holds.idempotency_key = 'x';
insert into public.contacts (user_id, first_name, next_touch_at, last_interaction_at)
  select id, 'Anna ' || n, now() - n * interval '1 hour', now() - n * interval '2 hours' from crowd;
insert into public.contact_emails (user_id, contact_id, value)
  select user_id, id, 'anna@example.it' from public.contacts where first_name ~ '[0-9]';
insert into public.contact_phones (user_id, contact_id, value, norm)
  select user_id, id, '1', '+391234567' from public.contacts where first_name ~ '[0-9]';
insert into public.tags (id, user_id, name) select id, id, 'Cliente' from crowd;
insert into public.contact_tags (user_id, contact_id, tag_id)
  select user_id, id, user_id from public.contacts where first_name ~ '[0-9]';
insert into public.notes (user_id, contact_id, body) select user_id, id, 'x' from public.contacts;
insert into public.interactions (user_id, contact_id, kind) select user_id, id, 'altro' from public.contacts;
insert into public.consent_events (user_id, contact_id, channel, purpose, state)
  select user_id, id, 'email', 'marketing', 'dato' from public.contacts;
insert into public.consents (user_id, contact_id, channel, purpose, state)
  select user_id, id, 'posta', 'marketing', 'dato' from public.contacts;
insert into public.stages (id, user_id, name, position, probability) select id, id, 'Contatto', 1, 10 from crowd;
insert into public.deals (user_id, title, stage_id, contact_id)
  select user_id, 'D', user_id, id from public.contacts where first_name ~ '[0-9]';
insert into public.deal_stage_log (user_id, deal_id, stage_id, entered_at)
  select user_id, id, stage_id, now() from public.deals where title = 'D';
insert into public.import_batches (user_id, file_name, kind, total) select id, 'x.csv', 'csv', 1 from crowd;
insert into public.merge_log (user_id, winner_id, loser_name, choices, changes)
  select user_id, id, 'Anna', '{{}}', '[]' from public.contacts where first_name ~ '[0-9]';
insert into public.analytics_events (event_name, user_id, session_id, user_agent, created_at)
  select 'x', id, 's' || n, 'x', now() - random() * interval '90 days' from crowd;
insert into public.error_logs (user_id, session_id, error_message, created_at)
  select id, 's' || n, 'x', now() - random() * interval '90 days' from crowd;
insert into public.projects (user_id, name) select id, 'P' from crowd;
insert into public.tasks (user_id, title, due_at, next_remind_at, position, state, completed_at)
  select id, 'T', now() + (random() - 0.5) * interval '90 days', now() + interval '1 day', 'a' || task,
    case when task > 5 then 'fatto' else 'da_fare' end::public.task_state, case when task > 5 then now() end
  from crowd, generate_series(1, 10) as task;
insert into public.documents (user_id, storage_path, filename, state)
  select id, id || '/x.pdf', 'x.pdf', 'pronto' from crowd;
insert into public.document_pages (user_id, document_id, no)
  select user_id, id, 1 from public.documents where filename = 'x.pdf';
insert into public.document_fields (user_id, document_id, key, value, confidence, source)
  select user_id, id, 'total', '1', 1, 'ocr' from public.documents where filename = 'x.pdf';
insert into public.document_tags (user_id, document_id, tag_id)
  select user_id, id, user_id from public.documents where filename = 'x.pdf';
insert into public.invoices (user_id, document_id, direction, number, issued_on, total_cents, source)
  select user_id, id, 'passiva', '1', now(), 1, 'campi' from public.documents where filename = 'x.pdf';
insert into public.invoice_schedules (user_id, invoice_id, due_on, amount_cents)
  select user_id, id, now(), 1 from public.invoices where source = 'campi';
insert into public.document_links (user_id, document_id, deal_id)
  select documents.user_id, documents.id, deals.id from public.documents join public.deals using (user_id)
  where filename = 'x.pdf';
insert into public.conversations (id, user_id) select id, id from crowd;
insert into public.messages (user_id, conversation_id, role, status)
  select id, id, 'user', 'done' from crowd, generate_series(1, 2);
insert into public.tool_calls (user_id, conversation_id, message_id, seq, tool, args, preview, risk)
  select user_id, conversation_id, id, 1, 'add_note', '{{}}', '{{}}', 'basso' from public.messages where content = '';
insert into public.runs (user_id, conversation_id, message_id, state, finished_at)
  select user_id, conversation_id, id, 'done', now() from public.messages where content = '';
insert into public.message_feedback (user_id, message_id, score)
  select user_id, id, 1 from public.messages where content = '';
insert into public.memories (id, user_id, kind, body, origin, source)
  select id, id, 'preferenza', 'Preferisce il mattino', 'utente', 'manuale' from crowd;
insert into public.memory_uses (user_id, memory_id, message_id)
  select user_id, user_id, id from public.messages where content = '';
insert into private.message_search (user_id, message_id, document)
  select user_id, id, array_to_tsvector(array[left(user_id::text, 8) || '=richiamare'])
  from public.messages where content = '';
insert into private.assistant_use (user_id, span) select id, '1 minute' from crowd;
insert into public.drafts (user_id, contact_id, channel, body)
  select user_id, id, 'email', 'x' from public.contacts where first_name ~ '[0-9]';
insert into public.insights (user_id, kind, entity_type, since, title, body, score)
  select id, 'x', 'contact', now(), 'x', 'x', 1 from crowd;
insert into public.insight_prefs (user_id, kind) select id, 'x' from crowd;
insert into private.home_pages (user_id, day, refreshed_at, content, pairs)
  select id, now(), now(), '{{}}', '[]' from crowd;
insert into public.mail_inboxes (user_id, host, port, security) select id, '127.0.0.1', 1143, 'starttls' from crowd;
insert into public.mail_threads (id, user_id, subject, last_at, contact_id)
  select user_id, user_id, 'x', now(), id from public.contacts where first_name ~ '[0-9]';
-- Only a version without room on the page of its mail writes all the indexes: here each page has room.
alter table public.outgoing_mails set (fillfactor = 50);
insert into public.outgoing_mails (
  id, user_id, contact_id, key, recipient, subject, body, basis, message_id, state, sent_at, not_before, expires_at
)
  select user_id, user_id, id, id, 'anna@example.it', 'x', 'x', 'contratto', '<1@example.it>', 'sent', now(), now(),
    now()
  from public.contacts where first_name ~ '[0-9]';
insert into public.mail_thread_letters (outgoing_id, user_id, thread_id) select id, id, id from crowd;
insert into public.received_mails (
  user_id, thread_id, folder, folder_name, uidvalidity, message_uid, message_id, sha256, kind, subject, bytes, at
)
  select id, id, 'ricevuti', 'INBOX', 1, n, '<1@example.it>', repeat('0', 64), 'persona', 'x', 1, now() from crowd;
drop table crowd;
set local session_replication_role = origin;
analyze;
"""


async def _plans(
    world: World, users: int, names: Iterable[str] = tuple(QUERIES), fill: str = CROWD + FILL
) -> dict[str, Any]:
    """The executed plans of queries with so many users."""
    async with rolled_back(world.connection):
        await world.connection.execute(fill.format(users=users, each=NOTIFICATIONS_EACH))
        return {name: await _plan(world, *QUERIES[name]) for name in names}


async def _plan(world: World, role: str, query: str) -> Any:
    explain = "explain (analyze, buffers, format json) " + access.fill(query, world.values)
    plans = []
    for _ in range(3):  # the first run warms the catalog caches; where a write finds room for its row is luck
        async with rolled_back(world.connection), access.acting(world.connection, role):
            found = await world.connection.fetchval(explain)
        plans.append((json.loads(found) if isinstance(found, str) else found)[0]["Plan"])
    return min(plans, key=_buffers)


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from _nodes(child)


def _scans(plan: dict[str, Any]) -> list[str]:
    """The tables read from end to end; a scan that was never started does not count."""
    full = [node for node in _nodes(plan) if node["Node Type"] == "Seq Scan" and node["Actual Loops"]]
    return [node["Relation Name"] for node in full]


def _buffers(plan: dict[str, Any]) -> int:
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


# One test for all queries: with a test for each, every worker would fill the tables for its share.
@pytest.mark.long
async def test_queries_read_no_table_from_end_to_end_and_stay_flat_while_tables_grow_tenfold(world: World) -> None:
    small, large = await _plans(world, SMALL), await _plans(world, LARGE)
    assert {name: found for name in QUERIES if (found := _scans(large[name]))} == {}
    read = {name: (_buffers(small[name]), _buffers(large[name])) for name in QUERIES}
    # An index may gain a level or two.
    assert {name: (few, many) for name, (few, many) in read.items() if many > 1.3 * few + 4} == {}


@pytest.mark.long
@pytest.mark.parametrize(
    "policy", ["user_id = (select auth.uid()) or (select private.is_admin())", "(select private.is_admin())"]
)
async def test_policy_for_admins_would_be_caught(policy: str, connection: Connection, world: World) -> None:
    """Refuse policies by which an admin reads everybody's rows (ATTACK-20)."""
    plain = (await _plans(world, LARGE, ["notifications"], CROWD))["notifications"]
    await connection.execute(
        f"""
        grant usage on schema private to authenticated;
        grant execute on function private.is_admin() to authenticated;
        alter policy "owners read their notifications" on public.notifications using ({policy})
        """
    )
    caught = (await _plans(world, LARGE, ["notifications"], CROWD))["notifications"]
    assert _scans(caught) == ["notifications"] or _buffers(caught) > 10 * _buffers(plain)
