"""Hashing beside other work (GOAL-P2, GOAL-P3)."""

from __future__ import annotations

import asyncio

import pytest

from backend.auth import passwords

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _hashes_once() -> None:
    """Not here: the work itself is what these are about."""


async def test_the_event_loop_goes_on_while_passwords_are_hashed() -> None:
    hashing = passwords.Passwords()
    storm = asyncio.gather(*(hashing.hash("Segreto-123") for _ in range(20)))
    turns = 0
    while not storm.done():
        await asyncio.sleep(0)
        turns += 1
    await storm
    # Hashed in the loop, each of the twenty would leave it a turn or two.
    assert turns > 500


async def test_a_hash_matches_only_its_password() -> None:
    hashing = passwords.Passwords()
    stored = await hashing.hash("perché-No-1")
    assert (await hashing.check(stored, "perché-No-1")) == passwords.Checked(True)
    assert not (await hashing.check(stored, "perche-No-1")).matches
    assert not (await hashing.check(stored, "perché-No-1\x00")).matches
