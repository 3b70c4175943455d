"""The plan of each intent, and how far it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from functions._shared.assistant.local import italian
from functions._shared.assistant.local.plans import (
    agenda,
    autonomy,
    comparisons,
    contact_lists,
    deals,
    drafts,
    flat_rate,
    mails,
    one_invoice,
    one_of_many,
    own_business,
    paper_facts,
    papers,
    paying,
    payments,
    people,
    rankings,
    talk,
    wallet,
    writing,
)
from functions._shared.assistant.local.steps import Answer, Call, Ended, Plan, Result, Scene

PLANS: Mapping[str, Callable[[Scene], Plan]] = {
    "today": agenda.today, "tasks": agenda.tasks, "projects": agenda.projects, "to_call": agenda.to_call,
    "deals": deals.deals, "deals_total": deals.deals_total, "invoices": one_invoice.invoices, "credits": wallet.left,
    "set_aside": flat_rate.set_aside, "mail_waiting": mails.waiting, "search_mails": mails.search,
    "search_whatsapp": mails.search_whatsapp, "own_business": own_business.own_business,
    "agents": autonomy.agents, "start_agent": autonomy.start, "month_packet": autonomy.packet,
    "rank_parties": rankings.rank, "count_parties": rankings.count_parties, "compare": comparisons.compare,
    "months": comparisons.months,
    "payment_days": rankings.payment_days, "average_invoice": rankings.average_invoice,
    "month_average": rankings.month_average,
    "contact_summary": people.summary, "contact_field": people.field, "find_contacts": people.find,
    "list_memories": people.memories, "recall": people.recall, "search_documents": papers.search_documents,
    "ask_documents": papers.ask_documents, "search_all": papers.search_all, "create_task": writing.create_task,
    "complete_task": writing.complete_task, "move_task": writing.move_task, "delete_task": writing.delete_task,
    "add_note": writing.add_note, "create_contact": writing.create_contact, "delete_contact": writing.delete_contact,
    "create_deal": writing.create_deal, "add_subtasks": writing.add_subtasks, "list_subtasks": agenda.subtasks,
    "mark_invoice_paid": payments.mark_paid, "recent_documents": papers.recent,
    "log_interaction": writing.log_interaction, "undo": writing.undo,
    "paper_ends": paper_facts.ends, "paper_total": paper_facts.total,
    "find_papers": paper_facts.found, "invoice_lines": paper_facts.lines, "sold_to": paper_facts.sold_to,
    "progress": deals.progress, "work_for": agenda.work_for,
    "one_deal": deals.one_deal, "one_project": agenda.one_project, "undated_invoices": paying.undated,
    "top_invoice": one_of_many.invoice, "top_deal": one_of_many.deal,
    "spent_on": paying.spent_on, "deals_closing": deals.closing,
    "days_late": paying.days_late, "when_paid": paying.when_paid, "thing_paid": paying.thing_paid, "vat": paying.vat,
    "contacts_of": contact_lists.contacts_of, "contact_place": contact_lists.place,
    "last_heard": contact_lists.last_heard,
    "move_deal": writing.move_deal, "remember": writing.remember, "forget": writing.forget, "draft_email": drafts.email,
    "draft_whatsapp": drafts.whatsapp, "help": talk.help_, "thanks": talk.thanks, "greeting": talk.greeting,
    "goodbye": talk.goodbye, "who": talk.who,
    "decide": talk.decide, "cannot": talk.cannot, "incomplete": talk.incomplete, "unknown": talk.unknown,
}  # fmt: skip


def advance(scene: Scene, results: Sequence[Result]) -> Call | Answer:
    """What comes after these results of the calls so far: the next call, or the answer."""
    plan = PLANS[scene.said.intent](scene)
    try:
        step = next(plan)
        for result in results:
            step = plan.send(result)
    except StopIteration as end:
        answer: Answer = end.value
        return _with_what_is_left(scene, answer)
    except Ended as end:
        return end.answer
    return step


def _with_what_is_left(scene: Scene, answer: Answer) -> Answer:
    """Of a double order the half that was not done is said."""
    if "left" not in scene.slots:
        return answer
    left = italian.shown(scene.slots["left"], 120)
    return replace(answer, text=f"{answer.text}\n\nFaccio una cosa alla volta: «{left}» chiedimelo a parte.")
