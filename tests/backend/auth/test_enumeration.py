"""Nobody learns from an answer or its time which addresses have an account (ATTACK-06)."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import bcrypt
import httpx
import pytest

from backend.auth import passwords, timing
from backend.core.resources import Resources
from tests.backend.auth.conftest import PASSWORD, Api, Person

pytestmark = pytest.mark.anyio

KNOWN, UNKNOWN = "giulia@socio.example", "nessuno@socio.example"


def _shape(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shape(each) for name, each in value.items()}
    return type(value).__name__


CALLS: dict[str, Callable[[Api, str], Awaitable[httpx.Response]]] = {
    "sign up": lambda api, email: api.sign_up(email, data={"full_name": "Chi"}),
    "recover": lambda api, email: api.post("/recover", {"email": email}),
    "resend": lambda api, email: api.post("/resend", {"type": "signup", "email": email}),
    "otp": lambda api, email: api.post("/otp", {"email": email}),
    "sign in": lambda api, email: api.sign_in(email, "Sbagliata-1"),
    "verify": lambda api, email: api.post("/verify", {"type": "signup", "email": email, "token": "000000"}),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
async def test_status_and_shape_are_the_same(
    api: Api, person: Person, now: Any, call: Callable[[Api, str], Awaitable[httpx.Response]]
) -> None:
    await person(KNOWN)
    now.advance(minutes=5)
    known, unknown = await call(api, KNOWN), await call(api, UNKNOWN)
    assert known.status_code == unknown.status_code
    assert _shape(known.json()) == _shape(unknown.json())
    assert set(known.headers) == set(unknown.headers)


class Stopwatch:
    """Stands in for the clock and the sleep of `timing`: time passes only when a test or a sleep says so."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.slept_s: list[float] = []

    def monotonic(self) -> float:
        return self.now_s

    async def sleep(self, duration_s: float) -> None:
        self.slept_s.append(duration_s)
        self.now_s += duration_s


@pytest.fixture
def stopwatch(monkeypatch: pytest.MonkeyPatch) -> Stopwatch:
    watch = Stopwatch()
    monkeypatch.setattr(timing, "time", watch)
    monkeypatch.setattr(timing, "asyncio", watch)
    return watch


@pytest.mark.parametrize("spent_s", [0.0, 0.004, 0.099, 0.1, 0.25])
@pytest.mark.parametrize("fails", [False, True])
async def test_an_answer_held_back_leaves_on_a_beat_whatever_it_took(
    stopwatch: Stopwatch, monkeypatch: pytest.MonkeyPatch, spent_s: float, fails: bool
) -> None:
    monkeypatch.setattr(timing, "STEP_S", 0.1)
    started_s = stopwatch.now_s
    with suppress(ValueError):
        async with timing.evened_out():
            stopwatch.now_s += spent_s
            if fails:
                raise ValueError
    took_s = stopwatch.now_s - started_s
    assert took_s == pytest.approx(round(took_s, 1))
    assert took_s >= spent_s


@pytest.mark.parametrize("name", ["sign up", "recover", "resend", "otp"])
async def test_answers_with_a_side_effect_are_held_back_for_known_and_unknown(
    api: Api, person: Person, now: Any, stopwatch: Stopwatch, name: str
) -> None:
    await person(KNOWN)
    for email in (KNOWN, UNKNOWN):
        now.advance(minutes=5)
        stopwatch.slept_s.clear()
        assert (await CALLS[name](api, email)).status_code == 200
        assert stopwatch.slept_s == [timing.STEP_S]


async def test_a_sign_in_hashes_whether_or_not_the_address_is_known(
    api: Api, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    await person(KNOWN)
    checked: list[str] = []
    original = passwords._hasher.verify

    class Watched:
        def verify(self, stored: str, given: bytes) -> bool:
            checked.append(stored[:30])
            return original(stored, given)

        check_needs_rehash = passwords._hasher.check_needs_rehash

    monkeypatch.setattr(passwords, "_hasher", Watched())
    for email, password in ((KNOWN, "Sbagliata-1"), (UNKNOWN, PASSWORD), (UNKNOWN, "x" * 100)):
        assert (await api.sign_in(email, password)).status_code == 400
    assert checked == ["$argon2id$v=19$m=19456,t=2,p=1"] * 3


class TestImportedHashes:
    """What a comparison costs passes on the stopwatch, by the kind of hash."""

    COSTS_S = {"$2b$04$": 0.3, "$2b$05$": 0.7}  # noqa: RUF012

    @pytest.fixture(autouse=True)
    def places(self, stopwatch: Stopwatch, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """The hashing places that are taken whenever somebody waits."""
        taken: list[int] = []
        hashing: set[passwords.Passwords] = set()
        compare, sleep = passwords.Passwords.check, stopwatch.sleep

        async def check(self: passwords.Passwords, stored: str, password: str) -> passwords.Checked:
            hashing.add(self)
            stopwatch.now_s += TestImportedHashes.COSTS_S.get(stored[:7], 0.02)
            return await compare(self, stored, password)

        async def cost_s(_self: passwords.Passwords, stored: str) -> float:
            return TestImportedHashes.COSTS_S[stored[:7]]

        async def asleep(duration_s: float) -> None:
            taken.extend(2 * (os.cpu_count() or 1) - each.turn._value for each in hashing)
            await sleep(duration_s)

        monkeypatch.setattr(passwords.Passwords, "check", check)
        monkeypatch.setattr(passwords.Passwords, "cost_s", cost_s)
        monkeypatch.setattr(stopwatch, "sleep", asleep)
        return taken

    async def _import(self, api: Api, resources: Resources, email: str, cost: int) -> None:
        brought = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(cost)).decode()
        body = {"email": email, "password_hash": brought, "email_confirm": True}
        assert (await api.post("/admin/users", body, resources.keys.service_role_key)).status_code == 200

    async def _took_s(self, api: Api, stopwatch: Stopwatch, email: str, password: str, status: int) -> float:
        started_s = stopwatch.now_s
        assert (await api.sign_in(email, password)).status_code == status
        return round(stopwatch.now_s - started_s, 3)

    async def test_a_refusal_takes_longer_than_the_costliest_hash_there_is_whoever_is_asked_for(
        self, api: Api, person: Person, resources: Resources, stopwatch: Stopwatch, places: list[int], now: Any
    ) -> None:
        await person(KNOWN)
        assert await self._took_s(api, stopwatch, KNOWN, "Sbagliata-1", 400) == 0.02
        await self._import(api, resources, "lenta@socio.example", 5)
        await self._import(api, resources, "meno-lenta@socio.example", 4)
        now.advance(minutes=1)
        everybody = (KNOWN, UNKNOWN, "lenta@socio.example", "meno-lenta@socio.example")
        assert {await self._took_s(api, stopwatch, email, "Sbagliata-1", 400) for email in everybody} == {1.4}
        assert set(places) == {0}
        # Who has the right one waits for nothing, and leaves a hash of today.
        assert await self._took_s(api, stopwatch, "lenta@socio.example", PASSWORD, 200) == 0.7
        now.advance(minutes=1)
        assert {await self._took_s(api, stopwatch, email, "Sbagliata-1", 400) for email in everybody} == {0.6}
        assert await self._took_s(api, stopwatch, "meno-lenta@socio.example", PASSWORD, 200) == 0.3
        now.advance(minutes=1)
        assert {await self._took_s(api, stopwatch, email, "Sbagliata-1", 400) for email in everybody} == {0.02}
