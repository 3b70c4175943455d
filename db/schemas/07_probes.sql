-- Accounts of the synthetic journey (73_uptime.sql): the server's own, with the rights of any person.
--
-- Their ids are fixed, so that every rule about people can leave them out without a look-up.

create function private.probe_id(_viewpoint text)
  returns uuid
  language sql immutable
  set search_path = ''
as $$
  select case _viewpoint
    when 'worker' then '50c10000-0000-4000-8000-000000000001'::uuid
    when 'watch' then '50c10000-0000-4000-8000-000000000002'::uuid
  end
$$;
comment on function private.probe_id(text) is
  'Return the account with which the worker, or the second machine, makes its journey; null: no such viewpoint.';
revoke all on function private.probe_id from public, anon, authenticated, service_role;

create function private.is_probe(_user_id uuid)
  returns boolean
  language sql immutable
  set search_path = ''
as $$ select _user_id in (private.probe_id('worker'), private.probe_id('watch')) $$;
comment on function private.is_probe(uuid) is
  'Say if an account belongs to the synthetic journey: it is no person, has no profile and no wallet, and is not counted.';
revoke all on function private.is_probe from public, anon, authenticated, service_role;
