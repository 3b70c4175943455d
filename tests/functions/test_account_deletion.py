"""Deletion of an account: its proofs, the thirty days, what stops at once, and what the law keeps."""

from __future__ import annotations

import asyncio
import json
import random
import re
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge import api
from functions.jobs import account_deletions
from tests.conftest import Clock, Mails
from tests.databases import connected
from tests.db import access, accounts, channels, ledger
from tests.db.conftest import populate
from tests.functions import signed_in, test_data_export, test_retention

pytestmark = pytest.mark.anyio
PATH = "/functions/v1/account_deletion"
ADDRESS = "anna@example.test"
WISH = {"address": ADDRESS, "fiscal_archive": "empty", "gives_up_credits": True}
DAY_S = 24 * 3600


@pytest.fixture
async def anna(resources: Resources) -> UUID:
    async with db.connection(resources.pool) as connection:
        return await accounts.create(connection, email=ADDRESS)


async def ask(
    client: httpx.AsyncClient,
    resources: Resources,
    user_id: UUID,
    method: str = "POST",
    age_s: float = 0,
    **wish: object,
) -> httpx.Response:
    claims = {"aal": "aal1", "amr": [{"method": "password", "timestamp": int(resources.now().timestamp() - age_s)}]}
    headers = signed_in.headers(resources, user_id, **claims)
    return await client.request(method, PATH, json=WISH | wish if method == "POST" else None, headers=headers)


async def run(resources: Resources) -> None:
    await account_deletions.handler({}, api.Context("account_deletions", {"role": "service_role"}, "", resources))


async def counts(resources: Resources, user_id: UUID) -> dict[str, int]:
    async with db.connection(resources.pool) as connection:
        found: dict[str, int] = await connection.fetchval("select private.personal_counts($1)", user_id)
    return found


async def kept_tables(resources: Resources) -> set[str]:
    async with db.connection(resources.pool) as connection:
        return set(await connection.fetchval("select private.kept_tables()"))


@pytest.fixture
def removed(resources: Resources, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Storage that forgets a file as the service does; answers which."""
    names: list[str] = []

    async def remove(_storage: object, bucket: str, paths: list[str]) -> None:
        names.extend(f"{bucket}/{path}" for path in paths)
        async with db.transaction(resources.pool) as connection:
            await connection.execute("set local storage.allow_delete_query = 'true'")
            await connection.execute(
                "delete from storage.objects where bucket_id = $1 and name = any($2)", bucket, paths
            )

    monkeypatch.setattr(api.Storage, "remove", remove)
    return names


async def everything(resources: Resources) -> UUID:
    """Make an account that has rows in every table of the catalogue."""
    owner = access.PEOPLE["owner"]
    # Without the pool's codecs, as the database tests have it.
    async with connected(resources.settings.database_url) as connection:
        names = await populate(connection)
        await connection.execute("update auth.users set email = $2 where id = $1", owner, ADDRESS)
        await connection.execute(
            f"""
            insert into public.user_roles (user_id, role) values ('{owner}', 'admin');
            insert into private.whatsapp_deliveries (user_id, account_id, body)
            select user_id, id, '{{}}' from public.whatsapp_accounts where user_id = '{owner}';
            insert into private.leases (user_id, name, ends_at) values ('{owner}', 'ocr', now());
            insert into private.demo_rows (user_id, held_by, row_id) values ('{owner}', 'tasks', gen_random_uuid());
            insert into private.home_pages (user_id, day, refreshed_at, content, pairs)
            values ('{owner}', now(), now(), '{{}}', '[]') on conflict do nothing;
            insert into private.ai_consents (user_id, host, provider) values ('{owner}', 'ai.example', 'Example');
            select private.begin_whatsapp_signup('{owner}', repeat('0', 64), null, true);
            insert into private.mail_logins (user_id, provider, state_hash, expires_at)
            values ('{owner}', 'google', repeat('0', 64), now());
            insert into private.mail_revocations (user_id, sealed) values ('{owner}', 'x');
            insert into private.whatsapp_releases (id, user_id, portfolio, waba_id, phone_number_id, sealed_token)
            values (gen_random_uuid(), '{owner}', '1', '2', '3', 'x');
            insert into private.mail_places (user_id, folder, uidvalidity) values ('{owner}', 'INBOX', 1);
            insert into private.shared_mails (outgoing_id, user_id) values (gen_random_uuid(), '{owner}');
            insert into private.calendar_feeds (user_id, secret_hash) values ('{owner}', sha256('secret'));
            insert into private.import_changes (user_id, batch_id, contact_id, is_new)
            select user_id, id, '{names["owner_contact"]}', true from public.import_batches where user_id = '{owner}';
            insert into private.memory_tombstones (user_id, digest) values ('{owner}', '\\x00');
            insert into private.deleted_notifications (id, user_id, content)
            values (gen_random_uuid(), '{owner}', '{{}}');
            update private.early_bird_seats set user_id = '{owner}', taken_at = now() where seat = 1;
            insert into auth.sessions (id, user_id, user_agent) values (gen_random_uuid(), '{owner}', 'Firefox');
            insert into auth.audit_log_entries (id, payload, created_at)
            values (gen_random_uuid(), '{{"actor_id": "{owner}", "actor_username": "{ADDRESS}"}}', now());
            update public.credit_orders set email = '{ADDRESS}', billing = '{{"name": "Anna"}}'
            where user_id = '{owner}';
            update public.payment_events set order_id = '{names["owner_order"]}',
              payload = '{{"data": {{"object": {{"id": "ch_1", "billing_details": {{"email": "{ADDRESS}"}}}}}}}}';
            insert into storage.objects (id, bucket_id, name, version, metadata)
            select gen_random_uuid(), bucket, '{owner}/' || bucket, gen_random_uuid(), '{{}}'
            from unnest(array['documents', 'avatars', 'exports']) as bucket;
            """
        )
        rows = json.loads(await connection.fetchval("select private.personal_counts($1)", owner))
    assert [name for name, count in rows.items() if not count] == []
    return owner


async def request_of(resources: Resources, user_id: UUID) -> dict[str, Any]:
    async with db.connection(resources.pool) as connection:
        row = await connection.fetchrow(
            """
            select * from public.deletion_requests where user_id = $1
            order by cancelled_at is not null, requested_at desc limit 1
            """,
            user_id,
        )
    assert row is not None
    return dict(row)


async def test_nothing_of_a_full_account_is_left_but_what_is_kept(
    client: httpx.AsyncClient, resources: Resources, now: Clock, mails: Mails, removed: list[str]
) -> None:
    owner = await everything(resources)
    stranger = access.PEOPLE["stranger"]
    asked = await ask(client, resources, owner, fiscal_archive="elsewhere")
    assert asked.status_code == 200, asked.text
    before, strangers = await counts(resources, owner), await counts(resources, stranger)
    now.advance(days=24)
    await run(resources)
    assert (await counts(resources, owner), removed) == (before, [])
    async with db.connection(resources.pool) as connection:
        lots = await connection.fetchval(
            "select count(*) from public.credit_lots where user_id = $1 and remaining > 0", owner
        )
    now.advance(days=7)
    await run(resources)
    after, kept = await counts(resources, owner), await kept_tables(resources)
    # The last entries of the ledger take back the credits that were given up.
    before["public.credit_ledger"] += lots
    # The ethical log stays under its pseudonym.
    named = kept - {"public.ethical_logs"}
    assert {name: count for name, count in after.items() if count} == {name: before[name] for name in named}
    assert await counts(resources, stranger) == strangers
    assert sorted(removed) == [f"{bucket}/{owner}/{bucket}" for bucket in ("avatars", "documents", "exports")]
    letters = await mails.to(ADDRESS)
    assert "Restano 10 anni" in letters[-1].text
    assert "Di questa casella resta un’impronta" in letters[-1].text
    assert re.search(r"conclusa il \d{1,2} [a-z]+ \d{4} alle \d\d:\d\d\.", letters[-1].text)
    assert [mail.subject for mail in letters] == [
        "Hai chiesto di eliminare il tuo account",
        "Manca una settimana all’eliminazione del tuo account",
        "Il tuo account è stato eliminato",
    ]
    done = await request_of(resources, owner)
    assert (done["state"], done["found_files"]) == ("erased", 3)
    assert done["found_rows"] == {name: count for name, count in before.items() if name not in kept}
    async with db.connection(resources.pool) as connection:
        facts = await connection.fetchval("select private.account_facts($1)", owner)
        order = await connection.fetchrow("select email, billing from public.credit_orders where user_id = $1", owner)
        events = await connection.fetchval("select jsonb_agg(payload)::text from public.payment_events")
        drifted = await connection.fetch("select private.drifted_wallets()")
        balance = await connection.fetchval("select balance from public.credit_wallets where user_id = $1", owner)
    assert facts == {name: None if name == "account" else [] for name in facts}
    # There is an invoice, which must name its recipient.
    assert order is not None
    assert (order["email"], order["billing"]) == (None, {"name": "Anna"})
    assert (ADDRESS in events, "ch_1" in events, drifted) == (False, True, [])
    assert (lots > 0, balance) == (True, 0)
    async with db.connection(resources.pool) as connection:
        late = "insert into public.payment_events (id, type, payload, order_id) select 'evt_late', 'charge.refunded',"
        paid = {"data": {"object": {"id": "ch_1", "receipt_email": ADDRESS}}}
        await connection.execute(
            f"{late} $2::text::jsonb, id from public.credit_orders where user_id = $1", owner, json.dumps(paid)
        )
    await run(resources)
    async with db.connection(resources.pool) as connection:
        told = await connection.fetchval("select payload from public.payment_events where id = 'evt_late'")
    assert told == {"data": {"object": {"id": "ch_1"}}}


async def test_tables_added_at_random_are_noticed_and_go_with_the_account(
    client: httpx.AsyncClient, resources: Resources, now: Clock
) -> None:
    chance = random.Random(20261128)
    added = set()
    async with db.connection(resources.pool) as connection:
        owner = await accounts.create(connection, email=ADDRESS)
        for place in range(12):
            name = f"{chance.choice(('public', 'private'))}.t{place}_{chance.randbytes(4).hex()}"
            columns = [
                "user_id uuid",
                *(f"c{number} {chance.choice(('text', 'jsonb', 'int[]'))}" for number in range(3)),
            ]
            chance.shuffle(columns)
            parts = chance.random() < 0.3
            await connection.execute(
                f"create table {name} ({', '.join(columns)}) {'partition by hash (user_id)' if parts else ''}"
            )
            if parts:
                part = f"create table {name}_all partition of {name} for values with (modulus 1, remainder 0)"
                await connection.execute(part)
                added.add(f"{name}_all")
            await connection.execute(f"insert into {name} (user_id) select $1 from generate_series(1, 3)", owner)
            added.add(name)
        # Of nobody, of a view or of another schema: none of ours.
        await connection.execute("create table public.t_nobody (id uuid)")
        await connection.execute("create view public.t_view as select user_id from public.contacts")
    assert await test_data_export.forgotten(resources) == added
    assert await test_retention.without_rule(resources) == added
    asked = await ask(client, resources, owner)
    assert asked.status_code == 200, asked.text
    for days in (24, 7):
        now.advance(days=days)
        await run(resources)
    left = await counts(resources, owner)
    assert {name: left[name] for name in added} == dict.fromkeys(added, 0)


async def test_a_run_that_dies_goes_on_and_a_second_erases_nothing(
    client: httpx.AsyncClient,
    resources: Resources,
    now: Clock,
    mails: Mails,
    removed: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owner = await everything(resources)
    await ask(client, resources, owner, fiscal_archive="elsewhere")
    now.advance(days=24)
    await run(resources)
    now.advance(days=7)
    monkeypatch.setattr(account_deletions, "BATCH", 1)
    with monkeypatch.context() as dying:
        remove = api.Storage.remove

        async def die_later(storage: api.Storage, bucket: str, paths: list[str]) -> None:
            await remove(storage, bucket, paths)
            if len(removed) == 2:
                raise api.PlatformError("away")

        dying.setattr(api.Storage, "remove", die_later)
        with pytest.raises(api.PlatformError):
            await run(resources)
    began = await request_of(resources, owner)
    assert began["state"] == "erasing"
    assert (await ask(client, resources, owner, "DELETE")).status_code == 409
    with monkeypatch.context() as dying:
        dying.setattr(account_deletions, "certificate", None)
        with pytest.raises(TypeError):
            await run(resources)
    assert (await request_of(resources, owner))["state"] == "erasing"
    await run(resources)
    done = await request_of(resources, owner)
    assert (done["state"], done["found_rows"]) == ("erased", began["found_rows"])
    after, mailed = await counts(resources, owner), len(await mails.to(ADDRESS))
    now.advance(days=1)
    await run(resources)
    assert (await counts(resources, owner), len(await mails.to(ADDRESS)), len(removed)) == (after, mailed, 3)


async def test_two_workers_erase_one_account_once(
    client: httpx.AsyncClient, resources: Resources, now: Clock, mails: Mails, removed: list[str], anna: UUID
) -> None:
    await ask(client, resources, anna)
    now.advance(days=24)
    await run(resources)
    now.advance(days=6)
    await asyncio.gather(*(run(resources) for _ in range(3)))
    assert (await request_of(resources, anna))["state"] == "erased"
    assert [mail.subject for mail in await mails.to(ADDRESS)].count("Il tuo account è stato eliminato") == 1


async def test_everything_outward_stops_at_once_and_nothing_new_is_let_out(
    client: httpx.AsyncClient, resources: Resources, mails: Mails
) -> None:
    owner = await everything(resources)
    async with db.connection(resources.pool) as connection:
        await connection.execute("update public.outgoing_mails set state = 'queued' where user_id = $1", owner)
    first = await ask(client, resources, owner, fiscal_archive="elsewhere")
    again = await ask(client, resources, owner, fiscal_archive="downloaded")
    assert (again.status_code, again.json()) == (200, first.json())
    assert len(await mails.to(ADDRESS)) == 1
    rows = await counts(resources, owner)
    ways_out = ("mail_accounts", "mail_inboxes", "mail_addresses", "whatsapp_accounts", "push_subscriptions")
    assert [rows[f"public.{name}"] for name in ways_out] == [0] * 5
    assert rows["private.calendar_feeds"] == 0
    async with db.connection(resources.pool) as connection:
        states = await connection.fetch(
            "select distinct state::text from public.outgoing_mails where user_id = $1", owner
        )
        assert [row[0] for row in states] == ["cancelled"]
        with pytest.raises(asyncpg.PostgresError) as refused:
            await channels.connect(connection, owner)
        assert refused.value.sqlstate == "SD001"
        notify = "select private.notify($1, $2, 'Titolo', 'Testo')"
        assert await connection.fetchval(notify, owner, "briefing") is None
        assert await connection.fetchval(notify, owner, "crediti_bassi") is None
        assert await connection.fetchval(notify, owner, "sicurezza") is not None
    assert (await request_of(resources, owner))["fiscal_archive"] == "elsewhere"


async def test_a_request_is_taken_back_until_erasing_begins(
    client: httpx.AsyncClient, resources: Resources, now: Clock, anna: UUID, mails: Mails
) -> None:
    assert (await ask(client, resources, anna, "DELETE")).status_code == 409
    shown = "select deletion_due_at from public.profiles where user_id = $1"
    await ask(client, resources, anna)
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval(shown, anna) == now() + timedelta(days=30)
    now.advance(days=29)
    assert (await ask(client, resources, anna, "DELETE", age_s=2 * DAY_S)).status_code == 200
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval(shown, anna) is None
    assert (await request_of(resources, anna))["state"] == "cancelled"
    now.advance(days=2)
    await run(resources)
    assert (await counts(resources, anna))["public.profiles"] == 1
    assert len(await mails.to(ADDRESS)) == 1
    # Asked again, the thirty days begin again; a reminder that comes late leaves six of them.
    assert (await ask(client, resources, anna)).status_code == 200
    now.advance(days=29)
    await run(resources)
    now.advance(days=5)
    await run(resources)
    assert (await request_of(resources, anna))["state"] == "requested"
    now.advance(days=1)
    await run(resources)
    assert (await request_of(resources, anna))["state"] == "erased"


@pytest.mark.parametrize(
    ("wish", "age_s", "status", "code"),
    [
        ({"address": "bruno@example.test"}, 0, 400, "wrong_address"),
        ({"address": None}, 0, 400, "wrong_address"),
        ({"fiscal_archive": "later"}, 0, 400, "fiscal_archive_missing"),
        ({"gives_up_credits": False}, 0, 400, "credits_left"),
        ({}, 2 * DAY_S, 403, "reauthentication_needed"),
        ({"address": " ANNA@example.test "}, 0, 200, None),
    ],
)
async def test_a_request_needs_its_proofs(
    client: httpx.AsyncClient,
    resources: Resources,
    anna: UUID,
    wish: dict[str, Any],
    age_s: float,
    status: int,
    code: str | None,
) -> None:
    async with db.transaction(resources.pool) as connection:
        await ledger.grant(connection, anna, 5)
    answer = await ask(client, resources, anna, age_s=age_s, **wish)
    assert (answer.status_code, answer.json().get("code")) == (status, code)


async def test_the_preview_says_what_goes_what_stays_and_what_comes_back(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    owner = await everything(resources)
    async with db.transaction(resources.pool) as connection:
        order_id = await connection.fetchval(
            "update public.credit_orders set paid_at = now(), fulfilled_at = now() where user_id = $1 returning id",
            owner,
        )
        await ledger.grant(
            connection, owner, 100, "bought", kind="acquisto", account="stripe", order_id=order_id, paid_cents=1000
        )
    seen = (await ask(client, resources, owner, "GET")).json()
    assert (seen["address"], seen["invoices"], seen["files"]) == (ADDRESS, 1, 3)
    assert seen["stops"] == {
        "mailbox": "io@studio.example",
        "whatsapp": "+39 02 1234567",
        "waiting_mails": 1,
        "calendar": True,
        "devices": 1,
        "applications": 0,
    }
    assert [(each["order_id"], each["amount_cents"]) for each in seen["refunds"]] == [(str(order_id), 1000)]
    listed = {table["label"] for domain in seen["domains"] for table in domain["tables"]}
    assert {"I tuoi contatti", "I tuoi documenti", "Le tue conversazioni"} <= listed
    assert "I tuoi ordini" not in listed
    titles = {rule["title"] for rule in seen["kept"] if rule["count"]}
    assert titles == {"Ordini e movimenti di crediti", "Certificati di eliminazione", "Registro etico"}
    # Whoever has invoices must say where they are kept.
    refused = await ask(client, resources, owner, fiscal_archive="empty")
    assert refused.json()["code"] == "fiscal_archive_missing"
    assert (await client.get(PATH)).status_code == 401
