"""sms: what was promised in a transaction reaches the provider once, or its failure is on record."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from email import message_from_bytes
from email.policy import default as parsed
from typing import Any

import asyncpg
import pytest
from aiohttp import encode_basic_auth, web
from aiosmtpd.controller import UnthreadedController
from aiosmtpd.handlers import Message

from backend.auth import sms
from backend.core import db, jobs
from backend.core.config import LocalSmtp
from backend.core.config_sms import Twilio
from backend.core.resources import Resources
from scripts import postgres

pytestmark = pytest.mark.anyio

NUMBER, TEXT = "393331234567", "Il tuo codice per Socio è 123456"


@dataclass
class FakeTwilio:
    """Twilio's message resource; answers what the test wants."""

    received: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    status: int = 201
    hang_up: bool = False

    async def handle(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.received.append((form, request.headers["Authorization"]))
        if self.hang_up:
            assert request.transport is not None
            request.transport.abort()
        refusal = {"code": 21211, "message": f"Invalid: {form['Body']}"}
        return web.json_response({"sid": "SM1"} if self.status == 201 else refusal, status=self.status)


@pytest.fixture
async def twilio(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeTwilio]:
    fake, port = FakeTwilio(), postgres.free_port()
    application = web.Application()
    application.router.add_post("/2010-04-01/Accounts/AC1/Messages.json", fake.handle)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    monkeypatch.setattr(sms, "TWILIO_URL", f"http://127.0.0.1:{port}")
    yield fake
    await runner.cleanup()


def with_twilio(resources: Resources, sender: str = "MG1") -> Resources:
    auth = resources.settings.auth
    account = Twilio(True, "AC1", sender, "hush")
    settings = replace(resources.settings, auth=replace(auth, sms=replace(auth.sms, twilio=account)))
    return replace(resources, settings=settings)


async def put(resources: Resources, **more: Any) -> dict[str, str]:
    async with db.transaction(resources.pool) as connection:
        return {"sms_id": str(await sms.enqueue(connection, resources, f"+{NUMBER}", TEXT, "otp", **more))}


async def row(resources: Resources) -> asyncpg.Record:
    async with db.connection(resources.pool) as connection:
        [only] = await connection.fetch("select * from jobs.sms")
        return only


async def test_an_sms_goes_out_once_by_twilio_and_is_wiped(resources: Resources, twilio: FakeTwilio) -> None:
    payload = await put(resources)
    for _ in range(3):
        await sms.send(with_twilio(resources), payload)
    [(form, authorization)] = twilio.received
    assert form == {"To": f"+{NUMBER}", "Body": TEXT, "MessagingServiceSid": "MG1"}
    assert authorization == encode_basic_auth("AC1", "hush")
    sent = await row(resources)
    assert (sent["status"], sent["body"], sent["error"]) == ("sent", None, None)


async def test_whatsapp_has_its_own_addresses(resources: Resources, twilio: FakeTwilio) -> None:
    await sms.send(with_twilio(resources, "+15005550006"), await put(resources, channel="whatsapp"))
    [(form, _authorization)] = twilio.received
    assert form == {"To": f"whatsapp:+{NUMBER}", "Body": TEXT, "From": "whatsapp:+15005550006"}


async def test_what_is_enqueued_can_be_read_until_it_is_sent(resources: Resources, twilio: FakeTwilio) -> None:
    payload = await put(resources)
    async with db.connection(resources.pool) as connection:
        assert await sms.queued(connection) == [sms.Sms(NUMBER, TEXT, "otp")]
    await sms.send(with_twilio(resources), payload)
    async with db.connection(resources.pool) as connection:
        assert await sms.queued(connection) == []


async def test_a_rolled_back_transaction_sends_nothing(resources: Resources) -> None:
    async def fail() -> None:
        async with db.transaction(resources.pool) as connection:
            await sms.enqueue(connection, resources, NUMBER, TEXT, "otp")
            raise RuntimeError("away")

    with pytest.raises(RuntimeError, match="away"):
        await fail()
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from jobs.sms") == 0
        assert await connection.fetchval("select count(*) from jobs.pgqueuer") == 0


@pytest.mark.parametrize("status", [401, 429, 500, 503])
async def test_a_busy_or_misconfigured_provider_gets_another_try(
    resources: Resources, twilio: FakeTwilio, status: int
) -> None:
    payload, twilio.status = await put(resources), status
    with pytest.raises(sms.TemporaryFailure, match=f"refused with {status}, Twilio error 21211"):
        await sms.send(with_twilio(resources), payload)
    assert (await row(resources))["status"] == "queued"
    twilio.status = 201
    await sms.send(with_twilio(resources), payload)
    assert (await row(resources))["status"] == "sent"


async def test_a_number_the_provider_refuses_is_final(resources: Resources, twilio: FakeTwilio) -> None:
    payload, twilio.status = await put(resources), 400
    with pytest.raises(jobs.PermanentError):
        await sms.send(with_twilio(resources), payload)
    failed = await row(resources)
    assert (failed["status"], failed["body"]) == ("failed", None)
    assert failed["error"] == "refused with 400, Twilio error 21211"


async def test_an_unreachable_provider_gets_another_try(resources: Resources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sms, "TWILIO_URL", f"http://127.0.0.1:{postgres.free_port()}")
    with pytest.raises(sms.TemporaryFailure):
        await sms.send(with_twilio(resources), await put(resources))
    assert (await row(resources))["status"] == "queued"


async def test_a_line_cut_after_the_content_is_never_answered_by_a_second_sms(
    resources: Resources, twilio: FakeTwilio
) -> None:
    payload, twilio.hang_up = await put(resources), True
    with pytest.raises(jobs.PermanentError):
        await sms.send(with_twilio(resources), payload)
    assert (await row(resources))["status"] == "failed"
    await sms.send(with_twilio(resources), payload)
    assert len(twilio.received) == 1


async def test_an_sms_whose_worker_died_while_sending_is_not_sent_again(
    resources: Resources, twilio: FakeTwilio
) -> None:
    payload = await put(resources)
    async with db.connection(resources.pool) as connection:
        await connection.execute("update jobs.sms set status = 'sending'")
    with pytest.raises(jobs.PermanentError):
        await sms.send(with_twilio(resources), payload)
    assert twilio.received == []


async def test_a_code_that_is_worth_nothing_any_more_is_not_sent(resources: Resources, twilio: FakeTwilio) -> None:
    payload = await put(resources)
    async with db.connection(resources.pool) as connection:
        await connection.execute("update jobs.sms set created_at = now() - interval '11 minutes'")
    with pytest.raises(jobs.PermanentError):
        await sms.send(with_twilio(resources), payload)
    assert twilio.received == []


async def test_without_a_provider_an_sms_becomes_a_mail_in_the_development_mailbox(resources: Resources) -> None:
    received: list[bytes] = []

    class Box(Message):
        def handle_message(self, message: Any) -> None:
            received.append(message.as_bytes())

    port = postgres.free_port()
    controller = UnthreadedController(Box(), hostname="127.0.0.1", port=port, loop=asyncio.get_running_loop())
    listening = await controller._create_server()
    try:
        box = replace(resources, settings=replace(resources.settings, local_smtp=LocalSmtp(smtp_port=port)))
        await sms.send(box, await put(resources))
    finally:
        listening.close()
        await listening.wait_closed()
    [message] = [message_from_bytes(each, policy=parsed) for each in received]
    assert message["To"] == f"{NUMBER}@sms.socio.example"
    assert message.get_content().strip() == TEXT
    with pytest.raises(sms.TemporaryFailure):
        await sms.send(box, await another(resources))


async def another(resources: Resources) -> dict[str, str]:
    async with db.connection(resources.pool) as connection:
        await connection.execute("delete from jobs.sms")
    return await put(resources)


async def test_neither_code_nor_secret_reaches_the_log(
    resources: Resources, twilio: FakeTwilio, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await sms.send(with_twilio(resources), await put(resources))
    twilio.status = 400
    with pytest.raises(jobs.PermanentError) as failure:
        await sms.send(with_twilio(resources), await another(resources))
    assert "123456" not in caplog.text + str(failure.value)
    assert "hush" not in caplog.text
