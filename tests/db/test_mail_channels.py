"""Mail to contacts: what may be queued, who decides, and that one worker at most sends the content."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import asyncpg
import pytest

from tests.db import access, channels, crm, documents
from tests.db.access import PEOPLE
from tests.db.accounts import rolled_back
from tests.db.conftest import World

pytestmark = pytest.mark.anyio

OWNER = PEOPLE["owner"]
ROME = ZoneInfo("Europe/Rome")


@pytest.fixture
async def contact_id(world: World) -> AsyncIterator[UUID]:
    """Yield a contact with an address; all is rolled back."""
    async with rolled_back(world.connection):
        await world.connection.execute("delete from public.outgoing_mails")
        await world.connection.execute("delete from public.contact_emails")
        yield await channels.reachable(world.connection, OWNER)


async def queue(world: World, contact_id: UUID, role: str = "owner", **more: Any) -> asyncpg.Record:
    async with access.acting(world.connection, role):
        return await channels.queue(world.connection, contact_id, **more)


async def refused(world: World, contact_id: UUID, role: str = "owner", **more: Any) -> str:
    with pytest.raises(asyncpg.PostgresError) as caught:
        async with world.connection.transaction():
            await queue(world, contact_id, role, **more)
    return str(caught.value.sqlstate)


async def state(world: World, mail_id: UUID) -> str:
    found: str = await world.connection.fetchval("select state::text from public.outgoing_mails where id = $1", mail_id)
    return found


async def claim(world: World) -> asyncpg.Record | None:
    await world.connection.execute("update public.outgoing_mails set not_before = now() where state = 'queued'")
    return await world.connection.fetchrow("select * from private.claim_mail($1)", OWNER)


async def begin(world: World, mail: asyncpg.Record) -> bool:
    found: bool = await world.connection.fetchval(
        "select private.begin_mail_content($1, $2)", mail["id"], mail["attempts"]
    )
    return found


async def settle(world: World, mail: asyncpg.Record, ended: str, error: str | None = None) -> None:
    await world.connection.execute(
        "select private.settle_mail($1, $2, $3, $4)", mail["id"], mail["attempts"], ended, error
    )


async def test_a_mail_waits_for_the_disk_once_right_before_its_content_leaves(world: World, contact_id: UUID) -> None:
    async def waited() -> bool:
        found: str = await world.connection.fetchval("select current_setting('synchronous_commit')")
        await world.connection.execute("set local synchronous_commit = on")
        return found == "on"

    await queue(world, contact_id)
    await waited()
    mail = await claim(world)
    assert mail is not None
    assert not await waited()
    assert await begin(world, mail)
    assert await waited()
    await settle(world, mail, "sent")
    assert not await waited()


async def test_a_mail_waits_ten_seconds_with_its_id_and_a_second_click_is_the_same(
    world: World, contact_id: UUID
) -> None:
    await world.connection.execute("update public.mail_accounts set signature = 'Studio Io' where user_id = $1", OWNER)
    key = uuid4()
    first, second = [await queue(world, contact_id, key=key, subject=subject) for subject in ("Uno", "Due")]
    assert (first["id"], first["subject"]) == (second["id"], second["subject"])
    assert (first["state"], first["body"].splitlines()[-1]) == ("queued", "Studio Io")
    assert first["message_id"].endswith("@studio.example>")
    assert (first["not_before"] - first["created_at"]).total_seconds() == 10


async def test_only_an_address_of_the_contact_gets_a_mail(world: World, contact_id: UUID) -> None:
    assert await refused(world, contact_id, recipient="altro@example.it") == "SM002"
    assert await refused(world, await crm.contact(world.connection, OWNER)) == "SM002"
    assert await refused(world, contact_id, "stranger") == "PT404"
    assert await refused(world, contact_id, "anon") == "42501"


async def test_without_an_account_nothing_is_queued_and_what_waits_goes_with_it(world: World, contact_id: UUID) -> None:
    waiting = await queue(world, contact_id)
    async with access.acting(world.connection, "owner"):
        await world.connection.execute("delete from public.mail_accounts")
    assert await state(world, waiting["id"]) == "cancelled"
    assert await world.connection.fetchval("select count(*) from private.mail_secrets") == 0
    assert await refused(world, contact_id) == "SM001"


async def test_marketing_needs_consent_and_a_contract_does_not(world: World, contact_id: UUID) -> None:
    assert await refused(world, contact_id, basis="consenso") == "SM004"
    for answer, may in (("dato", True), ("revocato", False)):
        async with access.acting(world.connection, "owner"):
            await world.connection.execute(
                "select public.record_consent($1, 'email', 'marketing', $2)", contact_id, answer
            )
        if may:
            await queue(world, contact_id, basis="consenso")
        else:
            assert await refused(world, contact_id, basis="consenso") == "SM004"
    await queue(world, contact_id)


@pytest.mark.parametrize(
    ("wanted", "allowed"),
    [
        ("2026-11-27 08:00", "2026-11-27 08:00"),
        ("2026-11-27 20:59", "2026-11-27 20:59"),
        ("2026-11-27 07:59", "2026-11-27 08:00"),
        ("2026-11-26 21:00", "2026-11-27 08:00"),
        # A Sunday; Saturday night.
        ("2026-11-29 12:00", "2026-11-30 08:00"),
        ("2026-11-28 21:30", "2026-11-30 08:00"),
        # Christmas, Saint Stephen and a Sunday; Easter and its Monday; Saint Francis since 2026.
        ("2026-12-24 22:00", "2026-12-28 08:00"),
        ("2027-03-27 21:00", "2027-03-30 08:00"),
        ("2038-04-26 10:00", "2038-04-27 08:00"),
        ("2025-10-04 10:00", "2025-10-04 10:00"),
        ("2027-10-04 10:00", "2027-10-05 08:00"),
        # The night in which the clocks change is that of a Sunday.
        ("2027-03-27 20:59", "2027-03-27 20:59"),
    ],
)
async def test_recipients_have_their_rest(world: World, contact_id: UUID, wanted: str, allowed: str) -> None:
    at, expected = (datetime.fromisoformat(each).replace(tzinfo=ROME) for each in (wanted, allowed))
    assert await world.connection.fetchval("select private.allowed_mail_time($1)", at) == expected


async def test_only_a_promotion_cannot_leave_in_the_rest_of_its_recipient(world: World, contact_id: UUID) -> None:
    await world.connection.execute(
        "insert into public.consents (user_id, contact_id, channel, purpose, state)"
        " values ($1, $2, 'email', 'marketing', 'dato')",
        OWNER,
        contact_id,
    )
    sunday = await world.connection.fetchval(
        "select date_trunc('week', now() + interval '40 days') - interval '12 hours'"
    )
    for basis, is_at_once, is_kept in (
        ("contratto", True, True),
        ("contratto", False, False),
        ("consenso", True, False),
    ):
        mail = await queue(world, contact_id, basis=basis, is_at_once=is_at_once, not_before=sunday)
        assert (mail["not_before"] == sunday) is is_kept
        assert mail["not_before"] >= sunday
    async with access.acting(world.connection, "owner"):
        told = await world.connection.fetchval("select public.next_mail_time($1)", sunday)
    assert told == mail["not_before"]


async def test_a_mail_that_is_tried_again_keeps_the_rest_and_does_not_expire_in_it(
    world: World, contact_id: UUID
) -> None:
    mail = await queue(world, contact_id, is_at_once=False)
    claimed = await claim(world)
    assert claimed is not None
    await world.connection.execute(
        "select private.settle_mail($1, $2, 'queued', 'busy', '', $3)", mail["id"], claimed["attempts"], 40 * 86400
    )
    after = await world.connection.fetchrow(
        "select not_before, expires_at, private.allowed_mail_time(now() + interval '40 days') as allowed"
        " from public.outgoing_mails where id = $1",
        mail["id"],
    )
    assert after is not None
    assert after["not_before"] == after["allowed"]
    assert after["expires_at"] >= mail["expires_at"]


async def test_a_soft_spam_rests_on_an_invoice_to_the_contact_and_on_no_objection(
    world: World, contact_id: UUID
) -> None:
    other = await crm.contact(world.connection, OWNER)
    document_id = await documents.document(world.connection, OWNER)
    own, others, received, credit = await documents.store_invoices(
        world.connection,
        document_id,
        {"direction": "attiva"},
        {"direction": "attiva"},
        {"direction": "passiva"},
        {"direction": "attiva", "type_code": "TD04"},
    )
    for invoice_id, whose in ((own, contact_id), (others, other), (received, contact_id), (credit, contact_id)):
        await world.connection.execute("update public.invoices set contact_id = $2 where id = $1", invoice_id, whose)
    for sale_id in (None, others, received, credit, uuid4()):
        assert await refused(world, contact_id, basis="soft_spam", sale_id=sale_id) == "SM009"
    mail = await queue(world, contact_id, basis="soft_spam", sale_id=own)
    assert mail["sale_id"] == own
    for state_of_consent in ("negato", "revocato"):
        async with access.acting(world.connection, "owner"):
            await world.connection.execute(
                "select public.record_consent($1, 'email', 'marketing', $2)", contact_id, state_of_consent
            )
        assert await refused(world, contact_id, basis="soft_spam", sale_id=own) == "SM004"
    claimed = await claim(world)
    assert claimed is not None
    assert not await begin(world, claimed)


@pytest.mark.parametrize(
    ("reason", "ended", "proofs"), [("disiscritto", "revocato", 2), ("reclamo", "revocato", 2), ("rimbalzo", "dato", 1)]
)
async def test_who_objects_is_suppressed_and_takes_back_the_consent_with_its_proof(
    world: World, contact_id: UUID, reason: str, ended: str, proofs: int
) -> None:
    async with access.acting(world.connection, "owner"):
        await world.connection.execute("select public.record_consent($1, 'email', 'marketing', 'dato')", contact_id)
    for _ in range(2):
        await world.connection.execute(
            "select private.suppress_mail($1, $2, $3)", OWNER, channels.ADDRESS.upper(), reason
        )
    assert await refused(world, contact_id) == "SM003"
    states = await world.connection.fetch("select state::text from public.consents where contact_id = $1", contact_id)
    assert [row["state"] for row in states] == [ended]
    events = "select count(*) from public.consent_events where contact_id = $1"
    assert await world.connection.fetchval(events, contact_id) == proofs
    # An address of no contact, and a writer who is gone.
    await world.connection.execute("select private.suppress_mail($1, 'chi@example.it', $2)", OWNER, reason)
    await world.connection.execute("select private.suppress_mail($1, 'chi@example.it', $2)", uuid4(), reason)


async def test_a_suppression_wins_over_consent_and_contract(world: World, contact_id: UUID) -> None:
    mail = await queue(world, contact_id)
    async with access.acting(world.connection, "owner"):
        await world.connection.execute("insert into public.mail_suppressions (address) values ($1)", channels.ADDRESS)
    assert await refused(world, contact_id) == "SM003"
    claimed = await claim(world)
    assert claimed is not None
    assert not await begin(world, claimed)
    assert await state(world, mail["id"]) == "failed"


async def test_the_daily_cap_holds(world: World, contact_id: UUID) -> None:
    await world.connection.execute("update public.mail_accounts set daily_cap = 1")
    mail = await queue(world, contact_id)
    assert await refused(world, contact_id) == "SM005"
    async with access.acting(world.connection, "owner"):
        await world.connection.execute("select public.cancel_mail($1)", mail["id"])
    await queue(world, contact_id)


async def test_an_address_gets_three_automatic_mails_a_day_and_any_number_by_hand(
    world: World, contact_id: UUID
) -> None:
    mails = [await queue(world, contact_id, is_automatic=True) for _ in range(3)]
    assert await refused(world, contact_id, is_automatic=True) == "SM012"
    await queue(world, contact_id)
    connection = world.connection
    await connection.execute("update public.outgoing_mails set state = 'sent', sent_at = now()")
    await connection.execute(
        "update public.outgoing_mails set sent_at = now() - interval '25 hours' where id = $1", mails[0]["id"]
    )
    await queue(world, contact_id, is_automatic=True)
    # The limit holds when it leaves, too.
    claimed = await claim(world)
    assert claimed is not None
    await connection.execute("update public.outgoing_mails set sent_at = now() where id = $1", mails[0]["id"])
    assert not await begin(world, claimed)
    assert await state(world, claimed["id"]) == "failed"


@pytest.mark.parametrize("kind", ["automatica", "lista", "rimbalzo"])
async def test_a_machine_gets_no_automatic_mail(world: World, contact_id: UUID, kind: str) -> None:
    await channels.open_inbox(world.connection, OWNER)
    await channels.receive(world.connection, OWNER, kind=kind)
    assert await refused(world, contact_id, is_automatic=True) == "SM012"
    await queue(world, contact_id)
    await channels.receive(world.connection, OWNER)
    await queue(world, contact_id, is_automatic=True)


@pytest.mark.parametrize("text", ["Ciao {{nome}}", "Ti aspetto [giorno…]"])
async def test_a_place_that_is_not_filled_in_is_refused(world: World, contact_id: UUID, text: str) -> None:
    assert await refused(world, contact_id, body=text) == "SM006"


@pytest.mark.parametrize("subject", ["Uno\r\nBcc: altri@example.it", "Uno\nDue", " "])
async def test_a_subject_with_another_line_is_refused(world: World, contact_id: UUID, subject: str) -> None:
    assert await refused(world, contact_id, subject=subject) == "23514"


async def test_only_own_attachments_outside_of_the_trash_are_taken(world: World, contact_id: UUID) -> None:
    own = await documents.document(world.connection, OWNER)
    strangers = await documents.document(world.connection, PEOPLE["stranger"])
    await queue(world, contact_id, document_ids=[own])
    assert await refused(world, contact_id, document_ids=[own, strangers]) == "SM007"
    assert await refused(world, contact_id, invoice_id=uuid4()) == "SM007"
    await world.connection.execute("update public.documents set deleted_at = now() where id = $1", own)
    assert await refused(world, contact_id, document_ids=[own]) == "SM007"


async def test_one_worker_sends_the_content_and_cancelling_comes_too_late(world: World, contact_id: UUID) -> None:
    await queue(world, contact_id)
    mail = await claim(world)
    assert mail is not None
    assert await claim(world) is None
    # Its lease is over: another worker takes it, and the first one loses its right.
    await world.connection.execute("update public.outgoing_mails set leased_until = now()")
    again = await claim(world)
    assert again is not None
    assert not await begin(world, mail)
    assert await begin(world, again)
    assert not await begin(world, again)
    with pytest.raises(asyncpg.PostgresError) as caught:
        async with world.connection.transaction(), access.acting(world.connection, "owner"):
            await world.connection.execute("select public.cancel_mail($1)", mail["id"])
    assert (caught.value.sqlstate, caught.value.detail) == ("SM008", "sending")


async def test_a_cancelled_mail_is_never_claimed(world: World, contact_id: UUID) -> None:
    mail = await queue(world, contact_id)
    for _ in range(2):
        async with access.acting(world.connection, "owner"):
            await world.connection.execute("select public.cancel_mail($1)", mail["id"])
    assert await claim(world) is None
    assert await state(world, mail["id"]) == "cancelled"


async def test_an_interrupted_mail_is_uncertain_until_its_owner_decides(world: World, contact_id: UUID) -> None:
    for has_arrived, ended in ((True, "sent"), (False, "queued")):
        mail = await queue(world, contact_id)
        claimed = await claim(world)
        assert claimed is not None
        assert await begin(world, claimed)
        await world.connection.execute("update public.outgoing_mails set leased_until = now() where state = 'sending'")
        await world.connection.execute("select private.due_mail_senders()")
        assert await state(world, mail["id"]) == "uncertain"
        assert await claim(world) is None
        with pytest.raises(asyncpg.PostgresError):
            async with world.connection.transaction(), access.acting(world.connection, "stranger"):
                await world.connection.execute("select public.decide_mail($1, $2)", mail["id"], has_arrived)
        async with access.acting(world.connection, "owner"):
            decided = await world.connection.fetchrow(
                "select * from public.decide_mail($1, $2)", mail["id"], has_arrived
            )
        assert decided is not None
        assert (decided["state"], decided["message_id"]) == (ended, mail["message_id"])


async def test_the_timeline_shows_what_became_of_a_mail(world: World, contact_id: UUID) -> None:
    await queue(world, contact_id)
    shown = "select title, ref_type from public.timeline where contact_id = $1"
    assert [tuple(row) for row in await world.connection.fetch(shown, contact_id)] == [("Email in coda", "mail")]
    mail = await claim(world)
    assert mail is not None
    assert await begin(world, mail)
    await settle(world, mail, "sent")
    await settle(world, mail, "sent")
    assert [tuple(row) for row in await world.connection.fetch(shown, contact_id)] == [("Email", "interaction")]
    assert await world.connection.fetchval("select last_interaction_at from public.contacts where id = $1", contact_id)


async def test_a_mail_that_nothing_could_send_for_a_day_fails(world: World, contact_id: UUID) -> None:
    mail = await queue(world, contact_id)
    await world.connection.execute("update public.outgoing_mails set expires_at = now()")
    await world.connection.execute("select private.due_mail_senders()")
    assert await state(world, mail["id"]) == "failed"


async def test_no_more_than_twenty_are_sent_in_a_minute(world: World, contact_id: UUID) -> None:
    for _ in range(20):
        await queue(world, contact_id)
    await world.connection.execute("update public.outgoing_mails set state = 'sent', sent_at = now()")
    await queue(world, contact_id)
    assert await claim(world) is None
    await world.connection.execute(
        "update public.outgoing_mails set sent_at = now() - interval '2 minutes' where state = 'sent'"
    )
    assert await claim(world) is not None


async def test_no_role_reads_a_password(world: World, contact_id: UUID) -> None:
    for role in access.ROLES:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with world.connection.transaction(), access.acting(world.connection, role):
                await world.connection.fetch("select * from private.mail_secrets")
    for role in ("anon", "owner", "admin"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with world.connection.transaction(), access.acting(world.connection, role):
                await world.connection.fetch("select * from private.mail_account_of($1)", OWNER)


async def test_mails_go_with_an_erased_contact(world: World, contact_id: UUID) -> None:
    await queue(world, contact_id)
    async with access.acting(world.connection, "owner"):
        await crm.erase(world.connection, contact_id)
    assert await world.connection.fetchval("select count(*) from public.outgoing_mails") == 0


async def test_mails_follow_a_merge(world: World, contact_id: UUID) -> None:
    await queue(world, contact_id)
    winner = await crm.contact(world.connection, OWNER)
    async with access.acting(world.connection, "owner"):
        await world.connection.execute("select public.merge_contacts($1, $2)", winner, contact_id)
    assert await world.connection.fetchval("select contact_id from public.outgoing_mails") == winner
    mail = await claim(world)
    assert mail is not None
    assert await begin(world, mail)
