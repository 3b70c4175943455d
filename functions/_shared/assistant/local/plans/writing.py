"""What changes something: always proposed, never more than was said."""

from __future__ import annotations

from functions._shared import names
from functions._shared.assistant.local.italian import shown
from functions._shared.assistant.local.plans.picking import contact_of, deal_of, task_of
from functions._shared.assistant.local.steps import Answer, Ended, Plan, Result, Scene, Suggestion, answer, suggest, use
from functions._shared.assistant.tools import past_moments
from functions._shared.assistant.turn import ROME

_DECIDE = "Controlla la scheda qui sotto e decidi tu."


def proposed(result: Result, what: str) -> Answer:
    """What is said above a card."""
    if result.get("done"):
        return answer(
            shown(result.get("text") or "Fatto.", 300), "Se ci ripensi, puoi annullare dalla scheda qui sotto."
        )
    return answer(f"{what} {_DECIDE}")


def create_task(scene: Scene) -> Plan:
    """A task from the words of the person."""
    result = yield from use(scene, "create_task", text=scene.slots["text"])
    return proposed(result, "Ho preparato l’attività.")


def complete_task(scene: Scene) -> Plan:
    """A task that is done."""
    task = yield from task_of(scene, "Quale attività hai finito? Scrivimi il titolo, o parte del titolo.")
    result = yield from use(scene, "complete_task", task=task)
    return proposed(result, "Ho trovato l’attività da segnare come fatta.")


def move_task(scene: Scene) -> Plan:
    """A task on another day."""
    if "when" not in scene.slots:
        return Answer("A quando la sposto? Per esempio «a venerdì alle 10».")
    task = yield from task_of(scene, "Quale attività vuoi spostare? Scrivimi il titolo, o parte del titolo.")
    result = yield from use(scene, "move_task", task=task, when=scene.slots["when"])
    return proposed(result, "Ho preparato lo spostamento.")


def delete_task(scene: Scene) -> Plan:
    """A task into the trash."""
    task = yield from task_of(scene, "Quale attività vuoi eliminare?")
    result = yield from use(scene, "delete_task", task=task)
    return proposed(result, "Ho trovato l’attività da eliminare.")


def add_note(scene: Scene) -> Plan:
    """A note on a contact."""
    contact = yield from contact_of(scene, "Su quale contatto scrivo la nota? Per esempio: «nota su Rossi: …».")
    result = yield from use(scene, "add_note", contact=contact, body=scene.slots["body"])
    return proposed(result, "Ho preparato la nota.")


def undo(scene: Scene) -> Plan:
    """What was done last, taken back."""
    result = yield from use(scene, "undo_last_action")
    return proposed(result, "Ecco l’ultima cosa che ho fatto qui.")


def log_interaction(scene: Scene) -> Plan:
    """A call, mail, message or meeting that was."""
    contact = yield from contact_of(scene, "Con chi? Per esempio: «ho sentito Rossi ieri al telefono».")
    said = {name: scene.slots.get(name) for name in ("kind", "direction", "when", "summary")}
    if past_moments.read(said["when"] or "", scene.now.replace(tzinfo=ROME)) is None:
        return answer(
            f"Non capisco quando sia «{shown(said['when'], 60)}»: che giorno era? Per esempio «ho sentito Rossi ieri "
            "alle 15» o «lunedì»."
        )
    result = yield from use(scene, "log_interaction", contact=contact, **said)
    return proposed(result, "Ho preparato la registrazione, così la cadenza riparte da lì.")


def create_contact(scene: Scene) -> Plan:
    """A contact, unless somebody is called so already."""
    slots = scene.slots
    known = yield from use(scene, "find_contacts", query=slots["name"])
    same = [row for row in known.get("rows", []) if names.same(str(row.get("name", "")), slots["name"])]
    if same and "di nuovo" not in scene.question and "comunque" not in scene.question.lower():
        return answer(
            f"{shown(same[0]['name'])} è già fra i tuoi contatti [[{same[0]['ref']}]]: non ne creo un secondo.",
            suggestions=(
                *suggest(f"riassumi {shown(same[0]['name'])}"),
                Suggestion("Crealo comunque", f"{scene.question} comunque"),
            ),
        )
    kind = "azienda" if "vat_number" in slots or names.is_company(slots["name"]) else None
    result = yield from use(
        scene,
        "create_contact",
        type=kind,
        **{name: slots.get(name) for name in ("name", "email", "phone", "vat_number")},
    )
    return proposed(result, "Ho preparato il contatto.")


def delete_contact(scene: Scene) -> Plan:
    """A contact into the trash."""
    contact = yield from contact_of(scene, "Quale contatto vuoi eliminare?")
    result = yield from use(scene, "delete_contact", contact=contact)
    return proposed(result, "Ho trovato il contatto da eliminare.")


def move_deal(scene: Scene) -> Plan:
    """A deal into another stage."""
    deal = yield from deal_of(scene, "Quale trattativa?")
    result = yield from use(scene, "move_deal", deal=deal, stage=scene.slots["stage"].capitalize())
    return proposed(result, "Ho preparato lo spostamento della trattativa.")


def create_deal(scene: Scene) -> Plan:
    """A deal from the words of the person."""
    said = {name: scene.slots.get(name) for name in ("title", "contact", "amount", "stage")}
    result = yield from use(scene, "create_deal", **said)
    return proposed(result, "Ho preparato la trattativa.")


def add_subtasks(scene: Scene) -> Plan:
    """Steps for a task that is there."""
    task = yield from task_of(scene, "A quale attività aggiungo i passi? Scrivimi il titolo, o parte del titolo.")
    result = yield from use(scene, "add_subtasks", task=task, steps=scene.slots["steps"])
    return proposed(result, "Ho preparato i passi.")


def remember(scene: Scene) -> Plan:
    """A fact that the person wants kept."""
    fact = scene.slots["fact"].rstrip(" .")
    result = yield from use(scene, "remember", fact=fact[:1].upper() + fact[1:])
    if result.get("done"):
        return Answer("Va bene, lo ricordo. Lo trovi, e lo puoi togliere, in Impostazioni › Memoria.")
    return proposed(result, "Ho preparato il ricordo.")


def forget(scene: Scene) -> Plan:
    """Facts that the person wants forgotten."""
    try:
        result = yield from use(scene, "forget", what=scene.slots["what"])
    except Ended as end:
        if not end.missing:
            raise
        return answer("Non lo ricordavo: non c’è niente da dimenticare.", suggestions=suggest("cosa ricordi di me?"))
    return proposed(result, "Ho trovato che cosa dimenticare.")
