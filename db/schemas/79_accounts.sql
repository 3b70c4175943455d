-- Accounts for admins: who has one, never what is in it, and what an admin may do about one. Each action has a reason, and
-- its owner reads it under «Accessi».
--
-- Error codes raised:
--   42501  the caller is no admin, or has not shown a second factor
--   SU001  an admin does not do this to their own account
--   SU002  the account is being erased
--   SU003  the account is suspended or has no confirmed address: it becomes no admin
--   22023  an amount of credits that is no whole number from 1 to 5,000
--   PT404  there is no such account

create function private.account_for_action(_user_id uuid)
  returns auth.users
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _account auth.users;
begin
  perform private.require_admin();
  select * into _account from auth.users where id = _user_id and deleted_at is null and not private.is_probe(id) for update;
  if not found then
    raise exception 'no such account' using errcode = 'PT404';
  elsif _user_id = (select auth.uid()) then
    raise exception 'not to the own account' using errcode = 'SU001';
  elsif private.is_being_erased(_user_id) then
    raise exception 'the account is being erased' using errcode = 'SU002';
  end if;
  return _account;
end
$$;
comment on function private.account_for_action(uuid) is
  'Lock and return the account that an admin acts on. 42501, SU001, SU002, PT404.';
revoke all on function private.account_for_action from public, anon, authenticated, service_role;

create function public.admin_accounts(_search text default '', _before timestamptz default null, _before_id uuid default null)
  returns table (
    id uuid, email text, name text, created_at timestamptz, last_seen_at timestamptz, is_admin boolean,
    is_verified boolean, has_factor boolean, credits bigint, is_suspended boolean, is_deleting boolean
  )
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _wanted constant text := lower(btrim(coalesce(_search, '')));
begin
  perform private.require_admin();
  return query
    with page as (
      select users.*, profiles.full_name::text as full_name
      from auth.users left join public.profiles on profiles.user_id = users.id
      where users.deleted_at is null and not private.is_probe(users.id)
        and (_before is null or (users.created_at, users.id) < (_before, _before_id))
        and (
          _wanted = '' or position(_wanted in lower(users.email)) > 0 or position(_wanted in lower(profiles.full_name)) > 0
        )
      order by users.created_at desc, users.id desc limit 26
    )
    select page.id, page.email::text, page.full_name, page.created_at,
      greatest(page.last_sign_in_at, (
        select max(coalesce(sessions.refreshed_at at time zone 'UTC', sessions.created_at)) from auth.sessions
        where sessions.user_id = page.id
      )),
      exists (select from public.user_roles where user_roles.user_id = page.id and role = 'admin'),
      page.email_confirmed_at is not null or page.phone_confirmed_at is not null,
      exists (select from auth.mfa_factors where mfa_factors.user_id = page.id and status = 'verified'),
      coalesce((select balance from public.credit_wallets where credit_wallets.user_id = page.id), 0),
      coalesce(page.banned_until > now(), false),
      exists (select from public.deletion_requests as requests where requests.user_id = page.id and cancelled_at is null)
    from page order by page.created_at desc, page.id desc;
end
$$;
comment on function public.admin_accounts(text, timestamptz, uuid) is
  'The newest accounts by address or name, before the last one of the page before, for admins; one more than a page shows.';
revoke all on function public.admin_accounts from public, anon, authenticated, service_role;
grant execute on function public.admin_accounts to authenticated;

create function public.admin_suspend_account(_user_id uuid, _is_suspended boolean, _reason text)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _was_suspended constant boolean := coalesce((private.account_for_action(_user_id)).banned_until > now(), false);
begin
  if _was_suspended = _is_suspended then
    return;
  end if;
  update auth.users set banned_until = case when _is_suspended then now() + interval '100 years' end where id = _user_id;
  if _is_suspended then
    delete from auth.sessions where user_id = _user_id;
    -- With an access token that is left nothing begins: private.is_frozen().
    update public.runs set stop_requested_at = now()
    where user_id = _user_id and state = 'running' and stop_requested_at is null;
  end if;
  perform private.log_admin_action(
    case when _is_suspended then 'account.suspend' else 'account.reactivate' end, _user_id::text, _user_id,
    jsonb_build_object('is_suspended', _was_suspended), jsonb_build_object('is_suspended', _is_suspended), _reason
  );
end
$$;
comment on function public.admin_suspend_account(uuid, boolean, text) is
  'Suspend an account, whose sessions end and from which nothing leaves, or reactivate it, for admins. SU001, SU002, PT404.';
revoke all on function public.admin_suspend_account from public, anon, authenticated, service_role;
grant execute on function public.admin_suspend_account to authenticated;

create function public.admin_set_admin(_user_id uuid, _is_admin boolean, _reason text)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _account auth.users;
  _was_admin boolean;
begin
  -- One change of roles at a time, then the caller's own role is read: of two admins who remove each other one stays.
  lock table public.user_roles in share row exclusive mode;
  _account := private.account_for_action(_user_id);
  _was_admin := exists (select from public.user_roles where user_id = _user_id and role = 'admin');
  if _was_admin = _is_admin then
    return;
  elsif _is_admin and (
    coalesce(_account.banned_until > now(), false) or coalesce(_account.email_confirmed_at, _account.phone_confirmed_at) is null
  ) then
    raise exception 'no account for an admin' using errcode = 'SU003';
  elsif _is_admin then
    insert into public.user_roles (user_id, role) values (_user_id, 'admin');
  else
    delete from public.user_roles where user_id = _user_id and role = 'admin';
  end if;
  perform private.log_admin_action(
    case when _is_admin then 'account.make_admin' else 'account.unmake_admin' end, _user_id::text, _user_id,
    jsonb_build_object('is_admin', _was_admin), jsonb_build_object('is_admin', _is_admin), _reason
  );
end
$$;
comment on function public.admin_set_admin(uuid, boolean, text) is
  'Make an account an admin, or one no longer, for other admins: the last one stays. SU001 to SU003, PT404.';
revoke all on function public.admin_set_admin from public, anon, authenticated, service_role;
grant execute on function public.admin_set_admin to authenticated;

create function public.admin_grant_credits(_user_id uuid, _amount integer, _key uuid, _reason text)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _idempotency_key constant text := 'admin:' || _key;
  _before bigint;
  _wallet public.credit_wallets;
begin
  perform private.account_for_action(_user_id);
  if _amount is null or _amount not between 1 and 5000 then
    raise exception 'from 1 to 5,000 credits' using errcode = '22023';
  end if;
  _before := (private.lock_wallet(_user_id)).balance;
  if not exists (
    select from public.credit_ledger where user_id = _user_id and idempotency_key = _idempotency_key
  ) then
    perform private.log_admin_action(
      'credits.adjust', _user_id::text, _user_id, jsonb_build_object('balance', _before),
      jsonb_build_object('balance', _before + _amount), _reason
    );
  end if;
  _wallet := private.adjust_credits(_user_id, _amount, _reason, (select auth.uid()), _idempotency_key);
end
$$;
comment on function public.admin_grant_credits(uuid, integer, uuid, text) is
  'Give credits to an account, once for each key, for admins. 22023, SU001, SU002, SC001, PT404.';
revoke all on function public.admin_grant_credits from public, anon, authenticated, service_role;
grant execute on function public.admin_grant_credits to authenticated;
