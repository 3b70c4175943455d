"""WhatsApp, voice notes: what the provider hears is kept beside the message, paid once, and never lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from backend.core import db
from backend.core.config import Settings
from functions._shared.assistant import listening
from functions._shared.whatsapp import voice
from functions.jobs import whatsapp_voice
from tests.db import ledger
from tests.fakes.llm.__main__ import serving
from tests.fakes.llm.script import Fake
from tests.fakes.meta import graph
from tests.fakes.meta.business import Person
from tests.functions.documents import conftest as paper
from tests.functions.whatsapp_desk import Desk, sit_down, voice_note
from tests.functions.whatsapp_desk import meta as meta

pytestmark = pytest.mark.anyio
GIULIA = Person("IT.13491208655302741918", "Giulia Rossi", "393331234567")
WORDS = "Ciao, il preventivo della cucina va bene: procedi pure."
HOST = "127.0.0.1"
# What an account begins with.
CREDITS = 100


@pytest.fixture
def fake() -> Fake:
    return Fake()


@pytest.fixture
async def settings(settings: Settings, meta: graph.Meta, fake: Fake) -> AsyncIterator[Settings]:
    async with serving(fake) as url:
        secrets = {
            "WHATSAPP_API_BASE": meta.url, "AI_MODEL": "compatible:fake", "AI_BASE_URL": f"{url}/v1",
            "AI_API_KEY": "sk-x", "AI_VOICE_MODEL": "hears",
        }  # fmt: skip
        yield replace(settings, edge_runtime=replace(settings.edge_runtime, secrets=secrets))


@pytest.fixture
async def desk(settings: Settings, resources: Any, meta: graph.Meta) -> AsyncIterator[Desk]:
    async with paper.opened(resources) as own:
        desk = await sit_down(own.http, own.resources, meta.business)
        async with db.transaction(desk.resources.pool) as connection:
            await connection.execute(
                "insert into private.ai_consents (user_id, host, provider) values ($1, $2, $2)", desk.user_id, HOST
            )
        yield desk


async def received(desk: Desk, seconds: float = 61, content: bytes | None = None) -> dict[str, Any]:
    """Deliver a voice note and fetch it."""
    message = await desk.hand(GIULIA, "audio", content or voice_note(seconds), "audio/ogg; codecs=opus", voice=True)
    return await desk.fetch(message["id"])


async def ask(desk: Desk, message: dict[str, Any], max_credits: Any = 2) -> tuple[int, str | None]:
    """Press «Trascrivi»; answers status and code."""
    answer = await desk.call("POST", "transcribe_voice", {"id": str(message["id"]), "max_credits": max_credits})
    return answer.status_code, answer.json().get("code")


async def hear(desk: Desk, message: dict[str, Any], retry: int = 0) -> dict[str, Any]:
    """Run the job; answers the message."""
    await whatsapp_voice.handler({"message_id": str(message["id"]), "retry": retry}, desk.context())
    return await read(desk, message)


async def read(desk: Desk, message: dict[str, Any]) -> dict[str, Any]:
    [row] = await desk.rows("select * from public.whatsapp_messages where id = $1", message["id"])
    return row


async def wallet(desk: Desk) -> tuple[int, int]:
    async with db.connection(desk.resources.pool) as connection:
        return await ledger.wallet(connection, desk.user_id)


async def choose(desk: Desk, sql: str, *arguments: Any) -> None:
    async with db.as_claims(desk.resources.pool, {"sub": str(desk.user_id), "role": "authenticated"}) as connection:
        await connection.execute(sql, *arguments)


async def test_the_words_are_kept_found_and_paid_once(desk: Desk, fake: Fake) -> None:
    fake.script(queue=[{"text": f" {WORDS}\u202e\n"}])
    message = await received(desk)
    assert (message["voice_s"], message["transcript_state"]) == (61, None)
    assert await ask(desk, message, 1) == (409, "price_changed")
    for _ in range(2):
        assert await ask(desk, message) == (202, None)
    assert await wallet(desk) == (CREDITS - 2, 2)
    jobs = await desk.rows("select 1 from jobs.pgqueuer where entrypoint = 'whatsapp_voice'")
    assert len(jobs) == 1
    for _ in range(2):
        message = await hear(desk, message)
    assert (message["transcript_state"], message["transcript"], message["transcript_by"]) == ("pronto", WORDS, HOST)
    assert await wallet(desk) == (CREDITS - 2, 0)
    [sent] = fake.received
    assert (sent.path, sent.body) == (
        "/v1/audio/transcriptions", {"model": "hears", "filename": "vocale.ogg", "bytes": len(voice_note(61))}
    )  # fmt: skip
    assert await ask(desk, message) == (202, None)
    assert len(fake.received) == 1
    [usage] = await desk.rows("select work, mode, host, model, seconds, credits::int, entities from public.ai_usage")
    assert usage == {
        "work": "transcript", "mode": "ia", "host": HOST, "model": "hears", "seconds": 61, "credits": 2,
        "entities": [{"kind": "contact", "id": str(message["contact_id"])}],
    }  # fmt: skip
    [found] = await desk.rows("select summary from public.interactions")
    [channel] = await desk.rows("select snippet, is_done from public.contact_channels")
    assert found["summary"] == channel["snippet"] == f"Messaggio vocale: {WORDS}"
    async with db.as_claims(desk.resources.pool, {"sub": str(desk.user_id), "role": "authenticated"}) as connection:
        [hit] = await connection.fetch("select * from public.search_whatsapp('preventivo cucina')")
        notice = await connection.fetch("select step, times from public.ai_notice($1)", message["contact_id"])
        sheet = str(await connection.fetchval("select public.export_contact($1)", message["contact_id"]))
    assert (hit["message_id"], hit["snippet"]) == (message["id"], f"Messaggio vocale: {WORDS}")
    assert [(row["step"], row["times"]) for row in notice] == [("transcript", 1)]
    assert "procedi pure" in sheet


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"status": 401}, "rifiutato"),
        ({"status": 413}, "file"),
        ({"text": " \n "}, "vuoto"),
        ({"text": "sì " * 2000}, "fornitore"),
        ({"text": WORDS, "garbage": True}, "fornitore"),
    ],
)
async def test_what_the_provider_refuses_costs_nothing_and_is_not_tried_again_by_itself(
    desk: Desk, fake: Fake, said: dict[str, Any], reason: str
) -> None:
    fake.script(queue=[said, {"text": WORDS}])
    message = await received(desk)
    await ask(desk, message)
    failed = await hear(desk, message)
    assert (failed["transcript_state"], failed["transcript_error"], failed["transcript"]) == ("fallito", reason, None)
    assert await wallet(desk) == (CREDITS, 0)
    assert await ask(desk, message) == (202, None)
    assert (await hear(desk, message))["transcript"] == WORDS
    assert await wallet(desk) == (CREDITS - 2, 0)
    [usage] = await desk.rows("select credits::int from public.ai_usage")
    assert usage == {"credits": 2}


PASSING = [
    ({"status": 500}, "fornitore"),
    ({"status": 503}, "fornitore"),
    ({"status": 429}, "occupato"),
    ({"text": WORDS, "cut_after": 0}, "fornitore"),
    ({"text": WORDS, "stall_after": 0}, "fornitore"),
]


async def retries(desk: Desk) -> list[tuple[int, float]]:
    """Which tries wait in the queue, and in how many seconds they are made."""
    rows = await desk.rows(
        "select convert_from(payload, 'utf8')::jsonb ->> 'retry' as retry,"
        " extract(epoch from execute_after - now())::float as delay_s"
        " from jobs.pgqueuer where entrypoint = 'whatsapp_voice' order by retry"
    )
    return [(int(row["retry"]), row["delay_s"]) for row in rows]


@pytest.mark.parametrize(("said", "reason"), PASSING)
async def test_a_provider_that_is_away_is_asked_three_times_more_under_the_same_hold(
    desk: Desk, fake: Fake, monkeypatch: pytest.MonkeyPatch, said: dict[str, Any], reason: str
) -> None:
    monkeypatch.setattr(listening, "TIMEOUT_S", 0.2 if "stall_after" in said else listening.TIMEOUT_S)
    fake.script(queue=[said] * 4)
    message = await received(desk)
    await ask(desk, message)
    for retry, (least, most) in enumerate([(29, 46), (119, 181), (479, 721)], 1):
        waiting = await hear(desk, message, retry - 1)
        assert (waiting["transcript_state"], waiting["transcript_error"]) == ("attesa", None)
        assert await wallet(desk) == (CREDITS - 2, 2)
        number, delay_s = (await retries(desk))[-1]
        assert (number, least < delay_s < most) == (retry, True)
        # A job of an earlier try runs again because its worker died, and a second click comes: neither asks once more.
        await hear(desk, message, retry - 1)
        assert await ask(desk, message) == (202, None)
        assert len(fake.received) == retry
    failed = await hear(desk, message, 3)
    assert (failed["transcript_state"], failed["transcript_error"]) == ("fallito", reason)
    assert (len(fake.received), len(await retries(desk))) == (4, 4)
    assert await wallet(desk) == (CREDITS, 0)


async def test_a_retry_that_is_heard_is_paid_once_and_a_new_question_begins_to_count_again(
    desk: Desk, fake: Fake
) -> None:
    fake.script(queue=[{"status": 502}, {"status": 401}, {"status": 429}, {"text": WORDS}])
    message = await received(desk)
    await ask(desk, message)
    await hear(desk, message)
    assert (await hear(desk, message, 1))["transcript_error"] == "rifiutato"
    assert await wallet(desk) == (CREDITS, 0)
    await ask(desk, message)
    assert (await hear(desk, message))["transcript_retries"] == 1
    assert (await hear(desk, message, 1))["transcript"] == WORDS
    await hear(desk, message, 1)
    assert (await wallet(desk), len(fake.received)) == ((CREDITS - 2, 0), 4)
    # Taken back between two tries: nothing leaves any more.
    other = await received(desk)
    fake.script(queue=[{"status": 500}, {"text": WORDS}])
    await ask(desk, other)
    await hear(desk, other)
    await desk.rows("delete from private.ai_consents")
    assert (await hear(desk, other, 1))["transcript_error"] == "consenso"
    assert await wallet(desk) == (CREDITS - 2, 0)


async def test_a_worker_that_dies_after_the_answer_neither_charges_twice_nor_loses_the_text(
    desk: Desk, fake: Fake
) -> None:
    message = await received(desk)
    await ask(desk, message)
    chosen = listening.choice(desk.context())
    assert chosen is not None
    fake.script(queue=[{"text": "La prima volta."}, {"text": WORDS}])
    # The worker heard the words and was killed before it kept them.
    assert (
        await listening.heard(desk.context(), chosen, "vocale.ogg", voice.OGG, voice_note(61), 61) == "La prima volta."
    )
    assert (await read(desk, message))["transcript_state"] == "attesa"
    assert await wallet(desk) == (CREDITS - 2, 2)
    assert (await hear(desk, message))["transcript"] == WORDS
    assert await wallet(desk) == (CREDITS - 2, 0)
    # Two workers with the same job: one keeps it.
    other = await received(desk)
    await ask(desk, other)
    fake.script(queue=[{"text": WORDS}, {"text": WORDS}])
    await asyncio.gather(hear(desk, other), hear(desk, other))
    assert (await read(desk, other))["transcript"] == WORDS
    assert await wallet(desk) == (CREDITS - 4, 0)


async def test_a_job_that_no_worker_can_finish_gives_the_credits_back(desk: Desk) -> None:
    message = await received(desk)
    await ask(desk, message)
    await whatsapp_voice.given_up({"message_id": str(message["id"])}, desk.context())
    assert (await read(desk, message))["transcript_error"] == "interrotto"
    assert await wallet(desk) == (CREDITS, 0)
    # Its contact is erased while the provider listens.
    await ask(desk, message)
    await desk.rows("delete from public.contacts")
    assert not await desk.context().call("private.keep_transcript", desk.user_id, message["id"], 2, WORDS, HOST)
    assert await wallet(desk) == (CREDITS, 0)


async def test_nothing_leaves_without_consent_or_in_local_mode_whenever_it_is_taken_back(
    desk: Desk, fake: Fake
) -> None:
    message = await received(desk)
    refuse = "insert into public.privacy_choices (purpose, is_allowed, wording) values ('ai', $1, 'Solo locale')"
    await choose(desk, refuse, False)
    assert await ask(desk, message) == (403, "local_only")
    await choose(desk, refuse, True)
    assert await ask(desk, message) == (202, None)
    await choose(desk, refuse, False)
    assert (await hear(desk, message))["transcript_error"] == "consenso"
    await choose(desk, refuse, True)
    await desk.rows("delete from private.ai_consents")
    assert await ask(desk, message) == (403, "consent_needed")
    await desk.rows("update public.profiles set limited_since = now()")
    assert await ask(desk, message) == (403, "frozen")
    assert (fake.received, await wallet(desk)) == ([], (CREDITS, 0))


async def test_the_limits_of_an_admin_hold_for_voice_notes_too(desk: Desk, fake: Fake) -> None:
    message, other = await received(desk), await received(desk)
    await desk.rows("insert into public.site_settings (key, value) values ('credits.daily_cap', '3')")
    assert await ask(desk, message) == (202, None)
    assert await ask(desk, other) == (402, "daily_cap")
    # Stopped while the note waits, and before one is asked for.
    await desk.rows("insert into public.site_settings (key, value) values ('ai.stopped', 'true')")
    assert (await hear(desk, message))["transcript_error"] == "fermo"
    assert await ask(desk, message) == (503, "ai_stopped")
    await choose(desk, "insert into public.whatsapp_settings (voice_credits) values (1)")
    assert (await received(desk))["transcript_state"] is None
    assert (fake.received, await wallet(desk)) == ([], (CREDITS, 0))


async def test_only_voice_notes_of_the_caller_that_fit_are_taken(desk: Desk, fake: Fake) -> None:
    for content in (b"OggS" + bytes(200), b"ID3" + bytes(400), voice_note(1)[:60], voice_note(-5), voice_note(90_000)):
        assert voice.length_s(content) is None
        assert await ask(desk, await received(desk, content=content)) == (404, "not_found")
    # It says that it lasts a second, and holds far more.
    assert voice.length_s(voice_note(1) + bytes(100_000) + voice_note(1)) is None
    assert [voice.length_s(voice_note(seconds)) for seconds in (0.2, 60, 60.01)] == [1, 60, 61]
    assert await ask(desk, await received(desk, 1201), 100) == (409, "too_long")
    message = await received(desk)
    assert await ask(desk, message, "2") == await ask(desk, message, True) == (400, "validation_failed")
    [stranger] = await desk.rows("select gen_random_uuid() as id")
    assert await ask(desk, stranger) == (404, "not_found")
    await desk.rows("update public.credit_settings set monthly_cap = 1")
    assert await ask(desk, message) == (402, "monthly_cap")
    await desk.rows("update public.credit_settings set monthly_cap = null")
    await desk.rows("select private.hold_credits($1, $2, 'other')", desk.user_id, CREDITS - 1)
    assert await ask(desk, message) == (402, "insufficient_credits")
    assert (await read(desk, message))["transcript_state"] is None
    assert fake.received == []


async def test_notes_become_text_by_themselves_only_where_the_price_was_agreed_to(desk: Desk, fake: Fake) -> None:
    async def alone(seconds: float = 61) -> tuple[str | None, str | None]:
        message = await received(desk, seconds)
        return message["transcript_state"], message["transcript_error"]

    assert await alone() == (None, None)
    await choose(desk, "insert into public.whatsapp_settings (voice_credits) values (0)")
    assert await alone() == (None, None)
    await choose(desk, "update public.whatsapp_settings set voice_credits = 1")
    assert await alone() == ("attesa", None)
    assert await alone(301) == (None, None)
    assert await wallet(desk) == (CREDITS - 2, 2)
    await desk.rows("select private.hold_credits($1, $2, 'other')", desk.user_id, CREDITS - 2)
    assert await alone() == ("fallito", "crediti")
    await desk.rows("select private.release_hold(id) from public.credit_holds")
    await desk.rows(
        "insert into public.ai_usage (user_id, message_id, work, mode)"
        " select $1, gen_random_uuid(), 'transcript', 'ia' from generate_series(1, 50)",
        desk.user_id,
    )
    assert await alone() == (None, None)
    assert fake.received == []


def mp3(frames: int, *, tag_bytes: int = 0) -> bytes:
    """Make silence of MPEG-1 Layer III at 32 kbit/s and 48 kHz: 24 ms a frame."""
    tag = b"ID3\4\0\0" + bytes([0, 0, tag_bytes >> 7, tag_bytes & 0x7F]) + bytes(tag_bytes) if tag_bytes else b""
    return tag + (b"\xff\xfb\x14\xc4" + bytes(92)) * frames


def m4a(seconds: float, version: int = 0) -> bytes:
    """Make the boxes of a recording: its header comes after the sound, as phones write it."""

    def box(name: bytes, content: bytes) -> bytes:
        return (8 + len(content)).to_bytes(4, "big") + name + content

    times = bytes([version, 0, 0, 0]) + bytes(16 if version else 8)
    header = times + (1000).to_bytes(4, "big") + round(seconds * 1000).to_bytes(8 if version else 4, "big")
    sound = box(b"mdat", bytes(round(seconds * 4000)))
    return box(b"ftyp", b"M4A \0\0\0\0") + sound + box(b"moov", box(b"free", b"") + box(b"mvhd", header + bytes(80)))


def test_the_length_of_other_recordings_is_read() -> None:
    assert [voice.length_s(mp3(frames)) for frames in (1, 2500, 2501)] == [1, 60, 61]
    assert (voice.length_s(mp3(2500, tag_bytes=300)), voice.mime_of(mp3(1, tag_bytes=300))) == (60, voice.MP3)
    assert [voice.length_s(m4a(60.2, version)) for version in (0, 1)] == [61, 61]
    assert voice.mime_of(m4a(1)) == voice.M4A


@pytest.mark.parametrize(
    "content",
    [
        b"#!AMR\n" + bytes(500), b"\xff\xf1\x50\x80" + bytes(500), b"ID3", b"ID3\4\0\0\x7f\x7f\x7f\x7f" + bytes(50),
        # One frame and then something else, a header that lies about its length, and one that is cut.
        mp3(1) + bytes(5000), m4a(1) + bytes(200_000), m4a(60)[:-100], m4a(0),
        b"\0\0\0\x08ftyp" + b"\0\0\0\x01moov" + bytes(8), b"\0\0\0\x04ftypM4A ", b"\xff\xfb\xf4\xc4" + bytes(99),
    ],
)  # fmt: skip
def test_what_is_no_recording_has_no_length(content: bytes) -> None:
    assert voice.length_s(content) is None


@pytest.mark.parametrize(("content", "mime"), [(mp3(2600), "audio/mpeg"), (m4a(62), "audio/mp4")])
async def test_a_recording_that_is_passed_on_becomes_text_when_its_person_asks(
    desk: Desk, fake: Fake, content: bytes, mime: str
) -> None:
    fake.script(queue=[{"text": WORDS}])
    message = await desk.fetch((await desk.hand(GIULIA, "audio", content, mime))["id"])
    assert (message["voice_s"], message["transcript_state"]) == (63 if mime == "audio/mpeg" else 62, None)
    assert await ask(desk, message) == (202, None)
    assert (await hear(desk, message))["transcript"] == WORDS
    assert fake.received[0].body["filename"] == ("vocale.mp3" if mime == "audio/mpeg" else "vocale.m4a")
