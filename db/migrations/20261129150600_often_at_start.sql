-- Often at start.
--   ALTER TABLE public.mail_batches ADD COLUMN may_be_often boolean NOT NULL DEFAULT false
--   CREATE OR REPLACE FUNCTION private.exceeds_weekly_messages
--   CREATE OR REPLACE FUNCTION private.start_campaign
--   CREATE OR REPLACE FUNCTION public.queue_whatsapp_campaign
--   CREATE OR REPLACE FUNCTION public.resume_campaign
--   COMMENT ON COLUMN public.mail_batches.may_be_often IS 'By WhatsApp: contacts who got as many messages in seve…
--   COMMENT ON COLUMN public.mail_batches.started_at IS 'By WhatsApp: when the first message was about to leave, …
--   COMMENT ON FUNCTION private.exceeds_weekly_messages
--   REVOKE ALL ON FUNCTION private.exceeds_weekly_messages

set check_function_bodies = off;

ALTER TABLE "public"."mail_batches"
  ADD COLUMN "may_be_often" boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION private.exceeds_weekly_messages (
  _batch public.mail_batches
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (
    select from public.whatsapp_messages as waiting
    where user_id = _batch.user_id and batch_id = _batch.id and state = 'queued'
      -- Itself counts as one of those that wait.
      and private.weekly_messages(user_id, contact_id) > private.most_weekly_messages()
  )
$function$;

CREATE OR REPLACE FUNCTION private.start_campaign (
  _account public.whatsapp_accounts,
  _id      uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_sort TO 'on'
  AS $function$
declare
  _batch public.mail_batches;
  _template public.whatsapp_templates;
  _reason text;
begin
  begin
    -- Not waited for: whoever cancels or pauses it waits for its messages, one of which is locked here.
    select * into _batch from public.mail_batches where id = _id for no key update nowait;
  exception when lock_not_available then
    return null;
  end;
  select * into _template from public.whatsapp_templates where user_id = _batch.user_id and id = _batch.template_id;
  _reason := case
    when _template.state is distinct from 'APPROVED' or not _template.is_usable then 'Meta non approva più il modello.'
    when (_account).templates_stopped_until > now() then 'Meta ha fermato i modelli di questo numero.'
    when _template.body <> _batch.body then 'Il testo del modello è cambiato: prepara un nuovo invio.'
    -- As many people as Meta allows were approved, and Meta allows fewer now (E-02).
    when not _batch.may_take_days and private.whatsapp_people_beyond(_account) > 0 then
      'Oggi Meta ti lascia scrivere a meno persone: se riprendi, alcune lo ricevono nei giorni dopo.'
    when not _batch.may_be_often and private.exceeds_weekly_messages(_batch) then
      'Alcuni contatti hanno già ricevuto 3 messaggi in 7 giorni: se riprendi, lo ricevono lo stesso.'
  end;
  if _reason is not null then
    perform private.pause_campaign(_batch, _reason);
    return false;
  end if;
  update public.mail_batches set started_at = now() where id = _batch.id;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION public.queue_whatsapp_campaign (
  _key         uuid,
  _contact_ids uuid[],
  _template_id uuid,
  _values      jsonb                    DEFAULT '{}'::jsonb,
  _with_often  boolean                  DEFAULT false,
  _typed       integer                  DEFAULT NULL::integer,
  _over_days   boolean                  DEFAULT false,
  _not_before  timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS public.mail_batches
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '18s'
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _account public.whatsapp_accounts;
  _template public.whatsapp_templates;
  _batch public.mail_batches;
  _letters private.whatsapp_letter[];
  _left integer;
  _recipients integer;
  _outside integer;
  _excluded jsonb;
  _start timestamptz;
  _at constant timestamptz := private.campaign_day(_not_before);
begin
  -- The lock makes a second click wait for the first.
  _account := private.whatsapp_sender(_user_id);
  select * into _batch from public.mail_batches where user_id = _user_id and key = _key;
  if found then
    return _batch;
  end if;
  perform private.require_campaign_size(_contact_ids);
  _template := private.campaign_template(_account, _template_id);
  _left := private.whatsapp_people_left(_account, _at);
  _letters := array(
    select letters from private.whatsapp_letters(_account, _contact_ids, _template, _values, _with_often, _at) as letters
  );
  select count(*) filter (where refusal is null), count(*) filter (where refusal is null and is_outside),
    coalesce(
      jsonb_agg(jsonb_build_object('contact_id', contact_id, 'reason', refusal)) filter (where refusal is not null), '[]'
    )
  into _recipients, _outside, _excluded
  from unnest(_letters);
  if _recipients = 0 then
    raise exception 'none of the contacts may be written to' using errcode = 'SM010';
  elsif _outside > _left and (not _over_days or _account.people_a_day = 0) then
    raise exception 'more people than Meta allows in a day' using errcode = 'SW008', detail = _left::text;
  elsif _recipients > private.most_unconfirmed_on_whatsapp(_left) and _typed is distinct from _recipients then
    raise exception 'the number of recipients was not typed' using errcode = 'SM011', detail = _recipients::text;
  end if;
  _start := private.campaign_start(_not_before, _recipients > private.most_unconfirmed_on_whatsapp(_left));
  insert into public.mail_batches (
    user_id, key, channel, subject, body, basis, template_id, recipients, excluded, exclusions, may_take_days, may_be_often
  )
  values (
    _user_id, _key, 'whatsapp', left(_template.name, 200), _template.body,
    case _template.category when 'MARKETING' then 'consenso' else 'contratto' end::public.mail_basis, _template.id,
    _recipients, jsonb_array_length(_excluded), _excluded, _over_days, _with_often
  )
  returning * into _batch;
  perform private.add_whatsapp(
    gen_random_uuid(),
    case when (channel).id is null then private.whatsapp_channel_at(_account, phone) else channel end,
    letters.body, private.template_part(_template, letters.filled), null,
    private.campaign_time(_start, place - 1, is_outside, _left, _account.people_a_day), _batch_id => _batch.id
  )
  from (
    select *, row_number() over (partition by is_outside order by name, contact_id) as place
    from unnest(_letters) where refusal is null
  ) as letters;
  return _batch;
end
$function$;

CREATE OR REPLACE FUNCTION public.resume_campaign (
  _id uuid
)
  RETURNS public.mail_batches
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _account constant public.whatsapp_accounts := private.whatsapp_sender(_user_id);
  _batch public.mail_batches;
  _template public.whatsapp_templates;
begin
  select * into _batch from public.mail_batches where user_id = _user_id and id = _id and channel = 'whatsapp' for update;
  if not found then
    raise exception 'no such campaign' using errcode = 'PT404';
  elsif _batch.paused_at is null or _batch.cancelled_at is not null then
    return _batch;
  end if;
  _template := private.campaign_template(_account, _batch.template_id);
  if _template.body <> _batch.body then
    raise exception 'the text of the template has changed' using errcode = 'SW004', detail = 'CHANGED';
  end if;
  -- The reason of the pause says what going on means.
  update public.mail_batches set paused_at = null, pause_reason = null, may_take_days = true, may_be_often = true
  where id = _id returning * into _batch;
  update public.whatsapp_messages as waiting
  set is_paused = false, template = jsonb_set(template, '{category}', to_jsonb(_template.category)), not_before = due.due_at,
    expires_at = greatest(due.due_at + interval '1 day', expires_at)
  from (
    select id, private.allowed_mail_time(
      greatest(not_before, now() + private.time_to_cancel(false)) + row_number() over (order by not_before, id) / 20.0 * interval '1 second'
    ) as due_at
    from public.whatsapp_messages where user_id = _user_id and batch_id = _id and state = 'queued'
  ) as due
  where waiting.id = due.id;
  return _batch;
end
$function$;

COMMENT ON COLUMN "public"."mail_batches"."may_be_often" IS 'By WhatsApp: contacts who got as many messages in seven days as are enough (E-11) may get this one too.';

COMMENT ON COLUMN "public"."mail_batches"."started_at" IS 'By WhatsApp: when the first message was about to leave, and template, room and frequency were checked again.';

COMMENT ON FUNCTION "private"."exceeds_weekly_messages"(public.mail_batches) IS 'Whether a contact of a campaign has got so many messages since it was planned that one more asks (E-11).';

REVOKE ALL ON FUNCTION "private"."exceeds_weekly_messages"(public.mail_batches) FROM PUBLIC;

reset check_function_bodies;
