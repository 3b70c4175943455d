"""`python -m scripts.qa <report.json>`: send a report of Playwright to the installation, for the admins' screens.

The browser tests leave a report where SOCIO_QA_REPORT names a file; `make qa` does so with the checks on phones.
Without `--url` and SOCIO_SECRET_KEY the report goes to the stack of `make run`, or to the one that SOCIO_RUN_JSON
names. Sending the same report again changes nothing.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from backend.core import config
from functions._shared import playwright_report

TIMEOUT_S = 60
KEY_SETTING = "SOCIO_SECRET_KEY"


class Unsent(Exception):
    """The installation did not get it; the message says what to do."""


class Refused(Unsent):
    """The installation does not want it, now or later."""


def content(path: Path) -> dict[str, Any]:
    """Read a report and put the pictures it names into it. Raises Unsent."""
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Unsent(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise Unsent(f"{path} is no JSON, it may have been cut: {error}") from error
    if not isinstance(report, dict) or not isinstance(report.get("suites"), list):
        raise Unsent(f"{path} is no report of Playwright's JSON reporter: it has no suites")
    for attachment in _attachments(report):
        name = str(attachment.get("path") or "")
        file = path.parent / name
        if attachment.get("body") or not name or not str(attachment.get("contentType")).startswith("image/"):
            continue
        # Pictures of an earlier run are gone, and a larger one would be refused.
        if file.is_file() and file.stat().st_size <= playwright_report.MAX_PICTURE_BYTES:
            attachment["body"] = base64.b64encode(file.read_bytes()).decode()
    return report


def _attachments(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        yield from (each for each in part.get("attachments") or () if isinstance(each, dict))
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _attachments(each)


@dataclass(frozen=True)
class Installation:
    """The installation whose admins read the reports."""

    url: str
    key: str

    def post(self, function: str, body: dict[str, Any], query: dict[str, str] | None = None) -> dict[str, Any]:
        """Return the answer of a function. Raises Unsent."""
        try:
            answer = httpx.post(
                f"{self.url}/functions/v1/{function}",
                params=query,
                json=body,
                headers={"apikey": self.key},
                timeout=TIMEOUT_S,
            )
        except httpx.HTTPError as error:
            raise Unsent(f"{self.url} does not answer: {error}") from error
        try:
            content: dict[str, Any] = answer.json()
        except ValueError as error:
            raise Unsent(f"{self.url} answered {answer.status_code}: is this the address of the API?") from error
        if answer.is_client_error:
            raise Refused(f"{content.get('code')}: {content.get('message')}")
        if answer.status_code != httpx.codes.OK:
            raise Unsent(f"{content.get('code')}: {content.get('message')}")
        return content

    def send(self, report: dict[str, Any], query: dict[str, str]) -> list[dict[str, Any]]:
        """Return the runs that the installation keeps. Raises Unsent."""
        runs: list[dict[str, Any]] = self.post("qa_report", report, query)["runs"]
        return runs


def installation(url: str | None) -> Installation:
    """Find the installation at an address, else that of `make run` on this machine. Raises Unsent."""
    if url:
        key = os.environ.get(KEY_SETTING)
        if not key:
            raise Unsent(f"{KEY_SETTING} is not set: `python -m backend keys` shows the secret key of an installation")
        return Installation(url.rstrip("/"), key)
    path = Path(os.environ.get("SOCIO_RUN_JSON") or config.load().home / "run.json")
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Unsent(f"Nothing runs here ({path} is missing): start `make run`, or name an --url") from error
    return Installation(facts["url"], facts["secret_key"])


def main(arguments: list[str]) -> int:
    """Send the report and print what is kept of it. Exit status 1 when it did not arrive."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.qa", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("report", type=Path)
    parser.add_argument("--url", help=f"address of the API; its secret key is in {KEY_SETTING}")
    parser.add_argument("--browser", help="of tests that do not name theirs, such as firefox")
    parser.add_argument("--version", help="the version of that browser, such as 140.2")
    options = parser.parse_args(arguments)
    query = {name: value for name in ("browser", "version") if (value := getattr(options, name))}
    try:
        runs = installation(options.url).send(content(options.report), query)
    except Unsent as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for run in runs:
        print(summary(run))
    return 0


def summary(run: dict[str, Any]) -> str:
    """Say in a line what is kept of a report."""
    known = "" if run["is_new"] else ", known already"
    counts = f"{run['passed']} passed, {run['failed']} failed"
    return f"{run['kind']}, {run['browser']} {run['version']}: {counts}{known}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
