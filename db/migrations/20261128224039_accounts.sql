-- Accounts.
--   CREATE OR REPLACE FUNCTION private.account_for_action
--   CREATE OR REPLACE FUNCTION private.is_frozen
--   CREATE OR REPLACE FUNCTION public.admin_accounts
--   REVOKE ALL ON FUNCTION public.admin_accounts
--   CREATE OR REPLACE FUNCTION public.admin_grant_credits
--   REVOKE ALL ON FUNCTION public.admin_grant_credits
--   CREATE OR REPLACE FUNCTION public.admin_set_admin
--   REVOKE ALL ON FUNCTION public.admin_set_admin
--   CREATE OR REPLACE FUNCTION public.admin_suspend_account
--   REVOKE ALL ON FUNCTION public.admin_suspend_account
--   COMMENT ON FUNCTION private.account_for_action
--   COMMENT ON FUNCTION private.is_frozen
--   COMMENT ON FUNCTION public.admin_accounts
--   COMMENT ON FUNCTION public.admin_grant_credits
--   COMMENT ON FUNCTION public.admin_set_admin
--   COMMENT ON FUNCTION public.admin_suspend_account
--   REVOKE ALL ON FUNCTION private.account_for_action
--   GRANT EXECUTE ON FUNCTION public.admin_accounts
--   GRANT EXECUTE ON FUNCTION public.admin_grant_credits
--   GRANT EXECUTE ON FUNCTION public.admin_set_admin
--   GRANT EXECUTE ON FUNCTION public.admin_suspend_account

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.account_for_action (
  _user_id uuid
)
  RETURNS auth.users
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _account auth.users;
begin
  perform private.require_admin();
  select * into _account from auth.users where id = _user_id and deleted_at is null for update;
  if not found then
    raise exception 'no such account' using errcode = 'PT404';
  elsif _user_id = (select auth.uid()) then
    raise exception 'not to the own account' using errcode = 'SU001';
  elsif private.is_being_erased(_user_id) then
    raise exception 'the account is being erased' using errcode = 'SU002';
  end if;
  return _account;
end
$function$;

CREATE OR REPLACE FUNCTION private.is_frozen (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return exists (select from public.deletion_requests where user_id = _user_id and cancelled_at is null)
    or exists (select from public.profiles where user_id = _user_id and limited_since is not null)
    or exists (select from auth.users where id = _user_id and banned_until > now());
end
$function$;

CREATE OR REPLACE FUNCTION public.admin_accounts (
  _search    text                     DEFAULT ''::text,
  _before    timestamp with time zone DEFAULT NULL::timestamp WITH time zone,
  _before_id uuid                     DEFAULT NULL::uuid
)
  RETURNS TABLE (
    id           uuid,
    email        text,
    name         text,
    created_at   timestamp with time zone,
    last_seen_at timestamp with time zone,
    is_admin     boolean,
    is_verified  boolean,
    has_factor   boolean,
    credits      bigint,
    is_suspended boolean,
    is_deleting  boolean
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _wanted constant text := lower(btrim(coalesce(_search, '')));
begin
  perform private.require_admin();
  return query
    with page as (
      select users.*, profiles.full_name::text as full_name
      from auth.users left join public.profiles on profiles.user_id = users.id
      where users.deleted_at is null
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
$function$;

REVOKE ALL ON FUNCTION "public"."admin_accounts"(text, timestamp WITH time zone, uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_grant_credits (
  _user_id uuid,
  _amount  integer,
  _key     uuid,
  _reason  text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
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
$function$;

REVOKE ALL ON FUNCTION "public"."admin_grant_credits"(uuid, integer, uuid, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_set_admin (
  _user_id  uuid,
  _is_admin boolean,
  _reason   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
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
$function$;

REVOKE ALL ON FUNCTION "public"."admin_set_admin"(uuid, boolean, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_suspend_account (
  _user_id      uuid,
  _is_suspended boolean,
  _reason       text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _was_suspended constant boolean := coalesce((private.account_for_action(_user_id)).banned_until > now(), false);
begin
  if _was_suspended = _is_suspended then
    return;
  end if;
  update auth.users set banned_until = case when _is_suspended then now() + interval '100 years' end where id = _user_id;
  if _is_suspended then
    delete from auth.sessions where user_id = _user_id;
    -- What still has an access token begins nothing: private.is_frozen().
    update public.runs set stop_requested_at = now()
    where user_id = _user_id and state = 'running' and stop_requested_at is null;
  end if;
  perform private.log_admin_action(
    case when _is_suspended then 'account.suspend' else 'account.reactivate' end, _user_id::text, _user_id,
    jsonb_build_object('is_suspended', _was_suspended), jsonb_build_object('is_suspended', _is_suspended), _reason
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_suspend_account"(uuid, boolean, text) FROM PUBLIC, "anon", "service_role";

COMMENT ON FUNCTION "private"."account_for_action"(uuid) IS 'Lock and return the account that an admin acts on. 42501, SU001, SU002, PT404.';

COMMENT ON FUNCTION "private"."is_frozen"(uuid) IS 'Whether an account waits for its deletion, has its processing limited or is suspended: nothing leaves it.';

COMMENT ON FUNCTION "public"."admin_accounts"(text, timestamp with time zone, uuid) IS 'The newest accounts by address or name, before the last one of the page before, for admins; one more than a page shows.';

COMMENT ON FUNCTION "public"."admin_grant_credits"(uuid, integer, uuid, text) IS 'Give credits to an account, once for each key, for admins. 22023, SU001, SU002, SC001, PT404.';

COMMENT ON FUNCTION "public"."admin_set_admin"(uuid, boolean, text) IS 'Make an account an admin, or one no longer, for other admins: the last one stays. SU001 to SU003, PT404.';

COMMENT ON FUNCTION "public"."admin_suspend_account"(uuid, boolean, text) IS 'Suspend an account, whose sessions end and from which nothing leaves, or reactivate it, for admins. SU001, SU002, PT404.';

REVOKE ALL ON FUNCTION "private"."account_for_action"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."admin_accounts"(text, timestamp WITH time zone, uuid) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_grant_credits"(uuid, integer, uuid, text) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_set_admin"(uuid, boolean, text) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_suspend_account"(uuid, boolean, text) TO "authenticated";

reset check_function_bodies;
