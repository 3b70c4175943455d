"""Agents that work on their own, and the packet that goes to the accountant: what there is, and where it is decided."""

from __future__ import annotations

from functions._shared.assistant.local.italian import and_list, count
from functions._shared.assistant.local.plans.writing import proposed
from functions._shared.assistant.local.steps import Answer, Plan, Result, Row, Scene, answer, suggest, use

_STATES = {
    "spento": "spento",
    "bozza": "in bozza",
    "pianificato": "aspetta il tuo mandato",
    "in_approvazione": "da approvare",
    "attivo": "attivo",
    "in_pausa": "in pausa",
    "utente": "aspetta te",
    "budget": "aspetta altri crediti",
    "orario": "riparte in orario di lavoro",
}
_WISHES = ("crea un obiettivo per farmi pagare", "crea un obiettivo per seguire i preventivi")
_STOPPED = {
    "us": "In questo momento abbiamo fermato noi tutti gli agenti: non parte niente.",
    "person": "Hai fermato tutti gli agenti: finché non li riaccendi non parte niente.",
}
_DONE = {
    "sent": ("messaggio inviato", "messaggi inviati"),
    "tidied": ("cosa sistemata", "cose sistemate"),
    "refused": ("proposta che hai rifiutato", "proposte che hai rifiutato"),
    "blocked": ("bloccata dalle regole", "bloccate dalle regole"),
}

_SIDES = {
    "emesse": ("fattura emessa", "fatture emesse"),
    "ricevute": ("fattura ricevuta", "fatture ricevute"),
    "autofatture": ("autofattura", "autofatture"),
}


def agents(scene: Scene) -> Plan:
    """Say what the agents do and what waits for a yes, of all or of one."""
    result = yield from use(scene, "list_agents")
    page = result["page"]
    rows = [row for row in result["rows"] if scene.slots.get("agent") in {None, row["agent"]}]
    stopped = _STOPPED.get(result.get("stopped_by", ""), "")
    if scene.slots.get("stops"):
        return answer(
            stopped
            or f"Gli agenti li fermi tu, con un tocco, in [Obiettivi]({page}): «Ferma tutto» vale per tutti, "
            "«Metti in pausa» e «Spegni» per uno. Quello che non è ancora partito non parte più.",
            _lines(rows),
        )
    if scene.slots.get("channels"):
        return _channels(next(row for row in rows if row["agent"] == "recupero_crediti"), stopped)
    waiting = [row for row in rows if row.get("waiting")]
    if scene.slots.get("waits"):
        if not waiting:
            return answer("Niente aspetta il tuo sì.", stopped, suggestions=suggest("che cosa fanno gli agenti?"))
        return answer(f"Le approvi in [Obiettivi]({page}):", _lines(waiting), stopped)
    return answer(
        f"I tuoi agenti, in [Obiettivi]({page}):" if len(rows) > 1 else "",
        _lines(rows),
        stopped,
        _week(result) if len(rows) > 1 else "",
        suggestions=suggest("cosa devo approvare?") if waiting else (),
    )


def _channels(row: Row, stopped: str) -> Answer:
    if row["state"] == "spento":
        return answer(
            f"Da solo non ne mando: «{row['title']}» è spento. Lo attivi da [prova e mandato]({row['page']}), "
            "dove scegli se i solleciti vanno solo per email o anche per WhatsApp e PEC."
        )
    return answer(
        f"I solleciti vanno {row['channels']}, uno per cliente con tutto ciò che è aperto. Se un canale non si può "
        f"usare, quel sollecito va per email e la proposta dice perché. Li scegli nel [mandato]({row['page']}).",
        stopped,
    )


def start(scene: Scene) -> Plan:
    """Propose the goal of an agent, which leads to its plan and mandate: nobody but the person starts one."""
    result = yield from use(scene, "list_agents")
    wanted = scene.slots.get("agent")
    if wanted is None:
        return answer(
            "Posso lavorare da solo per questi obiettivi, ognuno con il tuo mandato:",
            _lines(result["rows"]),
            suggestions=suggest(*_WISHES),
        )
    row = next(row for row in result["rows"] if row["agent"] == wanted)
    if row["state"] == "pianificato":
        return answer(f"«{row['title']}» è già pianificato: leggi [il piano e dai il mandato]({row['page']}).")
    if row["state"] != "spento":
        return answer(f"«{row['title']}» c’è già:", _lines([row]), _STOPPED.get(result.get("stopped_by", ""), ""))
    if "create_goal" in scene.tools:
        proposal = yield from use(scene, "create_goal", agent=wanted)
        return proposed(
            proposal,
            f"Ho preparato l’obiettivo «{row['title']}»: parte solo quando hai letto il piano e dato il mandato.",
        )
    return answer(
        f"«{row['title']}» lo attivi tu: prima leggi [la prova sul passato e il mandato]({row['page']}), cioè che cosa "
        "avrebbe fatto e con quali limiti. Poi lavora da solo, e lo fermi quando vuoi."
    )


def packet(scene: Scene) -> Plan:
    """Say what is in the month's packet for the accountant, what is missing, and where it is downloaded."""
    if scene.slots.get("too_long"):
        return answer(
            "Il pacchetto è di un mese alla volta: di quale?",
            suggestions=suggest("prepara il pacchetto del mese scorso", "prepara il pacchetto di questo mese"),
        )
    result = yield from use(scene, "month_packet", month=scene.slots.get("month"))
    if not result["sums"] and not result["papers"]:
        return answer(
            f"Di {result['month']} non c’è ancora niente da mandare: carica le fatture in [Documenti](/documents)."
        )
    sides = [f"{count(each['count'], *_SIDES[each['side']])} per {each['total']}" for each in result["sums"]]
    if result["papers"]:
        sides.append(count(result["papers"], "altro documento", "altri documenti"))
    to_do = "\n".join(f"- {each}" for each in result["to_do"])
    return answer(
        f"Il pacchetto di **{result['month']}** ha {and_list(sides)}. "
        f"[Scaricalo]({result['page']}) e allegalo alla tua email al commercialista: da qui non parte niente.",
        f"Prima controlla:\n\n{to_do}" if to_do else "Non manca niente.",
    )


def _lines(rows: list[Row]) -> str:
    return "\n".join(f"- [{row['title']}]({row['page']}): {_state(row)}" for row in rows)


def _state(row: Row) -> str:
    if not row.get("waiting"):
        return _STATES[row["state"]]
    waiting = count(row["waiting"], "proposta aspetta", "proposte aspettano")
    total = f", per {row['waiting_total']}" if row.get("waiting_total") else ""
    return f"{waiting} il tuo sì{total}"


def _week(result: Result) -> str:
    done = result.get("last_7_days", {})
    parts = [count(done[name], *words) for name, words in _DONE.items() if name in done]
    cashed = f"{done['cashed']} incassati dopo un sollecito" if "cashed" in done else ""
    told = and_list([*parts, *filter(None, [cashed])])
    return f"Negli ultimi sette giorni: {told}." if told else ""
