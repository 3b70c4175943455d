"""What plans are made of: calls of tools and the answer in the end.

A plan is a generator: it yields a call, is sent what the tool returned, and returns an answer. It is run anew from its
beginning at each request of the agent, over the results so far; so nothing has to be kept between requests.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from functions._shared.assistant.local import italian, names, table
from functions._shared.assistant.local.match import WRITES, Said
from functions._shared.assistant.local.taking import ORDINALS
from functions._shared.names import fold

Result = dict[str, Any]
Row = dict[str, Any]
# Of a list so many rows are shown; a table from so many rows on.
Column = tuple[str, Callable[[Row], str]]
# How a column is said in a line of a list.
_IN_WORDS = {
    "Sentito": "sentito",
    "Da risentire entro": "da risentire entro",
    "Scadenza": "scadenza",
    "Ritardo": "in ritardo",
    "Chiusa": "chiusa",
    "Pagata": "pagata",
    "Del": "del",
    "Netto": "netto",
    "Nella fase": "in questa fase",
    "Consegna": "consegna",
    "Budget": "budget",
    "Priorità": "priorità",
}
_SMALL = table.words("choosing")
MAX_SHOWN = 12
TABLE_FROM = 3
_LONGEST = {"question": 400, "text": 200, "fact": 240, "body": 5000, "summary": 5000, "subject": 200, "steps": 5000}


@dataclass(frozen=True)
class Call:
    """A tool and what it is told."""

    tool: str
    args: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Suggestion:
    """What the person may click; `ref` is a handle of this turn."""

    label: str
    text: str
    ref: str | None = None


@dataclass(frozen=True)
class Answer:
    """Markdown with [[rN]]; `derived` are figures that were computed from what tools returned."""

    text: str
    suggestions: tuple[Suggestion, ...] = ()
    derived: tuple[str, ...] = ()


Plan = Generator[Call, Result, Answer]
Steps = Generator[Call, Result, Result]


class Ended(Exception):
    """The plan cannot go on: `answer` says why, or asks; `missing`: what was named is not there."""

    def __init__(self, answer: Answer, *, missing: bool = False) -> None:
        super().__init__(answer.text)
        self.answer = answer
        self.missing = missing


@dataclass(frozen=True)
class Scene:
    """What a plan looks at beside the results of tools."""

    now: datetime
    said: Said
    # The question before, whose list «la prima» counts in, and the labels of that list as it was shown.
    before: Said | None = None
    listed: tuple[str, ...] = ()
    # What the person answers to «Quale intendi?», and the handle of what they clicked.
    choice: str = ""
    picked: str | None = None
    question: str = ""
    agent: str = "automatico"
    tools: frozenset[str] = frozenset()
    attachments: int = 0

    @property
    def today(self) -> date:
        return self.now.date()

    @property
    def slots(self) -> dict[str, Any]:
        return self.said.slots


def use(scene: Scene, tool: str, **args: Any) -> Steps:
    """What a tool returns, after the person's choice where a name was not sure. Raises Ended."""
    given = {name: value for name, value in args.items() if value is not None}
    if tool not in scene.tools:
        raise Ended(_unavailable(tool))
    if tool in WRITES:
        _refuse_too_long(given)
    else:
        given = {name: value[: _longest(name)] if isinstance(value, str) else value for name, value in given.items()}
    result = yield Call(tool, given)
    if "ambiguous" in result:
        name = next(
            each
            for each in ("invoice", "task", "deal", "contact", "project", "document", "about", "what")
            if each in given
        )
        ref = yield from _chosen(scene, result["ambiguous"], str(given[name]))
        result = yield Call(tool, {**given, name: ref})
    if result.get("none"):
        raise Ended(_nothing(given, result), missing=True)
    if result.get("refused"):
        raise Ended(Answer(f"Non posso farlo: {_lower(italian.shown(result.get('reason', ''), 400))}"))
    return result


def _longest(name: str) -> int:
    return _LONGEST.get(name, 200)


def _refuse_too_long(given: dict[str, Any]) -> None:
    """What is to be written is never cut. Raises Ended."""
    for name, value in given.items():
        if isinstance(value, str) and len(value) > _longest(name):
            most = f"{_longest(name):,}".replace(",", ".")
            raise Ended(
                Answer(f"Il testo è troppo lungo: può avere al massimo {most} caratteri. Accorcialo e riprova.")
            )


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _chosen(scene: Scene, options: list[Row], words: str) -> Generator[Call, Result, str]:
    """The handle of the option that was chosen. Raises Ended with the question."""
    handles = [str(each["ref"]) for each in options]
    if scene.picked in handles:
        return str(scene.picked)
    fitting = choose(scene.choice, options)
    if len(fitting) != 1 and scene.choice and "find_contacts" in scene.tools:
        # «quello di Milano»: what stands in no label may stand in the record.
        found = yield Call("find_contacts", {"query": f"{words} {bare_choice(scene.choice)}"[:200]})
        fitting = [str(row["ref"]) for row in found.get("rows", ()) if str(row["ref"]) in handles]
    if len(fitting) == 1:
        return fitting[0]
    raise Ended(question(options, words))


def question(options: list[Row], words: str) -> Answer:
    """«Quale Rossi intendi?» with what to click."""
    names = [str(each["label"]) for each in options]
    suggestions = tuple(
        Suggestion(italian.shown(name, 120), name, str(each["ref"]))
        for name, each in zip(_told_apart(names, options), options, strict=True)
    )
    if len(options) == 1:
        only = options[0]
        return Answer(f"Intendi **{italian.shown(only['label'])}**{_detail(only)} [[{only['ref']}]]?", suggestions)
    lines = [
        f"{place}. **{italian.shown(each['label'])}**{_detail(each)} [[{each['ref']}]]"
        for place, each in enumerate(options, 1)
    ]
    return Answer("\n".join([f"Quale «{italian.shown(words, 60)}» intendi?", "", *lines]), suggestions)


def _told_apart(names: list[str], options: list[Row]) -> list[str]:
    """Names, with what tells them apart where they are the same."""
    return [
        f"{name}{_detail(each)}" if names.count(name) > 1 else name for name, each in zip(names, options, strict=True)
    ]


def _detail(option: Row) -> str:
    return f" ({italian.shown(option['detail'], 100)})" if option.get("detail") else ""


def bare_choice(words: str) -> str:
    """«quello di Milano» → «Milano»."""
    plain = "".join(each if each.isalnum() else "' " if each in "'’" else " " for each in fold(words))
    return " ".join(word for word in plain.split() if word not in _SMALL)


def choose(words: str, options: Sequence[Row]) -> list[str]:
    """Handles of the options that an answer means: by place, by yes, by its words."""
    said = bare_choice(words).strip(" .!?,")
    if not said:
        return []
    place = ORDINALS.get(said.removeprefix("numero "))
    if place and place <= len(options):
        return [str(options[place - 1 if place > 0 else place]["ref"])]
    if len(options) == 1 and said.split()[0] in ("si", "esatto", "certo", "ok", "giusto", "proprio", "confermo", "va"):
        return [str(options[0]["ref"])]
    same = [str(each["ref"]) for each in options if fold(str(each["label"])) == fold(words.strip())]
    wanted = said.split()
    within = [
        str(each["ref"]) for each in options
        if all(word in fold(f"{each['label']} {each.get('detail') or ''}") for word in wanted)
    ]  # fmt: skip
    return same if len(same) == 1 else within


_WHAT = {
    "task": ("nessuna attività aperta", "le attività aperte", "tutte le attività"),
    "deal": ("nessuna trattativa", "le trattative aperte", "trattative aperte"),
    "project": ("nessun progetto", "i progetti", "i miei progetti"),
    "document": ("nessun documento", "i documenti", "cerca nei documenti"),
    "contact": ("nessun contatto", "i contatti", "cerca il contatto"),
}


def _nothing(given: dict[str, Any], result: Result) -> Answer:
    kind = next((each for each in ("task", "deal", "project", "document", "contact") if each in given), None)
    words = italian.shown(result.get("query") or "", 80)
    if kind is None:
        return Answer(f"Non ho trovato niente per «{words}»." if words else "Non ho trovato niente.")
    what, whole, ask = _WHAT[kind]
    suggestions = [Suggestion(f"Cerca «{words}» dappertutto", f"cerca ovunque «{words}»")]
    if kind == "contact":
        if names.is_like_one(words):
            suggestions.append(Suggestion(f"Crea il contatto {words}", f"nuovo contatto {words}"))
    else:
        suggestions.append(Suggestion(f"Mostrami {whole}", ask))
    return Answer(
        f"Non trovo {what} che si chiami «{words}». Controlla il nome, oppure scegli qui sotto.", tuple(suggestions)
    )


def _unavailable(tool: str) -> Answer:
    if tool in ("recall", "list_memories", "remember", "forget"):
        return Answer("In questa conversazione la memoria è spenta: accendila nelle sue impostazioni e riprova.")
    return Answer(
        "Con questo agente leggo soltanto. Per preparare azioni scegli «Automatico» o «Esecutore» e ripeti la domanda.",
    )


def listing(
    rows: Sequence[Row],
    label: Callable[[Row], str],
    columns: Sequence[Column],
    total: int = 0,
    start: int = 1,
) -> str:
    """One or two rows as a list, more as a table, each with its citation; columns that are empty are left out."""
    visible = list(rows[:MAX_SHOWN])
    cells = [[fill(row) for _, fill in columns] for row in visible]
    used = [place for place in range(1, len(columns)) if any(line[place] for line in cells)]
    names = [f"**{italian.shown(label(row), 120)}** [[{row['ref']}]]" for row in visible]
    if len(visible) < TABLE_FROM:
        said = [[_in_words(columns[at][0], line[at]) for at in used if line[at]] for line in cells]
        lines = [f"{start + at}. {' · '.join([name, *said[at]])}" for at, name in enumerate(names)]
    else:
        head = [columns[0][0], *(columns[at][0] for at in used)]
        body = [[name, *(line[at] for at in used)] for name, line in zip(names, cells, strict=True)]
        lines = [_row(each) for each in (head, ["---"] * len(head), *body)]
    if max(total, len(rows)) > len(visible):
        lines += ["", f"Qui vedi le prime {len(visible)} righe di {max(total, len(rows))}."]
    return "\n".join(lines)


def _in_words(column: str, value: str) -> str:
    """What stands below a title in a table, where there is no title."""
    if (column, value) == ("Sentito", "mai"):
        return "mai sentito"
    return f"{_IN_WORDS[column]} {value}" if column in _IN_WORDS else value


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def answer(*parts: str, suggestions: Sequence[Suggestion] = (), derived: Sequence[str] = ()) -> Answer:
    """Paragraphs; empty ones are left out."""
    return Answer("\n\n".join(part for part in parts if part), tuple(suggestions), tuple(derived))


def suggest(*texts: str) -> tuple[Suggestion, ...]:
    """What may be asked next, in words that are understood."""
    return tuple(Suggestion(text[:1].upper() + text[1:], text) for text in texts)
