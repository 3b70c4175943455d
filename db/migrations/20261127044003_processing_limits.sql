-- Processing limits.
--   DROP FUNCTION private.is_frozen
--   ALTER TABLE public.profiles ADD COLUMN limited_since timestamp WITH time zone
--   CREATE OR REPLACE FUNCTION private.calendar_feed_owner
--   CREATE OR REPLACE FUNCTION private.claim_mail
--   CREATE OR REPLACE FUNCTION private.claim_whatsapp
--   CREATE OR REPLACE FUNCTION private.is_frozen
--   CREATE OR REPLACE FUNCTION private.mail_readers
--   CREATE OR REPLACE FUNCTION private.refresh_home
--   CREATE OR REPLACE FUNCTION private.refuse_frozen
--   CREATE OR REPLACE FUNCTION public.limit_processing
--   REVOKE ALL ON FUNCTION public.limit_processing
--   COMMENT ON FUNCTION private.calendar_feed_owner
--   COMMENT ON FUNCTION private.is_frozen
--   COMMENT ON FUNCTION public.limit_processing
--   REVOKE ALL ON FUNCTION private.is_frozen
--   GRANT EXECUTE ON FUNCTION private.is_frozen
--   GRANT EXECUTE ON FUNCTION public.limit_processing

set check_function_bodies = off;

DROP FUNCTION "private"."is_frozen"(uuid);

ALTER TABLE "public"."profiles"
  ADD COLUMN "limited_since" timestamp WITH time zone;

CREATE OR REPLACE FUNCTION private.calendar_feed_owner (
  _secret_hash bytea
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select user_id from private.calendar_feeds join auth.users on users.id = calendar_feeds.user_id
  where secret_hash = _secret_hash and users.deleted_at is null
    and (users.banned_until is null or users.banned_until <= now()) and not private.is_frozen(user_id)
$function$;

CREATE OR REPLACE FUNCTION private.claim_mail (
  _user_id uuid
)
  RETURNS SETOF public.outgoing_mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if private.is_frozen(_user_id) or (
    select count(*) from public.outgoing_mails
    where user_id = _user_id and state = 'sent' and sent_at > now() - interval '1 minute'
  ) >= private.mails_a_minute() then
    return;
  end if;
  return query
    update public.outgoing_mails set attempts = attempts + 1, leased_until = now() + interval '10 minutes'
    where id = (
      select id from public.outgoing_mails
      where user_id = _user_id and state = 'queued' and not_before <= now()
        and (leased_until is null or leased_until <= now())
      order by not_before, id limit 1 for update skip locked
    )
    returning *;
end
$function$;

CREATE OR REPLACE FUNCTION private.claim_whatsapp (
  _user_id uuid
)
  RETURNS SETOF public.whatsapp_messages
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _account public.whatsapp_accounts;
  _message public.whatsapp_messages;
  _wait_s double precision;
begin
  select * into _account from public.whatsapp_accounts
  where user_id = _user_id and state = 'attivo' and coalesce(paused_until <= now(), true);
  if not found or private.is_frozen(_user_id) then
    return;
  end if;
  loop
    select * into _message from public.whatsapp_messages
    where user_id = _user_id and state = 'queued' and not_before <= clock_timestamp()
      and (leased_until is null or leased_until <= now())
    order by not_before, id limit 1 for update skip locked;
    if not found then
      return;
    end if;
    -- Meta takes about one message in six seconds to the same person, and some at once.
    _wait_s := private.take_whatsapp_token(_message.channel_id, 1 / 6.0, 5);
    if _wait_s > 0 then
      update public.whatsapp_messages set not_before = clock_timestamp() + make_interval(secs => _wait_s)
      where id = _message.id;
      continue;
    end if;
    -- Twenty a second: the least that a number has.
    _wait_s := private.take_whatsapp_token(_account.id, 20, 20);
    if _wait_s > 0 then
      update public.whatsapp_messages set not_before = clock_timestamp() + make_interval(secs => _wait_s)
      where id = _message.id;
      return;
    end if;
    return query
      update public.whatsapp_messages set attempts = attempts + 1, leased_until = now() + interval '2 minutes'
      where id = _message.id returning *;
    return;
  end loop;
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
    or exists (select from public.profiles where user_id = _user_id and limited_since is not null);
end
$function$;

CREATE OR REPLACE FUNCTION private.mail_readers (
  _limit integer DEFAULT 5000
)
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select user_id from public.mail_inboxes
  -- A password that was refused is not tried every few minutes: providers lock such accounts.
  where (last_error is distinct from 'auth' or last_error_at < now() - interval '1 day')
    and not private.is_frozen(user_id)
  order by last_success_at nulls first limit _limit
$function$;

CREATE OR REPLACE FUNCTION private.refresh_home (
  _user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _claims constant text := current_setting('request.jwt.claims', true);
  _today constant date := private.today();
  _parts private.open_part[];
  _pairs jsonb;
  _facts private.insight_fact[];
  _flat_rate jsonb;
begin
  -- One at a time for each person. A change that is not committed yet keeps its mark, and is computed after it.
  perform pg_advisory_xact_lock(hashtextextended('home ' || _user_id, 0));
  delete from private.insight_marks where user_id = _user_id;
  if not exists (select from public.profiles where user_id = _user_id) or private.is_frozen(_user_id) then
    return;
  end if;
  perform set_config('request.jwt.claims', jsonb_build_object('sub', _user_id, 'role', 'authenticated')::text, true);
  _parts := array(select part from private.open_parts(_user_id) as part);
  select private.standing_pairs(_user_id, pairs) into _pairs
  from private.home_pages where user_id = _user_id and day = _today;
  if not found then
    select coalesce(jsonb_agg(jsonb_build_array(a_id, b_id)), '[]') into _pairs from public.find_duplicates(500);
  end if;
  _flat_rate := private.flat_rate(_user_id, _today);
  _facts := array(
    select fact from private.invoice_facts(_user_id, _parts, _today) as fact
    union all select fact from private.rejected_facts(_user_id, _today) as fact
    union all select fact from private.deal_facts(_user_id, _today) as fact
    union all select fact from private.people_facts(_user_id, _today) as fact
    union all select fact from private.answer_facts(_user_id, _today) as fact
    union all select fact from private.task_facts(_user_id, _today) as fact
    union all select fact from private.credit_facts(_today) as fact
    union all select fact from private.client_facts(_user_id, _today) as fact
    union all select fact from private.paper_facts(_user_id, _today) as fact
    union all select fact from private.tidying_facts(_user_id, jsonb_array_length(_pairs), _today) as fact
    union all select fact from private.consent_facts(_user_id) as fact
    union all select fact from private.flat_rate_facts(_flat_rate, _today) as fact
  );
  perform private.keep_insights(_user_id, _facts);
  insert into private.home_pages (user_id, day, refreshed_at, content, pairs)
  values (
    _user_id, _today, now(),
    private.home_content(_user_id, _parts, _facts, _today) || jsonb_build_object('flat_rate', _flat_rate), _pairs
  )
  on conflict (user_id) do update set day = excluded.day, refreshed_at = excluded.refreshed_at,
    content = excluded.content, pairs = excluded.pairs;
  perform set_config('request.jwt.claims', coalesce(_claims, ''), true);
end
$function$;

CREATE OR REPLACE FUNCTION private.refuse_frozen()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if private.is_frozen(new.user_id) then
    raise exception 'the account is frozen' using errcode = 'SD001';
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.limit_processing (
  _is_limited boolean
)
  RETURNS timestamp WITH time zone
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _person constant uuid := (select auth.uid());
  _since timestamptz;
begin
  update public.profiles set limited_since = case when _is_limited then coalesce(limited_since, now()) end
  where user_id = _person returning limited_since into _since;
  if _is_limited then
    update public.runs set stop_requested_at = now()
    where user_id = _person and state = 'running' and stop_requested_at is null;
  else
    -- What changed meanwhile has no insight yet.
    insert into private.insight_marks (user_id) values (_person);
  end if;
  return _since;
end
$function$;

REVOKE ALL ON FUNCTION "public"."limit_processing"(boolean) FROM PUBLIC, "anon", "service_role";

COMMENT ON FUNCTION "private"."calendar_feed_owner"(bytea) IS 'Whose calendar feed the secret of this digest opens; null when nobody''s, or when the account is banned, frozen or deleted.';

COMMENT ON FUNCTION "private"."is_frozen"(uuid) IS 'Whether an account waits for its deletion, or has its processing limited: nothing leaves it.';

COMMENT ON FUNCTION "public"."limit_processing"(boolean) IS 'Limits the processing of the caller''s data, or ends that; answers since when it is limited, null when it is not.';

REVOKE ALL ON FUNCTION "private"."is_frozen"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_frozen"(uuid) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."limit_processing"(boolean) TO "authenticated";

reset check_function_bodies;
