"""Nobody learns from an answer or its time which addresses have an account (quality C4)."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from backend.auth import passwords, timing
from tests.backend.auth.conftest import PASSWORD, Api, Person

pytestmark = pytest.mark.anyio

KNOWN, UNKNOWN = "giulia@socio.example", "nessuno@socio.example"
ROUNDS = 5
STEP_S = 0.3


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


@pytest.mark.parametrize("name", ["sign up", "recover", "resend", "otp"])
async def test_answers_with_a_side_effect_leave_on_the_same_beat(
    api: Api, person: Person, now: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    await person(KNOWN)
    monkeypatch.setattr(timing, "STEP_S", STEP_S)
    times: dict[str, list[float]] = {KNOWN: [], UNKNOWN: []}
    for round_ in range(ROUNDS):
        now.advance(minutes=5)
        # A sign-up makes its address known: each round takes a fresh one.
        for who, email in ((KNOWN, KNOWN), (UNKNOWN, f"{round_}{UNKNOWN}")):
            started = time.perf_counter()
            assert (await CALLS[name](api, email)).status_code == 200
            times[who].append((time.perf_counter() - started) * 1000)
    # The quickest answers, for whoever listens waits for a quiet moment; what is left is when the loop wakes.
    difference_ms = abs(min(times[KNOWN]) - min(times[UNKNOWN]))
    assert difference_ms <= 5
    assert all(elapsed >= STEP_S * 1000 for elapsed in times[KNOWN] + times[UNKNOWN])


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
