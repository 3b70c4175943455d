"""Deals by state, and what they add up to."""

from __future__ import annotations

from functions._shared.assistant.local import voices
from functions._shared.assistant.local.italian import count, short_day, shown, since
from functions._shared.assistant.local.plans import said_days
from functions._shared.assistant.local.plans.picking import contact_if_any, days
from functions._shared.assistant.local.steps import Plan, Row, Scene, answer, listing, suggest, use

# State of deals: adjective for one and many, and what is said of none.
_DEALS = {
    "aperte": ("aperta", "aperte", "Non hai trattative aperte."),
    "vinte": ("vinta", "vinte", "Nessuna trattativa vinta"),
    "perse": ("persa", "perse", "Nessuna trattativa persa"),
    "ferme": ("ferma", "ferme", "Nessuna trattativa ferma: si muovono tutte nei tuoi tempi abituali."),
}


def deals(scene: Scene) -> Plan:
    """List deals, with what they add up to."""
    state = scene.slots.get("state", "aperte")
    if state in ("vinte", "perse"):
        said_days.ask(scene)
    contact = yield from contact_if_any(scene)
    stage = scene.slots.get("stage")
    result = yield from use(scene, "list_deals", state=state, contact=contact, stage=stage, **days(scene.slots))
    if stage and not result["rows"]:
        return (yield from _no_stage(scene, stage))
    rows, number, total = list(result.get("rows", [])), result.get("count", 0), str(result.get("amount", ""))
    one, many, none = _DEALS[state]
    # Without a period the tool looks back a year; what is open is open now.
    when = (said_days.told(scene) or " nell’ultimo anno") if state in ("vinte", "perse") else ""
    whose = f" con {shown(scene.slots['contact'])}" if "contact" in scene.slots else ""
    whose += f" nella fase {shown(rows[0]['stage'])}" if stage else ""
    if not rows:
        return answer(
            f"{none.rstrip('.')}{whose}{when}." if whose or when else f"{none.rstrip('.')}.",
            suggestions=suggest("trattative aperte", "quanto ho in trattativa?"),
            derived=(when,),
        )
    rows = voices.ranked(scene, rows)
    weighted = (
        f" Ponderato per la probabilità vale {result['weighted']}."
        if state in ("aperte", "ferme") and result.get("weighted")
        else ""
    )
    return answer(
        f"{_have(state, number)} {count(number, f'trattativa {one}', f'trattative {many}')}{whose}{when}, "
        f"per {total}.{weighted}",
        voices.order_of(scene),
        deal_list(scene, rows, number),
        # Days are those on which deals were closed.
        "Di quelle aperte non guardo i giorni: qui le vedi tutte, come sono adesso."
        if state == "aperte" and {"from", "to"} & scene.slots.keys()
        else "",
        *voices.checked(scene, rows, "amount_cents", number, total),
        suggestions=suggest("quanto ho in trattativa?", "quali trattative sono ferme?")
        if state == "aperte"
        else suggest("trattative aperte"),
        derived=(when,),
    )


def _no_stage(scene: Scene, stage: str) -> Plan:
    """Say that no open deal is in a stage, and in which stages there are some."""
    total = yield from use(scene, "deals_total")
    stages = ", ".join(f"{shown(each['stage'])} ({each['count']})" for each in total.get("stages", []))
    where = f" Quelle aperte sono in: {stages}." if stages else ""
    return answer(
        f"Nessuna trattativa aperta nella fase «{shown(stage, 60)}».{where}", suggestions=suggest("trattative aperte")
    )


def progress(scene: Scene) -> Plan:
    """Tell how far a piece of work is: the deals with these words, open or closed, and the projects."""
    query = scene.slots["query"]
    found: list[Row] = []
    for state in ("aperte", "vinte", "perse"):
        result = yield from use(scene, "list_deals", state=state, query=query)
        found += result["rows"]
    projects = yield from use(scene, "list_projects", query=query)
    if not found and not projects["rows"]:
        return answer(
            f"Non trovo trattative né progetti con «{shown(query, 80)}».",
            suggestions=suggest("trattative aperte", "i miei progetti"),
        )
    lines = [told(scene, row) for row in found[:5]] + [_project(scene, row) for row in projects["rows"][:5]]
    return answer("\n".join(f"- {line}" for line in lines) if len(lines) > 1 else lines[0])


def _project(scene: Scene, row: Row) -> str:
    due = f", consegna {short_day(row['due'], scene.today)}" if row.get("due") else ""
    tasks = f"{count(row['open'], 'attività aperta', 'attività aperte')}, {count(row['done'], 'fatta', 'fatte')}"
    state = {"in_pausa": "in pausa"}.get(row["status"], row["status"])
    return f"Progetto **{shown(row['name'])}** [[{row['ref']}]]: {state}{due}; {tasks}."


def one_deal(scene: Scene) -> Plan:
    """Tell the amount, the stage and the probability of the deals with these words, open ones before closed ones."""
    query = scene.slots["query"]
    for state in ("aperte", "vinte", "perse"):
        result = yield from use(scene, "list_deals", state=state, query=query)
        rows, number = result["rows"], result["count"]
        if rows:
            break
    else:
        return answer(
            f"Non trovo trattative con «{shown(query, 80)}», né aperte né chiuse nell’ultimo anno.",
            suggestions=suggest("trattative aperte"),
        )
    if number > 1:
        one, many, _ = _DEALS[state]
        what = count(number, f"trattativa {one}", f"trattative {many}")
        return answer(f"Con «{shown(query, 80)}» trovo {what}:", deal_list(scene, rows, number))
    return answer(told(scene, rows[0]), suggestions=suggest("trattative aperte"))


def closing(scene: Scene) -> Plan:
    """List the open deals that are expected to close in some days."""
    first, last = (scene.slots.get(name) for name in ("from", "to"))
    result = yield from use(scene, "list_deals", closes_from=first, closes_until=last)
    rows, when = result["rows"], said_days.told(scene)
    if not rows:
        return answer(f"Nessuna trattativa aperta con chiusura prevista{when}.", derived=(when,))
    number = count(result["count"], "trattativa aperta", "trattative aperte")
    return answer(
        f"{number} con chiusura prevista{when}, per {result['amount']}.",
        "\n".join(f"- {told(scene, row)}" for row in rows[:10]),
        derived=(when,),
    )


def told(scene: Scene, row: Row) -> str:
    """Tell of one deal its amount, and its stage or when it was closed."""
    who = f", {shown(row['contact'])}" if row.get("contact") else ""
    text = f"**{shown(row['title'])}** [[{row['ref']}]]{who}: **{row['amount']}**"
    if row.get("closed_on"):
        state = "persa" if row.get("lost_reason") else "chiusa"
        why = f": {shown(row['lost_reason'], 200)}" if row.get("lost_reason") else ""
        return f"{text}, {state} {short_day(row['closed_on'], scene.today)}{why}."
    chance = f", probabilità {row['probability']} %" if row.get("probability") is not None else ""
    ends = f" Chiusura prevista: {short_day(row['expected_close'], scene.today)}." if row.get("expected_close") else ""
    stuck = " (ferma)" if row.get("stuck") else ""
    return f"{text}, fase {shown(row['stage'])} {since(row['days_in_stage'])}{stuck}{chance}.{ends}"


def _have(state: str, number: int) -> str:
    return "Hai" if state in ("aperte", "ferme") else "Risulta" if number == 1 else "Risultano"


def deal_list(scene: Scene, rows: list[Row], total: int = 0) -> str:
    """Deals with amount, stage and how long they stay."""
    all_stuck = all(row.get("stuck") for row in rows)
    return listing(
        rows,
        lambda row: str(row["title"]),
        (
            ("Trattativa", lambda _row: ""),
            ("Contatto", lambda row: shown(row.get("contact") or "")),
            ("Importo", lambda row: str(row.get("amount", ""))),
            ("Fase", lambda row: shown(row.get("stage") or "") if not row.get("closed_on") else ""),
            (
                "Nella fase",
                lambda row: (
                    since(row.get("days_in_stage") or 0) + (" (ferma)" if row.get("stuck") and not all_stuck else "")
                    if not row.get("closed_on")
                    else ""
                ),
            ),
            ("Chiusa", lambda row: short_day(row["closed_on"], scene.today) if row.get("closed_on") else ""),
            ("Motivo", lambda row: shown(row.get("lost_reason") or "")),
        ),
        total,
    )


def deals_total(scene: Scene) -> Plan:
    """Say what all open deals add up to, stage by stage."""
    result = yield from use(scene, "deals_total")
    if not result.get("count"):
        return answer(
            "Non hai trattative aperte, quindi niente in ballo.", suggestions=suggest("trattative vinte quest'anno")
        )
    stages = [
        f"- {shown(each['stage'])}: {count(each['count'], 'trattativa', 'trattative')}, {each['amount']}"
        for each in result.get("stages", [])
    ]
    return answer(
        f"Hai {result['amount']} in {count(result['count'], 'trattativa aperta', 'trattative aperte')}; "
        f"ponderato per la probabilità, {result['weighted']}.",
        "\n".join(stages),
        "Le più grandi:" if result.get("more") else "",
        deal_list(scene, result.get("rows", [])),
        voices.assumed(scene, "il ponderato è importo × probabilità, della trattativa o della sua fase"),
        suggestions=suggest("quali trattative sono ferme?", "trattative vinte questo mese"),
    )
