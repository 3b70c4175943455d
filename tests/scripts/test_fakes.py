"""The fakes of a development stack, in one process."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx
import pytest

from backend.core import config
from scripts import postgres, services
from scripts.supervisor.log import Log
from scripts.supervisor.supervisor import Supervisor

pytestmark = pytest.mark.anyio


async def test_mailbox_and_stripe_answer_and_end_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    api_port, page_port, smtp_port, stripe_port, meta_port = postgres.free_ports(5)
    own = {
        "SOCIO_HOME": str(tmp_path),
        "SUPABASE_API_PORT": str(api_port),
        "SUPABASE_LOCAL_SMTP_PORT": str(page_port),
        "SUPABASE_LOCAL_SMTP_SMTP_PORT": str(smtp_port),
        services.FAKE_STRIPE_SETTING: str(stripe_port),
        services.FAKE_META_SETTING: str(meta_port),
        "STRIPE_SECRET_KEY": "",
    }
    for name, value in own.items():
        monkeypatch.setenv(name, value)
    supervisor = Supervisor(Log(sys.stdout))
    try:
        await supervisor.start(services.fakes(config.load()))
        async with httpx.AsyncClient() as client:
            assert (await client.get(f"http://127.0.0.1:{page_port}/api/v1/messages")).json()["total"] == 0
            assert (await client.get(f"http://127.0.0.1:{stripe_port}/v1/checkout/sessions/x")).status_code == 401
    finally:
        await supervisor.stop()
    async with httpx.AsyncClient() as client:
        for port in (page_port, stripe_port, meta_port):
            with pytest.raises(httpx.ConnectError):
                await client.get(f"http://127.0.0.1:{port}/livez")
