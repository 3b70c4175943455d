-- Pace of sending.
--   REVOKE ALL ON FUNCTION private.ai_mark_of_mail
--   REVOKE ALL ON FUNCTION private.mail_references
--   DROP FUNCTION private.claim_mail
--   CREATE OR REPLACE FUNCTION private.ai_mark_of_mail
--   CREATE OR REPLACE FUNCTION private.claim_mail
--   CREATE OR REPLACE FUNCTION private.claim_whatsapp
--   CREATE OR REPLACE FUNCTION private.follow_interactions
--   CREATE OR REPLACE FUNCTION private.index_contacts
--   CREATE OR REPLACE FUNCTION private.mail_headers
--   CREATE OR REPLACE FUNCTION private.mail_references
--   COMMENT ON FUNCTION private.claim_mail
--   COMMENT ON FUNCTION private.mail_headers
--   REVOKE ALL ON FUNCTION private.claim_mail
--   GRANT EXECUTE ON FUNCTION private.claim_mail
--   REVOKE ALL ON FUNCTION private.mail_headers
--   GRANT EXECUTE ON FUNCTION private.mail_headers

set check_function_bodies = off;

REVOKE ALL ON FUNCTION "private"."ai_mark_of_mail"(uuid) FROM "service_role";

REVOKE ALL ON FUNCTION "private"."mail_references"(uuid) FROM "service_role";

DROP FUNCTION "private"."claim_mail"(uuid);

CREATE OR REPLACE FUNCTION private.ai_mark_of_mail (
  _mail_id uuid
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select 'draft; provider=' || provider || '; reviewed=' || case when is_reviewed then 'yes' else 'no' end
  from public.outgoing_mails as mail
  cross join lateral (
    select coalesce(ai ->> 'provider', case ai ->> 'mode' when 'locale' then 'none' else 'unknown' end) as provider,
      true as is_reviewed
    from public.drafts
    where drafts.user_id = mail.user_id and drafts.contact_id = mail.contact_id and channel = 'email' and ai is not null
      -- Below it is the signature. What the person has rewritten is theirs.
      and starts_with(mail.body, drafts.body)
    union all
    -- The letter of an agent, whose rules are our own.
    select 'none', approved_at is not null from public.goal_steps
    where goal_steps.user_id = mail.user_id and goal_steps.id = mail.key
  ) as source
  where mail.id = _mail_id limit 1
$function$;

CREATE OR REPLACE FUNCTION private.claim_mail (
  _user_id   uuid,
  _unsettled integer DEFAULT 0
)
  RETURNS SETOF public.outgoing_mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_sort TO 'off'
  AS $function$
begin
  if private.is_frozen(_user_id) or private.is_shared_held(_user_id) or private.is_mail_login_expired(_user_id) or (
    select count(*) from public.outgoing_mails
    where user_id = _user_id and state = 'sent' and sent_at > now() - interval '1 minute'
  ) + _unsettled >= private.mails_a_minute() then
    return;
  end if;
  -- A claim that a crash forgets is made again; before the content leaves there is a durable commit.
  perform set_config('synchronous_commit', 'off', true);
  return query
    update public.outgoing_mails set attempts = attempts + 1, leased_until = now() + interval '10 minutes'
    where id = (
      select id from public.outgoing_mails
      where user_id = _user_id and state = 'queued' and not_before <= now()
        and (leased_until is null or leased_until <= now())
        and not private.waits_for_agents(_user_id, key)
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
  SET enable_sort TO 'off'
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
      and (leased_until is null or leased_until <= now()) and not private.is_campaign_paused(batch_id)
      and not private.waits_for_agents(_user_id, key)
    order by not_before, id limit 1 for update skip locked;
    if not found then
      return;
    elsif private.wait_for_room(_account, _message) then
      continue;
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

CREATE OR REPLACE FUNCTION private.follow_interactions()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
declare
  _contacts uuid[];
begin
  if tg_op = 'UPDATE' then
    _contacts := array(select contact_id from changed union select contact_id from former);
  else
    _contacts := array(select contact_id from changed);
  end if;
  update public.contacts
  set last_interaction_at = latest.at
  from (
    select contacts.id, (
      select max(at) from public.interactions
      where interactions.user_id = contacts.user_id and interactions.contact_id = contacts.id
    ) as at
    from public.contacts where id = any (_contacts)
  ) as latest
  where contacts.id = latest.id and contacts.last_interaction_at is distinct from latest.at;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.index_contacts (
  _contacts uuid[]
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Planning alone takes longer than most of what changes a contact.
  if cardinality(_contacts) > 0 and current_setting('socio.index_later', true) is distinct from 'on' then
    perform private.index_contacts_now(_contacts);
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.mail_headers (
  _mail_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('references', private.mail_references(_mail_id), 'ai', private.ai_mark_of_mail(_mail_id))
$function$;

CREATE OR REPLACE FUNCTION private.mail_references (
  _outgoing_id uuid
)
  RETURNS text[]
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce((select reference_ids from public.mail_thread_letters where outgoing_id = _outgoing_id), '{}')
$function$;

COMMENT ON FUNCTION "private"."claim_mail"(uuid, integer) IS 'Leases the next due mail of a person; no row when none is due, many were just sent (also those not settled yet), the shared sender is paused, the login has expired, or it is of a goal while an admin has stopped the agents.';

COMMENT ON FUNCTION "private"."mail_headers"(uuid) IS 'What a mail of the outbox answers, and who wrote it, for its headers.';

REVOKE ALL ON FUNCTION "private"."claim_mail"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."claim_mail"(uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mail_headers"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."mail_headers"(uuid) TO "service_role";

reset check_function_bodies;
