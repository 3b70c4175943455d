"""The twelve jobs of a day in a browser: how many steps each takes from /home, and how long."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from backend.core import config
from scripts.bench.goals import Result
from scripts.paths import NODE_MODULES, ROOT
from scripts.setup import BIN

TIMEOUT_S = 360


async def jobs() -> Sequence[Result]:
    """Run web/e2e/jobs.spec.ts against the running stack. Raises RuntimeError when a job could not be done."""
    with tempfile.TemporaryDirectory(prefix="socio-jobs-") as folder:
        taken = Path(folder) / "taken.json"
        process = await asyncio.create_subprocess_exec(
            *(str(NODE_MODULES / ".bin" / "playwright"), "test", "--config", "web/playwright.config.ts"),
            *("--output", folder, "jobs.spec"),
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
            env={
                **os.environ,
                "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
                "SOCIO_RUN_JSON": str(config.load().home / "run.json"),
                "SOCIO_JOBS_JSON": str(taken),
            },
        )
        async with asyncio.timeout(TIMEOUT_S):
            output, _ = await process.communicate()
        if not taken.exists():
            raise RuntimeError(output.decode())
        return [_row(job) for job in json.loads(await asyncio.to_thread(taken.read_text))]


def _row(job: dict[str, Any]) -> Result:
    steps, seconds = job["steps"], job["seconds"]
    return Result(
        "jobs", job["name"], steps, job["most"], f"{steps} {'step' if steps == 1 else 'steps'}, {seconds:.1f} s"
    )
