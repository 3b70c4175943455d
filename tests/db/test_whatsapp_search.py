"""WhatsApp messages are found by their words, and opened where they are."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.db import access, channels
from tests.db.accounts import Connection
from tests.db.home import ME, ROLE

pytestmark = pytest.mark.anyio


async def found(connection: Connection, query: str, role: str = ROLE) -> list[str]:
    """List the snippets of the messages that a search finds."""
    async with access.acting(connection, role):
        rows = await connection.fetch("select snippet from public.search_whatsapp($1)", query)
    return [row["snippet"] for row in rows]


async def say(connection: Connection, text: str, minutes: int = 0, **more: object) -> None:
    at = (datetime.now(UTC) - timedelta(hours=1) + timedelta(minutes=minutes)).isoformat()
    await channels.receive_whatsapp(connection, ME, **{"body": text, "summary": text, "at": at, **more})


async def test_each_message_is_found_by_its_words_in_any_order_the_latest_first(connection: Connection) -> None:
    await channels.connect_whatsapp(connection, ME)
    await say(connection, "Le misure della cucina arrivano domani.", 1)
    await say(connection, "La cucina va bene, le misure anche!", 2)
    await say(connection, "Altro: il cantiere", 3)
    both = ["La cucina va bene, le misure anche!", "Le misure della cucina arrivano domani."]
    for words in ("misure cucina", "cucina misure", "misura", "CUC"):
        assert await found(connection, words) == both, words
    assert await found(connection, "cucina cantiere") == await found(connection, "  ") == []
    assert await found(connection, "cucina", role="stranger") == []
    async with access.acting(connection, ROLE):
        [first] = await connection.fetch("select * from public.search_whatsapp('misura', 1)")
        message = await connection.fetchrow(
            "select channel_id, contact_id from public.whatsapp_messages where id = $1", first["message_id"]
        )
    assert message is not None
    assert (first["channel_id"], first["contact_id"]) == (message["channel_id"], message["contact_id"])
    assert (first["party"], first["is_sent"]) == ("Giulia Galli", False)


async def test_marks_are_in_the_units_of_a_browser_and_emoji_stay(connection: Connection) -> None:
    await channels.connect_whatsapp(connection, ME)
    text = "👍🏻 Le misure 📐 della cucina"
    await say(connection, text)
    async with access.acting(connection, ROLE):
        row = await connection.fetchrow("select snippet, marks from public.search_whatsapp('cucina misure')")
    assert row is not None
    assert row["snippet"] == text
    units = text.encode("utf-16-le")
    marked = [
        units[2 * begin : 2 * end].decode("utf-16-le") for begin, end in zip(*[iter(row["marks"])] * 2, strict=True)
    ]
    assert marked == ["misure", "cucina"]


async def test_a_file_is_found_by_its_name_and_its_words_also_after_it_was_fetched(connection: Connection) -> None:
    await channels.connect_whatsapp(connection, ME)
    media = {"media": {"id": "1", "mime": "application/pdf", "name": "Planimetria.pdf"}}
    summary = "Documento: Planimetria.pdf · Firmata"
    await say(connection, "Firmata", kind="document", summary=summary, content=media)
    message_id = await connection.fetchval("select id from public.whatsapp_messages where user_id = $1", ME)
    path = f"{ME}/whatsapp/1"
    await connection.execute("select private.settle_whatsapp_media($1, 'illeggibile', $2)", message_id, path)
    assert await found(connection, "planimetria firmata") == [summary]


async def test_what_was_taken_back_or_is_only_a_reaction_is_not_found(connection: Connection) -> None:
    await channels.connect_whatsapp(connection, ME)
    await say(connection, "Buongiorno")
    await say(connection, "👍", kind="reaction", summary="Reazione: 👍", refers_to="wamid.0")
    channel_id = await connection.fetchval("select id from public.contact_channels where user_id = $1", ME)
    async with access.acting(connection, ROLE):
        sent = await connection.fetchrow(
            "select * from public.queue_whatsapp(gen_random_uuid(), $1, 'Ecco il preventivo')", channel_id
        )
        assert sent is not None
    assert await found(connection, "reazione") == []
    assert await found(connection, "preventivo") == ["Ecco il preventivo"]
    async with access.acting(connection, ROLE):
        await connection.execute("select public.cancel_whatsapp($1)", sent["id"])
    assert await found(connection, "preventivo") == []


async def test_the_words_go_with_the_contact(connection: Connection) -> None:
    await channels.connect_whatsapp(connection, ME)
    await say(connection, "Il preventivo va bene")
    count = "select count(*) from private.whatsapp_search where user_id = $1"
    assert await connection.fetchval(count, ME) == 1
    await connection.execute("delete from public.contacts where user_id = $1 and origin = 'whatsapp'", ME)
    assert await connection.fetchval(count, ME) == 0
