"""Judge an action by the rules of the ethical supervisor, in order: pure, versioned, one place for chat and goals.

A rule sees facts, never what a model thinks of them. The verdict is the strictest of what the rules say: consenti,
conferma (a person decides) or blocca. `raised` lets an opinion make it stricter, never milder. Source of the rules:
RULE-01 to RULE-14 of docs/requirements.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

VERSION = "2026-11-29"
# E-02: more recipients than that are typed. The same as private.most_unconfirmed_recipients().
MANY_RECIPIENTS = 100
# E-04: how long WhatsApp lets a free text answer a message.
WINDOW_HOURS = 24
# E-05: more rows than that are a bulk edit.
MANY_ROWS = 20
# E-06: a step may take a quarter of the credits that are left.
BALANCE_PARTS = 4
# E-11: so many messages to one contact in seven days are enough.
MANY_MESSAGES = 3
# E-14: so many proposals a day are as many as somebody reads.
MANY_APPROVALS = 30
FROM_DATA = "Questa istruzione viene da un documento, non da te"

Result = Literal["consenti", "conferma", "blocca"]
Origin = Literal["utente", "regola", "righe", "documento", "mail", "web", "modello"]
Wait = Literal["orario", "budget", "domani"]
SEVERITY: dict[Result, int] = {"consenti": 0, "conferma": 1, "blocca": 2}
# Arguments whose value decides where a message or money goes, and the words of a letter that a mandate would let leave.
GUARDED = ("destinatario", "importo", "iban", "indirizzo", "testo")
OWN: tuple[Origin, ...] = ("utente", "regola", "righe")


@dataclass(frozen=True)
class Facts:
    """What is known of an action before it happens. The defaults are those of an action that concerns nobody else."""

    outward: bool = False
    channel: Literal["email", "whatsapp", "pec"] | None = None
    # A mandate that its person gave in writing covers this message: kind, tone, amount, hours.
    mandated: bool = False
    recipients: int = 0
    typed: int | None = None
    # How many of the recipients the law lets be written to; None where consent says it.
    lawful: int | None = None
    consent: str | None = None
    marketing: str | None = None
    texts: tuple[str, ...] = ()
    # Since the contact wrote on WhatsApp; None: never.
    hours_since_message: float | None = None
    has_template: bool = False
    deletes: bool = False
    reversible: bool = True
    rows: int = 0
    credits: int = 0
    budget_left: int | None = None
    balance: int | None = None
    # Figures of the text that stand nowhere in the person's data.
    unverified: tuple[str, ...] = ()
    # Passages that stand in a stranger's text and not in what the person wrote.
    from_data: tuple[str, ...] = ()
    origins: Mapping[str, Origin] = field(default_factory=dict)
    # Night, Sunday or holiday of the recipient, and no person who wants it now.
    resting: bool = False
    recent: int = 0
    money: bool = False
    # An account that is none of those the person named.
    foreign_ibans: tuple[str, ...] = ()
    approvals_today: int = 0


@dataclass(frozen=True)
class Rule:
    """A rule that spoke, and why, in Italian."""

    id: str
    reason: str

    def to_json(self) -> dict[str, str]:
        """As tool_calls.rules and goal_steps.rules have it."""
        return {"id": self.id, "reason": self.reason, "version": VERSION}


@dataclass(frozen=True)
class Verdict:
    """What the rules say together. `needs_count`: the person types the number; `wait`: not now."""

    result: Result
    rules: tuple[Rule, ...] = ()
    needs_count: int | None = None
    wait: Wait | None = None


Finding = tuple[Result, str]
Check = Callable[[Facts], Finding | None]


def judge(facts: Facts) -> Verdict:
    """Return the strictest verdict of the rules, with those that spoke, in their order."""
    found = [(id_, finding) for id_, check in RULES if (finding := check(facts))]
    results: list[Result] = ["consenti", *(finding[0] for _, finding in found)]
    result = max(results, key=lambda each: SEVERITY[each])
    # Of a blocked action only what blocks it is worth reading.
    told = [(id_, reason) for id_, (own, reason) in found if result != "blocca" or own == "blocca"]
    wait = next((WAITS[id_] for id_, _ in found if id_ in WAITS), None) if result != "blocca" else None
    return Verdict(
        result,
        tuple(Rule(id_, reason) for id_, reason in told),
        facts.recipients if facts.recipients > MANY_RECIPIENTS else None,
        wait,
    )


def raised(verdict: Verdict, opinion: Result | None) -> Result:
    """Return the verdict with a model's opinion, which counts only where it is stricter."""
    return max(verdict.result, opinion or verdict.result, key=lambda each: SEVERITY[each])


def _outbound(facts: Facts) -> Finding | None:
    if not facts.outward or facts.mandated:
        return None
    return "conferma", "È un messaggio per un’altra persona: lo leggi e lo approvi sempre tu"


def _bulk(facts: Facts) -> Finding | None:
    if facts.recipients <= MANY_RECIPIENTS or facts.typed == facts.recipients:
        return None
    return "conferma", f"I destinatari sono {facts.recipients}: scrivi il numero per confermare"


def _consent(facts: Facts) -> Finding | None:
    if not facts.outward:
        return None
    if facts.lawful == 0:
        return (
            "blocca",
            "Nessuno può ricevere questo messaggio: manca l’indirizzo, o non ne vuole più",
        )
    if facts.consent in ("negato", "revocato"):
        return "blocca", f"Il contatto ha {facts.consent} il consenso a ricevere messaggi su questo canale"
    if _PROMOTION.search(" ".join(facts.texts)) and facts.marketing != "dato":
        return "conferma", "Sembra una promozione, e il contatto non ha dato il consenso al marketing su questo canale"
    if "dato" in (facts.consent, facts.marketing) or facts.lawful is not None:
        return None
    return "conferma", "Non c’è un consenso registrato: va bene per rispondere a un cliente, non per una promozione"


def _window(facts: Facts) -> Finding | None:
    if facts.channel != "whatsapp" or facts.has_template:
        return None
    if facts.hours_since_message is not None and facts.hours_since_message <= WINDOW_HOURS:
        return None
    return "blocca", "Su WhatsApp sono passate più di 24 ore dall’ultimo messaggio: serve un modello approvato"


def _deletion(facts: Facts) -> Finding | None:
    if facts.deletes:
        back = "puoi annullare per trenta giorni" if facts.reversible else "non si può annullare"
        return "conferma", f"Elimina dei dati: {back}"
    if facts.rows > MANY_ROWS:
        return "conferma", f"Cambia {facts.rows} righe in una volta"
    return None


def _budget(facts: Facts) -> Finding | None:
    if facts.budget_left is not None and facts.credits > facts.budget_left:
        return "conferma", "Supera i crediti che hai dato a questo obiettivo"
    if facts.balance is not None and facts.credits * BALANCE_PARTS > facts.balance:
        return "conferma", "Userebbe più di un quarto dei tuoi crediti in una volta"
    return None


def _special_category(facts: Facts) -> Finding | None:
    found = special_category(" ".join(facts.texts))
    if found is None:
        return None
    kind, words = found
    if facts.outward:
        return "blocca", f"Il testo contiene dati {kind} («{words}»): toglili, la legge li protegge in modo speciale"
    return "conferma", f"Il testo contiene dati {kind} («{words}»): conservali solo se servono davvero"


def _claims(facts: Facts) -> Finding | None:
    if not (facts.outward and facts.unverified):
        return None
    return "conferma", f"Controlla, non li trovo nei tuoi dati: {_listed(facts.unverified)}"


def _provenance(facts: Facts) -> Finding | None:
    if facts.from_data:
        return "conferma", f"{FROM_DATA}: {_listed(facts.from_data)}"
    foreign = [f"{name} ({facts.origins[name]})" for name in GUARDED if facts.origins.get(name, "utente") not in OWN]
    if foreign:
        return "conferma", f"Non viene da te né dai tuoi dati: {', '.join(foreign)}"
    return None


def _rest(facts: Facts) -> Finding | None:
    if not (facts.outward and facts.resting):
        return None
    return "consenti", "Tra le 21 e le 8 e nei festivi non si disturba: parte appena si può"


def _frequency(facts: Facts) -> Finding | None:
    if not facts.outward or facts.recent < MANY_MESSAGES:
        return None
    return "conferma", f"In sette giorni ci sono già {facts.recent} messaggi o bozze per questo contatto"


def _money(facts: Facts) -> Finding | None:
    if not facts.money:
        return None
    return "conferma", "Riguarda i tuoi soldi: controlla fattura, importo e giorno, e confermi sempre tu"


def _account(facts: Facts) -> Finding | None:
    if not facts.foreign_ibans:
        return None
    return "blocca", f"L’IBAN {facts.foreign_ibans[0]} non è tra quelli che hai confermato: controlla la fattura"


def _attention(facts: Facts) -> Finding | None:
    if facts.approvals_today < MANY_APPROVALS or facts.mandated:
        return None
    return "consenti", f"Oggi ci sono già {facts.approvals_today} proposte da leggere: riprova domani"


RULES: tuple[tuple[str, Check], ...] = (
    ("E-01", _outbound),
    ("E-02", _bulk),
    ("E-03", _consent),
    ("E-04", _window),
    ("E-05", _deletion),
    ("E-06", _budget),
    ("E-07", _special_category),
    ("E-08", _claims),
    ("E-09", _provenance),
    ("E-10", _rest),
    ("E-11", _frequency),
    ("E-12", _money),
    ("E-13", _account),
    ("E-14", _attention),
)
WAITS: dict[str, Wait] = {"E-06": "budget", "E-10": "orario", "E-14": "domani"}

_PROMOTION = re.compile(
    r"\b(promozion|offert[ae] (speciale|riservata|lancio)|scont[oi]\b|saldi\b|black friday|coupon|newsletter)",
    re.IGNORECASE,
)
# As private.unmemorable of the memories migration, whose reasons are the same law (GDPR art. 9), and minors.
_HEALTH = re.compile(
    r"\b(diabet|tumor[ei]\b|cancro\b|oncolog|chemio|depress[oai]\b|depressione|psichiatr|psicoterap|hiv\b|aids\b"
    r"|epiless|sclerosi|gravidanz|incinta|aborto|invalidità civile|disabil|handicap|malat[oa]\b|malattia|infarto"
    r"|ictus\b|alcolis|alcolizzat|tossicodipenden|celiac|bipolare|anoress|bulimi|autis)\w*",
    re.IGNORECASE,
)
_BELIEFS = re.compile(
    r"\b(cattolic|protestant[ei]\b|musulman|islamic|ebre[oai]\b|ebraic|testimon[ei] di geova|buddist|induist|ate[oa]\b"
    r"|sindacalist|sindacat[oi]\b|cgil\b|cisl\b|partito (democratico|politico|comunista)|vota (per|a|il|la|lega|pd)\b"
    r"|omosessual|lesbic|gay\b|bisessual|transgender)\w*",
    re.IGNORECASE,
)
_MINORS = re.compile(
    r"\b(minorenn[ei]\b|minori? di età|(figli[oa]|bambin[oa]|ragazzin[oa]) di (\d|1[0-7]) anni)", re.IGNORECASE
)


def special_category(text: str) -> tuple[str, str] | None:
    """Which protected data a text holds, and the words that say so."""
    for kind, words in (("sulla salute", _HEALTH), ("su opinioni o vita privata", _BELIEFS), ("di minori", _MINORS)):
        found = words.search(text)
        if found:
            return kind, found[0]
    return None


def _listed(phrases: tuple[str, ...]) -> str:
    shown = ", ".join(f"«{each[:80]}»" for each in phrases[:3])
    return f"{shown} e altro" if len(phrases) > 3 else shown
