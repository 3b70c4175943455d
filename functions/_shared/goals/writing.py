"""Have the assistant write the letter of a step whose credits are held, and keep it as a proposal, or the template.

The provider is asked outside of any transaction. One transaction then keeps the letter, takes its price and judges the
step again; when that does not end in a proposal, it is undone, and the letter of the template takes its place.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from backend.edge import api
from functions._shared.assistant import provider
from functions._shared.goals import letters, planning, running

if TYPE_CHECKING:
    from functions._shared.assistant import composing

# Shorter than the lease of a step (private.claim_goal_step).
LONGEST_S = 120.0
SHOWN_EVERY_S = 1.0
STEP = """
select brief, preview, (
  select letter_style from public.agent_mandates as mandates
  where mandates.user_id = steps.user_id and mandates.agent = goals.agent and action = 'mail' and revoked_at is null
) as style
from public.goal_steps as steps join public.goals on goals.user_id = steps.user_id and goals.id = goal_id
where steps.user_id = $1 and steps.id = $2 and attempts = $3 and letter = 'attesa'
"""


class _NotProposed(Exception):
    """The rules do not propose the letter as it was written."""


class Writing:
    """One letter on its way: what the provider says, and where it is shown."""

    def __init__(
        self, context: api.Context, user_id: UUID, step_id: UUID, attempt: int, chosen: provider.Choice
    ) -> None:
        self.context, self.user_id, self.step_id, self.attempt = context, user_id, step_id, attempt
        self.chosen = chosen
        self.answer = ""
        self.tokens_in = self.tokens_out = 0

    async def run(self) -> str | None:
        """Return the state of the step after its letter; None when it was taken back or another worker has it."""
        async with self.context.as_service() as connection:
            step = await connection.fetchrow(STEP, self.user_id, self.step_id, self.attempt)
        if step is None:
            return await self._end(None, "fermo")
        letter, why = None, "muto"
        try:
            async with asyncio.timeout(LONGEST_S):
                await self._ask(dict(step))
            template = f"{step['preview']['subject']} {step['preview']['body']}"
            letter = letters.read(self.answer, step["brief"], template, self._day())
        except letters.Unusable as error:
            why = "scartata"
            self._note(error)
        except (provider.Unavailable, TimeoutError) as error:
            self._note(error)
        # What was written is kept even if the worker is told to stop now.
        return await asyncio.shield(self._end(letter, why))

    async def _ask(self, step: Mapping[str, Any]) -> None:
        """Ask the provider. Raises Unavailable."""
        prompt = letters.request(step["brief"], step["style"], step["preview"]["tone"], self._day())
        try:
            model = await provider.model(self.context)
            if model is None:
                raise provider.Unavailable("ai_misconfigured", cause="no model is set")
            from functions._shared.assistant import composing

            text = composing.Text()
            shown = asyncio.create_task(self._show(text))
            try:
                await composing.compose(model, letters.INSTRUCTIONS, prompt, text)
            finally:
                shown.cancel()
                # A screen that could not be told is not worth the letter.
                await asyncio.gather(shown, return_exceptions=True)
                self.answer = text.content
                self.tokens_in, self.tokens_out = text.usage.input_tokens, text.usage.output_tokens
        except Exception as error:
            known = provider.translate(error)
            if known is None:
                raise
            raise known from error

    async def _show(self, text: composing.Text) -> None:
        """Show the text on the person's screens while it grows."""
        seen = ""
        while True:
            await asyncio.sleep(SHOWN_EVERY_S)
            if text.content != seen:
                seen = text.content
                await self.context.call("private.show_letter", self.step_id, self.attempt, letters.shown(seen))

    async def _end(self, letter: letters.Written | None, why: str) -> str | None:
        """Keep the letter with its price, or the template without one, and judge the step."""
        now = self.context.now()
        async with self.context.as_service() as connection:
            if letter is not None:
                try:
                    async with connection.transaction():
                        return await self._keep(connection, letter, now)
                except _NotProposed:
                    why = "scartata"
            await connection.execute(
                running.DROP, self.user_id, self.step_id, self.attempt, running.UNWRITTEN[why],
                self.tokens_in, self.tokens_out,
            )  # fmt: skip
            return await running.run(connection, self.step_id, self.attempt, now)

    async def _keep(self, connection: api.Connection, letter: letters.Written, now: datetime) -> str | None:
        """Keep the letter as a proposal. Raises _NotProposed, which undoes it."""
        kept = await connection.fetchval(
            "select private.keep_letter($1, $2, $3, $4, $5, $6)",
            self.user_id, self.step_id, self.attempt,
            {"subject": letter.subject, "body": letter.body, "by": self.chosen.label}, self.tokens_in, self.tokens_out,
        )  # fmt: skip
        if not kept:
            return None
        state = await running.run(connection, self.step_id, self.attempt, now)
        if state != "in_approvazione":
            raise _NotProposed
        return state

    def _note(self, error: Exception) -> None:
        self.context.log.warning("letter not written", extra={"step": str(self.step_id), "cause": str(error)})

    def _day(self) -> date:
        return self.context.now().astimezone(planning.ROME).date()
