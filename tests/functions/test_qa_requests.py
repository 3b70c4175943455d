"""Runs that admins ask for: what a machine gets from `qa_requests`, and how `scripts.qa_runner` carries it out."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from starlette.types import ASGIApp

from backend.core import db
from backend.core.resources import Resources
from scripts import qa, qa_runner, stack
from scripts.browsers import __main__ as browsers
from tests import door
from tests.functions import signed_in
from tests.scripts import processes

pytestmark = pytest.mark.anyio
URL = "/functions/v1/qa_requests"
ADMIN = UUID("00000000-0000-4000-8000-0000000000ad")
PHONES = (Path(__file__).parent / "reports" / "phones.json").resolve()


@pytest.fixture
async def service(client: httpx.AsyncClient, resources: Resources) -> httpx.AsyncClient:
    client.headers["apikey"] = resources.keys.secret_key
    return client


@pytest.fixture
async def admin(resources: Resources) -> None:
    async with db.transaction(resources.pool) as connection:
        await connection.execute("insert into auth.users (id, email) values ($1, 'admin@example.com')", ADMIN)
        await connection.execute("insert into public.user_roles (user_id, role) values ($1, 'admin')", ADMIN)


async def _as_admin(resources: Resources, statement: str, *arguments: object) -> Any:
    claims = {"sub": str(ADMIN), "role": "authenticated", "aal": "aal2"}
    async with db.as_claims(resources.pool, claims) as connection:
        return await connection.fetchval(statement, *arguments)


async def _ask(resources: Resources, kind: str = "mobile") -> str:
    return str(await _as_admin(resources, "select public.admin_ask_qa($1)", kind))


async def _request(resources: Resources, kind: str = "mobile") -> Any:
    return (await _as_admin(resources, "select public.admin_qa($1)", kind))["request"]


async def _say(service: httpx.AsyncClient, body: dict[str, Any]) -> dict[str, Any]:
    answer = await service.post(URL, json=body)
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


@pytest.mark.usefixtures("admin")
async def test_two_machines_at_once_get_one_request(service: httpx.AsyncClient, resources: Resources) -> None:
    request_id = await _ask(resources)
    answers = await asyncio.gather(*(_say(service, {"machine": f"banco-{number}"}) for number in range(8)))
    assert [answer["request"] for answer in answers if answer["request"]] == [{"id": request_id, "kind": "mobile"}]
    assert await _say(service, {"id": request_id}) == {"is_open": True}
    assert await _say(service, {"id": request_id, "failure": "Manca\nChromium"}) == {"is_open": True}
    assert (await _request(resources))["failure"] == "Manca Chromium"
    assert await _say(service, {"id": request_id}) == {"is_open": False}


@pytest.mark.parametrize(
    "body",
    [{}, {"machine": ""}, {"machine": 1}, {"machine": "x" * 61}, {"id": "x"}, {"id": None},
     {"id": str(UUID(int=1)), "failure": ""}, {"id": str(UUID(int=1)), "failure": "x" * 301}],
    ids=json.dumps,
)  # fmt: skip
async def test_a_body_of_another_form_is_refused(body: dict[str, Any], service: httpx.AsyncClient) -> None:
    answer = await service.post(URL, json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


@pytest.mark.usefixtures("admin")
@pytest.mark.parametrize("who", ["visitor", "person", "admin"])
async def test_only_the_secret_key_takes_requests(who: str, client: httpx.AsyncClient, resources: Resources) -> None:
    await _ask(resources)
    people = {"person": uuid4(), "admin": ADMIN}
    headers = signed_in.headers(resources, people[who], aal="aal2") if who in people else {}
    answer = await client.post(URL, json={"machine": "banco-1"}, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert (await _request(resources))["state"] == "waiting"


@pytest.mark.usefixtures("admin")
async def test_a_report_that_an_admin_imports_ends_no_request(client: httpx.AsyncClient, resources: Resources) -> None:
    request_id = await _ask(resources)
    headers = signed_in.headers(resources, ADMIN, aal="aal2")
    address = f"/functions/v1/qa_report?request={request_id}"
    answer = await client.post(address, content=PHONES.read_bytes(), headers=headers)
    assert answer.status_code == 200, answer.text
    assert (await _request(resources))["state"] == "waiting"


async def test_a_report_with_a_request_that_is_none_is_refused(service: httpx.AsyncClient) -> None:
    answer = await service.post("/functions/v1/qa_report?request=x", content=PHONES.read_bytes())
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


@pytest.fixture
async def url(app: ASGIApp) -> AsyncIterator[str]:
    """Serve the gateway on a port of its own and return its address."""
    async with door.serving(app) as address:
        yield address


class Machine:
    """A test machine whose tests are a script in Python."""

    def __init__(self, url: str, key: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._arguments = ["--url", url, "--name", "banco-1", "--lock", str(folder / "state" / "lock")]
        self._monkeypatch = monkeypatch
        monkeypatch.setenv(qa.KEY_SETTING, key)
        monkeypatch.setattr(qa_runner, "SEND_AGAIN_S", 0)

    async def works(self, script: str, *arguments: str, kinds: Sequence[str] = ("mobile", "browser")) -> int:
        """Run the command once; returns its exit status."""
        command = (sys.executable, "-c", f"import json, os, shutil, sys, time\n{script}", *arguments)
        self._monkeypatch.setattr(qa_runner, "COMMANDS", dict.fromkeys(kinds, command))
        return await asyncio.to_thread(qa_runner.main, self._arguments)


@pytest.fixture
def machine(url: str, resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, admin: None) -> Machine:
    return Machine(url, resources.keys.secret_key, tmp_path, monkeypatch)


LEAVE = "shutil.copy(sys.argv[1], os.environ['SOCIO_QA_REPORT'])"


async def test_a_machine_carries_a_request_out_and_its_run_is_linked(
    machine: Machine, resources: Resources, capsys: pytest.CaptureFixture[str]
) -> None:
    request_id = await _ask(resources)
    # A failed check is a status other than 0.
    assert await machine.works(f"{LEAVE}\nsys.exit(1)", str(PHONES)) == 0
    assert "mobile, chromium 156" in capsys.readouterr().out
    found = await _as_admin(resources, "select public.admin_qa('mobile')")
    assert (found["request"]["state"], found["request"]["machine"]) == ("done", "banco-1")
    assert [run["request_id"] for run in found["runs"]] == [request_id]
    # Nothing is left to do, and another request does not take the run with it.
    assert await machine.works("sys.exit('never')") == 0
    assert await _ask(resources) != request_id
    assert (await _request(resources))["state"] == "waiting"


async def test_the_tests_know_neither_the_key_nor_an_address_of_a_stack(
    machine: Machine, resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOCIO_RUN_JSON", "/of/another/stack.json")
    await _ask(resources)
    script = "json.dump(dict(os.environ, argv=' '.join(sys.argv)), open(sys.argv[1], 'w'))"
    assert await machine.works(script, str(tmp_path / "seen.json")) == 1
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert "SOCIO_RUN_JSON" not in seen
    assert [name for name, value in seen.items() if resources.keys.secret_key in value] == []


def test_each_kind_runs_on_a_stack_of_its_own() -> None:
    assert set(qa_runner.COMMANDS) == {"mobile", "browser"}
    for command in qa_runner.COMMANDS.values():
        assert command[1:4] == ("-m", "scripts.stack", "--")


async def test_a_report_that_does_not_arrive_is_sent_again(
    machine: Machine, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    send, tries = qa.Installation.send, iter((True, True, False))

    def interrupted(*arguments: Any) -> list[dict[str, Any]]:
        runs = send(*arguments)
        if next(tries):
            raise qa.Unsent("the answer was lost")
        return runs

    monkeypatch.setattr(qa.Installation, "send", interrupted)
    await _ask(resources)
    assert await machine.works(LEAVE, str(PHONES)) == 0
    assert (await _request(resources))["state"] == "done"


BROKEN = {
    "no report": ("sys.exit('\\x1b[31mchromium\\x1b[0m\\nis missing')", "(stato 1): chromium; is missing"),
    "words of its stack": (f"sys.exit('missing\\n{stack.WARNINGS}\\npostgres')", "(stato 1): missing"),
    "nothing at all": ("sys.exit(3)", "(stato 3): nessun messaggio"),
    "a long line": ("sys.exit('x' * 5000)", "x" * qa_runner.MOST_CHARACTERS),
    "no JSON": ("open(os.environ['SOCIO_QA_REPORT'], 'w').write('{')", "is no JSON"),
    "no test": ("json.dump({'suites': []}, open(os.environ['SOCIO_QA_REPORT'], 'w'))", "bad_report: "),
}


@pytest.mark.parametrize(("script", "words"), BROKEN.values(), ids=BROKEN)
async def test_a_run_that_breaks_says_why(script: str, words: str, machine: Machine, resources: Resources) -> None:
    await _ask(resources)
    assert await machine.works(script) == 1
    request = await _request(resources)
    assert request["state"] == "failed"
    assert words in request["failure"]
    assert "postgres" not in request["failure"]


async def test_a_report_of_the_other_kind_alone_is_no_run(machine: Machine, resources: Resources) -> None:
    await _ask(resources)
    found = {"route": "/home", "check": "opens", "outcome": "passed", "note": ""}
    report = {
        "config": {"version": "", "metadata": {"source": "WebDriver"}},
        "suites": [{"title": "browsers", "specs": [browsers.test_of("firefox", "140.2", [found])]}],
        "stats": {"startTime": "2026-11-29T10:00:00Z", "duration": 1000},
    }
    script = "open(os.environ['SOCIO_QA_REPORT'], 'w').write(sys.argv[1])"
    assert await machine.works(script, json.dumps(report)) == 1
    assert (await _request(resources))["failure"] == "Il report non contiene prove di questo tipo"


STAY = "time.sleep(600)"


def _stays() -> bool:
    """Look for the tests among our processes."""
    commands = processes.descendants(os.getpid()).values()
    return any(command.endswith(f"{STAY} ") and "scripts.stack" not in command for command in commands)


async def _is_running(resources: Resources) -> None:
    while (await _request(resources))["state"] != "running":  # noqa: ASYNC110 - another process
        await asyncio.sleep(0)


async def test_a_cancelled_request_ends_its_tests_and_meanwhile_the_machine_takes_no_other(
    machine: Machine, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(qa_runner, "SIGN_S", 0.05)
    request_id = await _ask(resources)
    work = asyncio.create_task(machine.works(STAY))
    await _is_running(resources)
    await _ask(resources, "browser")
    assert await machine.works(LEAVE, str(PHONES)) == 0
    assert (await _request(resources, "browser"))["state"] == "waiting"
    assert await _as_admin(resources, "select public.admin_cancel_qa($1)", UUID(request_id))
    assert await work == 0
    assert await _request(resources) is None
    assert not _stays()


async def test_tests_that_do_not_end_are_ended_and_the_failure_says_so(
    machine: Machine, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(qa_runner, "SIGN_S", 0.05)
    monkeypatch.setattr(qa_runner, "MOST_S", 0.0)
    await _ask(resources)
    assert await machine.works(STAY) == 1
    assert (await _request(resources))["failure"] == "La prova non è finita in 0 minuti"
    assert not _stays()


async def _runner(url: str, resources: Resources, lock: Path, before: Sequence[str] = ()) -> asyncio.subprocess.Process:
    """Run the command as a process whose tests stay; `before` is what starts them."""
    command = (
        "import sys; from scripts import qa_runner; "
        f"qa_runner.COMMANDS = {{'mobile': (*{before}, sys.executable, '-c', 'import time; {STAY}')}}; "
        "sys.exit(qa_runner.main(sys.argv[1:]))"
    )
    runner = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", command, "--url", url, "--lock", str(lock)),
        env={**os.environ, qa.KEY_SETTING: resources.keys.secret_key},
        stderr=asyncio.subprocess.DEVNULL,
    )
    await _is_running(resources)
    while not _stays():  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.01)
    return runner


async def test_a_machine_that_is_stopped_says_so(url: str, admin: None, resources: Resources, tmp_path: Path) -> None:
    await _ask(resources)
    runner = await _runner(url, resources, tmp_path / "lock")
    runner.send_signal(signal.SIGINT)
    assert await runner.wait() == 1
    assert (await _request(resources))["failure"] == "La macchina di prova è stata fermata"
    assert not _stays()


@pytest.mark.parametrize("before", [(), pytest.param(qa_runner.STACK, marks=pytest.mark.long)])
async def test_nothing_that_a_killed_machine_started_outlives_it(
    before: tuple[str, ...], url: str, admin: None, resources: Resources, tmp_path: Path
) -> None:
    await _ask(resources)
    runner = await _runner(url, resources, tmp_path / "lock", before)
    started = processes.descendants(runner.pid)
    runner.kill()
    await runner.wait()
    assert started
    assert any("postgres -D" in command for command in started.values()) == bool(before)
    assert [command for pid, command in started.items() if not await asyncio.to_thread(processes.ends, pid)] == []


async def test_an_installation_that_does_not_answer_is_said_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(qa.KEY_SETTING, "sb_secret_x")
    command = ["--url", "http://127.0.0.1:1", "--lock", str(tmp_path / "lock")]
    assert await asyncio.to_thread(qa_runner.main, command) == 1
    assert "does not answer" in capsys.readouterr().err
    monkeypatch.delenv(qa.KEY_SETTING)
    assert qa_runner.main(command) == 1
    assert os.environ.get(qa.KEY_SETTING) is None
    assert "backend keys" in capsys.readouterr().err
