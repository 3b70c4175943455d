"""What a rule took, as slots: names without articles, days that are days, the parts of a new contact.

None stands for «not this rule»: the next one is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from functions._shared.assistant.local import names, orders, payments, questions
from functions._shared.assistant.local.taking import Filled, Found, Slots
from functions._shared.assistant.local.words import Sentence

_FILLERS: dict[str, Callable[[Found], Filled]] = {
    "cannot": orders.impossible,
    "complete_task": orders.task,
    "move_task": orders.task,
    "delete_task": orders.task,
    "create_task": orders.new_task,
    "bare_task": orders.bare_task,
    "dated_task": orders.dated_task,
    "remember": orders.fact,
    "forget": orders.fact,
    "add_note": orders.note,
    "create_contact": orders.person,
    "move_deal": orders.deal,
    "create_deal": orders.new_deal,
    "mark_invoice_paid": payments.paid,
    "add_subtasks": orders.steps,
    "list_subtasks": orders.task,
    "recent_documents": questions.recent,
    "delete_contact": orders.contact,
    "draft_email": orders.draft,
    "search_documents": questions.query,
    "search_all": questions.query,
    "find_contacts": questions.query,
    "ask_documents": questions.question,
    "recall": questions.question,
    "invoices": questions.filtered,
    "deals": questions.filtered,
    "contact_field": questions.field,
    "contact_summary": questions.summary,
    "list_memories": questions.about,
    "projects": questions.project,
    "tasks": questions.tasks,
    "to_call": questions.call,
}


def complete(intent: str, taken: Slots, said: Sentence, now: datetime) -> Filled:
    """The intent with its slots; another intent where the slots say so; None when they do not hold."""
    filler = _FILLERS.get(intent)
    return filler(Found(intent, taken, said, now)) if filler else (intent, _texts(taken))


def _texts(taken: Slots) -> Slots:
    """Sentences as they were written."""
    return {name: _clean(value) for name, value in taken.items()}


def _clean(value: Any) -> Any:
    return names.without_article(value) if isinstance(value, Sentence) else value
