"""Make a backup a day, restore the newest once a week into a scratch database, and prove there that accounts are apart.

`SOCIO_BACKUPS` names the folder; without it nothing is made, and the report says so. The copy is compared with what was
saved, its wallets with its ledger, and a stranger tries every table of it (functions/_shared/isolation.py). Rules that
changed since make the next backup be tested earlier. The outcome is counts and names of tables, signed.
"""

from __future__ import annotations

import json
import time
from datetime import datetime, timedelta
from typing import Any

from backend.edge import api
from functions._shared import isolation, signatures

EVERY = timedelta(hours=1)
# A dump of many gigabytes and its restore.
TIMEOUT_S = 6 * 3600.0
TEST_EVERY = timedelta(days=7)
PURPOSE = "restore tests"
SHOWN = 10
LONGEST_ERROR = 200
# Shown to admins after «L’ultima copia non è riuscita:».
NO_SPACE = "sul disco delle copie non c’è abbastanza spazio. Liberane, o scegli un altro disco con SOCIO_BACKUPS."

Content = dict[str, Any]


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Do what is due; `{"now": true}` tests whatever was tested already. Raises Away while another process does."""
    try:
        kept, error = await context.keep_backups(), None
    except api.BackupBusy as busy:
        raise api.Away("backups are being made or tested") from busy
    except (api.BackupError, OSError) as failed:
        context.log.error("no backup was made", extra={"reason": _first_line(failed)})
        is_full = isinstance(failed, api.NoSpaceForBackup) or api.is_disk_full(failed)
        kept, error = [], NO_SPACE if is_full else _first_line(failed)
    async with context.as_service() as connection:
        rules = await isolation.rules(connection)
    if kept and (payload.get("now") or _is_due(context, kept[0], await _tests(context, 1), rules)):
        await _keep(context, await _test(context, kept[0]))
    await _report(context, kept, error, rules)


def _is_due(context: api.Context, newest: api.Backup, tests: list[Content], rules: str) -> bool:
    """Test a backup once: when the last test is a week old, or was one of other rules."""
    if not tests:
        return True
    last = tests[0]
    is_known = datetime.fromisoformat(last["backup_made_at"]) == newest.made_at
    is_old = context.now() - datetime.fromisoformat(last["tested_at"]) >= TEST_EVERY
    return not is_known and (is_old or last.get("rules") != rules)


async def _test(context: api.Context, backup: api.Backup) -> Content:
    """Restore a backup and return what was found. Raises Away."""
    started_s = time.monotonic()
    content: Content = {
        "tested_at": context.now().isoformat(timespec="seconds"),
        "backup_made_at": backup.made_at.isoformat(),
        "backup_bytes": backup.bytes,
    }
    try:
        async with context.restored(backup) as copy:
            content |= {
                "rows": copy.rows,
                "differing": list(copy.differing),
                "files": copy.files,
                "missing_files": copy.missing_files,
                "drifted": int(await copy.connection.fetchval(DRIFTED)),
                "rules": await isolation.rules(copy.connection),
                "proof": _written(await isolation.prove(copy.connection)),
            }
    except api.BackupBusy as busy:
        raise api.Away("backups are being made or tested") from busy
    except api.BackupError as error:
        context.log.error("a backup cannot be restored", extra={"reason": _first_line(error)})
        content["error"] = _first_line(error)
    content["took_s"] = round(time.monotonic() - started_s)
    return content


DRIFTED = "select private.measure_credits() -> 'figures' ->> 'drifted'"


def _written(proof: isolation.Proof) -> Content:
    return {
        "tables": proof.tables,
        "empty": proof.empty,
        "attempts": proof.attempts,
        "findings": [[found.table, found.verb, found.role, found.outcome] for found in proof.findings],
    }


def _first_line(error: Exception) -> str:
    """Leave out what Postgres says after its first line: there may be values of rows."""
    return (str(error).splitlines() or [type(error).__name__])[0][:LONGEST_ERROR]


async def _keep(context: api.Context, content: Content) -> None:
    await context.call(
        "private.keep_restore_test", api.Json(json.dumps(content)), signatures.sign(context, PURPOSE, _text(content))
    )


async def _tests(context: api.Context, most: int) -> list[Content]:
    """Return the newest tests, each with `is_genuine`: its signature is ours and about what it says."""
    async with context.as_service() as connection:
        rows = await connection.fetch("select content, signature from private.newest_restore_tests($1)", most)
    return [
        {
            **row["content"],
            "is_genuine": signatures.is_signed(context, PURPOSE, _text(row["content"]), row["signature"]),
        }
        for row in rows
    ]


def _text(content: Content) -> str:
    return json.dumps(content, sort_keys=True)


async def _report(context: api.Context, kept: list[api.Backup] | None, error: str | None, rules: str) -> None:
    """Keep what the administration shows of backups and of the newest proof."""
    tests = await _tests(context, SHOWN)
    forged = sum(not test["is_genuine"] for test in tests)
    figures: dict[str, float] = {"backups": len(kept or []), "backup_failed": int(error is not None), "forged": forged}
    if kept:
        figures["backup_age_h"] = _hours_since(context, kept[0].made_at)
        if kept[0].bytes is not None:
            figures["backup_bytes"] = kept[0].bytes
    if tests:
        figures["restore_age_h"] = _hours_since(context, datetime.fromisoformat(tests[0]["tested_at"]))
        figures["restore_failed"] = int(bool(_faults(tests[0])))
    await _snapshot(context, "backups", figures, {"tests": [_row(test) for test in tests], "error": _as_rows(error)})
    proved = next((test for test in tests if "proof" in test), None)
    if proved is None:
        return
    proof = proved["proof"]
    shown = {
        "reached": len(proof["findings"]),
        "proof_tables": proof["tables"],
        "attempts": proof["attempts"],
        "empty_tables": proof["empty"],
        "proof_age_h": _hours_since(context, datetime.fromisoformat(proved["tested_at"])),
        "rules_changed": int(proved["rules"] != rules),
        "forged": forged,
    }
    findings = [dict(zip(("name", "verb", "role", "outcome"), found, strict=True)) for found in proof["findings"]]
    await _snapshot(context, "isolation", shown, {"findings": findings})


def _hours_since(context: api.Context, moment: datetime) -> int:
    return round((context.now() - moment).total_seconds() / 3600)


def _row(test: Content) -> Content:
    """Return a test as the administration lists it."""
    shown = ("tested_at", "backup_made_at", "backup_bytes", "took_s", "files", "is_genuine")
    return {key: test.get(key) for key in shown} | {
        "saved_rows": test.get("rows"),
        "outcome": "; ".join(_faults(test)) or "Tutto tornato",
    }


def _faults(test: Content) -> list[str]:
    """Say in Italian what did not come back; empty when all did."""
    if "error" in test:
        return [test["error"]]
    found = [
        (len(test["differing"]), "tabelle con un altro numero di righe: " + ", ".join(test["differing"][:3])),
        (test["missing_files"], "file mancanti"),
        (test["drifted"], "portafogli che non tornano"),
    ]
    return [f"{count} {what}" for count, what in found if count]


def _as_rows(error: str | None) -> list[Content]:
    return [] if error is None else [{"error": error}]


async def _snapshot(context: api.Context, name: str, figures: dict[str, float], tables: dict[str, Any]) -> None:
    content = api.Json(json.dumps({"figures": figures, "tables": tables}))
    await context.call("private.keep_snapshot", name, EVERY, content)
