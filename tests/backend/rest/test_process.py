"""The settings PostgREST is started with."""

from __future__ import annotations

from backend.core import jwt
from backend.core.config import Settings
from backend.rest import process


def test_the_token_cache_that_leaks_stays_off(installed: Settings) -> None:
    environment = process.environment(installed, jwt.load(installed.home))
    assert environment["PGRST_JWT_CACHE_MAX_LIFETIME"] == "0"
