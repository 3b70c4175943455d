"""Learns learned.json, by which the local model reads what no rule was written for, from the labelled sentences.

All sentences of tests/vectors/assistant are learned from, except those of held_out/ and those that follow a question.
Some minutes: `python -m scripts.assistant_training`. How well sentences of a file are read by what was learned from the
other files: `python -m scripts.assistant_training unseen voices`.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from functions._shared.assistant.local import match
from functions._shared.assistant.local.learned import filling, reading, signs, spans, weights
from functions._shared.assistant.local.words import Sentence, sentence_of, spelled_out
from scripts import assistant_variants
from scripts.paths import ROOT

VECTORS = ROOT / "tests" / "vectors" / "assistant"
NOW = datetime.fromisoformat("2026-11-23T10:00")
# Written by people who did not know the rules, which have not been tuned on them since.
UNKNOWN_TO_RULES = frozenset({"strangers", "strangers_second", "strangers_third", "many_ways"})
Phrase = dict[str, Any]
# Signs of fewer sentences say too little.
_FEWEST = 2
_ROUNDS = 16
_PACE = 0.25
_FADING = 2e-5
_MARK_ROUNDS = 6
# Smaller weights, in hundredths, are left out.
_LEAST = 5
_LEAST_MARK = 8


def phrases(without: Sequence[str] = ()) -> list[Phrase]:
    """Return the sentences to learn from, without those of the files `without`."""
    return [each for file in files() if file.stem not in without for each in standing_alone(file)]


def files() -> list[Path]:
    """List the files of sentences, without the one held out."""
    return [file for file in sorted(VECTORS.glob("*.json")) if file.name != "answers.json"]


def standing_alone(file: Path) -> list[Phrase]:
    """Read the sentences of a file that need no other before them; what must only not write counts as unknown."""
    read: list[Phrase] = json.loads(file.read_text("utf-8"))
    alone = [each | {"file": file.stem} for each in read if "before" not in each]
    return [each | ({"intent": "unknown"} if each["intent"] == "*read" else {}) for each in alone]


def digest() -> str:
    """Return the digest that tells whether learned.json was learned from the present sentences."""
    told = json.dumps(phrases(), ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def learn(said: Sequence[Phrase], seed: int = 7) -> dict[str, Any]:
    """Learn what learned.json should hold, without the digest."""
    chance = random.Random(seed)
    found = [signs.signs(each["text"], ruled(each)) for each in said]
    intents = _choice(found, [each["intent"] for each in said], chance)
    settings = {}
    for intent, names in filling.SETTINGS.items():
        if intent in filling.ALIKE:
            continue
        own = [at for at, each in enumerate(said) if filling.ALIKE.get(each["intent"], each["intent"]) == intent]
        for name in names:
            values = [setting_of(said[at], name) for at in own]
            settings[f"{intent} {name}"] = _choice([found[at] for at in own], values, chance)
    return {"intents": intents, "settings": settings, "marks": _marks(said, chance)}


def setting_of(phrase: Phrase, name: str) -> str:
    """Return the value of a setting as it is learned."""
    if phrase["intent"] == "tasks":
        named = filling.DAY if "on" in phrase else filling.SPAN if "from" in phrase else None
        return named or str(phrase.get("when", "tutti"))
    return str(phrase.get(name, filling.NONE))


# A question with few answers: logistic regression by stochastic descent ----------------------------------------------


def _choice(found: Sequence[Mapping[str, float]], answers: Sequence[str], chance: random.Random) -> dict[str, Any]:
    held = Counter(sign for each in found for sign in each)
    kept = {sign for sign, number in held.items() if number >= _FEWEST}
    names = sorted(set(answers))
    rows = {sign: [0.0] * len(names) for sign in sorted(kept)}
    items = [
        ([(rows[sign], value) for sign, value in each.items() if sign in kept], names.index(answer))
        for each, answer in zip(found, answers, strict=True)
    ]
    for turn in range(_ROUNDS):
        chance.shuffle(items)
        pace = _PACE / (1 + turn / 2)
        for item in items:
            _step(item, pace, len(names))
        fading = (1 - _FADING * pace) ** len(items)
        for row in rows.values():
            row[:] = [weight * fading for weight in row]
    return {"answers": names, "rows": _written(rows, _LEAST)}


def _step(item: tuple[list[tuple[list[float], float]], int], pace: float, places: int) -> None:
    """One sentence pulls the weights of its signs towards its answer."""
    told, right = item
    # Long sentences have more signs and must not weigh more.
    norm = sum(value * value for _, value in told)
    scores = [0.0] * places
    for row, value in told:
        for at, weight in enumerate(row):
            scores[at] += weight * value
    best = max(scores)
    shares = [math.exp(score - best) for score in scores]
    total = sum(shares)
    for at, share in enumerate(shares):
        wrong = share / total - (at == right)
        if abs(wrong) > 0.003:
            move = pace * wrong * min(1.0, 60 / norm) / 4
            for row, value in told:
                row[at] -= move * value


# Marks of words: averaged perceptron ---------------------------------------------------------------------------------


class _Weights:
    """Weights of some signs by place, and their sums over all steps."""

    def __init__(self, kept: Collection[str]) -> None:
        self._kept = kept
        self.now: dict[str, dict[int, float]] = {}
        self._sums: dict[str, dict[int, float]] = {}
        self.steps = 1

    def scores(self, places: int) -> Callable[[Iterable[str]], list[float]]:
        def told(names: Iterable[str]) -> list[float]:
            scores = [0.0] * places
            for name in names:
                for at, weight in self.now.get(name, {}).items():
                    scores[at] += weight
            return scores

        return told

    def move(self, names: Iterable[str], at: int, by: float) -> None:
        for name in (each for each in names if each in self._kept or each.startswith("T=") or "|T=" in each):
            now, sums = self.now.setdefault(name, {}), self._sums.setdefault(name, {})
            now[at] = now.get(at, 0.0) + by
            sums[at] = sums.get(at, 0.0) + by * self.steps

    def averaged(self) -> Iterator[tuple[str, dict[int, float]]]:
        for name, row in self.now.items():
            yield name, {at: weight - self._sums[name][at] / self.steps for at, weight in row.items()}


def _marks(said: Sequence[Phrase], chance: random.Random) -> dict[str, Any]:
    names = ["O", *sorted({f"{mark}-{slot}" for slots in spans.SLOTS.values() for slot in slots for mark in "BI"})]
    items = [
        (sentence, phrase["intent"], marks, _ruled_spans(phrase))
        for each in said
        for phrase in assistant_variants.varied(each, chance)
        if (marked := marked_in(phrase)) is not None
        for sentence, marks in [marked]
    ]
    found = _Weights(_told_often(said))
    scores = found.scores(len(names))
    for _ in range(_MARK_ROUNDS):
        chance.shuffle(items)
        for sentence, intent, marks, by_rule in items:
            told = spans.best(sentence, intent, scores, names, by_rule)
            if told != marks:
                _correct(found, spans.signs_of(sentence, intent, by_rule), intent, (marks, told), names)
            found.steps += 1
    rows = {name: [row.get(at, 0.0) for at in range(len(names))] for name, row in found.averaged()}
    return {"answers": names, "rows": _written(rows, _LEAST_MARK)}


def _told_often(said: Sequence[Phrase]) -> set[str]:
    """Collect the signs of words that occur in several sentences."""
    held: Counter[str] = Counter()
    for phrase in said:
        if marked := marked_in(phrase):
            words = spans.signs_of(marked[0], phrase["intent"], _ruled_spans(phrase))
            held.update({sign for word in words for sign in word})
    return {sign for sign, number in held.items() if number >= _FEWEST}


def _ruled_spans(phrase: Phrase) -> dict[str, str] | None:
    said = ruled(phrase)
    return reading.ruled_spans(said, NOW) if said and said.intent == phrase["intent"] else None


def _correct(
    found: _Weights, words: list[list[str]], intent: str, marks: tuple[list[str], list[str]], names: list[str]
) -> None:
    for by, path in ((1.0, marks[0]), (-1.0, marks[1])):
        for place, (last, mark) in enumerate(zip(["^", *path], path, strict=False)):
            if marks[0][place] != marks[1][place]:
                found.move(words[place], names.index(mark), by)
            found.move(spans.links_of(last, mark, intent), 0, by)


def marked_in(phrase: Phrase) -> tuple[Sentence, list[str]] | None:
    """Return the sentence with the marks of its slots; None when they are not words of it."""
    if phrase["intent"] not in spans.SLOTS:
        return None
    sentence = sentence_of(spelled_out(phrase["text"]))
    marks = spans.marked(sentence, {slot: phrase[slot] for slot in spans.SLOTS[phrase["intent"]] if slot in phrase})
    return (sentence, marks) if marks else None


def ruled(phrase: Phrase) -> match.Said | None:
    """Return what the rules read in a phrase; None if they were tuned on it, because then they seem always right."""
    return match.understand(phrase["text"], NOW) if phrase.get("file") in UNKNOWN_TO_RULES else None


def _written(rows: Mapping[str, Sequence[float]], least: int) -> dict[str, list[int]]:
    """Round the weights and leave out those under `least`."""
    written = {}
    for name in sorted(rows):
        rounded = [(at, round(weight * weights.SCALE)) for at, weight in enumerate(rows[name])]
        if row := [number for at, weight in rounded if abs(weight) >= least for number in (at, weight)]:
            written[name] = row
    return written


def write() -> None:
    """Learns from all and writes learned.json, one sign in a line."""
    stored = {"sentences": digest(), **learn(phrases())}
    weights.PATH.write_text(json.dumps(stored, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    if not sys.argv[1:]:
        write()
