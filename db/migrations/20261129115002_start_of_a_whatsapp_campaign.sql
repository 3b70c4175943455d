-- Start of a whatsapp campaign.
--   DROP TRIGGER pause_campaigns_of_changed ON public.whatsapp_templates
--   DROP FUNCTION private.is_whatsapp_window_open
--   DROP FUNCTION private.whatsapp_letters
--   DROP FUNCTION private.whatsapp_people_left
--   DROP FUNCTION public.preview_whatsapp_campaign
--   DROP FUNCTION public.queue_whatsapp_campaign
--   ALTER TABLE public.mail_batches ADD COLUMN may_take_days boolean NOT NULL DEFAULT false
--   ALTER TABLE public.mail_batches ADD COLUMN started_at timestamp WITH time zone
--   CREATE OR REPLACE FUNCTION private.add_whatsapp
--   CREATE OR REPLACE FUNCTION private.begin_whatsapp
--   CREATE OR REPLACE FUNCTION private.campaign_day
--   CREATE OR REPLACE FUNCTION private.campaign_start
--   CREATE OR REPLACE FUNCTION private.claim_whatsapp
--   CREATE OR REPLACE FUNCTION private.has_objected_on_whatsapp
--   CREATE OR REPLACE FUNCTION private.is_campaign_waiting
--   CREATE OR REPLACE FUNCTION private.is_whatsapp_window_open
--   CREATE OR REPLACE FUNCTION private.pause_campaign
--   CREATE OR REPLACE FUNCTION private.pause_campaigns
--   CREATE OR REPLACE FUNCTION private.pause_campaigns_of_template
--   CREATE OR REPLACE FUNCTION private.start_campaign
--   CREATE OR REPLACE FUNCTION private.wait_for_morning
--   CREATE OR REPLACE FUNCTION private.whatsapp_letters
--   CREATE OR REPLACE FUNCTION private.whatsapp_people_beyond
--   CREATE OR REPLACE FUNCTION private.whatsapp_people_left
--   CREATE OR REPLACE FUNCTION private.whatsapp_refusal
--   CREATE OR REPLACE FUNCTION public.preview_whatsapp_campaign
--   REVOKE ALL ON FUNCTION public.preview_whatsapp_campaign
--   CREATE OR REPLACE FUNCTION public.queue_campaign
--   CREATE OR REPLACE FUNCTION public.queue_whatsapp_campaign
--   REVOKE ALL ON FUNCTION public.queue_whatsapp_campaign
--   CREATE OR REPLACE FUNCTION public.resume_campaign
--   CREATE TRIGGER pause_campaigns_of_changed AFTER UPDATE OF state, category, body ON public.whatsapp_templates …
--   COMMENT ON COLUMN public.mail_batches.may_take_days IS 'By WhatsApp: people beyond the room that Meta leaves …
--   COMMENT ON COLUMN public.mail_batches.started_at IS 'By WhatsApp: when the first message was about to leave, …
--   COMMENT ON FUNCTION private.campaign_day
--   COMMENT ON FUNCTION private.campaign_start
--   COMMENT ON FUNCTION private.has_objected_on_whatsapp
--   COMMENT ON FUNCTION private.is_campaign_waiting
--   COMMENT ON FUNCTION private.is_whatsapp_window_open
--   COMMENT ON FUNCTION private.pause_campaign
--   COMMENT ON FUNCTION private.start_campaign
--   COMMENT ON FUNCTION private.wait_for_morning
--   COMMENT ON FUNCTION private.whatsapp_letters
--   COMMENT ON FUNCTION private.whatsapp_people_beyond
--   COMMENT ON FUNCTION private.whatsapp_people_left
--   COMMENT ON FUNCTION public.preview_whatsapp_campaign
--   COMMENT ON FUNCTION public.queue_whatsapp_campaign
--   REVOKE ALL ON FUNCTION private.campaign_day
--   REVOKE ALL ON FUNCTION private.campaign_start
--   REVOKE ALL ON FUNCTION private.has_objected_on_whatsapp
--   REVOKE ALL ON FUNCTION private.is_campaign_waiting
--   REVOKE ALL ON FUNCTION private.is_whatsapp_window_open
--   REVOKE ALL ON FUNCTION private.pause_campaign
--   REVOKE ALL ON FUNCTION private.start_campaign
--   REVOKE ALL ON FUNCTION private.wait_for_morning
--   REVOKE ALL ON FUNCTION private.whatsapp_letters
--   REVOKE ALL ON FUNCTION private.whatsapp_people_beyond
--   REVOKE ALL ON FUNCTION private.whatsapp_people_left
--   GRANT EXECUTE ON FUNCTION public.preview_whatsapp_campaign
--   GRANT EXECUTE ON FUNCTION public.queue_whatsapp_campaign

set check_function_bodies = off;

DROP TRIGGER "pause_campaigns_of_changed" ON "public"."whatsapp_templates";

DROP FUNCTION "private"."is_whatsapp_window_open"(public.contact_channels);

DROP FUNCTION "private"."whatsapp_letters"(public.whatsapp_accounts, uuid[], public.whatsapp_templates, jsonb, boolean);

DROP FUNCTION "private"."whatsapp_people_left"(public.whatsapp_accounts);

DROP FUNCTION "public"."preview_whatsapp_campaign"(uuid[], uuid, jsonb, boolean);

DROP FUNCTION "public"."queue_whatsapp_campaign"(uuid, uuid[], uuid, jsonb, boolean, integer, boolean);

ALTER TABLE "public"."mail_batches"
  ADD COLUMN "may_take_days" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."mail_batches"
  ADD COLUMN "started_at" timestamp WITH time zone;

-- Campaigns that were queued before have been asked everything, and go on.
UPDATE public.mail_batches SET started_at = created_at WHERE channel = 'whatsapp';

CREATE OR REPLACE FUNCTION private.add_whatsapp (
  _key          uuid,
  _channel      public.contact_channels,
  _body         text,
  _template     jsonb,
  _refers_to    text,
  _not_before   timestamp with time zone,
  _is_automatic boolean                  DEFAULT false,
  _file         jsonb                    DEFAULT NULL::jsonb,
  _batch_id     uuid                     DEFAULT NULL::uuid,
  _answers_id   uuid                     DEFAULT NULL::uuid
)
  RETURNS public.whatsapp_messages
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
begin
  insert into public.whatsapp_messages (
    user_id, contact_id, channel_id, direction, key, kind, body, summary, refers_to, template, document_id, invoice_id, batch_id,
    content, is_automatic, answers_id, is_outside_window, state, at, not_before, expires_at
  )
  values (
    _channel.user_id, _channel.contact_id, _channel.id, 'uscita', _key,
    coalesce(_file ->> 'kind', case when _template is null then 'text' else 'template' end), _body,
    case
      when _file is null then _body
      else concat_ws(' · ', case _file ->> 'kind' when 'image' then 'Foto: ' else 'Documento: ' end || (_file ->> 'name'), nullif(_body, ''))
    end,
    _refers_to, _template, (_file ->> 'document_id')::uuid, (_file ->> 'invoice_id')::uuid, _batch_id,
    case
      when _file is null then '{}'
      else jsonb_build_object('media', jsonb_build_object('name', _file ->> 'name', 'mime', _file ->> 'mime'))
    end,
    _is_automatic, _answers_id,
    not private.is_whatsapp_window_open(_channel, _not_before), 'queued', now(), _not_before,
    case
      -- What tells of the night is of no use in the morning.
      when _answers_id is not null then least(_channel.window_expires_at, _not_before + interval '1 hour')
      when _template is null then _channel.window_expires_at
      else _not_before + interval '1 day'
    end
  )
  on conflict (user_id, key) do update set key = excluded.key
  returning * into _message;
  -- An automatic answer is none: its conversation waits on.
  update public.contact_channels set is_done = true, last_at = greatest(last_at, now())
  where id = _channel.id and _answers_id is null;
  return _message;
end
$function$;

CREATE OR REPLACE FUNCTION private.begin_whatsapp (
  _id      uuid,
  _attempt integer
)
  RETURNS TABLE (
    external_id text,
    phone       text
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
  _refusal public.whatsapp_error;
begin
  select * into _message from public.whatsapp_messages
  where id = _id and attempts = _attempt and state = 'queued' and not is_paused for update;
  if not found then
    return;
  end if;
  if private.is_answer_needless(_message) or _message.batch_id is not null and exists (
    select from public.contacts
    where user_id = _message.user_id and contacts.id = _message.contact_id and deleted_at is not null
  ) then
    update public.whatsapp_messages set state = 'cancelled', leased_until = null where id = _id;
    return;
  end if;
  -- A window that closed, or an objection that came, after the message was queued counts.
  _refusal := private.whatsapp_refusal(_message);
  update public.whatsapp_messages
  set state = case when _refusal is null then 'sending'::public.whatsapp_state else 'failed' end, error = _refusal,
    leased_until = case when _refusal is null then now() + interval '2 minutes' end
  where id = _id;
  return query
    select channels.external_id, phones.norm from public.contact_channels as channels
    left join public.contact_phones as phones on phones.user_id = channels.user_id and phones.id = channels.phone_id
    where channels.id = _message.channel_id and _refusal is null;
end
$function$;

CREATE OR REPLACE FUNCTION private.campaign_day (
  _not_before timestamp with time zone
)
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- Without a plan it is the day of now, whose rest private.whatsapp_people_left looks past.
  select case when _not_before is null then now() else private.allowed_mail_time(private.campaign_start(_not_before, false)) end
$function$;

CREATE OR REPLACE FUNCTION private.campaign_start (
  _not_before timestamp with time zone,
  _is_typed   boolean
)
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select greatest(
    least(coalesce(_not_before, now()), now() + interval '1 year'), now() + private.time_to_cancel(_is_typed)
  )
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
  _is_waiting boolean;
  _wait_s double precision;
begin
  select * into _account from public.whatsapp_accounts
  where user_id = _user_id and state = 'attivo' and coalesce(paused_until <= now(), true);
  if not found or private.is_frozen(_user_id) then
    return;
  end if;
  loop
    select * into _message from public.whatsapp_messages
    where user_id = _user_id and state = 'queued' and not is_paused and not_before <= clock_timestamp()
      and (leased_until is null or leased_until <= now())
      and not private.waits_for_agents(_user_id, key)
    order by not_before, id limit 1 for update skip locked;
    if not found then
      return;
    end if;
    _is_waiting := private.is_campaign_waiting(_account, _message);
    if _is_waiting is null then
      return;
    elsif _is_waiting then
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

CREATE OR REPLACE FUNCTION private.has_objected_on_whatsapp (
  _user_id    uuid,
  _contact_id uuid,
  _category   text
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (
    select from public.consents
    where user_id = _user_id and contact_id = _contact_id and channel = 'whatsapp'
      and purpose = case _category when 'MARKETING' then 'marketing' else 'servizio' end::public.consent_purpose
      and state in ('negato', 'revocato')
  ) or exists (
    select from public.contact_requests where user_id = _user_id and contact_id = _contact_id and kind = 'opposizione'
  )
$function$;

CREATE OR REPLACE FUNCTION private.is_campaign_waiting (
  _account public.whatsapp_accounts,
  _message public.whatsapp_messages
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _is_started boolean;
begin
  if _message.batch_id is null then
    return false;
  elsif private.wait_for_morning(_message) then
    return true;
  elsif exists (select from public.mail_batches where id = _message.batch_id and started_at is null) then
    _is_started := private.start_campaign(_account, _message.batch_id);
    if _is_started is distinct from true then
      return not _is_started;
    end if;
  end if;
  return private.wait_for_room(_account, _message);
end
$function$;

CREATE OR REPLACE FUNCTION private.is_whatsapp_window_open (
  _channel public.contact_channels,
  _at      timestamp with time zone DEFAULT now()
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce((_channel).window_expires_at > _at, false)
$function$;

CREATE OR REPLACE FUNCTION private.pause_campaign (
  _batch  public.mail_batches,
  _reason text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  update public.mail_batches set paused_at = now(), pause_reason = _reason where id = _batch.id;
  -- A week to put it right. One that is on its way may come back.
  update public.whatsapp_messages set expires_at = greatest(expires_at, now() + interval '7 days'), is_paused = true
  where user_id = _batch.user_id and batch_id = _batch.id and state in ('queued', 'sending');
  perform private.notify(
    _batch.user_id, 'whatsapp_fermo', 'Un invio WhatsApp è in pausa', _reason, '/crm/invii',
    'campaign ' || _batch.id || ' ' || now()
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.pause_campaigns (
  _user_id     uuid,
  _template_id uuid,
  _reason      text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _batch public.mail_batches;
begin
  for _batch in
    select * from public.mail_batches as batch
    where user_id = _user_id and channel = 'whatsapp' and paused_at is null and cancelled_at is null
      and coalesce(template_id = _template_id, _template_id is null) and exists (
        select from public.whatsapp_messages
        where user_id = _user_id and batch_id = batch.id and state in ('queued', 'sending')
      )
    for update
  loop
    perform private.pause_campaign(_batch, _reason);
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.pause_campaigns_of_template()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.pause_campaigns(old.user_id, old.id, case
    when tg_op = 'DELETE' then 'Il modello non c’è più in WhatsApp Manager.'
    when new.body <> old.body then 'Il testo del modello è cambiato: prepara un nuovo invio.'
    when new.state = 'APPROVED' then 'Meta ha cambiato la categoria del modello: controlla prezzo e consensi prima di riprendere.'
    when new.state = 'PAUSED' then 'Il modello è in pausa per qualità.'
    when new.state = 'DISABLED' then 'Il modello è disattivato da Meta.'
    when new.state = 'CHANGED' then 'Il modello è cambiato in WhatsApp Manager: aggiorna i modelli.'
    else 'Meta non approva più il modello.'
  end);
  return null;
end
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
  end;
  if _reason is not null then
    perform private.pause_campaign(_batch, _reason);
    return false;
  end if;
  update public.mail_batches set started_at = now() where id = _batch.id;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.wait_for_morning (
  _message public.whatsapp_messages
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _morning constant timestamptz := private.allowed_mail_time(now());
begin
  -- Due times are in the allowed hours. Some minutes late, by the pace of the number, is in time.
  if _morning <= now() or _message.not_before > now() - interval '5 minutes' then
    return false;
  end if;
  update public.whatsapp_messages
  set not_before = _morning + (not_before - _message.not_before),
    expires_at = greatest(expires_at, _morning + interval '1 day')
  where user_id = _message.user_id and batch_id = _message.batch_id and state = 'queued' and not is_paused
    and not_before < _morning and (leased_until is null or leased_until <= now());
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_letters (
  _account     public.whatsapp_accounts,
  _contact_ids uuid[],
  _template    public.whatsapp_templates,
  _values      jsonb,
  _with_often  boolean,
  _at          timestamp with time zone DEFAULT now()
)
  RETURNS SETOF private.whatsapp_letter
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select contacts.id, contacts.name, chat, phones, coalesce(chat_phone.norm, (phones).norm, '@' || (chat).username),
    not private.is_whatsapp_window_open(chat, _at), letter.filled, written.body,
    case
      when (chat).id is null and (phones).id is null then 'no_number'
      when exists (
        select from public.contact_channels as each
        where each.user_id = contacts.user_id and each.contact_id = contacts.id and private.is_whatsapp_stopped(each, true)
      ) then 'stopped'
      when private.has_objected_on_whatsapp(contacts.user_id, contacts.id, _template.category) then 'objected'
      when _template.category = 'MARKETING'
        and not private.has_agreed_on_whatsapp(contacts.user_id, contacts.id, '{marketing}') then 'consent'
      -- Meta wants an agreement before the first message, of whatever kind.
      when (chat).last_inbound_at is null
        and not private.has_agreed_on_whatsapp(contacts.user_id, contacts.id, '{servizio,marketing}') then 'never_wrote'
      when (chat).failures >= 2 then 'unreachable'
      when written.body is null then 'unfilled'
      when char_length(written.body) > 1024 then 'too_long'
      when not _with_often and private.weekly_messages(contacts.user_id, contacts.id) >= private.most_weekly_messages()
        then 'often'
    end
  from (select distinct unnest(_contact_ids) as id) as chosen
  join public.contacts on contacts.user_id = _account.user_id and contacts.id = chosen.id
    and contacts.merged_into is null and contacts.deleted_at is null
  left join public.contacts as company on company.user_id = _account.user_id and company.id = contacts.company_id
  left join lateral (
    select channels as chat from public.contact_channels as channels
    where channels.user_id = _account.user_id and channels.contact_id = contacts.id and kind = 'whatsapp'
      and portfolio = _account.portfolio
    order by last_inbound_at desc nulls last, id limit 1
  ) as latest on true
  left join public.contact_phones as chat_phone on chat_phone.user_id = _account.user_id and chat_phone.id = (chat).phone_id
  left join lateral (
    select number as phones from private.whatsapp_number(_account.user_id, contacts.id, _account.portfolio) as number
    where (chat).id is null
  ) as unwritten on true
  cross join lateral (
    select coalesce(jsonb_object_agg(place, private.fill_in(_values ->> place, known)), '{}') as filled
    from unnest(_template.places) as place, private.contact_values(contacts, company.name) as known
  ) as letter
  cross join lateral (
    select case
      when private.unfilled_place(_template, letter.filled) is null then private.filled_template(_template, letter.filled)
    end as body
    -- Computed once.
    offset 0
  ) as written
  order by contacts.name, contacts.id
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_people_beyond (
  _account public.whatsapp_accounts,
  _at      timestamp with time zone DEFAULT now()
)
  RETURNS integer
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select (count(distinct channel_id) - (_account).people_a_day)::integer
  from public.whatsapp_messages
  where user_id = (_account).user_id and is_outside_window and state <> 'cancelled' and state <> 'failed'
    and coalesce(sent_at, not_before) > _at - interval '24 hours'
    -- Messages of a campaign that are due on later days do not count on the day that may begin now: at night and on
    -- holidays it begins later.
    and (batch_id is null or coalesce(sent_at, not_before) < private.allowed_mail_time(_at) + interval '24 hours')
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_people_left (
  _account public.whatsapp_accounts,
  _at      timestamp with time zone DEFAULT now()
)
  RETURNS integer
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select greatest(-private.whatsapp_people_beyond(_account, _at), 0)
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_refusal (
  _message public.whatsapp_messages
)
  RETURNS public.whatsapp_error
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    -- The answer to STOP is allowed. An automatic answer needs a new consent after it, as a template does.
    when (not _message.is_automatic or _message.answers_id is not null)
      and private.is_whatsapp_stopped(channel, _message.template is not null or _message.answers_id is not null)
      then 'stopped'::public.whatsapp_error
    -- A campaign may be planned for weeks.
    when _message.batch_id is not null
      and private.has_objected_on_whatsapp(_message.user_id, _message.contact_id, _message.template ->> 'category')
      then 'stopped'
    when _message.template is null and not private.is_whatsapp_window_open(channel) then 'window'
    when _message.template ->> 'category' = 'MARKETING'
      and not private.has_agreed_on_whatsapp(_message.user_id, _message.contact_id, '{marketing}') then 'consent'
  end
  from public.contact_channels as channel
  where channel.user_id = _message.user_id and channel.id = _message.channel_id
$function$;

CREATE OR REPLACE FUNCTION public.preview_whatsapp_campaign (
  _contact_ids uuid[],
  _template_id uuid,
  _values      jsonb                    DEFAULT '{}'::jsonb,
  _with_often  boolean                  DEFAULT false,
  _not_before  timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '18s'
  AS $function$
declare
  _account constant public.whatsapp_accounts := private.whatsapp_sender((select auth.uid()));
  _template constant public.whatsapp_templates := private.campaign_template(_account, _template_id);
  _at constant timestamptz := private.campaign_day(_not_before);
  _left constant integer := private.whatsapp_people_left(_account, _at);
begin
  perform private.require_campaign_size(_contact_ids);
  return (
    with letters as materialized (
      select * from private.whatsapp_letters(_account, _contact_ids, _template, _values, _with_often, _at)
    ), reached as (
      select *, row_number() over (order by name, contact_id) as place from letters where refusal is null
    )
    select jsonb_build_object(
      'count', count(*),
      'outside', count(*) filter (where is_outside),
      'letters', coalesce(jsonb_agg(
        jsonb_build_object('contact_id', contact_id, 'name', name, 'recipient', recipient, 'body', body) order by place
      ) filter (where place <= 3), '[]'),
      'excluded', (
        select coalesce(jsonb_agg(
          jsonb_build_object('contact_id', contact_id, 'name', name, 'reason', refusal) order by name, contact_id
        ), '[]') from letters where refusal is not null
      ),
      'left', _left,
      'a_day', _account.people_a_day,
      'is_to_be_typed', count(*) > private.most_unconfirmed_on_whatsapp(_left),
      -- A person without a known number has no known price.
      'price', private.whatsapp_price(
        array_agg(coalesce(recipient, '')), array_agg(coalesce(recipient, '')) filter (where is_outside or _template.category = 'MARKETING'), _template.category
      )
    )
    from reached
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."preview_whatsapp_campaign"(uuid[], uuid, jsonb, boolean, timestamp WITH time zone) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.queue_campaign (
  _key         uuid,
  _contact_ids uuid[],
  _subject     text,
  _body        text,
  _basis       public.mail_basis,
  _typed       integer                  DEFAULT NULL::integer,
  _not_before  timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS public.mail_batches
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _account public.mail_accounts := private.lock_mail_account(_user_id);
  _batch public.mail_batches;
  _recipients integer;
  _excluded jsonb;
  _start timestamptz;
begin
  select * into _batch from public.mail_batches where user_id = _user_id and key = _key;
  if found then
    return _batch;
  elsif _account.is_shared then
    raise exception 'the shared sender sends no campaigns' using errcode = 'SM015';
  end if;
  select count(*) filter (where refusal is null),
    coalesce(
      jsonb_agg(jsonb_build_object('contact_id', contact_id, 'reason', refusal)) filter (where refusal is not null), '[]'
    )
  into _recipients, _excluded
  from private.campaign_letters(_user_id, _contact_ids, _subject, _body, _basis);
  if _recipients = 0 then
    raise exception 'none of the contacts may be written to' using errcode = 'SM010';
  elsif _recipients > private.mails_left(_account) then
    raise exception 'the daily cap of the account is reached' using errcode = 'SM005';
  elsif _recipients > private.most_unconfirmed_recipients() and _typed is distinct from _recipients then
    raise exception 'the number of recipients was not typed' using errcode = 'SM011', detail = _recipients::text;
  end if;
  _start := private.campaign_start(_not_before, _recipients > private.most_unconfirmed_recipients());
  insert into public.mail_batches (user_id, key, subject, body, basis, recipients, excluded, exclusions)
  values (_user_id, _key, _subject, _body, _basis, _recipients, jsonb_array_length(_excluded), _excluded)
  returning * into _batch;
  insert into public.outgoing_mails (
    user_id, contact_id, batch_id, key, recipient, subject, body, basis, sale_id, message_id, not_before, expires_at
  )
  select _user_id, contact_id, _batch.id, gen_random_uuid(), recipient, subject, private.signed_body(body, _account),
    _basis, sale_id, private.new_message_id(_account), at, at + interval '1 day'
  from (
    select *, private.allowed_mail_time(
      -- As fast as the account sends, so that the last does not leave in the evening.
      _start + (row_number() over () - 1) / private.mails_a_minute() * interval '1 minute'
    ) as at
    from private.campaign_letters(_user_id, _contact_ids, _subject, _body, _basis) where refusal is null
  ) as letters;
  return _batch;
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
    user_id, key, channel, subject, body, basis, template_id, recipients, excluded, exclusions, may_take_days
  )
  values (
    _user_id, _key, 'whatsapp', left(_template.name, 200), _template.body,
    case _template.category when 'MARKETING' then 'consenso' else 'contratto' end::public.mail_basis, _template.id,
    _recipients, jsonb_array_length(_excluded), _excluded, _over_days
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

REVOKE ALL ON FUNCTION "public"."queue_whatsapp_campaign"(uuid, uuid[], uuid, jsonb, boolean, integer, boolean, timestamp WITH time zone) FROM PUBLIC, "anon", "service_role";

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
  update public.mail_batches set paused_at = null, pause_reason = null, may_take_days = true
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

CREATE TRIGGER pause_campaigns_of_changed
  AFTER UPDATE OF state, category, body ON public.whatsapp_templates
  FOR EACH ROW
  WHEN ((((new.state <> old.state) AND (new.state <> 'APPROVED'::text)) OR (new.category <> old.category) OR (new.body <> old.body)))
  EXECUTE FUNCTION private.pause_campaigns_of_template();

COMMENT ON COLUMN "public"."mail_batches"."may_take_days" IS 'By WhatsApp: people beyond the room that Meta leaves in a day may get it on the next days.';

COMMENT ON COLUMN "public"."mail_batches"."started_at" IS 'By WhatsApp: when the first message was about to leave, and template and room were checked again.';

COMMENT ON FUNCTION "private"."campaign_day"(timestamp with time zone) IS 'The moment from which the day of a campaign counts for the limit of people.';

COMMENT ON FUNCTION "private"."campaign_start"(timestamp with time zone, boolean) IS 'When a campaign that its person plans for a moment begins: within a year, and not before the time to take it back is over.';

COMMENT ON FUNCTION "private"."has_objected_on_whatsapp"(uuid, uuid, text) IS 'Whether a contact wants no templates of this category to several people.';

COMMENT ON FUNCTION "private"."is_campaign_waiting"(public.whatsapp_accounts, public.whatsapp_messages) IS 'Whether a due message of a campaign must not leave yet: it is paused, or due later, then; null: try again in a moment.';

COMMENT ON FUNCTION "private"."is_whatsapp_window_open"(public.contact_channels, timestamp with time zone) IS 'Whether a free text may be sent now, or at another moment.';

COMMENT ON FUNCTION "private"."pause_campaign"(public.mail_batches, text) IS 'Pauses a campaign that is planned or under way, and notifies its person.';

COMMENT ON FUNCTION "private"."start_campaign"(public.whatsapp_accounts, uuid) IS 'Asks again, when the first message of a campaign is about to leave, what was asked when it was planned, and pauses it if it may not go; answers whether it has started, null while somebody changes it.';

COMMENT ON FUNCTION "private"."wait_for_morning"(public.whatsapp_messages) IS 'Lets a campaign that is late, because the worker or the number stopped, keep the rest of its recipients (E-10); answers whether it does.';

COMMENT ON FUNCTION "private"."whatsapp_letters"(public.whatsapp_accounts, uuid[], public.whatsapp_templates, jsonb, boolean, timestamp with time zone) IS 'What each contact would get by WhatsApp at a moment, or why it is left out: no_number, stopped, objected, consent, never_wrote, unreachable, unfilled, too_long, often.';

COMMENT ON FUNCTION "private"."whatsapp_people_beyond"(public.whatsapp_accounts, timestamp with time zone) IS 'How many people outside their window are written to within a day beyond what Meta allows; negative while there is room.';

COMMENT ON FUNCTION "private"."whatsapp_people_left"(public.whatsapp_accounts, timestamp with time zone) IS 'How many people outside their window may still be written to within a day, that of now or of a later moment.';

COMMENT ON FUNCTION "public"."preview_whatsapp_campaign"(uuid[], uuid, jsonb, boolean, timestamp with time zone) IS 'Tells how many contacts would get a template, what the first three would see, which are left out and why, how many people Meta still allows on the day it begins, what it costs, and whether the number is to be typed.';

COMMENT ON FUNCTION "public"."queue_whatsapp_campaign"(uuid, uuid[], uuid, jsonb, boolean, integer, boolean, timestamp with time zone) IS 'Queues a template of the caller to each of these contacts that may be written to; the same key again returns the first batch. More people than Meta allows in a day follow on the next days, if that was agreed to.';

REVOKE ALL ON FUNCTION "private"."campaign_day"(timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."campaign_start"(timestamp WITH time zone, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_objected_on_whatsapp"(uuid, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_campaign_waiting"(public.whatsapp_accounts, public.whatsapp_messages) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_whatsapp_window_open"(public.contact_channels, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pause_campaign"(public.mail_batches, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."start_campaign"(public.whatsapp_accounts, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wait_for_morning"(public.whatsapp_messages) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_letters"(public.whatsapp_accounts, uuid[], public.whatsapp_templates, jsonb, boolean, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_people_beyond"(public.whatsapp_accounts, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_people_left"(public.whatsapp_accounts, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."preview_whatsapp_campaign"(uuid[], uuid, jsonb, boolean, timestamp WITH time zone) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."queue_whatsapp_campaign"(uuid, uuid[], uuid, jsonb, boolean, integer, boolean, timestamp WITH time zone) TO "authenticated";

reset check_function_bodies;
