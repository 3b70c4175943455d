-- Ours: PostgREST asks this before each request (db-pre-request, backend.rest.process), so that the access token of an
-- ended session, or of one that still owes a second factor, is refused even where a proxy in front reaches PostgREST
-- without passing the gateway.

create or replace function auth.refuse_revoked() returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  -- No user, no session: anon and the API keys are done here.
  _claims constant json := nullif(current_setting('request.jwt.claims', true), '');
  _session_id constant uuid := _claims ->> 'session_id';
begin
  if _session_id is not null
    and exists (select from auth.revoked_sessions as revoked where revoked.session_id = _session_id)
  then
    -- https://docs.postgrest.org/en/v12/references/errors.html#raise-errors-with-http-status-codes
    -- The gateway's words (backend.auth.revocations).
    raise sqlstate 'PGRST' using
      message = '{"code": "PGRST301", "message": "JWT revoked"}',
      detail = '{"status": 401, "headers": {"Cache-Control": "no-store"}}';
  end if;
  if _claims ->> 'second_factor' = 'missing' then
    raise sqlstate 'PGRST' using
      message = '{"code": "insufficient_aal", "message": "AAL2 session is required while the account has a second factor", "hint": "Verify a second factor with /auth/v1/factors."}',
      detail = '{"status": 403, "headers": {"Cache-Control": "no-store"}}';
  end if;
end
$$;

comment on function auth.refuse_revoked() is 'PostgREST''s pre-request: 401 for the tokens of ended sessions, 403 while a second factor is due.';

revoke all on function auth.refuse_revoked() from public;
grant execute on function auth.refuse_revoked() to anon, authenticated, service_role;

do $$
begin
  if (select pg_get_userbyid(proowner) from pg_proc where oid = 'auth.refuse_revoked()'::regprocedure)
    <> 'supabase_auth_admin'
  then
    alter function auth.refuse_revoked() owner to supabase_auth_admin;
  end if;
end
$$;
