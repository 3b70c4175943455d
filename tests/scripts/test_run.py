"""`make run` as its user sees it: refusals, the whole product, and that nothing outlives it."""

from __future__ import annotations

import json
import os
import queue
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.core import config
from scripts import services, stack
from scripts.run import exclusive, run_facts
from tests.scripts.processes import descendants, ends

# Bounds that only a hang reaches: after a crash Postgres writes its whole folder to the disk, which others may use too.
HEALED_WITHIN_S = 60.0
START_WITHIN_S = 90.0


def clean_environment(home: Path) -> dict[str, str]:
    """Return the environment of a stack of its own."""
    return {**os.environ, **stack.overrides(home)}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return clean_environment(tmp_path / "home")


def refusal(environment: dict[str, str]) -> str:
    """What the command says when it does not even start."""
    done = subprocess.run(
        [sys.executable, "-m", "scripts.run"], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr


class Product:
    """A running `make run` and what it says."""

    def __init__(self, process: subprocess.Popen[str], home: Path) -> None:
        self.process = process
        self.run_json = home / "run.json"
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._said.put(line)
        self._said.put("")

    def says(self, text: str, timeout_s: float) -> None:
        """Waits for a line."""
        deadline = time.monotonic() + timeout_s
        said: list[str] = []
        while not said or text not in said[-1]:
            try:
                said.append(self._said.get(timeout=max(0.1, deadline - time.monotonic())))
            except queue.Empty:
                raise AssertionError(f"Nothing of {text!r}:\n{''.join(said)}") from None
            assert said[-1], "It ended:\n" + "".join(said)

    def facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = json.loads(self.run_json.read_text())
        return facts

    def stop(self) -> int:
        self.process.terminate()
        status = self.process.wait(timeout=30)
        self._reader.join()
        return status


@contextmanager
def running(environment: dict[str, str]) -> Iterator[Product]:
    """The product, once it has said that it is ready."""
    command = [sys.executable, "-m", "scripts.run"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        product = Product(process, Path(environment["SOCIO_HOME"]))
        try:
            product.says("Ctrl-C stops everything", START_WITHIN_S)
            yield product
        finally:
            product.stop()


def test_the_supervisor_loads_neither_web_server_nor_client_nor_queue() -> None:
    heavy = ("aiohttp", "pgqueuer", "pydantic", "uvicorn")
    code = f"import sys, scripts.run; print([each for each in {heavy} if each in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize(
    ("variable", "setting"),
    [
        ("SUPABASE_API_PORT", "[api] port"),
        ("SUPABASE_DB_PORT", "[db] port"),
        ("SUPABASE_LOCAL_SMTP_PORT", "[local_smtp] port"),
    ],
)
def test_a_taken_port_is_named_with_its_setting(environment: dict[str, str], variable: str, setting: str) -> None:
    with socket.create_server(("127.0.0.1", int(environment[variable]))):
        said = refusal(environment)
    assert f"Port {environment[variable]} is taken" in said
    assert setting in said
    assert variable in said


def test_a_second_start_is_refused(environment: dict[str, str]) -> None:
    with exclusive(Path(environment["SOCIO_HOME"])):
        said = refusal(environment)
    assert f"already runs here (process {os.getpid()}" in said


def test_a_broken_setting_is_refused_in_one_sentence(environment: dict[str, str]) -> None:
    assert "api.max_rows must be a whole number" in refusal({**environment, "SUPABASE_API_MAX_ROWS": "many"})


def test_keys_that_cannot_be_read_are_named_in_one_sentence(environment: dict[str, str]) -> None:
    keys = Path(environment["SOCIO_HOME"]) / "keys.json"
    keys.parent.mkdir(exist_ok=True)
    keys.write_text("{")
    damaged = refusal(environment)
    assert f"{keys} is damaged" in damaged
    keys.unlink()
    keys.mkdir()
    for said in (damaged, refusal(environment)):
        assert str(keys) in said
        assert "Traceback" not in said


def test_a_production_that_would_send_no_mail_is_refused(environment: dict[str, str]) -> None:
    said = refusal({**environment, "SUPABASE_API_EXTERNAL_URL": "https://www.socio.it"})
    assert "SUPABASE_AUTH_SITE_URL" in said
    assert "SUPABASE_AUTH_EMAIL_SMTP_ENABLED=true" in said


@pytest.mark.parametrize(
    "exposed",
    [{"SUPABASE_API_EXTERNAL_URL": "https://www.socio.it"}, {"STRIPE_SECRET_KEY": "sk_live_x"}],
    ids=["by https", "for money"],
)
def test_known_passwords_stay_away_from_strangers_and_money(
    exposed: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOCIO_DEMO", "1")
    here = {"SOCIO_HOME": str(tmp_path), "DATABASE_URL": "postgresql://socio:x@localhost/socio"}
    assert services.has_demo_data(config.load(here))
    settings = config.load({**here, **exposed})
    assert not services.has_demo_data(settings)
    assert "demo_admin" not in run_facts(settings)


@pytest.mark.parametrize(
    ("database_url", "asked_for", "expected"),
    [
        ("postgresql://postgres:x@127.0.0.1:5432/postgres", "", True),
        ("postgresql://postgres:x@localhost/socio", "", True),
        ("postgresql://postgres:x@db.example.org:5432/postgres", "", False),
        ("postgresql://postgres:x@db.example.org:5432/postgres", "1", True),
    ],
    ids=["loopback", "localhost", "elsewhere", "elsewhere, asked for"],
)
def test_known_passwords_stay_on_this_machine(
    database_url: str, asked_for: str, expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOCIO_DEMO", asked_for)
    settings = config.load({"SOCIO_HOME": str(tmp_path), "DATABASE_URL": database_url})
    assert services.has_demo_data(settings) is expected
    assert ("demo_admin" in run_facts(settings)) is expected


PARTS = {
    "postgres": "/postgres -D",
    "postgrest": "/postgrest",
    "backend": "backend serve",
}


@pytest.mark.long
def test_what_is_killed_heals_and_nothing_outlives_the_product(environment: dict[str, str]) -> None:
    """One life after the other in one home: starting takes far longer than all that is asked here."""
    with running(environment) as product:
        for service, command in PARTS.items():
            kill_part(product, service, command)
        family = descendants(product.process.pid)
        product.process.kill()
        assert [command for pid, command in family.items() if not ends(pid, 10)] == []
    # Nothing that was left behind keeps the next start from working.
    with running(environment) as product:
        assert stat.S_IMODE(product.run_json.stat().st_mode) == 0o600
        facts = product.facts()
        assert httpx.get(f"{facts['url']}/ready").status_code == 200
        sends_a_mail(facts)
        assert {"email", "password"} == facts["demo_user"].keys() == facts["demo_admin"].keys()
        family = descendants(product.process.pid)
        assert len(family) >= 4
        assert product.stop() == 0
    assert [command for pid, command in family.items() if not ends(pid, 0)] == []
    assert not product.run_json.exists()


def sends_a_mail(facts: dict[str, Any]) -> None:
    """Ask for a link by mail: the jobs of the process send it."""
    messages = f"{facts['mailbox_url']}/api/v1/messages"
    assert httpx.get(messages).json()["total"] == 0
    headers = {"apikey": facts["publishable_key"]}
    asked = httpx.post(f"{facts['url']}/auth/v1/recover", json={"email": facts["demo_user"]["email"]}, headers=headers)
    assert asked.status_code == 200
    deadline = time.monotonic() + HEALED_WITHIN_S
    while httpx.get(messages).json()["total"] == 0:
        assert time.monotonic() < deadline
        time.sleep(0.05)  # the mailbox tells nobody


def kill_part(product: Product, service: str, command: str) -> None:
    """Kills it, and waits until the whole answer is there again."""
    # What a part has just forked still carries its command line; the part itself stands before it.
    pid = next(pid for pid, line in descendants(product.process.pid).items() if command in line)
    facts = product.facts()
    os.kill(pid, signal.SIGKILL)
    began = time.monotonic()
    product.says(f"{service:<9} | [supervisor] healthy again", HEALED_WITHIN_S)
    with httpx.Client(base_url=facts["url"], headers={"apikey": facts["publishable_key"]}, timeout=30) as client:
        statuses = {path: client.get(path).status_code for path in ("/ready", "/rest/v1/analytics_events?limit=0")}
        while 503 in statuses.values():  # PostgREST finds its way back to Postgres
            assert time.monotonic() - began < HEALED_WITHIN_S, service
            statuses = {path: client.get(path).status_code for path in statuses}
    assert statuses == {"/ready": 200, "/rest/v1/analytics_events?limit=0": 401}, service
