"""What functions ask of every request before they look at it."""

from backend.edge import api


def only(request: api.Request, *methods: str) -> None:
    """Raises Refused 405 for another method; the first is the one to be named."""
    if request.method not in methods:
        raise api.Refused(
            405, "method_not_allowed", f"Serve una richiesta {methods[0]}", headers={"Allow": ", ".join(methods)}
        )


def caller(context: api.Context, refusal: str = "Accedi al tuo account per continuare") -> str:
    """Who asks. Raises Refused 401 for a visitor."""
    if context.user_id is None or context.claims.get("role") != "authenticated":
        raise api.Refused(401, "no_authorization", refusal)
    return context.user_id


def session_of(context: api.Context) -> str | None:
    """Return the session of the caller's token."""
    session_id = context.claims.get("session_id")
    return None if session_id is None else str(session_id)


async def refuse_non_admins(context: api.Context) -> None:
    """Raises Refused 403 for whoever is no admin, or has shown a password only."""
    if context.user_id is not None and context.claims.get("aal") == "aal2":
        async with context.as_caller() as connection:
            if await connection.fetchval("select public.has_role(auth.uid(), 'admin')"):
                return
    raise api.Refused(403, "forbidden", "Serve un amministratore con la verifica in due passaggi")
