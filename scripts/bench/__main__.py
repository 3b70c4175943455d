"""`make bench`: start the product, measure, print each row and write it to docs/benchmarks.md.

The exit status is 1 when a goal is missed or a measurement could not run.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from backend.core import config
from scripts import stack
from scripts.bench import (
    agents,
    assistant,
    changes,
    checkout,
    documents,
    export,
    extraction,
    files,
    goals,
    home,
    jobs,
    mail,
    questions,
    queue,
    realtime,
    report,
    screen,
    search,
    site,
    start,
    traces,
    wallet,
    whatsapp,
    work,
)
from scripts.bench.goals import Result
from scripts.bench.stage import Stage, stage
from scripts.run import REFUSALS, run_facts, supervise
from scripts.supervisor.log import Log

logger = logging.getLogger(__name__)

Facts = Mapping[str, str]
Measurement = Callable[[Stage, Facts], Awaitable[Result | Sequence[Result]]]

# In order; each by the name that chooses it: `make bench only="user storm"`.
MEASUREMENTS: dict[str, Measurement] = {
    "user": lambda stage, _: goals.user(stage),
    "gateway": lambda stage, _: goals.gateway(stage),
    "polling": lambda stage, _: goals.polling(stage),
    "logins": lambda stage, _: goals.logins(stage),
    "storm": lambda stage, _: goals.storm(stage),
    "traces": lambda stage, _: traces.traces(stage),
    "changes": lambda stage, facts: changes.changes(stage, facts["database_url"]),
    "broadcast": lambda stage, _: realtime.broadcast(stage),
    "memory": lambda stage, _: realtime.memory(stage),
    "upload": lambda stage, facts: files.upload(stage, facts["secret_key"]),
    "javascript": lambda stage, _: site.javascript(stage),
    "lighthouse": lambda stage, _: site.lighthouse(stage),
    "spends": lambda _, facts: wallet.spends(facts["database_url"]),
    "queue": lambda _, facts: queue.claims(facts["database_url"]),
    "writers": lambda _, facts: queue.writers(facts["database_url"]),
    "webhooks": lambda stage, facts: checkout.webhooks(stage, facts["database_url"]),
    "work": lambda stage, _: work.work(stage),
    "home": lambda stage, _: home.home(stage),
    "screen": lambda stage, facts: screen.screen(stage, facts["database_url"]),
    "jobs": lambda _stage, _: jobs.jobs(),
    "search": lambda stage, _: search.search(stage),
    "ocr": lambda stage, _: documents.recognition(stage),
    "extraction": lambda _stage, _: extraction.calibrated(),
    "answers": lambda stage, _: assistant.local(stage),
    "questions": lambda _stage, _: questions.answered(),
    "rush": lambda stage, _: assistant.rush(stage),
    "streams": lambda stage, _: assistant.streams(stage),
    "agents": lambda stage, facts: agents.agents(stage, facts["database_url"]),
    "export": lambda stage, facts: export.export(stage, facts["database_url"]),
    "erasure": lambda stage, facts: export.erasure(stage, facts["database_url"]),
    "sending": lambda stage, facts: mail.sending(stage, facts["database_url"]),
    "reading": lambda stage, facts: mail.reading(stage, facts["database_url"]),
    "whatsapp": lambda stage, facts: whatsapp.storm(stage, facts["database_url"]),
    "campaign": lambda stage, facts: whatsapp.campaign(stage, facts["database_url"]),
    "start": lambda stage, _: start.start(stage),
}


async def measure(names: Sequence[str]) -> int:
    """Run the named measurements one after the other; print and record each result as soon as it is known."""
    facts = run_facts(config.load())
    print(f"{'goal':5}{'what':46}{'ratio':>7}{'bar':>8}  {'':7}measured", flush=True)
    holds = True
    async with stage(facts) as set_up:
        for name in names:
            try:
                found = await MEASUREMENTS[name](set_up, facts)
            except Exception:
                # The others do not depend on it; its rows keep what the last run found, with their date and commit.
                logger.exception("%s could not be measured", name)
                holds = False
                continue
            results = [found] if isinstance(found, Result) else found
            for result in results:
                print(line(result), flush=True)
                holds &= result.holds
            report.record(name, results)
    # It explains what nothing else does.
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    return 0 if holds else 1


def line(result: Result) -> str:
    """Return one line for the terminal."""
    bar = f"{'>=' if result.at_least else '<='} {result.most:g}"
    verdict = "ok" if result.holds else "MISSED"
    return f"{result.goal:5}{result.what:46}{result.ratio:7.2f}{bar:>8}  {verdict:7}{result.details}"


def main(names: Sequence[str]) -> int:
    """Run the named measurements, or all; return 2 when the product does not start or a name is unknown."""
    if unknown := set(names) - set(MEASUREMENTS):
        print(f"Unknown: {', '.join(sorted(unknown))}. There are {', '.join(MEASUREMENTS)}.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="socio-bench-") as folder:
        os.environ.pop("DATABASE_URL", None)
        os.environ.update(stack.overrides(Path(folder)))
        # The assistant's provider and Meta, which the measurements play themselves.
        os.environ.update(assistant.environment())
        os.environ.update(whatsapp.environment())
        with (Path(folder) / "bench.log").open("w") as stream:
            try:
                # Durable, unlike the stack of the tests: sign-ins write.
                return asyncio.run(
                    supervise(config.load(), Log(stream), lambda _run_json: measure(names or list(MEASUREMENTS)))
                )
            except REFUSALS as refusal:
                print(refusal, file=sys.stderr)
                return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
