"""`make compat`: every method of the official clients against a stack, as a table in supabase/README.md."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

from scripts.check import CONTRACT
from scripts.paths import NODE_MODULES, ROOT
from tests.contract import methods

RUNNING = ["--running"]
README = ROOT / "supabase" / "README.md"
BEGIN, END = "<!-- compat: written by `make compat` -->\n", "<!-- /compat -->"
NONE, FAILS = "–", "**fails**"
SAID = {"works": "works", "disabled": "off, answers like the original"}
IS_OFF = " is off"
LIST = "import('./tests/contract/auth/methods.js').then((own) => console.log(JSON.stringify(own.publicMethods())))"

Results = Mapping[str, str]


def methods_of_javascript() -> list[str]:
    """Every public method of supabase-js, such as `auth.mfa.enroll`."""
    done = subprocess.run(["node", "-e", LIST], cwd=ROOT, capture_output=True, text=True, check=True)
    names: list[str] = json.loads(done.stdout)
    return names


def rows() -> list[tuple[str, str]]:
    """Pair the methods of both clients, '' where one has none: (supabase-js, supabase-py)."""
    python = {methods.key(name): name for name in methods.public_methods()}
    pairs = [(name, python.pop(methods.key(name), "")) for name in methods_of_javascript()]
    return sorted([*pairs, *(("", name) for name in python.values())], key=_place)


def _place(row: tuple[str, str]) -> tuple[str, str]:
    """By namespace, then by name."""
    namespace, _, name = (row[0] or row[1]).rpartition(".")
    return namespace, methods.key(name)


def of_python(report: Path) -> Results:
    """Read method -> outcome from pytest's report: each test names what it covers (tests/contract/conftest.py)."""
    found: dict[str, str] = {}
    for case in ElementTree.parse(report).iter("testcase"):  # noqa: S314 - written by ourselves
        for each in case.iter("property"):
            _add(found, each.attrib["value"], each.attrib["name"], case)
    return found


def of_javascript(report: Path) -> Results:
    """Read method -> outcome from Node's report: a suite for each method (tests/contract/auth/methods.js)."""
    found: dict[str, str] = {}
    for suite in ElementTree.parse(report).iter("testsuite"):  # noqa: S314 - written by ourselves
        name = suite.attrib["name"]
        _add(found, name.removesuffix(IS_OFF), "disabled" if name.endswith(IS_OFF) else "works", suite)
    return found


def _add(found: dict[str, str], method: str, outcome: str, tested: ElementTree.Element) -> None:
    failed = any(each.tag in ("failure", "error") for each in tested.iter())
    found[method] = FAILS if failed or found.get(method) == FAILS else SAID[outcome]


def table(javascript: Results, python: Results) -> str:
    """Write the table in Markdown."""
    js_version = json.loads((NODE_MODULES / "@supabase/supabase-js/package.json").read_text())["version"]
    lines = [
        f"| method | supabase-js {js_version} | supabase-py {version('supabase')} |",
        "|---|---|---|",
        *(f"| `{js or py}` | {_cell(js, javascript)} | {_cell(py, python)} |" for js, py in rows()),
    ]
    return "\n".join(lines) + "\n"


def _cell(method: str, results: Results) -> str:
    return results.get(method, FAILS) if method else NONE


def written_table() -> str:
    """Return the table in README.md."""
    return README.read_text().split(BEGIN)[1].split(END)[0]


def write(content: str) -> None:
    """Replace the table in README.md."""
    before, rest = README.read_text().split(BEGIN)
    README.write_text(f"{before}{BEGIN}{content}{END}{rest.split(END)[1]}")


def run_suites() -> tuple[Results, Results]:
    """Both suites against the stack that SOCIO_RUN_JSON names: (supabase-js, supabase-py)."""
    with tempfile.TemporaryDirectory() as folder:
        javascript, python = Path(folder) / "js.xml", Path(folder) / "py.xml"
        reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"]
        reporters += ["--test-reporter=junit", f"--test-reporter-destination={javascript}"]
        suites = [f"{CONTRACT}/{name}.test.js" for name in methods.CLIENTS]
        subprocess.run(["node", "--test", "--test-concurrency=1", *reporters, *suites], cwd=ROOT, check=False)
        subprocess.run(["pytest", "-q", CONTRACT, f"--junitxml={python}"], cwd=ROOT, check=False)
        return of_javascript(javascript), of_python(python)


def main(arguments: list[str]) -> int:
    """Run the command. Exit status 1 when a method fails."""
    if arguments != RUNNING:
        command = ["python", "-m", "scripts.stack", "--", "python", "-m", "scripts.compat", *RUNNING]
        return subprocess.run(command, cwd=ROOT, check=False).returncode
    content = table(*run_suites())
    print(f"\n{content}")
    write(content)
    missing = content.count(FAILS)
    print(f"{len(rows())} methods, {missing} of their answers are not the original's.")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
