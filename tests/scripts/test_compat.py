"""The compatibility table of supabase/README.md names the methods that the installed clients have."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import compat


def test_the_table_lists_every_method_of_the_installed_clients() -> None:
    written = [line.split("|")[1].strip(" `") for line in compat.written_table().splitlines()[2:]]
    assert written == [javascript or python for javascript, python in compat.rows()], "run `make compat`"


def test_reports_say_what_holds(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        """<testsuites>
        <testsuite name="auth.signUp"><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>
        <testsuite name="auth.signOut"><testcase name="a"/></testsuite>
        <testsuite name="auth.signInWithSSO is off"><testcase name="a"/></testsuite>
        </testsuites>"""
    )
    assert compat.of_javascript(report) == {
        "auth.signUp": compat.FAILS,
        "auth.signOut": "works",
        "auth.signInWithSSO": "off, answers like the original",
    }
    covers = '<properties><property name="works" value="auth.sign_up"/></properties>'
    report.write_text(f"<a><testcase>{covers}<failure/></testcase><testcase>{covers}</testcase></a>")
    assert compat.of_python(report) == {"auth.sign_up": compat.FAILS}


def test_a_method_without_a_result_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compat, "rows", lambda: [("auth.signUp", "auth.sign_up"), ("auth.dispose", "")])
    lines = compat.table({"auth.signUp": "works"}, {"auth.sign_up": "works"}).splitlines()
    assert lines[2:] == ["| `auth.signUp` | works | works |", "| `auth.dispose` | **fails** | – |"]
