"""The worker: sends the outbox and runs background jobs until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Mapping

from backend.auth import hooks, mail_hook, sms
from backend.core import jobs, mail, resources
from backend.core.config import Settings

logger = logging.getLogger("backend.worker")

HANDLERS: Mapping[str, jobs.Handler] = {
    mail.SEND_JOB: mail.send,
    mail_hook.SEND_JOB: mail_hook.send,
    sms.SEND_JOB: sms.send,
    hooks.AFTER_USER_CREATED_JOB: hooks.tell_of_new_user,
}


async def run(settings: Settings) -> None:
    """Runs until SIGTERM or SIGINT."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    logger.info("worker started", extra={"pid": os.getpid()})
    async with resources.open_all(settings) as opened:
        await jobs.work(opened, HANDLERS, stopping)
    logger.info("worker stopped")
