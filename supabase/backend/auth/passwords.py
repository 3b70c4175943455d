"""Passwords: the rules a new one must obey, hashing, and checking without telling who exists.

argon2id at OWASP's parameters (19 MiB, t=2, p=1) costs 17 ms where bcrypt 10 costs 51 (AUTH-12).
Hashes run in threads, never in the event loop, and at most one per core at a time. Hashes of other kinds, which an
import may bring (bcrypt, argon2i, argon2d, Firebase's scrypt, other costs), are accepted and replaced at the next
sign-in.
"""

from __future__ import annotations

import asyncio
import os
import string
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import argon2
import bcrypt
from argon2 import PasswordHasher

from backend.auth import errors, imported_hashes
from backend.core.config import Auth

_T = TypeVar("_T")

MAX_BYTES = 72
_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1, type=argon2.Type.ID)
# What a sign-in with an unknown address is compared with: the same work, never a match.
_NOBODY = _hasher.hash(os.urandom(16))

_LETTERS = string.ascii_letters
_SYMBOLS = "!@#$%^&*()_+-=[]{};'\\:\"|<>?,./`~"
# The sets of the Supabase CLI, by the name of the setting.
REQUIRED_SETS = {
    "": (),
    "letters_digits": (_LETTERS, string.digits),
    "lower_upper_letters_digits": (string.ascii_lowercase, string.ascii_uppercase, string.digits),
    "lower_upper_letters_digits_symbols": (string.ascii_lowercase, string.ascii_uppercase, string.digits, _SYMBOLS),
}


@dataclass(frozen=True)
class Checked:
    """Whether the password is right, and whether its hash should be replaced by one of today."""

    matches: bool
    outdated: bool = False


class Passwords:
    """The hashing threads of one process, one per core.

    `turn` is for what goes with a hash: with a storm of sign-ins the others wait before they have asked the database
    anything, and nobody else's request waits behind them.
    """

    def __init__(self) -> None:
        cores = os.cpu_count() or 1
        self._threads = ThreadPoolExecutor(cores, "passwords", _step_back)
        self.turn = asyncio.Semaphore(2 * cores)

    async def hash(self, password: str) -> str:
        """The hash to store."""
        return await self._in_thread(_hasher.hash, password)

    async def check(self, stored: str, password: str) -> Checked:
        """Compares with the stored hash; without one it takes as long and never matches."""
        return await self._in_thread(_check, stored, password)

    async def cost_s(self, stored: str) -> float:
        """How long a core needs to compare with such a hash."""
        return await self._in_thread(_cost_s, stored)

    async def _in_thread(self, work: Callable[..., _T], *arguments: str) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)


def _step_back() -> None:
    """A hash keeps a core busy for 17 ms: the event loop goes first (on Linux each thread has its own niceness)."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


def _check(stored: str, password: str) -> Checked:
    given = password.encode("utf-8", "surrogatepass")
    if len(given) > MAX_BYTES or b"\x00" in given:
        stored, given = "", b""
    if stored.startswith(("$2a$", "$2b$", "$2y$")):
        return Checked(_bcrypt_matches(stored, given), outdated=True)
    if stored.startswith(imported_hashes.FIREBASE):
        return Checked(_firebase_matches(stored, given), outdated=True)
    if not stored.startswith("$argon2"):
        stored = _NOBODY
    try:
        return Checked(_hasher.verify(stored, given), outdated=_hasher.check_needs_rehash(stored))
    except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
        return Checked(False)


def _cost_s(stored: str) -> float:
    started_s = time.perf_counter()
    _check(stored, "")
    return time.perf_counter() - started_s


def _firebase_matches(stored: str, given: bytes) -> bool:
    try:
        return imported_hashes.parse_firebase(stored).matches(given)
    except ValueError:
        return False


def _bcrypt_matches(stored: str, given: bytes) -> bool:
    try:
        return bcrypt.checkpw(given, stored.encode())
    except ValueError:
        return False


def refuse_long(password: str) -> None:
    """Refuse what no hash takes whole. Raises AuthError validation_failed."""
    if len(password.encode()) > MAX_BYTES:
        raise errors.invalid(f"Password cannot be longer than {MAX_BYTES} characters")


def refuse_bad(password: str, settings: Auth) -> None:
    """Apply the rules of a new password. Raises AuthError validation_failed, WeakPassword."""
    refuse_long(password)
    if weakness := find_weakness(password, settings):
        raise weakness


def find_weakness(password: str, settings: Auth) -> errors.WeakPassword | None:
    """Why a password would not be accepted today, in GoTrue's words."""
    messages, reasons = [], []
    if len(password) < settings.minimum_password_length:
        reasons.append("length")
        messages.append(f"Password should be at least {settings.minimum_password_length} characters.")
    required = REQUIRED_SETS[settings.password_requirements]
    if any(not set(allowed) & set(password) for allowed in required):
        reasons.append("characters")
        messages.append(f"Password should contain at least one character of each: {', '.join(required)}.")
    return errors.WeakPassword(" ".join(messages), reasons) if reasons else None
