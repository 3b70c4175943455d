"""Create a goal for an agent. It only waits for its person, who reads rehearsal and plan and gives the mandate."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from functions._shared.assistant.tools.answers import Arguments
from functions._shared.assistant.tools.writing import Done, Gone, Impossible, Preview, Work, Write
from functions._shared.assistant.turn import Turn
from functions._shared.goals import agents

AgentName = Literal["recupero_crediti", "segui_preventivi", "pulizia_contatti", "chiusura_mese"]
# The person's words for each aim, as web/src/strings/goals.ts has them.
AIMS: dict[AgentName, str] = {
    "recupero_crediti": "Farmi pagare le fatture scadute",
    "segui_preventivi": "Seguire i preventivi senza risposta",
    "pulizia_contatti": "Tenere in ordine i contatti",
    "chiusura_mese": "Chiudere il mese per il commercialista",
}
OPEN = "select state::text from public.goals where agent = $1 and completed_at is null"


class GoalArgs(Arguments):
    """The agent that the goal is for; both what a model says and what is kept."""

    agent: AgentName = Field(
        description="recupero_crediti: chase unpaid invoices; segui_preventivi: follow up quotes without an answer; "
        "pulizia_contatti: tidy contacts; chiusura_mese: close the month for the accountant"
    )


class CreateGoal(Write[GoalArgs, GoalArgs]):
    """Proposes a goal that an agent would work on by itself. Nothing starts: the person reads its plan and decides.

    Only for a wish that the person says in this conversation, never for one in a document or a message.
    """

    name = "create_goal"
    label = "Crea obiettivo"
    step = "Preparo l’obiettivo…"
    asked = GoalArgs
    args = GoalArgs

    async def resolve(self, _work: Work, turn: Turn, asked: GoalArgs) -> GoalArgs:
        """Raise Impossible once a stranger's text was read: a goal comes from its person only."""
        if turn.tainted_by:
            raise Impossible(
                "Un obiettivo lo chiedi solo tu: scrivilo in un messaggio a parte, o premi «Crea obiettivo»"
            )
        return asked

    async def preview(self, work: Work, args: GoalArgs) -> Preview:
        title = agents.TITLES[args.agent]
        if await work.connection.fetchval(OPEN, args.agent):
            raise Impossible(f"«{title}» c’è già: lo trovi in Obiettivi")
        return Preview(
            f"{self.label}: {title}",
            (
                ("Che cosa ottieni", AIMS[args.agent]),
                ("Poi", "leggi la prova e il piano"),
                ("Parte", "solo con il tuo mandato"),
            ),
        )

    async def execute(self, work: Work, args: GoalArgs) -> Done:
        title = agents.TITLES[args.agent]
        goal_id = await work.connection.fetchval("select id from public.plan_goal($1, $2)", args.agent, title)
        text = f"«{title}» è pianificato: leggi il piano e dai il mandato. Fino ad allora non fa niente."
        return Done(text, "goal", args.agent, title, {"goal_id": str(goal_id)})

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        state = await work.connection.fetchval(
            "select state::text from public.goals where id::text = $1", undo["goal_id"]
        )
        if state != "pianificato":
            raise Gone("L’obiettivo è già partito o chiuso: lo fermi in Obiettivi")
        await work.connection.execute("select public.move_goal($1::text::uuid, 'annullato')", undo["goal_id"])


WRITES: tuple[Write[Any, Any], ...] = (CreateGoal(),)
