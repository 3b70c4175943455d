"""Nobody learns from an answer or its time which addresses have an account (quality C4)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import httpx
import pytest

from backend.auth import passwords, timing
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
