"""`make bench`: starts the product, measures, prints the table. Exit status 1 when a goal is missed."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from backend.core import config
from scripts import stack
from scripts.bench import checkout, files, goals, realtime, site, wallet
from scripts.bench.goals import Result
from scripts.bench.stage import stage
from scripts.run import REFUSALS, run_facts, supervise
from scripts.supervisor.log import Log


async def measure(_run_json: Path) -> int:
    """Everything, one after the other."""
    facts = run_facts(config.load())
    async with stage(facts) as set_up:
        results = [await goals.user(set_up), await goals.gateway(set_up), await goals.polling(set_up)]
        results += [await goals.logins(set_up), *await goals.storm(set_up)]
        results += await realtime.changes(set_up, facts["database_url"])
        results += [*await realtime.broadcast(set_up), await realtime.memory(set_up)]
        results += await files.upload(set_up, facts["secret_key"])
        results += [await site.javascript(set_up), *await site.lighthouse(set_up)]
        results += await wallet.spends(facts["database_url"])
        results += await checkout.webhooks(set_up, facts["database_url"])
    print(table(results))
    return 0 if all(result.holds for result in results) else 1


def table(results: list[Result]) -> str:
    """One line a goal; the load of the machine below, for it explains what nothing else does."""
    lines = [f"{'goal':5}{'what':46}{'ratio':>7}{'bar':>8}  {'':7}measured"]
    for result in results:
        bar = f"{'>=' if result.at_least else '<='} {result.most:g}"
        verdict = "ok" if result.holds else "MISSED"
        lines.append(f"{result.goal:5}{result.what:46}{result.ratio:7.2f}{bar:>8}  {verdict:7}{result.details}")
    return "\n".join([*lines, f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"])


def main() -> int:
    """Exit status 2 when the product does not start."""
    with tempfile.TemporaryDirectory(prefix="socio-bench-") as folder:
        os.environ.pop("DATABASE_URL", None)
        os.environ.update(stack.overrides(Path(folder)))
        # P13 measures 64 MiB, which the product's own limit refuses.
        os.environ["SUPABASE_STORAGE_FILE_SIZE_LIMIT"] = "100MiB"
        # Functions as in production: loaded once, not looked after at each call.
        os.environ["SUPABASE_EDGE_RUNTIME_POLICY"] = "per_worker"
        with (Path(folder) / "bench.log").open("w") as stream:
            try:
                # Durable, unlike the stack of the tests: sign-ins write.
                return asyncio.run(supervise(config.load(), Log(stream), measure))
            except REFUSALS as refusal:
                print(refusal, file=sys.stderr)
                return 2


if __name__ == "__main__":
    sys.exit(main())
