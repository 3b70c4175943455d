"""The repository itself: nothing of one machine or one registry in it, no secret, and the rules of its layout."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.core import config
from backend.core.errors import Code

ROOT = config.ROOT

# The same as .gitignore.
MADE = re.compile(
    r"(^|/)(\.git|\.venv|\.socio|node_modules|dist|__pycache__|\.\w+_cache|\.hypothesis|\.temp|\.branches|test-results"
    r"|playwright-report)/|\.tsbuildinfo$|^uv\.lock$"
)
# Written in pieces, so that this file does not find itself.
MACHINE = re.compile(r"(?<![\w.@-])/(?:" + "root|home|work|Users" + r")/[\w.-]+")
REGISTRIES = re.compile(
    r"registry\." + r"npm|\bpypi\." + r"org|python" + r"hosted|:\d+/(?:simple|npm)\b|artif" + r"actory|nexus\."
)
SECRETS = re.compile(
    r"sb_" + r"secret_[\w-]{20,}"
    r"|[sr]k_live_\w{8,}"
    r"|wh" + r"sec_\w{16,}"
    r"|BEGIN [A-Z ]*PRIVATE " + r"KEY"
    r"|\beyJ[\w-]{20,}\.eyJ[\w-]{20,}\.[\w-]{20,}"
    r"|\bAKIA[A-Z0-9]{16}\b"
)  # fmt: skip
# Papers that the reader of a clone does not have; docs/ and ARCHITECTURE.md are here.
PAPERS = re.compile(
    r"\bspec" + r"(?:ification)?(?:'s)?[\s*#-]+section"
    r"|\bapi-" + r"reference"
    r"|\bquality " + r"[FP]\d"
    r"|(?<![\w/-])(?:spec|product|quality|design|architecture|style)\." + r"md\b"
    r"|\breference/" + r"[\w-]+\.md"
)  # fmt: skip
# The clone may belong to another account of this machine.
GIT = ["git", "-c", f"safe.directory={ROOT}"]
SUBJECT = re.compile(r"(?=.{1,72}$)[a-z.][\w ,./-]*: \S")
# How many files pyproject.toml lists under «Docstrings to mend»: lower it with the list, never raise it.
DOCSTRINGS_TO_MEND = 457


def tracked() -> list[Path]:
    """What git keeps; on a machine without git, everything that no tool has made."""
    if not shutil.which("git"):
        return [path for path in ROOT.rglob("*") if path.is_file() and not MADE.search(str(path.relative_to(ROOT)))]
    listed = subprocess.run([*GIT, "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def texts() -> Iterator[tuple[str, str]]:
    for path in tracked():
        if not path.is_symlink():
            yield str(path.relative_to(ROOT)), path.read_bytes().decode("utf-8", "replace")


@pytest.mark.parametrize("pattern", [MACHINE, REGISTRIES, SECRETS], ids=["machine paths", "registries", "secrets"])
def test_no_tracked_file_holds_what_belongs_to_one_machine(pattern: re.Pattern[str]) -> None:
    found = [f"{name}: {match[0][:40]}" for name, text in texts() for match in pattern.finditer(text)]
    assert found == []


def test_no_tracked_file_refers_to_a_document_outside_the_repository() -> None:
    here = [(name, text) for name, text in texts() if not name.startswith("db/migrations/")]
    assert [f"{name}: {match[0]}" for name, text in here for match in PAPERS.finditer(text)] == []


def test_supabase_is_no_package_for_the_official_client_has_that_name() -> None:
    assert not (ROOT / "supabase" / "__init__.py").exists()
    import supabase

    assert supabase.__file__ is not None
    assert not Path(supabase.__file__).is_relative_to(ROOT / "supabase")


def test_the_npm_lock_has_digests_and_no_addresses() -> None:
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    foreign = {
        name: package for name, package in packages.items() if "node_modules/" in name and not package.get("link")
    }
    assert foreign
    assert [name for name, package in foreign.items() if "resolved" in package] == []
    assert [name for name, package in foreign.items() if not str(package.get("integrity")).startswith("sha512-")] == []


def test_the_python_lock_has_digests_and_no_addresses() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    assert "://" not in lock
    assert "index-url" not in lock
    requirements = re.findall(r"^\S+==.*(?:\n    .*)*", lock, re.MULTILINE)
    assert len(requirements) > 20
    assert [each.splitlines()[0] for each in requirements if "--hash=sha256:" not in each] == []


def test_the_cli_finds_the_products_migrations() -> None:
    assert (ROOT / "supabase" / "migrations").readlink() == Path("../db/migrations")


def test_every_mail_template_of_the_settings_exists() -> None:
    email = config.load({"DATABASE_URL": "postgresql://x@127.0.0.1:1/x"}).auth.email
    templates = [*email.template.values(), *email.notification.values()]
    assert templates
    assert [str(template.content_path) for template in templates if not template.content_path.is_file()] == []


def test_the_settings_that_belong_to_a_machine_are_documented() -> None:
    documents = (ROOT / "ARCHITECTURE.md").read_text()
    for name in ("DATABASE_URL", "SOCIO_HOME", "SOCIO_TRUSTED_PROXIES", "POSTGREST_BIN"):
        assert name in documents, name


def test_every_error_code_of_the_core_is_documented() -> None:
    documents = (ROOT / "ARCHITECTURE.md").read_text()
    assert [code.value for code in Code if f"`{code.value}`" not in documents] == []


def test_every_module_says_what_it_answers_for() -> None:
    modules = [path for path in tracked() if path.suffix == ".py"]
    assert [
        str(path.relative_to(ROOT)) for path in modules if not path.read_text().lstrip().startswith(('"""', 'r"""'))
    ] == []


def test_the_list_of_docstrings_to_mend_only_shrinks() -> None:
    ignores = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]["per-file-ignores"]
    listed = [name for pattern, rules in ignores.items() if "D" in rules for name in expanded(pattern)]
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=D205,D401", "--output-format=json"]
    found = json.loads(subprocess.run([*command, *listed], cwd=ROOT, capture_output=True, text=True).stdout)
    broken = {Path(each["filename"]) for each in found if each["code"] in ("D205", "D401")}
    assert [name for name in listed if ROOT / name not in broken] == [], "these files are clean: remove them"
    assert len(listed) == DOCSTRINGS_TO_MEND


def expanded(pattern: str) -> list[str]:
    """Return the paths that `folder/{a,b}.py` stands for."""
    head, _, rest = pattern.partition("{")
    names, _, tail = rest.partition("}")
    return [f"{head}{name}{tail}" for name in names.split(",")]


def test_each_commit_subject_names_an_area_and_is_short() -> None:
    # The rule is younger than the repository. Without git, or without history, there is nothing to check.
    command = [*GIT, "log", "--no-merges", "--since=2026-11-23T15:50:00Z", "--format=%s"]
    log = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout if shutil.which("git") else ""
    assert [subject for subject in log.splitlines() if not SUBJECT.match(subject)] == []
