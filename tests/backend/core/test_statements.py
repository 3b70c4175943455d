"""core.statements: the same pieces as the Supabase CLI's own splitter (compared with version 3.1.0)."""

from __future__ import annotations

import pytest

from backend.core import statements


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("", []),
        (" ;; -- nothing\n; /* at all; */", []),
        ("select 1", ["select 1"]),
        ("select 1; select 2;\n", ["select 1", "select 2"]),
        ("select ';'; select 'it''s; fine'", ["select ';'", "select 'it''s; fine'"]),
        (r"select E'a\';b'; select 2", [r"select E'a\';b'", "select 2"]),
        (r"select 'a\'; select 2", [r"select 'a\'", "select 2"]),
        ('select 1 as "a;b"; select 2', ['select 1 as "a;b"', "select 2"]),
        ("-- one; two\nselect 1; -- three; four\nselect 2", ["-- one; two\nselect 1", "-- three; four\nselect 2"]),
        ("/* a; /* b; */ c; */ select 1; select 2", ["/* a; /* b; */ c; */ select 1", "select 2"]),
        ("do $$ begin null; end $$; select 1", ["do $$ begin null; end $$", "select 1"]),
        ("do $a$ select $$x;$$; $a$; select $1; select 2", ["do $a$ select $$x;$$; $a$", "select $1", "select 2"]),
        (
            "create function f() returns int begin atomic select case when true then 1 end; select 2; end; select 3",
            [
                "create function f() returns int begin atomic select case when true then 1 end; select 2; end",
                "select 3",
            ],
        ),
        ("begin; select 1; end;", ["begin", "select 1", "end"]),
        ("select 1 /* never closed; ", ["select 1 /* never closed;"]),
    ],
)
def test_a_semicolon_ends_a_statement_only_outside_of_texts_and_bodies(sql: str, expected: list[str]) -> None:
    assert statements.split(sql) == expected
