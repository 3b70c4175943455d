"""How far a job is, for the one who waits: rows of public.job_progress, which the owner's client watches."""

from typing import Literal

from backend.edge import api

State = Literal["waiting", "running", "done", "failed"]


async def report(
    connection: api.Connection,
    user_id: str,
    job_key: str,
    state: State,
    *,
    done: int = 0,
    total: int | None = None,
    message: str | None = None,
) -> None:
    """Writes where a job stands, in a transaction as service; `message` is read by a person, in Italian."""
    await connection.execute(
        """
        insert into public.job_progress as known (user_id, job_key, state, done, total, message)
        values ($1, $2, $3::text::public.job_state, $4, $5, $6)
        on conflict (user_id, job_key) do update
        set state = excluded.state, done = excluded.done, total = coalesce(excluded.total, known.total),
            message = excluded.message, updated_at = now()
        """,
        user_id,
        job_key,
        state,
        done,
        total,
        message,
    )
