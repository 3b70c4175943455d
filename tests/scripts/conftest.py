"""Asynchronous tests of the scripts run on asyncio, as the scripts do."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
