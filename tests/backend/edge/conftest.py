"""A service with functions that a test writes."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from backend.core.config import Settings
from backend.core.config_functions import EdgeRuntime, Function
from backend.core.http import RequestContext
from backend.core.request_times import RequestTimes
from backend.core.resources import Resources
from backend.edge import routes

Write = Callable[[str, str], None]


@pytest.fixture(autouse=True)
def no_leftovers() -> Iterator[None]:
    before = dict(sys.modules)
    yield
    for name in [name for name in sys.modules if name.startswith("functions")]:
        del sys.modules[name]
    sys.modules.update({name: module for name, module in before.items() if name.startswith("functions")})


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes one file of the functions' folder."""

    def write_one(name: str, code: str) -> None:
        path = tmp_path / "functions" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)

    return write_one


@pytest.fixture
def developing(settings: Settings, tmp_path: Path) -> Settings:
    """Settings of a developer's machine, with functions of the test's own."""
    return replace(
        settings,
        functions_path=(tmp_path / "functions",),
        functions={"off": Function(enabled=False)},
        edge_runtime=EdgeRuntime(policy="oneshot", secrets={"API_KEY": "s3cret", "UNSET": ""}),
    )


@pytest.fixture
async def service(resources: Resources, developing: Settings) -> AsyncIterator[httpx.AsyncClient]:
    app = RequestContext(
        routes.create(developing, routes.loader_of(developing)), replace(resources, settings=developing), RequestTimes()
    )
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://socio.example") as opened:
        yield opened
