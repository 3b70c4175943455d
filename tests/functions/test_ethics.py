"""The rules of the ethical supervisor: a golden file decided by their text, and mutants of each rule that it finds.

`tests/vectors/ethics.csv` has what the rules' words say (RULE-01 to RULE-14), not what the code answered.
"""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core import config
from functions._shared import ethics

GOLDEN = config.ROOT / "tests" / "vectors" / "ethics.csv"
SOURCE = config.ROOT / "functions" / "_shared" / "ethics.py"
Judge = Callable[[ethics.Facts], ethics.Verdict]


def _facts(told: str) -> ethics.Facts:
    known: dict[str, Any] = json.loads(told)
    lists: dict[str, Any] = {key: tuple(value) for key, value in known.items() if isinstance(value, list)}
    return replace(ethics.Facts(), **(known | lists))


def _rows() -> list[tuple[str, ethics.Facts, tuple[str, str, str]]]:
    with GOLDEN.open(encoding="utf-8") as lines:
        return [
            (row["name"], _facts(row["facts"]), (row["verdict"], row["rules"], row["wait"]))
            for row in csv.DictReader(lines)
        ]


ROWS = _rows()


def _answer(judge: Judge, facts: ethics.Facts) -> tuple[str, str, str]:
    verdict = judge(facts)
    return verdict.result, " ".join(rule.id for rule in verdict.rules), verdict.wait or ""


def test_verdicts_are_those_of_the_golden_file() -> None:
    assert len(ROWS) >= 200
    wrong = {name: (_answer(ethics.judge, facts), expected) for name, facts, expected in ROWS}
    assert {name: pair for name, pair in wrong.items() if pair[0] != pair[1]} == {}


def test_each_reason_is_a_sentence_with_its_version() -> None:
    for _name, facts, _expected in ROWS:
        assert all(rule.reason and rule.to_json()["version"] == ethics.VERSION for rule in ethics.judge(facts).rules)


def _checks(tree: ast.Module) -> list[ast.FunctionDef]:
    [listed] = [node for node in tree.body if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "RULES"]
    assert isinstance(listed.value, ast.Tuple)
    names = {pair.elts[1].id for pair in listed.value.elts if isinstance(pair, ast.Tuple)}  # type: ignore[attr-defined]
    return [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]


def _comparisons(function: ast.FunctionDef) -> list[ast.Compare]:
    ordered = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)
    return [node for node in ast.walk(function) if isinstance(node, ast.Compare) and isinstance(node.ops[0], ordered)]


WEAKER = {"blocca": "conferma", "conferma": "consenti"}
FLIPPED: dict[type[ast.cmpop], ast.cmpop] = {
    ast.Gt: ast.GtE(), ast.GtE: ast.Gt(), ast.Lt: ast.LtE(), ast.LtE: ast.Lt(),
}  # fmt: skip


def _mutants() -> Iterator[tuple[str, ast.Module]]:
    """Yield the module with one rule dropped, one verdict weakened, one comparison moved or one condition negated."""
    source = SOURCE.read_text(encoding="utf-8")
    for place, check in enumerate(_checks(ast.parse(source))):
        tree = ast.parse(source)
        _checks(tree)[place].body = [ast.Return(ast.Constant(None))]
        yield f"{check.name} dropped", tree
        verdicts = [node for node in ast.walk(check) if isinstance(node, ast.Constant) and node.value in WEAKER]
        for at in range(len(verdicts)):
            tree = ast.parse(source)
            found = [n for n in ast.walk(_checks(tree)[place]) if isinstance(n, ast.Constant) and n.value in WEAKER]
            found[at].value = WEAKER[str(found[at].value)]
            yield f"{check.name} weakened at {at}", tree
        for at in range(len(_comparisons(check))):
            tree = ast.parse(source)
            node = _comparisons(_checks(tree)[place])[at]
            node.ops = [FLIPPED[type(node.ops[0])]]
            yield f"{check.name} moved at {at}", tree
        for at in range(len([node for node in ast.walk(check) if isinstance(node, ast.If)])):
            tree = ast.parse(source)
            node_if = [node for node in ast.walk(_checks(tree)[place]) if isinstance(node, ast.If)][at]
            node_if.test = ast.UnaryOp(ast.Not(), node_if.test)
            yield f"{check.name} negated at {at}", tree


MUTANTS = dict(_mutants())


@pytest.mark.parametrize("name", MUTANTS)
def test_a_weaker_rule_is_found(name: str) -> None:
    module: dict[str, Any] = {"__name__": "functions._shared.ethics"}
    exec(compile(ast.fix_missing_locations(MUTANTS[name]), str(SOURCE), "exec"), module)
    assert any(_is_found(module["judge"], facts, expected) for _name, facts, expected in ROWS)


def _is_found(judge: Judge, facts: ethics.Facts, expected: tuple[str, str, str]) -> bool:
    try:
        return _answer(judge, facts) != expected
    except (IndexError, TypeError):
        # A negated condition speaks of what is not there.
        return True


FACTS = st.sampled_from([facts for _name, facts, _expected in ROWS])
RESULTS = st.sampled_from(["consenti", "conferma", "blocca", None])


@given(FACTS, RESULTS)
def test_an_opinion_never_makes_a_verdict_milder(facts: ethics.Facts, opinion: ethics.Result | None) -> None:
    verdict = ethics.judge(facts)
    result = ethics.raised(verdict, opinion)
    assert ethics.SEVERITY[result] >= ethics.SEVERITY[verdict.result]
    assert opinion is None or ethics.SEVERITY[result] >= ethics.SEVERITY[opinion]


@given(FACTS)
def test_a_mandate_answers_no_rule_but_the_first_and_the_attention(facts: ethics.Facts) -> None:
    asked = ethics.judge(replace(facts, mandated=False))
    mandated = ethics.judge(replace(facts, mandated=True))
    kept = {rule.id for rule in asked.rules} - {"E-01", "E-14"}
    assert kept == {rule.id for rule in mandated.rules}
