"""The product's jobs, `functions/jobs/<name>.py`, as the worker knows tasks."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from backend.core import jobs
from backend.core.config import Settings
from backend.core.resources import Resources
from backend.edge.api import Context
from backend.edge.errors import BootError
from backend.edge.loader import Loader

logger = logging.getLogger("backend.edge")

TIMEOUT_S = 600.0


def of_product(settings: Settings) -> Mapping[str, jobs.Task]:
    """Each job by its name. One that cannot be loaded is told in the log, and its jobs wait until it can."""
    loader = Loader(settings.functions_folders, reload=False)
    found = {}
    for name in loader.jobs():
        try:
            found[name] = _task(loader, name)
        except BootError:
            logger.error("the jobs of this name wait", extra={"job": name})
    return found


def _task(loader: Loader, name: str) -> jobs.Task:
    module = loader.job(name)

    async def handle(resources: Resources, payload: dict[str, Any]) -> None:
        await module.handler(payload, _context(resources, name))

    async def given_up(resources: Resources, payload: dict[str, Any]) -> None:
        await module.given_up(payload, _context(resources, name))

    async def run_in_worker(resources: Resources) -> None:
        await module.run_in_worker(_context(resources, name))

    return jobs.Task(
        handle,
        every=getattr(module, "EVERY", None),
        given_up=given_up if hasattr(module, "given_up") else None,
        timeout_s=getattr(module, "TIMEOUT_S", TIMEOUT_S),
        run_in_worker=run_in_worker if hasattr(module, "run_in_worker") else None,
    )


def _context(resources: Resources, name: str) -> Context:
    """A job belongs to the server: it acts as service, for the user it was enqueued for."""
    return Context(name, {"role": "service_role"}, "", resources, resources.keys.secret_key, jobs.current.get(None))
