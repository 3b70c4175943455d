"""Turn each due reminder of a task into a notification, once.

A reminder is told and ticked off in one transaction, by the database's clock. What was due while no worker ran is told
when one runs again, a notification for each moment.
"""

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import batches

EVERY = timedelta(minutes=1)

# A task with several moments comes up again.
TELL = """
with due as (
  select id, user_id, title, due_at at time zone 'Europe/Rome' as due, due_is_allday, next_remind_at
  from public.tasks where next_remind_at <= now()
  order by next_remind_at limit $1 for update skip locked
), ticked as (
  update public.tasks set reminded_at = due.next_remind_at from due where tasks.id = due.id
), told as (
  select private.notify(
      user_id, 'promemoria', 'Promemoria: ' || title,
      case
        when due is null then 'È il momento che avevi scelto per questa attività.'
        when due_is_allday then 'Scade il ' || to_char(due, 'DD/MM/YYYY') || '.'
        else 'Scade il ' || to_char(due, 'DD/MM/YYYY "alle" HH24:MI') || '.'
      end,
      '/tasks?attivita=' || id, null, 'task', id
    ) from due order by next_remind_at
)
select count(*) from told
"""


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Tells until nothing is due."""
    await batches.until_none_is_left(context, TELL)
