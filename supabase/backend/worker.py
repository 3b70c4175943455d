"""The worker: sends the outbox and runs background jobs until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Mapping

from backend.core import jobs, mail, resources
from backend.core.config import Settings

logger = logging.getLogger("backend.worker")

HANDLERS: Mapping[str, jobs.Handler] = {mail.SEND_JOB: mail.send}
# What is not finished by then is handed back to the queue.
DRAIN_LIMIT_S = 20


async def run(settings: Settings) -> None:
    """Runs until SIGTERM or SIGINT."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    logger.info("worker started", extra={"pid": os.getpid()})
    async with resources.open_all(settings) as opened:
        working = asyncio.create_task(jobs.work(opened, HANDLERS, stopping))
        await asyncio.wait({working, asyncio.create_task(stopping.wait())}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({working}, timeout=DRAIN_LIMIT_S)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
    logger.info("worker stopped")
