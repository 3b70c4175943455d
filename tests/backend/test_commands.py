"""python -m backend: what its commands print, and how they fail."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
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


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
async def test_a_home_folder_with_other_keys_takes_over_no_database_unless_it_is_told_to(
    settings: Settings, tmp_path: Path
) -> None:
    await run(settings, "migrate")
    elsewhere = replace(settings, home=tmp_path / "elsewhere")
    for command in ("migrate", "worker", "storage sweep"):
        refused = await run(elsewhere, *command.split())
        assert refused.returncode == 1
        assert refused.stderr.startswith("error: this database belongs to other keys")
    assert not elsewhere.home.exists(), "no new keys stand in the way of the right ones"
    await run(settings, "keys", "rotate")
    assert (await run(settings, "migrate")).returncode == 0
    assert (await run(elsewhere, "keys", "adopt")).returncode == 0
    assert (await run(elsewhere, "migrate")).returncode == 0
    assert (await run(settings, "migrate")).returncode == 1
    # Roles belong to all databases of the server: give back the password that the other tests know.
    assert (await run(settings, "keys", "adopt")).returncode == 0
    assert (await run(settings, "migrate")).returncode == 0


async def test_a_file_that_cannot_be_used_is_named_and_the_database_is_not_blamed(
    settings: Settings, tmp_path: Path
) -> None:
    missing = await run(replace(settings, home=tmp_path / "elsewhere"), "keys", "rotate")
    assert missing.stderr == f"error: [Errno 2] No such file or directory: '{tmp_path}/elsewhere/keys.json'\n"
    (settings.home / jwt.KEYS_FILE).write_text("{")
    assert (await run(settings, "migrate")).stderr.startswith(f"error: {settings.home}/keys.json is damaged")


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


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "environ", "complaint"),
    [
        ("seed demo", {"SUPABASE_API_EXTERNAL_URL": "https://socio.it"}, "demo accounts"),
        ("migrate --seed=demo", {"SUPABASE_API_EXTERNAL_URL": "https://socio.it"}, "demo accounts"),
        ("serve", {"SUPABASE_API_EXTERNAL_URL": "https://socio.it"}, "SUPABASE_AUTH_SITE_URL"),
        ("worker", {"SUPABASE_API_EXTERNAL_URL": "https://socio.it"}, "SUPABASE_AUTH_SITE_URL"),
        ("serve", {"STRIPE_SECRET_KEY": "sk_test_x"}, "STRIPE_WEBHOOK_SECRETS"),
        ("rest", {"POSTGREST_BIN": "/nowhere/postgrest"}, "POSTGREST_BIN"),
        ("admin grant nobody@socio.it", {}, "nobody@socio.it"),
    ],
)
async def test_what_would_fail_in_silence_does_not_start(
    settings: Settings, command: str, environ: dict[str, str], complaint: str
) -> None:
    done = await run(settings, *command.split(), **environ)
    assert done.returncode == 1
    errors = [line for line in done.stderr.splitlines() if not line.startswith("{")]
    assert errors[0].startswith("error: ")
    assert complaint in errors[0]


@pytest.mark.long
async def test_demo_accounts_of_a_database_are_not_served_by_https_until_they_are_removed(settings: Settings) -> None:
    https = dict.fromkeys(("SUPABASE_API_EXTERNAL_URL", "SUPABASE_AUTH_SITE_URL"), "https://www.socio.it")
    assert (await run(settings, "seed", "demo")).returncode == 0
    refused = await run(settings, "serve", **https, SOCIO_LOCAL_SMTP="true")
    assert refused.returncode == 1
    assert "python -m backend admin remove-demo" in refused.stderr
    assert "Removed 2" in (await run(settings, "admin", "remove-demo", **https)).stdout


@pytest.mark.long
async def test_rest_becomes_postgrest_in_place_of_a_dead_one_and_health_says_so(
    settings: Settings, tmp_path: Path
) -> None:
    socket = tmp_path / "run" / "rest.sock"
    chosen = {"SOCIO_POSTGREST_SOCKET": str(socket), "SOCIO_POSTGREST_SOCKET_MODE": "660"}
    assert (await run(settings, "health", **chosen)).returncode == 1
    socket.parent.mkdir(mode=0o700)
    socket.touch()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "backend", "rest", env=environment(settings, **chosen), stderr=subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(60):
            while (done := await run(settings, "health", **chosen)).returncode != 0:
                assert "PostgREST does not answer" in done.stdout
        assert done.stdout == "All is well.\n"
        assert stat.S_IMODE(socket.stat().st_mode) == 0o660
    finally:
        process.terminate()
        await process.wait()


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


async def test_one_process_migrates_serves_and_does_the_jobs_until_sigterm(settings: Settings, tmp_path: Path) -> None:
    log, port = tmp_path / "serve.log", postgres.free_port()
    command = [sys.executable, "-W", "error", "-m", "backend", "serve", "--migrate=reference", "--worker"]
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *command, env=environment(settings, SUPABASE_API_PORT=str(port)), stdout=output, stderr=output
        )

    def said() -> list[str]:
        return [json.loads(line)["message"] for line in log.read_text().splitlines() if line.endswith("}")]

    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client, asyncio.timeout(60):
        while "job done" not in said():
            assert process.returncode is None, log.read_text()
            await asyncio.sleep(0.05)  # the child's own start; jobs of every hour are due at once
        assert (await client.get("/health")).json() == {"status": "ok"}
    process.terminate()
    async with asyncio.timeout(30):
        assert await process.wait() == 0
    assert said()[:2] == ["database is up to date", "seeds loaded"]
    assert "worker stopped" in said()


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
