"""The day, tasks, projects, and whom to call."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from functions._shared.assistant.local.italian import count, day, short_day, shown, state
from functions._shared.assistant.local.plans import said_days
from functions._shared.assistant.local.plans.picking import contact_if_any, days, task_of
from functions._shared.assistant.local.steps import Answer, Plan, Result, Row, Scene, answer, listing, suggest, use
from functions._shared.names import fold

_WHEN = {
    "oggi": ("per oggi", "Per oggi non hai attività."),
    "domani": ("per domani", "Per domani non hai attività in programma."),
    "settimana": ("da qui a domenica", "Da qui a domenica non hai attività in programma."),
    "scaduti": ("in ritardo", "Nessuna attività in ritardo: sei in pari."),
    "senza_data": ("senza data", "Non hai attività senza data."),
    "tutti": ("aperte", "Non hai attività aperte."),
}
_PROJECTS = {"attivo": ("in corso", "in corso"), "in_pausa": ("in pausa", "in pausa"), "chiuso": ("chiuso", "chiusi")}
_STATUS = {"attivo": "attivo", "in_pausa": "in pausa", "chiuso": "chiuso"}


def task_list(scene: Scene, rows: list[Row], total: int = 0, start: int = 1) -> str:
    """Tasks with day, contact and state."""
    return listing(
        rows,
        lambda row: str(row["title"]),
        (
            ("Attività", lambda _row: ""),
            ("Quando", lambda row: "un giorno" if row.get("someday") else short_day(row.get("due"), scene.today)),
            ("Contatto", lambda row: _with(row)),
            ("Priorità", lambda row: {3: "alta", 2: "media", 1: "bassa"}.get(row.get("priority") or 0, "")),
            ("Stato", lambda row: state(row["state"]) if row.get("state") not in (None, "da_fare") else ""),
        ),
        total,
        start,
    )


def _with(row: Row) -> str:
    """The contact, unless the title names it already."""
    name = str(row.get("contact") or "")
    return shown(name) if name and name.lower() not in str(row.get("title", "")).lower() else ""


def today(scene: Scene) -> Plan:
    """The day at a glance."""
    result = yield from use(scene, "today")
    parts = [_heading(scene, result)]
    rows, late = result.get("rows", []), result.get("overdue", {})
    if rows:
        parts.append(task_list(scene, rows, result["count"]))
    if late.get("count"):
        parts += [
            f"In ritardo: {count(late['count'], 'attività', 'attività')}.",
            task_list(scene, late["rows"], late["count"], len(rows) + 1),
        ]
    parts += [
        _invoices_due(result.get("invoices", {})),
        _touches(result.get("touches", {})),
        _tomorrow(result.get("tomorrow", {})),
    ]
    follow = ["cosa devo fare domani?", "chi devo richiamare?"] + (
        ["quali fatture sono scadute?"] if _late(result.get("invoices", {})) else []
    )
    return answer(*parts, suggestions=suggest(*follow))


def _heading(scene: Scene, result: Result) -> str:
    on = day(scene.today.isoformat(), scene.today)
    if not result.get("count"):
        return f"{on[:1].upper()}{on[1:]}: non hai attività con questa data."
    return f"{on[:1].upper()}{on[1:]}: hai {count(result['count'], 'attività', 'attività')}."


def _invoices_due(invoices: Result) -> str:
    late, all_due = _late(invoices), invoices.get("count") or 0
    if late:
        refs = "".join(f" [[{row['ref']}]]" for row in invoices.get("rows", []) if row.get("days_late"))
        return f"**Fatture**: {', '.join(late)}{refs}."
    return f"**Fatture**: {count(all_due, 'in scadenza', 'in scadenza')} nei prossimi 7 giorni." if all_due else ""


def _late(invoices: Result) -> list[str]:
    """What is late, what is to come in apart from what is to go out."""
    late = invoices.get("late", {})
    sides = [(late.get(name, {}), todo) for name, todo in (("to_cash", "da incassare"), ("to_pay", "da pagare"))]
    return [
        f"{count(own['count'], 'scaduta', 'scadute')} {todo} per {own['amount']}"
        for own, todo in sides
        if own.get("count")
    ]


def _touches(touches: Result) -> str:
    rows = touches.get("rows", [])[:3]
    if not rows:
        return ""
    names = ", ".join(f"{shown(row['name'])} [[{row['ref']}]]" for row in rows)
    more = (touches.get("count") or 0) - len(rows)
    return f"**Da risentire**: {names}" + (f" e altri, {touches['count']} in tutto." if more > 0 else ".")


def _tomorrow(tomorrow: Result) -> str:
    number = tomorrow.get("count") or 0
    return f"Domani: {count(number, 'attività', 'attività')}." if number else ""


def tasks(scene: Scene) -> Plan:
    """A list of tasks."""
    when = scene.slots.get("when", "tutti")
    contact = yield from contact_if_any(scene)
    priority = scene.slots.get("priority")
    asked = {"when": when, "contact": contact, "project": scene.slots.get("project"), **days(scene.slots)}
    asked |= {"priority": priority} if priority else {}
    result = yield from use(scene, "list_tasks", **asked)
    rows, number = result.get("rows", []), result.get("count", 0)
    about = f" per {shown(scene.slots['contact'])}" if "contact" in scene.slots else ""
    words, none = _WHEN[when]
    if on := scene.slots.get("on"):
        words, none = f"per {day(on, scene.today)}", f"Per {day(on, scene.today)} non hai attività."
    elif {"from", "to"} & scene.slots.keys():
        words, none = _of_days(scene)
    if priority:
        words, none = "a priorità alta", "Non hai attività aperte a priorità alta."
    if not rows:
        text = f"Nessuna attività {'aperta' if words == 'aperte' else words}{about}." if about else none
        return answer(
            text,
            suggestions=suggest("tutte le attività", "attività in ritardo")
            if when != "tutti"
            else suggest("cosa sai fare?"),
        )
    on = f", {day(_tomorrow_of(scene), scene.today).split(', ', 1)[-1]}" if when == "domani" else ""
    words = "aperta" if (words, number) == ("aperte", 1) else words
    return answer(
        f"Hai {count(number, 'attività', 'attività')} {words}{on}{about}.",
        task_list(scene, rows, number),
        derived=(words,),
        suggestions=suggest("segna fatta la prima", "sposta la prima a domani")
        if when != "domani"
        else suggest("sposta la prima a venerdì"),
    )


def _of_days(scene: Scene) -> tuple[str, str]:
    """Say which days a list is about: «per la settimana prossima», «entro il 27/11/2026»."""
    monday = scene.today + timedelta(days=7 - scene.today.weekday())
    week = (monday.isoformat(), (monday + timedelta(days=6)).isoformat())
    if (scene.slots.get("from"), scene.slots.get("to")) == week:
        return "per la settimana prossima", "Per la settimana prossima non hai attività."
    when = said_days.told(scene).strip()
    return when, f"Non hai attività {when}."


def _tomorrow_of(scene: Scene) -> str:
    return (scene.today + timedelta(days=1)).isoformat()


def subtasks(scene: Scene) -> Plan:
    """The steps of a task."""
    task = yield from task_of(scene, "Di quale attività? Scrivimi il titolo, o parte del titolo.")
    result = yield from use(scene, "list_subtasks", task=task)
    title, ref = shown(result["task"]), result["task_ref"]
    if not result["count"]:
        return answer(
            f"«{title}» [[{ref}]] non ha passi.", suggestions=suggest(f"aggiungi a {title} i passi: primo, secondo")
        )
    left = f"{count(result['open'], 'passo', 'passi')} da fare" if result["open"] else "tutti i passi sono fatti"
    return answer(
        f"**{title}** [[{ref}]]: {left} su {result['count']}." if result["open"] else f"**{title}** [[{ref}]]: {left}.",
        task_list(scene, sorted(result["rows"], key=lambda row: row["state"] == "fatto"), result["count"]),
    )


def projects(scene: Scene) -> Plan:
    """All projects, or the state of one with its open tasks."""
    if name := scene.slots.get("project"):
        every = yield from use(scene, "list_projects", query=name)
        named = [str(row["ref"]) for row in every["rows"]] if every["count"] == 1 else [name]
        found = yield from use(scene, "list_tasks", when="tutti", project=named[0])
        return _project(scene, name, found, every)
    status = scene.slots.get("status")
    result = yield from use(scene, "list_projects", status=status)
    rows, number = result["rows"], result["count"]
    if not rows and status:
        none = f"Nessun progetto {_PROJECTS[status][0]}."
        return answer(none, suggestions=suggest("i miei progetti"))
    if not rows:
        return Answer("Non hai ancora progetti.")
    which = f" {_PROJECTS[status][number != 1]}" if status else _by_status(rows, number)
    return answer(f"Hai {count(number, 'progetto', 'progetti')}{which}.", _project_list(scene, rows, number))


def _by_status(rows: list[Row], number: int) -> str:
    """Say how many are under way, paused and closed: «: 3 in corso, 1 in pausa»; nothing when not all are here."""
    counts = {status: sum(row.get("status") == status for row in rows) for status in _PROJECTS}
    parts = [f"{many} {_PROJECTS[status][many != 1]}" for status, many in counts.items() if many]
    return f": {', '.join(parts)}" if len(parts) > 1 and len(rows) == number else ""


def work_for(scene: Scene) -> Plan:
    """Say what is to be done for a piece of work: the tasks of its project, or those with its words."""
    query = scene.slots["query"]
    result = yield from use(scene, "list_tasks", when="tutti", query=query)
    if result["rows"]:
        number = result["count"]
        head = f"Con «{shown(query, 80)}» hai {count(number, 'attività aperta', 'attività aperte')}:"
        return answer(head, task_list(scene, result["rows"], number))
    every = yield from use(scene, "list_projects", query=query)
    if every["rows"]:
        head = f"Nessuna attività aperta con «{shown(query, 80)}»."
        return answer(head, _project_list(scene, every["rows"], every["count"]))
    return answer(
        f"Non trovo attività aperte né progetti con «{shown(query, 80)}».", suggestions=suggest("tutte le attività")
    )


def one_project(scene: Scene) -> Plan:
    """Tell when a project is to be delivered, its budget and its state."""
    query = scene.slots["query"]
    result = yield from use(scene, "list_projects", query=query)
    rows, number = result["rows"], result["count"]
    if not rows:
        return answer(f"Non trovo un progetto con «{shown(query, 80)}».", suggestions=suggest("i miei progetti"))
    if number > 1:
        return answer(f"Con «{shown(query, 80)}» trovo {number} progetti:", _project_list(scene, rows, number))
    row = rows[0]
    due = f"consegna {day(row['due'], scene.today)}" if row.get("due") else "senza giorno di consegna"
    budget = f", budget {row['budget']}" if row.get("budget") else ""
    return answer(
        f"**{shown(row['name'])}** [[{row['ref']}]]: {_STATUS.get(row['status'], row['status'])}, {due}{budget}.",
        f"{count(row['open'], 'attività aperta', 'attività aperte')}, {count(row['done'], 'fatta', 'fatte')}.",
    )


def _project(scene: Scene, name: str, found: Result, every: Result) -> Answer:
    words = fold(name).split()
    named = [row for row in every["rows"] if all(word in fold(str(row["name"])) for word in words)]
    one = named or (every["rows"] if every["count"] == 1 else [])
    number = found.get("count", 0)
    head = _project_list(scene, one[:1]) if one else f"**{shown(name)}**"
    open_words = f"{count(number, 'attività aperta', 'attività aperte')}:" if number else "Nessuna attività aperta."
    return answer(head, open_words, task_list(scene, found.get("rows", []), number) if number else "")


def _project_list(scene: Scene, rows: list[Row], total: int = 0) -> str:
    return listing(
        rows,
        lambda row: str(row["name"]),
        (
            ("Progetto", lambda _row: ""),
            ("Stato", lambda row: _STATUS.get(row.get("status", ""), str(row.get("status", "")))),
            (
                "Attività",
                lambda row: f"{count(row['open'], 'aperta', 'aperte')}, {count(row['done'], 'fatta', 'fatte')}",
            ),
            ("Consegna", lambda row: short_day(row["due"], scene.today) if row.get("due") else ""),
            ("Budget", lambda row: str(row.get("budget") or "")),
            ("Contatto", lambda row: shown(row.get("contact") or "")),
        ),
        total,
    )


def to_call(scene: Scene) -> Plan:
    """Whom to get in touch with again."""
    result = yield from use(scene, "contacts_to_call", limit=scene.slots.get("limit", 10))
    rows: list[dict[str, Any]] = result.get("rows", [])
    calls = _calls(scene, result, len(rows))
    if not rows:
        return answer(*calls, _none_to_call(result, calls), suggestions=suggest("cosa devo fare oggi?"))
    number = result["count"]
    text = listing(
        rows,
        lambda row: str(row["name"]),
        (
            ("Contatto", lambda _row: ""),
            ("Azienda", lambda row: shown(row.get("company") or "")),
            ("Sentito", lambda row: short_day(row["last_heard"], scene.today) if row.get("last_heard") else "mai"),
            ("Da risentire entro", lambda row: short_day(row.get("call_by"), scene.today)),
            ("Telefono", lambda row: shown(row.get("phone") or "")),
        ),
        number,
    )
    first = shown(rows[0]["name"])
    return answer(
        f"Da risentire {'c’è' if number == 1 else 'ci sono'} {count(number, 'persona', 'persone')}.",
        text,
        *calls,
        suggestions=suggest(f"ricordami di chiamare {first} domani", f"riassumi {first}"),
    )


def _calls(scene: Scene, result: Result, before: int) -> tuple[str, ...]:
    """The tasks of today, or late, that are to call somebody."""
    calls = result.get("tasks") or {}
    if not calls.get("count"):
        return ()
    head = f"Entro oggi hai {count(calls['count'], 'attività', 'attività')} per sentire qualcuno:"
    return head, task_list(scene, calls["rows"], calls["count"], before + 1)


def _none_to_call(result: Result, calls: tuple[str, ...]) -> str:
    """Say that everybody was heard in time only where a cadence is set and nobody is snoozed or never heard of."""
    if not result.get("contacts"):
        return "" if calls else "Non hai ancora contatti."
    if not result.get("with_cadence"):
        return "Nessun contatto ha una cadenza, quindi non so chi dovresti risentire."
    never, snoozed = result.get("never_heard", 0), result.get("snoozed", 0)
    if not never and not snoozed and not calls:
        every = "tutti" if result["with_cadence"] == result["contacts"] else "tutti i contatti con una cadenza"
        return f"Nessuno da richiamare: hai sentito {every} per tempo."
    parts = [f"Secondo le cadenze non c’è {'nessun altro' if calls else 'nessuno'} da richiamare."]
    if snoozed:
        parts.append(f"{count(snoozed, 'contatto è rimandato', 'contatti sono rimandati')}.")
    if never:
        parts.append(f"{count(never, 'contatto non risulta mai sentito', 'contatti non risultano mai sentiti')}.")
    return " ".join(parts)
