"""The worker: sends the outbox, runs background jobs and receives mail until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Mapping

from backend.auth import cleanup, hooks, mail_hook, sms
from backend.core import error_reports, housekeeping, jobs, mail, resources, worker_metrics
from backend.core.config import Settings
from backend.core.resources import Resources
from backend.edge import inbound, tasks
from backend.realtime import retention
from backend.storage import emptying, files, sweep

logger = logging.getLogger("backend.worker")

TASKS: Mapping[str, jobs.Task] = {
    mail.SEND_JOB: jobs.Task(mail.send, timeout_s=mail.SEND_TIMEOUT_S),
    mail_hook.SEND_JOB: jobs.Task(mail_hook.send),
    sms.SEND_JOB: jobs.Task(sms.send),
    hooks.AFTER_USER_CREATED_JOB: jobs.Task(hooks.tell_of_new_user),
    emptying.JOB: jobs.Task(emptying.run),
    retention.JOB: jobs.Task(retention.forget, every=retention.EVERY),
    sweep.JOB: jobs.Task(sweep.run, every=sweep.EVERY, timeout_s=3000),
    cleanup.JOB: jobs.Task(cleanup.forget, every=cleanup.EVERY),
    housekeeping.JOB: jobs.Task(housekeeping.forget, every=housekeeping.EVERY),
}


async def run(settings: Settings) -> None:
    """Runs until SIGTERM or SIGINT."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    async with (
        resources.open_all(settings, role="worker") as opened,
        error_reports.reported(opened),
        worker_metrics.served(opened),
    ):
        await work(opened, stopping)


async def work(opened: Resources, stopping: asyncio.Event) -> None:
    """Send the outbox, run jobs and receive mail until `stopping` is set, also next to the gateway in one process."""
    logger.info("worker started", extra={"pid": os.getpid()})
    opened = files.at_hand(opened)
    # In a thread, because the modules of the jobs take a while to load and the gateway may be answering.
    product = await asyncio.to_thread(tasks.of_product, opened.settings)
    async with inbound.listening(opened):
        await jobs.work(opened, {**TASKS, **product}, stopping)
    logger.info("worker stopped")
