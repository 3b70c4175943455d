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


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("COMMIT;", "COMMIT"),
        ("\n  select version()", "SELECT version"),
        ("select jobs.health()", "SELECT jobs.health"),
        ("select set_config($1, $2, true)", "SELECT set_config"),
        ("-- from a.b\nselect * from jobs.claim($1)", "SELECT jobs.claim"),
        ("/* x */ insert into jobs.mails (a) select 1 from public.x", "INSERT jobs.mails"),
        ("insert into a.b as known (c) values ($1) on conflict (c) do update set c = 1", "INSERT a.b"),
        ("update a.b set c = $1", "UPDATE a.b"),
        ("delete from only a.b", "DELETE a.b"),
        ("with x as (select 1 from a.b for no key update) select from x", "SELECT a.b"),
        ("with x as (select 1) delete from a.b", "DELETE a.b"),
        (
            "with service as materialized (select set_config('a', 'from b.c', true)) select private.give_up($1)",
            "SELECT private.give_up",
        ),
        ("select 'from mario.rossi', $$ from mario.rossi $$", "SELECT"),
        ('"mario.rossi"', "STATEMENT"),
        ("", "STATEMENT"),
    ],
)
def test_a_name_of_a_statement_has_its_verb_and_table_and_no_value(sql: str, expected: str) -> None:
    assert statements.summary(sql) == expected
