"""The Supabase CLI reads our config.toml and agrees with our migration runner about what is applied."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from scripts.paths import NODE_MODULES, ROOT
from tests.contract.stack import run


def test_db_push_finds_nothing_left_to_apply(tmp_path: Path) -> None:
    command = [str(NODE_MODULES / ".bin" / "supabase"), "db", "push", f"--remote={run()['database_url']}"]
    environment = {**os.environ, "HOME": str(tmp_path), "DO_NOT_TRACK": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, "is up to date" in done.stdout + done.stderr) == (0, True), done.stdout + done.stderr
