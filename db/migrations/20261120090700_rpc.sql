-- Functions the client calls by name.

-- The role comes as text: a name that is no role answers false instead of an error.
-- Definer, because an admin may ask about anybody while the policy of user_roles shows own rows only.
create function public.has_role(_user_id uuid, _role text)
  returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select coalesce(
      _user_id = (select auth.uid()) or (select auth.role()) = 'service_role' or (select private.is_admin()),
      false
    )
    and exists (select from public.user_roles where user_id = _user_id and role::text = _role)
$$;
comment on function public.has_role(uuid, text) is
  'Whether a user holds a role; false for a missing user and for anybody who asks about somebody else, unless an admin asks.';

revoke all on function public.has_role(uuid, text) from public, anon, authenticated, service_role;
grant execute on function public.has_role(uuid, text) to authenticated, service_role;
