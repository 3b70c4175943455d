"""The office that tests of tools share, one for each of their modules."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from backend.core.config import Settings
from tests.databases import Databases
from tests.functions.assistant.office import Office, opened


@pytest.fixture(scope="module")
async def office(
    databases: Databases, installed: Settings, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Office]:
    async with opened(databases, installed, tmp_path_factory.mktemp("office")) as made:
        yield made
