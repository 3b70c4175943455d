"""Delete insights after thirty days, as the privacy notice promises; a fact that still holds is told again."""

from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import batches

EVERY = timedelta(days=1)

OLD = """
with gone as (
  delete from public.insights
  where id in (select id from public.insights where created_at < now() - interval '30 days' limit $1)
  returning user_id
), marked as (
  insert into private.insight_marks (user_id) select distinct user_id from gone
)
select count(*) from gone
"""


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Delete in batches until none is too old, by the clock of the database."""
    await batches.until_none_is_left(context, OLD)
