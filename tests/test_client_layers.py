"""The linter's layers of the client: which folder of web/src imports which."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.paths import NODE_MODULES, ROOT

SUPABASE = "import { createClient } from '@supabase/supabase-js'"
CLIENT = "import { supabase } from '@/lib/supabase'"

REFUSED = [
    ("strings/a.ts", "import { DataError } from '@/data/postgrest'"),
    ("strings/b.ts", "export { DataError } from '../data/postgrest'"),
    ("strings/c.ts", "import { signIn } from '@/api/auth'"),
    ("strings/d.ts", "import type { Board } from '@/features/crm/board'"),
    ("lib/a.ts", "import { catalog } from '@/data/catalog'"),
    ("lib/b.ts", "import { Button } from '@/components/ui/button'"),
    ("lib/c.ts", SUPABASE),
    ("lib/d.ts", CLIENT),
    ("data/a.ts", "export const board = () => import('@/features/crm/board')"),
    ("data/b.ts", "import { Button } from '@/components/ui/button'"),
    ("api/a.ts", "import { App } from '@/app/app'"),
    ("components/a.tsx", "import { board } from '@/features/crm/board'"),
    ("components/b.tsx", "import { App } from '@/app/app'"),
    ("components/c.tsx", CLIENT),
    ("features/crm/a.tsx", "import { sitePages } from '@/app/site-pages'"),
    ("features/crm/b.tsx", "import { tasks } from '@/features/tasks/list'"),
    ("features/crm/deep/c.tsx", "import { tasks } from '../../tasks/list'"),
    ("features/crm/d.tsx", "import { routes } from '@/routes'"),
    ("features/tasks/a.tsx", SUPABASE),
    ("features/tasks/b.tsx", CLIENT),
    ("app/a.tsx", SUPABASE),
    ("main.tsx", CLIENT),
]
ALLOWED = [
    ("strings/y.ts", "import type { Task } from '@/data/tasks'"),
    ("strings/y.test.ts", "import built from '@/data/catalog.gen.json'"),
    ("lib/y.ts", "import codes from '../../../functions/_shared/fatturapa/codes.json'"),
    ("data/y.ts", CLIENT),
    ("api/y.ts", SUPABASE),
    ("components/y.tsx", "import { useTasks } from '@/data/tasks'"),
    ("features/crm/deep/y.tsx", "import { board } from '@/features/crm/board'"),
    ("features/crm/y.tsx", "import type { User } from '@supabase/supabase-js'"),
    ("app/y.tsx", "import { board } from '@/features/crm/board'"),
]


def test_the_linter_refuses_imports_against_the_layers(tmp_path: Path) -> None:
    for name, line in REFUSED + ALLOWED:
        file = tmp_path / "src" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{line}\n")
    shutil.copy(ROOT / "web" / "oxlint.config.ts", tmp_path)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "oxlint").symlink_to(NODE_MODULES / "oxlint")

    command = [str(NODE_MODULES / ".bin" / "oxlint"), "--format=json", "src"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    linted = subprocess.run(command, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    found = json.loads(linted.stdout)["diagnostics"]
    refused = {each["filename"] for each in found if each["code"] == "eslint(no-restricted-imports)"}

    assert refused == {f"src/{name}" for name, _ in REFUSED}
