"""Where the words of a slot begin and end: the most likely marks of all words together (Viterbi).

A mark is «B-contact» for the first word of a contact, «I-contact» for the next ones, «O» for what belongs to no slot.
No slot occurs twice, and what an intent cannot do without occurs once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from functions._shared.assistant.local import table
from functions._shared.assistant.local.learned.signs import kind
from functions._shared.assistant.local.words import Sentence, Word, spelled_out
from functions._shared.names import fold

# The slots of each intent that are words of the sentence.
SLOTS: Mapping[str, tuple[str, ...]] = {
    "tasks": ("contact",), "deals": ("contact",), "invoices": ("contact",), "contact_summary": ("contact",),
    "contact_field": ("contact",), "find_contacts": ("query",), "search_documents": ("query",),
    "search_all": ("query",), "projects": ("project",), "list_memories": ("about",), "create_task": ("title",),
    "complete_task": ("task",), "move_task": ("task", "when"), "delete_task": ("task",),
    "add_note": ("contact", "body"), "create_contact": ("name",), "delete_contact": ("contact",),
    "move_deal": ("deal",), "draft_email": ("contact", "body"), "draft_whatsapp": ("contact", "body"),
    "remember": ("fact",), "forget": ("what",),
}  # fmt: skip
_MAY_LACK = frozenset({"tasks", "deals", "invoices", "projects", "list_memories"})
# A draft may be without words of its own.
NEEDED = {intent: slots for intent, slots in SLOTS.items() if intent not in _MAY_LACK} | {
    "draft_email": ("contact",),
    "draft_whatsapp": ("contact",),
}
_DATES = frozenset(table.CLASSES["DATE"]) | frozenset(table.CLASSES["MONTH"])
_KNOWN = table.OF_CLASSES | table.words("stop")
_NAMES = table.words("first_names") | table.words("surnames")
_INFINITIVE = re.compile(r"[aei]r(?:e|mi|gli|le|lo|la|ti)?$")
_OF = frozenset({"di", "del", "dello", "della", "dei", "degli", "delle", "dell'", "d'"})
_NO_END = frozenset(table.CLASSES["PREP"]) | frozenset(table.CLASSES["ART"]) | {"non", "e", "che"}
# What signs say together for each mark.
Scores = Callable[[Iterable[str]], Sequence[float]]
_EDGES = ' .,;:!?«»"“”'


def read(
    sentence: Sentence, intent: str, scores: Scores, marks: Sequence[str], ruled: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The slots of an intent as the person wrote them; `ruled` are those that the rules read for the same intent."""
    if intent not in SLOTS or not sentence.words:
        return {}
    found = best(sentence, intent, scores, marks, ruled)
    slots: dict[str, str] = {}
    for place, mark in enumerate(found):
        if mark.startswith("B-"):
            end = place + 1
            while end < len(found) and found[end] == f"I-{mark[2:]}":
                end += 1
            end = _whole(sentence, place, end, found)
            slots[mark[2:]] = sentence.said(place, end).strip(_EDGES)
    return {name: text for name, text in slots.items() if text}


def _whole(sentence: Sentence, start: int, end: int, found: Sequence[str]) -> int:
    """Where the words end without «di» that lacks what it is of, and without a word that leads to what follows."""
    while end < len(found) and found[end] == "O" and sentence.words[end - 1].norm in _OF:
        end += 1
    while end > start + 1 and sentence.words[end - 1].norm in _NO_END:
        end -= 1
    return end


def best(
    sentence: Sentence, intent: str, scores: Scores, marks: Sequence[str], ruled: Mapping[str, str] | None = None
) -> list[str]:
    """The most likely mark of each word; what a pair of marks scores stands at the first place."""
    own = [(at, mark) for at, mark in enumerate(marks) if mark == "O" or mark[2:] in SLOTS[intent]]
    bits = {f"B-{slot}": 1 << at for at, slot in enumerate(SLOTS[intent])}
    links = {
        (left, right): scores(links_of(left, right, intent))[0]
        for _, left in [*own, (0, "^")]
        for _, right in own
        if follows(left, right)
    }
    # By last mark and slots so far: what it scores, and the marks.
    paths: dict[tuple[str, int], tuple[float, tuple[str, ...]]] = {("^", 0): (0.0, ())}
    for words in signs_of(sentence, intent, ruled):
        told = scores(words)
        longer: dict[tuple[str, int], tuple[float, tuple[str, ...]]] = {}
        for (last, seen), (total, path) in paths.items():
            for at, mark in own:
                bit = bits.get(mark, 0)
                if (last, mark) not in links or seen & bit:
                    continue
                reached, value = (mark, seen | bit), total + links[last, mark] + told[at]
                if reached not in longer or value > longer[reached][0]:
                    longer[reached] = (value, (*path, mark))
        paths = longer
    # Where the rules read nobody, «gli» may be all there is.
    needed = sum(bits[f"B-{slot}"] for slot in NEEDED.get(intent, ()) if ruled is None or slot in ruled)
    whole = [each for (_, seen), each in paths.items() if seen & needed == needed]
    return list(max(whole or paths.values())[1])


def follows(left: str, right: str) -> bool:
    """Whether a mark may stand behind another."""
    return not right.startswith("I-") or (left != "O" and left[2:] == right[2:])


def links_of(left: str, right: str, intent: str) -> tuple[str, str]:
    """The signs of two marks in a row."""
    return f"T={left}>{right}", f"{intent}|T={left}>{right}"


def signs_of(sentence: Sentence, intent: str, ruled: Mapping[str, str] | None = None) -> list[list[str]]:
    """The signs of each word, alone and for this intent, and the mark that the rules would give it."""
    around = _Around(sentence)
    by_rule = (marked(sentence, ruled) if ruled else None) or []
    told = [around.signs(place) for place in range(len(sentence.words))]
    for own, mark in zip(told, by_rule, strict=False):
        own.append(f"r={mark}")
    return [[*own, *(f"{intent}|{each}" for each in own)] for own in told]


def marked(sentence: Sentence, slots: Mapping[str, str]) -> list[str] | None:
    """The marks of these slots in their sentence; None when one is no words of it."""
    marks = ["O"] * len(sentence.words)
    for slot, text in slots.items():
        place = place_of(text, sentence)
        if place is None:
            return None
        for at in range(*place):
            marks[at] = f"{'B' if at == place[0] else 'I'}-{slot}"
    return marks


def place_of(text: str, sentence: Sentence) -> tuple[int, int] | None:
    """Which words of a sentence say a text."""
    whole = fold(sentence.text)
    if len(whole) != len(sentence.text):
        whole = sentence.text.lower()
    for written in (text, spelled_out(text)):
        wanted = fold(written).strip(_EDGES)
        begin = whole.find(wanted) if wanted else -1
        while begin >= 0:
            end = begin + len(wanted)
            within = [at for at, word in enumerate(sentence.words) if word.start < end and word.end > begin]
            if within and not (whole[:begin][-1:].isalnum() or whole[end : end + 1].isalnum()):
                return within[0], within[-1] + 1
            begin = whole.find(wanted, begin + 1)
    return None


class _Around:
    """The words of a sentence as their neighbours see them."""

    def __init__(self, sentence: Sentence) -> None:
        self.words = sentence.words
        self.norms = ["^^", "^", *(word.norm for word in self.words), "$", "$$"]
        self.forms = ["^", *map(_form, self.words), "$"]
        raws = [word.raw for word in self.words]
        self.colon = raws.index(":") if ":" in raws else None
        self.commas = [place for place, raw in enumerate(raws) if raw == ","]

    def signs(self, place: int) -> list[str]:
        """Of one word: itself, its neighbours, its form."""
        at, norm = place + 2, self.norms[place + 2]
        before, after = self.norms[at - 1], self.norms[at + 1]
        form = self.forms[place : place + 3]
        return [
            f"w={norm}", f"s={norm[:5]}", f"x={norm[-3:]}", f"h={form[1]}", f"hs={''.join(form)}",
            f"p={before}", f"q={after}", f"pp={self.norms[at - 2]} {before}", f"qq={after} {self.norms[at + 2]}",
            f"pw={before} {norm}", f"wq={norm} {after}", f"p2={self.norms[at - 2]}", f"q2={self.norms[at + 2]}",
            f"ps={before[:5]}", f"qs={after[:5]}",
            *self._of_place(place),
            *(["date"] if norm in _DATES else []),
            *(["new"] if norm[0].isalpha() and norm not in _KNOWN else []),
            *(["name"] if fold(self.words[place].raw) in _NAMES else []),
            *(["infinitive"] if _INFINITIVE.search(norm) else []),
        ]  # fmt: skip

    def _of_place(self, place: int) -> list[str]:
        told = ["first"] if place == 0 else []
        if self.colon is not None:
            told.append("after:" if place > self.colon else "before:")
        if any(comma < place for comma in self.commas):
            told.append("after,")
        if any(comma >= place for comma in self.commas):
            told.append("before,")
        return told


def _form(word: Word) -> str:
    if word.quoted:
        return "«»"
    if form := kind(word):
        return form
    return ("A" if word.capital else "a") if word.norm[0].isalpha() else "."
