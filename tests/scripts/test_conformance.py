"""`make conformance`: a suite from elsewhere finds the platform, the CLI's keys, and a service behind its own door."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import conformance, postgres
from scripts.paths import NODE_MODULES, ROOT

SUITE = """
import json, os, sys
import httpx
import jwt

url, door = os.environ["SUPABASE_URL"], sys.argv[1]
anon = jwt.encode({"iss": "supabase-demo", "role": "anon", "exp": 1983812996},
                  "super-secret-jwt-token-with-at-least-32-characters-long")
headers = {"apikey": anon, "Authorization": f"Bearer {anon}"}
assert httpx.get(f"{url}/rest/v1/things?select=name", headers=headers).json() == [{"name": "one"}]
person = {"email": "ada@example.com", "password": "hunter2"}
session = httpx.post(f"http://localhost:{door}/signup", json=person).json()
assert session["user"]["email"] == "ada@example.com", session
sys.exit(7)
"""


@pytest.mark.long
@pytest.mark.anyio
async def test_a_suite_from_elsewhere_runs_against_the_platform(tmp_path: Path) -> None:
    folder = tmp_path / "packages" / "suite"
    folder.mkdir(parents=True)
    command = [str(NODE_MODULES / ".bin" / "supabase"), "init", "--workdir", str(folder)]
    await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True, timeout=60)
    settings = folder / "supabase" / "config.toml"
    text = settings.read_text()
    door, *ports = postgres.free_ports(5)
    for usual, free in zip((54321, 54322, 54324, 54325), ports, strict=True):
        text = text.replace(f"# smtp_port = {usual}", f"smtp_port = {free}").replace(
            f"port = {usual}", f"port = {free}"
        )
    settings.write_text(text)
    (folder / "supabase" / "migrations").mkdir()
    (folder / "supabase" / "migrations" / "20240101000000_things.sql").write_text(
        "create table public.things (name text); insert into public.things values ('one');"
    )
    (folder / "suite.py").write_text(SUITE)
    done = await asyncio.to_thread(
        subprocess.run,
        [
            *(sys.executable, "-m", "scripts.conformance", "packages/suite"),
            *(f"{sys.executable} suite.py {door}", f"--door={door}:/auth/v1"),
        ],
        cwd=ROOT,
        env={**os.environ, "SOCIO_CONFORMANCE": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 7, done.stdout + done.stderr


def test_without_a_checkout_it_says_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOCIO_CONFORMANCE", raising=False)
    assert conformance.main(["packages/suite", "true"]) == 2
    assert "SOCIO_CONFORMANCE must be the folder of a checkout" in capsys.readouterr().err
