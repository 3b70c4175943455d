"""What a function has at hand: secrets, the way out, mail, and limits that hold."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest

from backend.core.config import Settings
from backend.edge.outward import Outward, OutwardError
from tests.backend.edge.conftest import Write
from tests.conftest import Mails

pytestmark = pytest.mark.anyio

HEAD = "import asyncio\nfrom backend.edge import api\n"
HANDLER = HEAD + "async def handler(request, context):\n"


async def test_a_body_may_be_as_long_as_the_function_says(service: httpx.AsyncClient, write: Write) -> None:
    write("small.py", f"{HEAD}BODY_LIMIT_BYTES = 10\n{HANDLER}    return api.Response(await request.body())\n")
    assert (await service.post("/small", content=b"0123456789")).content == b"0123456789"
    announced = await service.post("/small", content=b"0123456789x")
    assert (announced.status_code, announced.json()["code"]) == (413, "request_entity_too_large")

    async def dripping() -> AsyncIterator[bytes]:
        for _ in range(3):
            yield b"01234"

    assert (await service.post("/small", content=dripping())).status_code == 413


async def test_a_stream_that_never_ends_is_cut_at_the_functions_time(service: httpx.AsyncClient, write: Write) -> None:
    endless = "        while True:\n            yield b'data: 1\\n\\n'\n            await asyncio.sleep(0)\n"
    body = f"    async def lines():\n{endless}    return api.StreamingResponse(lines())\n"
    write("stream.py", f"{HEAD}TIMEOUT_S = 0.05\n{HANDLER}{body}")
    with pytest.raises(Exception, match="already started"):
        await service.get("/stream")


async def test_a_functions_own_time_out_is_its_own_bug(service: httpx.AsyncClient, write: Write) -> None:
    write("own.py", f"{HANDLER}    raise TimeoutError\n")
    assert (await service.get("/own")).status_code == 500


async def test_secrets_are_those_that_the_settings_name(service: httpx.AsyncClient, write: Write) -> None:
    asked = "    return api.JSONResponse([context.secret('API_KEY'), context.has_secret('UNSET')])\n"
    write("known.py", HANDLER + asked)
    write("unset.py", f"{HANDLER}    context.secret('UNSET')\n")
    write("unknown.py", f"{HANDLER}    context.secret('PATH')\n")
    assert (await service.get("/known")).json() == ["s3cret", False]
    assert [(await service.get(path)).status_code for path in ("/unset", "/unknown")] == [500, 500]


async def test_links_begin_with_the_site_of_the_settings(
    service: httpx.AsyncClient, settings: Settings, write: Write
) -> None:
    write("site.py", f"{HANDLER}    return api.JSONResponse(context.site_url)\n")
    assert (await service.get("/site")).json() == settings.auth.site_url


@pytest.mark.parametrize("url", ["http://169.254.169.254/", "https://10.0.0.1/", "https://[fd00::1]/", "file:///etc"])
async def test_the_way_out_leads_to_the_internet_only(service: httpx.AsyncClient, write: Write, url: str) -> None:
    asked = "    try:\n        await context.http.request('GET', await api.json_object(request) and URL)\n"
    refused = "    except api.OutwardError as error:\n        return api.JSONResponse({'refused': str(error)})\n"
    write("fetch.py", f"URL = {url!r}\n{HANDLER}{asked}{refused}")
    assert (await service.post("/fetch", json={"a": 1})).json()["refused"]


async def test_work_goes_on_after_the_answer(service: httpx.AsyncClient, write: Write, mails: Mails) -> None:
    message = "api.Message('anna@example.com', 'Dopo', '<p>Dopo</p>', 'Dopo', 'greeting')"
    later = (
        "ANSWERED = asyncio.Event()\nasync def later(context):\n    await ANSWERED.wait()\n"
        f"    async with context.as_service() as connection:\n        await api.send_mail(connection, {message})\n"
    )
    answer = "    context.wait_until(later(context))\n    return api.Response(status_code=204)\n"
    write("later.py", f"{HEAD}{later}{HANDLER}{answer}")
    assert (await service.post("/later")).status_code == 204
    assert await mails.all() == []
    sys.modules["functions.later"].ANSWERED.set()
    while not await mails.all():
        pass
    assert [mail.subject for mail in await mails.all()] == ["Dopo"]


async def test_a_function_sends_mail_with_what_it_changes(
    service: httpx.AsyncClient, write: Write, mails: Mails
) -> None:
    message = "api.Message('anna@example.com', 'Ciao', '<p>Ciao</p>', 'Ciao', 'greeting')"
    sent = f"    async with context.as_service() as connection:\n        await api.send_mail(connection, {message})\n"
    write("greet.py", f"{HANDLER}{sent}    return api.Response(status_code=204)\n")
    assert (await service.post("/greet")).status_code == 204
    assert [mail.subject for mail in await mails.to("anna@example.com")] == ["Ciao"]


async def test_a_function_that_is_switched_off_is_not_there(service: httpx.AsyncClient, write: Write) -> None:
    write("off.py", f"{HANDLER}    return api.Response()\n")
    assert (await service.get("/off")).status_code == 404


async def test_a_platform_that_does_not_answer_is_an_error_with_a_name(
    service: httpx.AsyncClient, write: Write
) -> None:
    asked = "    try:\n        await context.storage.download('a', 'b')\n    except api.PlatformError as error:\n"
    write("files.py", f"{HANDLER}{asked}        return api.JSONResponse({{'status': error.status}})\n")
    # Nothing listens on the port of these settings.
    assert (await service.get("/files")).json() == {"status": 0}


async def test_a_functions_log_lines_carry_its_name(
    service: httpx.AsyncClient, write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    write("talks.py", f"{HANDLER}    context.log.info('here')\n    return api.Response()\n")
    await service.get("/talks")
    assert ("functions.talks", logging.INFO, "here") in caplog.record_tuples


@pytest.mark.parametrize(
    ("external_url", "refusal"),
    [("https://socio.example", "must begin with https"), ("http://localhost:54321", "Cannot connect")],
    ids=["production", "development"],
)
async def test_this_very_machine_is_reached_in_development_only(
    settings: Settings, external_url: str, refusal: str
) -> None:
    outward = Outward(replace(settings, api=replace(settings.api, external_url=external_url)))
    with pytest.raises(OutwardError, match=refusal):
        await outward.request("GET", "http://127.0.0.1:1/")
    with pytest.raises(OutwardError):
        async with outward.stream("GET", "http://10.0.0.1/"):
            raise AssertionError("reached")
