"""python -m backend: what its commands print, and how they fail."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import asyncpg
import httpx
import pytest

from backend.core import config, jwt
from backend.core.config import Settings
from scripts import postgres

pytestmark = pytest.mark.anyio


async def run(settings: Settings, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "backend", *arguments]
    return await asyncio.to_thread(
        subprocess.run, command, env=environment(settings, **environ), capture_output=True, text=True, timeout=60
    )


def environment(settings: Settings, **more: str) -> dict[str, str]:
    paths = os.pathsep.join([str(config.ROOT / "supabase"), str(config.ROOT)])
    return {
        **os.environ,
        "PYTHONPATH": paths,
        "SOCIO_HOME": str(settings.home),
        "DATABASE_URL": settings.database_url,
        **more,
    }


async def test_migrate_and_seed_may_be_run_again_and_demo_logins_come_only_when_asked_for(settings: Settings) -> None:
    people = []
    for command in ("migrate", "migrate --seed=reference", "seed", "seed demo", "seed demo"):
        done = await run(settings, *command.split())
        assert done.returncode == 0, done.stderr
        people.append(await count_people(settings))
    assert json.loads(done.stderr.splitlines()[-1])["message"] == "seeds loaded"
    assert people == [0, 0, 0, 2, 2]


async def count_people(settings: Settings) -> int:
    connection = await asyncpg.connect(settings.database_url)
    found: int = await connection.fetchval("select count(*) from auth.users")
    await connection.close()
    return found


async def test_keys_are_shown_rotated_and_retired(settings: Settings) -> None:
    before = json.loads((await run(settings, "keys")).stdout)
    assert before["secret_key"].startswith("sb_secret_")
    assert (await run(settings, "keys", "rotate")).returncode == 0
    between = json.loads((await run(settings, "keys")).stdout)
    assert between["signing_key_ids"][1:] == before["signing_key_ids"]
    await run(settings, "keys", "retire")
    after = json.loads((await run(settings, "keys")).stdout)
    assert after["signing_key_ids"] == between["signing_key_ids"][:1]
    assert after["anon_key"] == before["anon_key"]
    assert jwt.load(settings.home).publishable_key == before["publishable_key"]


@pytest.mark.parametrize(
    ("environ", "complaint"),
    [
        ({"SUPABASE_API_PORT": "many"}, "error: supabase/config.toml:"),
        ({"DATABASE_URL": "postgresql://x@127.0.0.1:1/x"}, "error: the database is not usable:"),
    ],
)
async def test_a_failure_is_one_sentence_and_an_exit_code(
    settings: Settings, environ: dict[str, str], complaint: str
) -> None:
    done = await run(settings, "migrate", **environ)
    assert done.returncode == 1
    assert done.stderr.startswith(complaint)
    assert len(done.stderr.splitlines()) == 1


async def test_the_server_starts_serves_and_ends_on_sigterm(settings: Settings, tmp_path: Path) -> None:
    port = postgres.free_port()
    command = [sys.executable, "-W", "error", "-m", "backend", "serve"]
    with (tmp_path / "serve.log").open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *command, env=environment(settings, SUPABASE_API_PORT=str(port)), stdout=output, stderr=output
        )
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client, asyncio.timeout(60):
        while True:
            try:
                answer = await client.get("/health")
                break
            except httpx.TransportError:
                await asyncio.sleep(0.05)  # the child's own start
    assert answer.json() == {"status": "ok"}
    process.terminate()
    async with asyncio.timeout(30):
        assert await process.wait() == 0
    lines = [json.loads(line) for line in (tmp_path / "serve.log").read_text().splitlines()]
    assert [line["path"] for line in lines if line["message"] == "request"] == ["/health"]
    assert not [line for line in lines if line["level"] in ("error", "warning")]


async def test_the_worker_starts_and_ends_on_sigterm(settings: Settings) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", "-m", "backend", "worker", env=environment(settings), stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    async with asyncio.timeout(60):
        started = json.loads(await process.stderr.readline())
        assert started["message"] == "worker started"
        process.terminate()
        rest = await process.stderr.read()
    assert await process.wait() == 0, rest
    assert json.loads(rest.splitlines()[-1])["message"] == "worker stopped"


async def test_a_mail_can_be_looked_at_before_anybody_gets_it(settings: Settings, tmp_path: Path) -> None:
    shown = await run(settings, "mail", "preview", "confirmation")
    assert shown.returncode == 0, shown.stderr
    assert "giulia@socio.example" in shown.stdout
    assert "{{" not in shown.stdout
    out = tmp_path / "mail.html"
    written = await run(settings, "mail", "preview", "email_change", "--out", str(out))
    assert written.stdout.startswith("Conferma il nuovo indirizzo")
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "giulia.ferri@socio.example" in out.with_suffix(".txt").read_text(encoding="utf-8")


async def test_an_unknown_mail_is_refused_with_the_known_ones(settings: Settings) -> None:
    done = await run(settings, "mail", "preview", "fattura")
    assert done.returncode == 1
    assert "confirmation, email_change" in done.stderr
