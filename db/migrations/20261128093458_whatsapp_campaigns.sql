-- Whatsapp campaigns.
--   ALTER TABLE public.whatsapp_templates DROP CONSTRAINT texts_fit
--   DROP FUNCTION private.add_whatsapp
--   DROP FUNCTION public.campaign_progress
--   ALTER TABLE public.mail_batches ADD COLUMN channel public.consent_channel NOT NULL DEFAULT 'email'::public.co…
--   ALTER TABLE public.mail_batches ADD COLUMN template_id uuid
--   ALTER TABLE public.mail_batches ADD COLUMN exclusions jsonb NOT NULL DEFAULT '[]'::jsonb
--   ALTER TABLE public.mail_batches ADD COLUMN paused_at timestamp WITH time zone
--   ALTER TABLE public.mail_batches ADD COLUMN pause_reason text
--   ALTER TABLE public.whatsapp_messages ADD COLUMN batch_id uuid
--   ALTER TABLE public.whatsapp_templates ADD COLUMN footer text
--   CREATE TYPE private.whatsapp_letter AS ( contact_id uuid, name text, channel public.contact_channels, phone p…
--   CREATE OR REPLACE FUNCTION private.add_whatsapp
--   CREATE OR REPLACE FUNCTION private.campaign_letters
--   CREATE OR REPLACE FUNCTION private.campaign_template
--   CREATE OR REPLACE FUNCTION private.campaign_time
--   CREATE OR REPLACE FUNCTION private.claim_whatsapp
--   CREATE OR REPLACE FUNCTION private.consent_facts
--   CREATE OR REPLACE FUNCTION private.contact_values
--   CREATE OR REPLACE FUNCTION private.due_whatsapp_senders
--   CREATE OR REPLACE FUNCTION private.filled_template
--   CREATE OR REPLACE FUNCTION private.has_agreed_on_whatsapp
--   CREATE OR REPLACE FUNCTION private.is_campaign_paused
--   CREATE OR REPLACE FUNCTION private.keep_cancelled
--   CREATE OR REPLACE FUNCTION private.most_unconfirmed_on_whatsapp
--   CREATE OR REPLACE FUNCTION private.most_weekly_messages
--   CREATE OR REPLACE FUNCTION private.pause_campaigns
--   CREATE OR REPLACE FUNCTION private.pause_campaigns_of_template
--   CREATE OR REPLACE FUNCTION private.react_to_whatsapp
--   CREATE OR REPLACE FUNCTION private.require_campaign_size
--   CREATE OR REPLACE FUNCTION private.save_whatsapp_templates
--   CREATE OR REPLACE FUNCTION private.says_how_to_stop
--   CREATE OR REPLACE FUNCTION private.stop_whatsapp
--   CREATE OR REPLACE FUNCTION private.template_part
--   CREATE OR REPLACE FUNCTION private.time_to_cancel
--   CREATE OR REPLACE FUNCTION private.unfilled_place
--   CREATE OR REPLACE FUNCTION private.wait_for_room
--   CREATE OR REPLACE FUNCTION private.weekly_messages
--   CREATE OR REPLACE FUNCTION private.whatsapp_channel_at
--   CREATE OR REPLACE FUNCTION private.whatsapp_letters
--   CREATE OR REPLACE FUNCTION private.whatsapp_number
--   CREATE OR REPLACE FUNCTION private.whatsapp_people_left
--   CREATE OR REPLACE FUNCTION private.whatsapp_price
--   CREATE OR REPLACE FUNCTION private.whatsapp_refusal
--   CREATE OR REPLACE FUNCTION private.whatsapp_sender
--   CREATE OR REPLACE FUNCTION public.campaign_progress
--   REVOKE ALL ON FUNCTION public.campaign_progress
--   CREATE OR REPLACE FUNCTION public.campaign_recipients
--   REVOKE ALL ON FUNCTION public.campaign_recipients
--   CREATE OR REPLACE FUNCTION public.cancel_campaign
--   CREATE OR REPLACE FUNCTION public.preview_whatsapp_campaign
--   REVOKE ALL ON FUNCTION public.preview_whatsapp_campaign
--   CREATE OR REPLACE FUNCTION public.queue_campaign
--   CREATE OR REPLACE FUNCTION public.queue_whatsapp
--   CREATE OR REPLACE FUNCTION public.queue_whatsapp_campaign
--   REVOKE ALL ON FUNCTION public.queue_whatsapp_campaign
--   CREATE OR REPLACE FUNCTION public.resume_campaign
--   REVOKE ALL ON FUNCTION public.resume_campaign
--   ALTER TABLE public.mail_batches ADD CONSTRAINT a_pause_has_a_reason CHECK ((((paused_at IS NULL) = (pause_rea…
--   ALTER TABLE public.mail_batches ADD CONSTRAINT exclusions_are_a_list CHECK (((jsonb_typeof(exclusions) = 'arr…
--   ALTER TABLE public.mail_batches ADD CONSTRAINT it_goes_by_mail_or_whatsapp CHECK ((channel = ANY (ARRAY['emai…
--   ALTER TABLE public.mail_batches ADD CONSTRAINT whatsapp_has_a_template CHECK (((channel = 'whatsapp'::public.…
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT whatsapp_messages_user_id_batch_id_fkey FOREIGN KEY (user…
--   ALTER TABLE public.whatsapp_templates ADD CONSTRAINT texts_fit CHECK (((char_length(template_id) <= 100) AND …
--   CREATE INDEX whatsapp_messages_batch ON public.whatsapp_messages USING btree (user_id, batch_id)
--   CREATE INDEX whatsapp_messages_day ON public.whatsapp_messages USING btree (user_id, COALESCE(sent_at, not_be…
--   CREATE TRIGGER keep_cancelled BEFORE UPDATE OF state ON public.whatsapp_messages FOR EACH ROW WHEN (((new.sta…
--   CREATE TRIGGER pause_campaigns_of_changed AFTER UPDATE OF state, category ON public.whatsapp_templates FOR EA…
--   CREATE TRIGGER pause_campaigns_of_deleted AFTER DELETE ON public.whatsapp_templates FOR EACH ROW EXECUTE FUNC…
--   COMMENT ON COLUMN public.mail_batches.exclusions IS 'Which ones, and why: [{contact_id, reason}]; no names, w…
--   COMMENT ON COLUMN public.mail_batches.paused_at IS 'Since when its waiting messages stay, because its templat…
--   COMMENT ON COLUMN public.mail_batches.subject IS 'By WhatsApp the name of the template, whose text is the bod…
--   COMMENT ON COLUMN public.mail_batches.template_id IS 'No foreign key: templates go with their number.'
--   COMMENT ON COLUMN public.whatsapp_messages.batch_id IS 'The campaign that it belongs to.'
--   COMMENT ON FUNCTION private.add_whatsapp
--   COMMENT ON FUNCTION private.campaign_template
--   COMMENT ON FUNCTION private.campaign_time
--   COMMENT ON FUNCTION private.contact_values
--   COMMENT ON FUNCTION private.has_agreed_on_whatsapp
--   COMMENT ON FUNCTION private.is_campaign_paused
--   COMMENT ON FUNCTION private.keep_cancelled
--   COMMENT ON FUNCTION private.most_unconfirmed_on_whatsapp
--   COMMENT ON FUNCTION private.most_weekly_messages
--   COMMENT ON FUNCTION private.pause_campaigns
--   COMMENT ON FUNCTION private.pause_campaigns_of_template
--   COMMENT ON FUNCTION private.require_campaign_size
--   COMMENT ON FUNCTION private.says_how_to_stop
--   COMMENT ON FUNCTION private.stop_whatsapp
--   COMMENT ON FUNCTION private.template_part
--   COMMENT ON FUNCTION private.time_to_cancel
--   COMMENT ON FUNCTION private.unfilled_place
--   COMMENT ON FUNCTION private.wait_for_room
--   COMMENT ON FUNCTION private.weekly_messages
--   COMMENT ON FUNCTION private.whatsapp_channel_at
--   COMMENT ON FUNCTION private.whatsapp_letters
--   COMMENT ON FUNCTION private.whatsapp_number
--   COMMENT ON FUNCTION private.whatsapp_price
--   COMMENT ON FUNCTION private.whatsapp_sender
--   COMMENT ON FUNCTION public.campaign_progress
--   COMMENT ON FUNCTION public.campaign_recipients
--   COMMENT ON FUNCTION public.cancel_campaign
--   COMMENT ON FUNCTION public.preview_whatsapp_campaign
--   COMMENT ON FUNCTION public.queue_whatsapp_campaign
--   COMMENT ON FUNCTION public.resume_campaign
--   COMMENT ON TABLE public.mail_batches IS 'One text sent to several contacts, by mail or WhatsApp; written by q…
--   REVOKE ALL ON FUNCTION private.add_whatsapp
--   REVOKE ALL ON FUNCTION private.campaign_template
--   REVOKE ALL ON FUNCTION private.campaign_time
--   REVOKE ALL ON FUNCTION private.contact_values
--   REVOKE ALL ON FUNCTION private.has_agreed_on_whatsapp
--   REVOKE ALL ON FUNCTION private.is_campaign_paused
--   REVOKE ALL ON FUNCTION private.keep_cancelled
--   REVOKE ALL ON FUNCTION private.most_unconfirmed_on_whatsapp
--   REVOKE ALL ON FUNCTION private.most_weekly_messages
--   REVOKE ALL ON FUNCTION private.pause_campaigns
--   REVOKE ALL ON FUNCTION private.pause_campaigns_of_template
--   REVOKE ALL ON FUNCTION private.require_campaign_size
--   REVOKE ALL ON FUNCTION private.says_how_to_stop
--   REVOKE ALL ON FUNCTION private.template_part
--   REVOKE ALL ON FUNCTION private.time_to_cancel
--   REVOKE ALL ON FUNCTION private.unfilled_place
--   REVOKE ALL ON FUNCTION private.wait_for_room
--   REVOKE ALL ON FUNCTION private.weekly_messages
--   REVOKE ALL ON FUNCTION private.whatsapp_channel_at
--   REVOKE ALL ON FUNCTION private.whatsapp_letters
--   REVOKE ALL ON FUNCTION private.whatsapp_number
--   REVOKE ALL ON FUNCTION private.whatsapp_price
--   REVOKE ALL ON FUNCTION private.whatsapp_sender
--   GRANT EXECUTE ON FUNCTION public.campaign_progress
--   GRANT EXECUTE ON FUNCTION public.campaign_recipients
--   GRANT EXECUTE ON FUNCTION public.preview_whatsapp_campaign
--   GRANT EXECUTE ON FUNCTION public.queue_whatsapp_campaign
--   GRANT EXECUTE ON FUNCTION public.resume_campaign

set check_function_bodies = off;

ALTER TABLE "public"."whatsapp_templates"
  DROP CONSTRAINT "texts_fit";

DROP FUNCTION "private"."add_whatsapp"(uuid, public.contact_channels, text, jsonb, text, timestamp WITH time zone, boolean, jsonb);

DROP FUNCTION "public"."campaign_progress"();

ALTER TABLE "public"."mail_batches"
  ADD COLUMN "channel" public.consent_channel NOT NULL DEFAULT 'email'::public.consent_channel;

ALTER TABLE "public"."mail_batches"
  ADD COLUMN "template_id" uuid;

ALTER TABLE "public"."mail_batches"
  ADD COLUMN "exclusions" jsonb NOT NULL DEFAULT '[]'::jsonb;

ALTER TABLE "public"."mail_batches"
  ADD COLUMN "paused_at" timestamp WITH time zone;

ALTER TABLE "public"."mail_batches"
  ADD COLUMN "pause_reason" text;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "batch_id" uuid;

ALTER TABLE "public"."whatsapp_templates"
  ADD COLUMN "footer" text;

CREATE TYPE "private"."whatsapp_letter" AS (
  "contact_id" uuid,
  "name"       text,
  "channel"    public.contact_channels,
  "phone"      public.contact_phones,
  "recipient"  text,
  "is_outside" boolean,
  "filled"     jsonb,
  "body"       text,
  "refusal"    text
);

CREATE OR REPLACE FUNCTION private.add_whatsapp (
  _key          uuid,
  _channel      public.contact_channels,
  _body         text,
  _template     jsonb,
  _refers_to    text,
  _not_before   timestamp with time zone,
  _is_automatic boolean                  DEFAULT false,
  _file         jsonb                    DEFAULT NULL::jsonb,
  _batch_id     uuid                     DEFAULT NULL::uuid
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
    content, is_automatic, is_outside_window, state, at, not_before, expires_at
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
    _is_automatic,
    not private.is_whatsapp_window_open(_channel), 'queued', now(), _not_before,
    case when _template is null then _channel.window_expires_at else _not_before + interval '1 day' end
  )
  on conflict (user_id, key) do update set key = excluded.key
  returning * into _message;
  update public.contact_channels set is_done = true, last_at = greatest(last_at, now()) where id = _channel.id;
  return _message;
end
$function$;

CREATE OR REPLACE FUNCTION private.campaign_letters (
  _user_id     uuid,
  _contact_ids uuid[],
  _subject     text,
  _body        text,
  _basis       public.mail_basis
)
  RETURNS TABLE (
    contact_id uuid,
    name       text,
    recipient  text,
    subject    text,
    body       text,
    sale_id    uuid,
    refusal    text
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select contacts.id, contacts.name, mail.value, letter.subject, letter.body, sale.id,
    case
      when mail.value is null then 'no_address'
      when _basis = 'soft_spam' and sale.id is null then 'no_sale'
      else coalesce(
        private.mail_refusal(_user_id, contacts.id, mail.value, _basis, sale.id)::text,
        case
          when private.has_open_place(letter.subject || letter.body) then 'unfilled'
          when char_length(letter.subject) > 200 or char_length(letter.body) > 22000 then 'too_long'
        end
      )
    end
  from (select distinct unnest(_contact_ids) as id) as chosen
  join public.contacts on contacts.user_id = _user_id and contacts.id = chosen.id
    and contacts.merged_into is null and contacts.deleted_at is null
  left join public.contacts as company on company.user_id = _user_id and company.id = contacts.company_id
  left join lateral (
    select value from public.contact_emails
    where contact_emails.user_id = _user_id and contact_emails.contact_id = contacts.id
    order by is_primary desc, created_at, id limit 1
  ) as mail on true
  left join lateral (
    select invoices.id from public.invoices
    where invoices.user_id = _user_id and invoices.contact_id = contacts.id
      and private.is_sale_to(_user_id, contacts.id, invoices.id)
    order by issued_on desc limit 1
  ) as sale on _basis = 'soft_spam'
  cross join lateral (
    select private.fill_in(_subject, places) as subject, private.fill_in(_body, places) as body
    from private.contact_values(contacts, company.name) as places
  ) as letter
  order by contacts.name, contacts.id
$function$;

CREATE OR REPLACE FUNCTION private.campaign_template (
  _account     public.whatsapp_accounts,
  _template_id uuid
)
  RETURNS public.whatsapp_templates
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  _template public.whatsapp_templates;
begin
  select * into _template from public.whatsapp_templates where user_id = _account.user_id and id = _template_id;
  if not found then
    raise exception 'no such template' using errcode = 'PT404';
  elsif _template.state <> 'APPROVED' or not _template.is_usable or _account.templates_stopped_until > now()
    or _template.category not in ('UTILITY', 'MARKETING') then
    raise exception 'the template cannot be sent' using errcode = 'SW004', detail = _template.state;
  elsif _template.category = 'MARKETING' and not private.says_how_to_stop(_template) then
    raise exception 'the promotion does not say how to stop it' using errcode = 'SW009';
  end if;
  return _template;
end
$function$;

CREATE OR REPLACE FUNCTION private.campaign_time (
  _start      timestamp with time zone,
  _place      bigint,
  _is_outside boolean,
  _left       integer,
  _a_day      integer
)
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select private.allowed_mail_time(
    _start
      -- Beyond the room of today, so many a day.
      + case when _is_outside and _place >= _left then 1 + (_place - _left) / greatest(_a_day, 1) else 0 end * interval '1 day'
      -- No faster than a number sends.
      + case when _is_outside and _place >= _left then (_place - _left) % greatest(_a_day, 1) else _place end / 20.0
        * interval '1 second'
  )
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
      and (leased_until is null or leased_until <= now()) and not private.is_campaign_paused(batch_id)
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

CREATE OR REPLACE FUNCTION private.consent_facts (
  _user_id uuid
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- Only for somebody who sends campaigns: else a consent is not missed. The people are those that the link opens.
  select 'consenso_mancante', 'consents', null::uuid, (last.created_at at time zone 'Europe/Rome')::date, null::uuid,
    private.counted(count(*), 'Una persona senza consenso', 'persone senza consenso'),
    'Per scrivere loro di novità e offerte serve: chiedilo alla prima occasione e segnalo nella scheda.',
    null::bigint, 'EUR', 0.5::double precision, jsonb_build_object('count', count(*))
  from (
    select created_at from public.mail_batches
    where user_id = _user_id and channel = 'email' and basis <> 'contratto' and excluded > 0 and cancelled_at is null
      and created_at > now() - interval '60 days'
    order by created_at desc limit 1
  ) as last
  join public.contacts on contacts.user_id = _user_id and type = 'persona' and merged_into is null and deleted_at is null
  where not exists (
    select from public.consents
    where consents.user_id = _user_id and consents.contact_id = contacts.id and channel = 'email'
      and purpose = 'marketing' and state <> 'non_richiesto'
  )
  group by last.created_at
$function$;

CREATE OR REPLACE FUNCTION private.contact_values (
  _contact public.contacts,
  _company text
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'nome', (_contact).first_name, 'cognome', (_contact).last_name, 'contatto', (_contact).name,
    'azienda', case (_contact).type when 'azienda' then (_contact).name else _company end
  )
$function$;

CREATE OR REPLACE FUNCTION private.due_whatsapp_senders (
  _limit integer DEFAULT 500
)
  RETURNS SETOF uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Their worker is gone, or its answer came too late.
  update public.whatsapp_messages set state = 'uncertain', leased_until = null, error = 'interrupted'
  where state = 'sending' and leased_until <= now();
  update public.whatsapp_messages set state = 'failed', leased_until = null, error = 'expired'
  where state = 'queued' and expires_at <= now();
  -- A bucket of yesterday is full.
  delete from private.whatsapp_buckets where counted_at < now() - interval '1 day';
  return query
    select distinct messages.user_id
    from public.whatsapp_messages as messages
    join public.whatsapp_accounts as accounts on accounts.user_id = messages.user_id
    where messages.state = 'queued' and not_before <= now() and accounts.state = 'attivo'
      and coalesce(paused_until <= now(), true) and not private.is_campaign_paused(batch_id)
    limit _limit;
end
$function$;

CREATE OR REPLACE FUNCTION private.filled_template (
  _template public.whatsapp_templates,
  _values   jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  _text text := (_template).body;
  _place text := private.unfilled_place(_template, _values);
begin
  if _place is not null then
    raise exception 'a place of the template was not filled in' using errcode = 'SW004', detail = _place;
  end if;
  foreach _place in array (_template).places
  loop
    _text := replace(_text, '{{' || _place || '}}', private.one_line(_values ->> _place));
  end loop;
  return _text;
end
$function$;

CREATE OR REPLACE FUNCTION private.has_agreed_on_whatsapp (
  _user_id    uuid,
  _contact_id uuid,
  _purposes   public.consent_purpose[]
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (
    select from public.consents
    where user_id = _user_id and contact_id = _contact_id and channel = 'whatsapp'
      and purpose = any (_purposes) and state = 'dato'
  )
$function$;

CREATE OR REPLACE FUNCTION private.is_campaign_paused (
  _batch_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (select from public.mail_batches where id = _batch_id and paused_at is not null)
$function$;

CREATE OR REPLACE FUNCTION private.keep_cancelled()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if exists (select from public.mail_batches where id = new.batch_id and cancelled_at is not null) then
    new.state := 'cancelled';
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.most_unconfirmed_on_whatsapp (
  _left integer
)
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select least(private.most_unconfirmed_recipients(), _left)
$function$;

CREATE OR REPLACE FUNCTION private.most_weekly_messages()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select 3
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
    update public.mail_batches as batch set paused_at = now(), pause_reason = _reason
    where user_id = _user_id and channel = 'whatsapp' and paused_at is null and cancelled_at is null
      and coalesce(template_id = _template_id, _template_id is null) and exists (
        select from public.whatsapp_messages
        where user_id = _user_id and batch_id = batch.id and state in ('queued', 'sending')
      )
    returning *
  loop
    -- A week to put it right.
    update public.whatsapp_messages set expires_at = greatest(expires_at, now() + interval '7 days')
    where user_id = _user_id and batch_id = _batch.id and state = 'queued';
    perform private.notify(
      _user_id, 'whatsapp_fermo', 'Un invio WhatsApp è in pausa', _reason, '/crm/invii',
      'campaign ' || _batch.id || ' ' || _batch.paused_at
    );
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
    when new.state = 'APPROVED' then 'Meta ha cambiato la categoria del modello: controlla prezzo e consensi prima di riprendere.'
    when new.state = 'PAUSED' then 'Il modello è in pausa per qualità.'
    when new.state = 'DISABLED' then 'Il modello è disattivato da Meta.'
    when new.state = 'CHANGED' then 'Il modello è cambiato in WhatsApp Manager: aggiorna i modelli.'
    else 'Meta non approva più il modello.'
  end);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.react_to_whatsapp (
  _message public.whatsapp_messages,
  _code    integer,
  _detail  text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _reaction private.whatsapp_reactions;
  _is_again boolean;
begin
  select * into _reaction from private.whatsapp_reactions where _code between first_code and last_code;
  -- A message that Meta accepted once is never sent again by itself.
  _is_again := _message.message_id is null and now() < _message.expires_at and coalesce(
    _reaction.reaction in ('slow_down', 'slow_person', 'reconnect', 'pause')
    or _reaction.reaction = 'retry' and _message.attempts < 4
    -- The campaign is paused with it.
    or _message.batch_id is not null and _reaction.reaction in ('pause_template', 'disable_template', 'reread', 'stop_templates'),
    false
  );
  update public.whatsapp_messages
  set state = case when _is_again then 'queued'::public.whatsapp_state else 'failed' end, error = 'meta', error_code = _code,
    error_detail = left(coalesce(_reaction.message, private.one_line(_detail)), 500), leased_until = null,
    not_before = case when _is_again
      -- Up to half of it more, so that not all come back at once.
      then now() + make_interval(secs => _reaction.delay_s * (1 + random() / 2)) else not_before end
  where id = _message.id;
  case _reaction.reaction
    when 'reconnect' then perform private.change_whatsapp_state(_message.user_id, 'da_ricollegare', _code, _reaction.message);
    when 'switch_off' then perform private.change_whatsapp_state(_message.user_id, 'spento', _code, _reaction.message);
    when 'pause' then perform private.change_whatsapp_state(_message.user_id, 'sospeso', _code, _reaction.message);
    when 'slow_down' then
      update public.whatsapp_accounts set paused_until = now() + make_interval(secs => _reaction.delay_s)
      where user_id = _message.user_id;
    when 'stop_templates' then
      update public.whatsapp_accounts
      set templates_stopped_until = now() + make_interval(secs => _reaction.delay_s), last_error_code = _code,
        last_error = _reaction.message, last_error_at = now()
      where user_id = _message.user_id;
      update public.whatsapp_messages set state = 'cancelled', error = 'stopped', leased_until = null
      where user_id = _message.user_id and state = 'queued' and template is not null and batch_id is null;
      perform private.pause_campaigns(_message.user_id, null, _reaction.message);
    when 'close_window' then
      update public.contact_channels set window_expires_at = least(window_expires_at, now()) where id = _message.channel_id;
    when 'doubt' then
      update public.contact_channels set failures = failures + 1 where id = _message.channel_id;
    when 'suppress' then
      perform private.set_consent(
        _message.user_id, _message.contact_id, 'whatsapp', 'marketing', 'revocato', null, null, 'Scelta su WhatsApp'
      );
    when 'pause_template' then
      update public.whatsapp_templates set state = 'PAUSED'
      where user_id = _message.user_id and name = _message.template ->> 'name' and language = _message.template ->> 'language';
    when 'disable_template', 'reread' then
      -- A template that is not as we know it is not sent until it was read again.
      update public.whatsapp_templates
      set state = case _reaction.reaction when 'reread' then 'CHANGED' else 'DISABLED' end
      where user_id = _message.user_id and name = _message.template ->> 'name' and language = _message.template ->> 'language';
    else null;
  end case;
end
$function$;

CREATE OR REPLACE FUNCTION private.require_campaign_size (
  _contact_ids uuid[]
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if cardinality(_contact_ids) > 5000 then
    raise exception 'more than 5000 contacts' using errcode = 'SW010';
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.save_whatsapp_templates (
  _account_id uuid,
  _told       jsonb,
  _is_all     boolean
)
  RETURNS integer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select user_id from public.whatsapp_accounts where id = _account_id);
  _count integer;
begin
  if _is_all then
    delete from public.whatsapp_templates where user_id = _user_id and (name, language) not in (
      select one ->> 'name', one ->> 'language' from jsonb_array_elements(_told) as one
    );
  end if;
  insert into public.whatsapp_templates as template (
    user_id, template_id, name, language, category, state, quality, reason, body, footer, is_named, places, is_usable
  )
  select distinct on (name, language) _user_id, template_id, name, language, category, state, quality, reason, body, footer,
    is_named, places, is_usable
  from jsonb_to_recordset(_told) as one (
    template_id text, name text, language text, category text, state text, quality text, reason text, body text, footer text,
    is_named boolean, places text[], is_usable boolean
  )
  where _user_id is not null
  on conflict (user_id, name, language) do update
    set template_id = excluded.template_id, category = excluded.category, state = excluded.state, quality = excluded.quality,
      reason = excluded.reason, body = excluded.body, footer = excluded.footer, is_named = excluded.is_named, places = excluded.places,
      is_usable = excluded.is_usable;
  get diagnostics _count = row_count;
  return _count;
end
$function$;

CREATE OR REPLACE FUNCTION private.says_how_to_stop (
  _template public.whatsapp_templates
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select concat_ws(' ', (_template).body, (_template).footer) ~ '\m(STOP|BASTA|CANCELLAMI)\M'
$function$;

CREATE OR REPLACE FUNCTION private.stop_whatsapp (
  _channel public.contact_channels,
  _at      timestamp with time zone
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  update public.contact_channels set stopped_at = greatest(stopped_at, _at), is_done = true where id = _channel.id;
  perform private.set_consent(
    _channel.user_id, _channel.contact_id, 'whatsapp', purpose, 'revocato', null, null, 'Messaggio WhatsApp'
  )
  from unnest(array['marketing', 'servizio']::public.consent_purpose[]) as purpose;
  update public.whatsapp_messages set state = 'cancelled', error = 'stopped', leased_until = null
  where user_id = _channel.user_id and contact_id = _channel.contact_id and batch_id is not null and state = 'queued';
end
$function$;

CREATE OR REPLACE FUNCTION private.template_part (
  _template public.whatsapp_templates,
  _values   jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'name', (_template).name, 'language', (_template).language, 'category', (_template).category,
    'is_named', (_template).is_named,
    'values', (
      select coalesce(jsonb_agg(jsonb_build_array(place, private.one_line(_values ->> place)) order by ordinal), '[]')
      from unnest((_template).places) with ordinality as places (place, ordinal)
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.time_to_cancel (
  _is_typed boolean
)
  RETURNS interval
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case when _is_typed then interval '10 minutes' else '10 seconds' end
$function$;

CREATE OR REPLACE FUNCTION private.unfilled_place (
  _template public.whatsapp_templates,
  _values   jsonb
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select place
  from unnest((_template).places) with ordinality as places (place, ordinal)
  cross join lateral private.one_line(_values ->> place) as value
  where value is null or private.has_open_place(value)
  order by ordinal limit 1
$function$;

CREATE OR REPLACE FUNCTION private.wait_for_room (
  _account public.whatsapp_accounts,
  _message public.whatsapp_messages
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if _message.batch_id is null or not _message.is_outside_window or (_account).people_a_day > (
    select count(distinct channel_id) from public.whatsapp_messages
    where user_id = _message.user_id and is_outside_window and state not in ('queued', 'cancelled', 'failed')
      and coalesce(sent_at, not_before) > now() - interval '24 hours' and channel_id <> _message.channel_id
  ) then
    return false;
  end if;
  update public.whatsapp_messages
  set not_before = private.allowed_mail_time(now() + interval '1 hour'),
    expires_at = private.allowed_mail_time(now() + interval '1 hour') + interval '1 day'
  where user_id = _message.user_id and batch_id is not null and is_outside_window and state = 'queued'
    and not_before <= clock_timestamp() and (leased_until is null or leased_until <= now());
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.weekly_messages (
  _user_id    uuid,
  _contact_id uuid
)
  RETURNS bigint
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select (
    select count(*) from public.interactions
    where user_id = _user_id and contact_id = _contact_id and direction = 'uscita' and kind in ('email', 'whatsapp')
      and at > now() - interval '7 days'
  ) + (
    select count(*) from public.whatsapp_messages
    where user_id = _user_id and contact_id = _contact_id and state in ('queued', 'sending')
  ) + (
    select count(*) from public.outgoing_mails
    where user_id = _user_id and contact_id = _contact_id and state in ('queued', 'sending')
  )
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_channel_at (
  _account public.whatsapp_accounts,
  _phone   public.contact_phones
)
  RETURNS public.contact_channels
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _channel public.contact_channels;
begin
  insert into public.contact_channels (user_id, contact_id, kind, portfolio, external_id, phone_id, last_at)
  values (
    _account.user_id, _phone.contact_id, 'whatsapp', _account.portfolio, ltrim(_phone.norm, '+'), _phone.id, now()
  )
  returning * into _channel;
  return _channel;
end
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_letters (
  _account     public.whatsapp_accounts,
  _contact_ids uuid[],
  _template    public.whatsapp_templates,
  _values      jsonb,
  _with_often  boolean
)
  RETURNS SETOF private.whatsapp_letter
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select contacts.id, contacts.name, chat, phones, coalesce(chat_phone.norm, (phones).norm, '@' || (chat).username),
    not private.is_whatsapp_window_open(chat), letter.filled, written.body,
    case
      when (chat).id is null and (phones).id is null then 'no_number'
      when exists (
        select from public.contact_channels as each
        where each.user_id = contacts.user_id and each.contact_id = contacts.id and private.is_whatsapp_stopped(each, true)
      ) then 'stopped'
      when exists (
        select from public.consents
        where user_id = contacts.user_id and consents.contact_id = contacts.id and consents.channel = 'whatsapp'
          and purpose = case _template.category when 'MARKETING' then 'marketing' else 'servizio' end::public.consent_purpose
          and state in ('negato', 'revocato')
      ) or exists (
        select from public.contact_requests
        where user_id = contacts.user_id and contact_requests.contact_id = contacts.id and kind = 'opposizione'
      ) then 'objected'
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

CREATE OR REPLACE FUNCTION private.whatsapp_number (
  _user_id    uuid,
  _contact_id uuid,
  _portfolio  text
)
  RETURNS public.contact_phones
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select phones from public.contact_phones as phones
  where user_id = _user_id and contact_id = _contact_id and not exists (
    select from public.contact_channels
    where user_id = _user_id and kind = 'whatsapp' and portfolio = _portfolio and external_id = ltrim(norm, '+')
  )
  -- Mobile numbers of Italy first.
  order by starts_with(norm, '+393') desc, is_primary desc, created_at, id limit 1
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_people_left (
  _account public.whatsapp_accounts
)
  RETURNS integer
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select greatest((_account).people_a_day - count(distinct channel_id), 0)::integer
  from public.whatsapp_messages
  where user_id = (_account).user_id and is_outside_window and state <> 'cancelled' and state <> 'failed'
    and coalesce(sent_at, not_before) > now() - interval '24 hours'
    -- What a campaign sends on later days does not count today.
    and (batch_id is null or coalesce(sent_at, not_before) < now() + interval '24 hours')
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_price (
  _phones   text[],
  _outside  text[],
  _category text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with asked as (
    select phone, count(*) as messages, sum(surely) as surely from (
      select unnest(_phones) as phone, 0 as surely union all select unnest(_outside), 1
    ) as each group by phone
  ), priced as (
    select asked.*, rate.currency, rate.amount_micros, messages - surely as all_messages from asked
    left join lateral (
      select rates.* from public.whatsapp_rates as rates
      where rates.category = lower(_category) and rates.valid_from <= (now() at time zone 'Europe/Rome')::date
        and starts_with(ltrim(phone, '+'), rates.market)
      order by char_length(rates.market) desc, rates.valid_from desc limit 1
    ) as rate on true
  )
  select jsonb_build_object(
    'unpriced', coalesce(sum(all_messages) filter (where currency is null), 0),
    'sums', coalesce((
      select jsonb_agg(to_jsonb(sums) order by currency) from (
        select currency, sum(amount_micros * surely) as least_micros, sum(amount_micros * all_messages) as most_micros
        from priced where currency is not null group by currency
      ) as sums
    ), '[]')
  )
  from priced
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
    when not _message.is_automatic and private.is_whatsapp_stopped(channel, _message.template is not null)
      then 'stopped'::public.whatsapp_error
    when _message.template is null and not private.is_whatsapp_window_open(channel) then 'window'
    when _message.template ->> 'category' = 'MARKETING'
      and not private.has_agreed_on_whatsapp(_message.user_id, _message.contact_id, '{marketing}') then 'consent'
  end
  from public.contact_channels as channel
  where channel.user_id = _message.user_id and channel.id = _message.channel_id
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_sender (
  _user_id uuid
)
  RETURNS public.whatsapp_accounts
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _account public.whatsapp_accounts;
begin
  -- Locked, so that people written to at the same time are all counted.
  select * into _account from public.whatsapp_accounts where user_id = _user_id for no key update;
  if not found or _account.state <> 'attivo' then
    raise exception 'no number can send' using errcode = 'SW001', detail = coalesce(_account.state::text, '');
  end if;
  return _account;
end
$function$;

CREATE OR REPLACE FUNCTION public.campaign_progress()
  RETURNS TABLE (
    id           uuid,
    channel      public.consent_channel,
    subject      text,
    recipients   integer,
    excluded     integer,
    created_at   timestamp with time zone,
    cancelled_at timestamp with time zone,
    paused_at    timestamp with time zone,
    pause_reason text,
    waiting      bigint,
    sent         bigint,
    delivered    bigint,
    read         bigint,
    failed       bigint,
    uncertain    bigint,
    next_at      timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select batch.id, batch.channel, batch.subject, batch.recipients, batch.excluded, batch.created_at, batch.cancelled_at,
    batch.paused_at, batch.pause_reason, counts.*
  from public.mail_batches as batch
  cross join lateral (
    select count(*) filter (where state in ('queued', 'sending')),
      count(*) filter (where state in ('sent', 'delivered', 'read')),
      count(*) filter (where state in ('delivered', 'read')), count(*) filter (where state = 'read'),
      -- Whoever stopped all messages meanwhile is one who does not get it.
      count(*) filter (where state = 'failed' or state = 'cancelled' and error is not null),
      count(*) filter (where state = 'uncertain'), min(not_before) filter (where state = 'queued')
    from (
      select state::text, null as error, not_before from public.outgoing_mails
      where user_id = batch.user_id and batch_id = batch.id
      union all
      select state::text, error::text, not_before from public.whatsapp_messages
      where user_id = batch.user_id and batch_id = batch.id
    ) as messages
  ) as counts
  where batch.user_id = (select auth.uid())
  order by batch.created_at desc limit 50
$function$;

REVOKE ALL ON FUNCTION "public"."campaign_progress"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.campaign_recipients (
  _id uuid
)
  RETURNS TABLE (
    contact_id uuid,
    name       text,
    state      text,
    reason     text,
    detail     text,
    at         timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select messages.contact_id, contacts.name, messages.state, messages.reason, messages.detail, messages.at
  from (
    select user_id, outgoing_mails.contact_id, outgoing_mails.state::text, error::text as reason, reply as detail,
      coalesce(sent_at, not_before) as at
    from public.outgoing_mails where user_id = (select auth.uid()) and batch_id = _id
    union all
    select user_id, whatsapp_messages.contact_id, whatsapp_messages.state::text, error::text, error_detail,
      coalesce(read_at, delivered_at, sent_at, not_before)
    from public.whatsapp_messages where user_id = (select auth.uid()) and batch_id = _id
    union all
    select user_id, (one ->> 'contact_id')::uuid, 'excluded', one ->> 'reason', null, created_at
    from public.mail_batches cross join jsonb_array_elements(exclusions) as one
    where user_id = (select auth.uid()) and id = _id
  ) as messages
  join public.contacts on contacts.user_id = messages.user_id and contacts.id = messages.contact_id
  order by contacts.name, contacts.id
  limit 10000
$function$;

REVOKE ALL ON FUNCTION "public"."campaign_recipients"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.cancel_campaign (
  _id uuid
)
  RETURNS public.mail_batches
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _batch public.mail_batches;
begin
  update public.mail_batches set cancelled_at = coalesce(cancelled_at, now())
  where user_id = _user_id and id = _id returning * into _batch;
  if not found then
    raise exception 'no such batch' using errcode = 'PT404';
  end if;
  update public.outgoing_mails set state = 'cancelled', leased_until = null
  where user_id = _user_id and batch_id = _id and state = 'queued';
  update public.whatsapp_messages set state = 'cancelled', leased_until = null
  where user_id = _user_id and batch_id = _id and state = 'queued';
  return _batch;
end
$function$;

CREATE OR REPLACE FUNCTION public.preview_whatsapp_campaign (
  _contact_ids uuid[],
  _template_id uuid,
  _values      jsonb   DEFAULT '{}'::jsonb,
  _with_often  boolean DEFAULT false
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
  _left constant integer := private.whatsapp_people_left(_account);
begin
  perform private.require_campaign_size(_contact_ids);
  return (
    with letters as materialized (
      select * from private.whatsapp_letters(_account, _contact_ids, _template, _values, _with_often)
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

REVOKE ALL ON FUNCTION "public"."preview_whatsapp_campaign"(uuid[], uuid, jsonb, boolean) FROM PUBLIC, "anon", "service_role";

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
  _start := greatest(
    least(coalesce(_not_before, now()), now() + interval '1 year'),
    now() + private.time_to_cancel(_recipients > private.most_unconfirmed_recipients())
  );
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

CREATE OR REPLACE FUNCTION public.queue_whatsapp (
  _key         uuid,
  _channel_id  uuid,
  _body        text    DEFAULT NULL::text,
  _template_id uuid    DEFAULT NULL::uuid,
  _values      jsonb   DEFAULT '{}'::jsonb,
  _refers_to   text    DEFAULT NULL::text,
  _is_at_once  boolean DEFAULT false,
  _document_id uuid    DEFAULT NULL::uuid,
  _invoice_id  uuid    DEFAULT NULL::uuid
)
  RETURNS public.whatsapp_messages
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _account public.whatsapp_accounts;
  _channel public.contact_channels;
  _template public.whatsapp_templates;
  _message public.whatsapp_messages;
  _refusal public.whatsapp_error;
  _is_open boolean;
  _file jsonb;
begin
  select * into _message from public.whatsapp_messages where user_id = _user_id and key = _key;
  if found then
    return _message;
  end if;
  select * into _channel from public.contact_channels where user_id = _user_id and id = _channel_id;
  if not found then
    raise exception 'no such conversation' using errcode = 'PT404';
  end if;
  -- Locked, so that people written to at the same time are all counted.
  select * into _account from public.whatsapp_accounts
  where user_id = _user_id and portfolio = _channel.portfolio for no key update;
  if not found or _account.state <> 'attivo' then
    raise exception 'no number can send' using errcode = 'SW001', detail = coalesce(_account.state::text, '');
  end if;
  _is_open := private.is_whatsapp_window_open(_channel);
  if num_nonnulls(_template_id, _document_id, _invoice_id) > 1 then
    raise exception 'a message has one template or one file' using errcode = '23514';
  elsif _template_id is not null then
    select * into _template from public.whatsapp_templates where user_id = _user_id and id = _template_id;
    if not found then
      raise exception 'no such template' using errcode = 'PT404';
    elsif _template.state <> 'APPROVED' or not _template.is_usable or _account.templates_stopped_until > now() then
      raise exception 'the template cannot be sent' using errcode = 'SW004', detail = _template.state;
    end if;
    _body := private.filled_template(_template, _values);
  elsif num_nonnulls(_document_id, _invoice_id) > 0 then
    _file := private.whatsapp_file(_user_id, _document_id, _invoice_id);
    _body := coalesce(_body, '');
    if char_length(_body) > 1024 then
      raise exception 'the words of a file are 1024 characters at most' using errcode = '23514';
    end if;
  elsif coalesce(btrim(_body) = '', true) or char_length(_body) > 4096 then
    raise exception 'a message has 1 to 4096 characters' using errcode = '23514';
  end if;
  _message := jsonb_populate_record(null::public.whatsapp_messages, jsonb_build_object(
    'user_id', _user_id, 'contact_id', _channel.contact_id, 'channel_id', _channel.id, 'is_automatic', false,
    'template', case when _template.id is not null then private.template_part(_template, _values) end
  ));
  _refusal := private.whatsapp_refusal(_message);
  if _refusal = 'stopped' then
    raise exception 'the contact wants no more messages' using errcode = 'SW003';
  elsif _refusal = 'window' then
    raise exception 'the window is closed' using errcode = 'SW002';
  elsif _refusal = 'consent' then
    raise exception 'the contact has not agreed to marketing by WhatsApp' using errcode = 'SW006';
  end if;
  if not _is_open and private.whatsapp_people_left(_account) = 0 and not exists (
    select from public.whatsapp_messages
    where user_id = _user_id and channel_id = _channel.id and is_outside_window and state not in ('cancelled', 'failed')
      and coalesce(sent_at, not_before) > now() - interval '24 hours'
  ) then
    raise exception 'as many people were written to as Meta allows in a day' using errcode = 'SW005';
  end if;
  return private.add_whatsapp(
    _key, _channel, btrim(_body), _message.template, _refers_to,
    case
      when _is_open or _is_at_once and _template.category = 'UTILITY' then now() else private.allowed_mail_time(now())
    end,
    _file => _file
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.queue_whatsapp_campaign (
  _key         uuid,
  _contact_ids uuid[],
  _template_id uuid,
  _values      jsonb   DEFAULT '{}'::jsonb,
  _with_often  boolean DEFAULT false,
  _typed       integer DEFAULT NULL::integer,
  _over_days   boolean DEFAULT false
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
begin
  -- The lock makes a second click wait for the first.
  _account := private.whatsapp_sender(_user_id);
  select * into _batch from public.mail_batches where user_id = _user_id and key = _key;
  if found then
    return _batch;
  end if;
  perform private.require_campaign_size(_contact_ids);
  _template := private.campaign_template(_account, _template_id);
  _left := private.whatsapp_people_left(_account);
  _letters := array(
    select letters from private.whatsapp_letters(_account, _contact_ids, _template, _values, _with_often) as letters
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
  _start := now() + private.time_to_cancel(_recipients > private.most_unconfirmed_on_whatsapp(_left));
  insert into public.mail_batches (
    user_id, key, channel, subject, body, basis, template_id, recipients, excluded, exclusions
  )
  values (
    _user_id, _key, 'whatsapp', left(_template.name, 200), _template.body,
    case _template.category when 'MARKETING' then 'consenso' else 'contratto' end::public.mail_basis, _template.id,
    _recipients, jsonb_array_length(_excluded), _excluded
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

REVOKE ALL ON FUNCTION "public"."queue_whatsapp_campaign"(uuid, uuid[], uuid, jsonb, boolean, integer, boolean) FROM PUBLIC, "anon", "service_role";

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
  update public.mail_batches set paused_at = null, pause_reason = null where id = _id returning * into _batch;
  update public.whatsapp_messages as waiting
  set template = jsonb_set(template, '{category}', to_jsonb(_template.category)), not_before = due.due_at,
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

REVOKE ALL ON FUNCTION "public"."resume_campaign"(uuid) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "public"."mail_batches"
  ADD CONSTRAINT "a_pause_has_a_reason" CHECK ((((paused_at IS NULL) = (pause_reason IS NULL)) AND ((char_length(pause_reason) >= 1) AND (char_length(pause_reason) <= 500))));

ALTER TABLE "public"."mail_batches"
  ADD CONSTRAINT "exclusions_are_a_list" CHECK (((jsonb_typeof(exclusions) = 'array'::text) AND (char_length((exclusions)::text) <= 2000000)));

ALTER TABLE "public"."mail_batches"
  ADD CONSTRAINT "it_goes_by_mail_or_whatsapp" CHECK ((channel = ANY (ARRAY['email'::public.consent_channel, 'whatsapp'::public.consent_channel])));

ALTER TABLE "public"."mail_batches"
  ADD CONSTRAINT "whatsapp_has_a_template" CHECK (((channel = 'whatsapp'::public.consent_channel) = (template_id IS NOT NULL)));

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "whatsapp_messages_user_id_batch_id_fkey" FOREIGN KEY (user_id, batch_id) REFERENCES public.mail_batches(user_id, id) ON DELETE SET NULL (batch_id);

ALTER TABLE "public"."whatsapp_templates"
  ADD CONSTRAINT "texts_fit"
    CHECK
    (((char_length(template_id) <= 100) AND (char_length(name) <= 512) AND (char_length(language) <= 20) AND (char_length(category) <= 50) AND (char_length(state) <= 50) AND
    (char_length(quality) <= 50) AND (char_length(reason) <= 500) AND (char_length(body) <= 2000) AND (char_length(footer) <= 500)));

CREATE INDEX whatsapp_messages_batch ON public.whatsapp_messages USING btree (user_id, batch_id);

CREATE INDEX whatsapp_messages_day ON public.whatsapp_messages USING btree (user_id, COALESCE(sent_at, not_before))
  WHERE is_outside_window;

CREATE TRIGGER keep_cancelled
  BEFORE UPDATE OF state ON public.whatsapp_messages
  FOR EACH ROW
  WHEN (((new.state = 'queued'::public.whatsapp_state) AND (old.state <> 'queued'::public.whatsapp_state) AND (new.batch_id IS NOT NULL)))
  EXECUTE FUNCTION private.keep_cancelled();

CREATE TRIGGER pause_campaigns_of_changed
  AFTER UPDATE OF state, category ON public.whatsapp_templates
  FOR EACH ROW
  WHEN ((((new.state <> old.state) AND (new.state <> 'APPROVED'::text)) OR (new.category <> old.category)))
  EXECUTE FUNCTION private.pause_campaigns_of_template();

CREATE TRIGGER pause_campaigns_of_deleted
  AFTER DELETE ON public.whatsapp_templates
  FOR EACH ROW
  EXECUTE FUNCTION private.pause_campaigns_of_template();

COMMENT ON COLUMN "public"."mail_batches"."exclusions" IS 'Which ones, and why: [{contact_id, reason}]; no names, which go with their contact.';

COMMENT ON COLUMN "public"."mail_batches"."paused_at" IS 'Since when its waiting messages stay, because its template cannot be sent.';

COMMENT ON COLUMN "public"."mail_batches"."subject" IS 'By WhatsApp the name of the template, whose text is the body.';

COMMENT ON COLUMN "public"."mail_batches"."template_id" IS 'No foreign key: templates go with their number.';

COMMENT ON COLUMN "public"."whatsapp_messages"."batch_id" IS 'The campaign that it belongs to.';

COMMENT ON FUNCTION "private"."add_whatsapp"(uuid, public.contact_channels, text, jsonb, text, timestamp with time zone, boolean, jsonb, uuid) IS 'Adds a message to the outbox; its conversation is done.';

COMMENT ON FUNCTION "private"."campaign_template"(public.whatsapp_accounts, uuid) IS 'A template that may go to several contacts; SW004 or SW009 when it may not.';

COMMENT ON FUNCTION "private"."campaign_time"(timestamp with time zone, bigint, boolean, integer, integer) IS 'When a recipient of a campaign is due, by the place among those outside or inside their window.';

COMMENT ON FUNCTION "private"."contact_values"(public.contacts, text) IS 'What a text to several contacts may say of each: nome, cognome, contatto, azienda.';

COMMENT ON FUNCTION "private"."has_agreed_on_whatsapp"(uuid, uuid, public.consent_purpose[]) IS 'Whether a contact has agreed to one of these purposes by WhatsApp.';

COMMENT ON FUNCTION "private"."is_campaign_paused"(uuid) IS 'Whether the waiting messages of a campaign stay where they are.';

COMMENT ON FUNCTION "private"."keep_cancelled"() IS 'A message of a cancelled campaign is not sent again after it failed.';

COMMENT ON FUNCTION "private"."most_unconfirmed_on_whatsapp"(integer) IS 'More recipients than that by WhatsApp are to be typed: the limit of E-02, or what Meta still allows today if that is less.';

COMMENT ON FUNCTION "private"."most_weekly_messages"() IS 'E-11: so many messages to one contact in seven days are enough, as in functions/_shared/ethics.py.';

COMMENT ON FUNCTION "private"."pause_campaigns"(uuid, uuid, text) IS 'Pauses the campaigns of a template, or all of a person, that are under way, and notifies their person.';

COMMENT ON FUNCTION "private"."pause_campaigns_of_template"() IS 'A template that may not be sent as it was pauses the campaigns that send it.';

COMMENT ON FUNCTION "private"."require_campaign_size"(uuid[]) IS 'Raises SW010 when more contacts were chosen than one transaction can queue in time.';

COMMENT ON FUNCTION "private"."says_how_to_stop"(public.whatsapp_templates) IS 'Whether a template names a word that ends all messages (private.is_stop_word).';

COMMENT ON FUNCTION "private"."stop_whatsapp"(public.contact_channels, timestamp with time zone) IS 'Takes back the consents of a person who wants no more messages, and what campaigns have queued for that person.';

COMMENT ON FUNCTION "private"."template_part"(public.whatsapp_templates, jsonb) IS 'The template of a message with its values, as the outbox keeps it.';

COMMENT ON FUNCTION "private"."time_to_cancel"(boolean) IS 'How long a campaign waits so that it can be taken back; longer when its number was typed.';

COMMENT ON FUNCTION "private"."unfilled_place"(public.whatsapp_templates, jsonb) IS 'The first place of a template that these values do not fill in; null when they do.';

COMMENT ON FUNCTION "private"."wait_for_room"(public.whatsapp_accounts, public.whatsapp_messages) IS 'Lets the due messages of campaigns wait when as many people were written to in a day as Meta allows; answers whether they do.';

COMMENT ON FUNCTION "private"."weekly_messages"(uuid, uuid) IS 'The messages that a contact got in seven days, and those that wait.';

COMMENT ON FUNCTION "private"."whatsapp_channel_at"(public.whatsapp_accounts, public.contact_phones) IS 'Opens a conversation by the telephone number of a contact; its BSUID comes with the first answer.';

COMMENT ON FUNCTION "private"."whatsapp_letters"(public.whatsapp_accounts, uuid[], public.whatsapp_templates, jsonb, boolean) IS 'What each contact would get by WhatsApp, or why it is left out: no_number, stopped, objected, consent, never_wrote, unreachable, unfilled, too_long, often.';

COMMENT ON FUNCTION "private"."whatsapp_number"(uuid, uuid, text) IS 'The number at which a contact without a conversation is written to.';

COMMENT ON FUNCTION "private"."whatsapp_price"(text[], text[], text) IS 'What messages to these numbers cost at the rates of today: least for those that Meta surely charges, most for all.';

COMMENT ON FUNCTION "private"."whatsapp_sender"(uuid) IS 'Locks the number of a person that can send; SW001 without one.';

COMMENT ON FUNCTION "public"."campaign_progress"() IS 'The latest campaigns of the caller, and how far they are.';

COMMENT ON FUNCTION "public"."campaign_recipients"(uuid) IS 'What became of each contact of a campaign of the caller: the state of its message, or excluded, with the reason.';

COMMENT ON FUNCTION "public"."cancel_campaign"(uuid) IS 'Cancels the messages of a campaign of the caller that have not left yet.';

COMMENT ON FUNCTION "public"."preview_whatsapp_campaign"(uuid[], uuid, jsonb, boolean) IS 'Tells how many contacts would get a template, what the first three would see, which are left out and why, how many people Meta still allows today, what it costs, and whether the number is to be typed.';

COMMENT ON FUNCTION "public"."queue_whatsapp_campaign"(uuid, uuid[], uuid, jsonb, boolean, integer, boolean) IS 'Queues a template of the caller to each of these contacts that may be written to; the same key again returns the first batch. More people than Meta allows in a day follow on the next days, if that was agreed to.';

COMMENT ON FUNCTION "public"."resume_campaign"(uuid) IS 'Lets a paused campaign of the caller go on, if its template may be sent again; what Meta says of it now counts.';

COMMENT ON TABLE "public"."mail_batches" IS 'One text sent to several contacts, by mail or WhatsApp; written by queue_campaign() and queue_whatsapp_campaign() only.';

REVOKE ALL ON FUNCTION "private"."add_whatsapp"(uuid, public.contact_channels, text, jsonb, text, timestamp WITH time zone, boolean, jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."campaign_template"(public.whatsapp_accounts, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."campaign_time"(timestamp WITH time zone, bigint, boolean, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."contact_values"(public.contacts, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_agreed_on_whatsapp"(uuid, uuid, public.consent_purpose[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_campaign_paused"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_cancelled"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."most_unconfirmed_on_whatsapp"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."most_weekly_messages"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pause_campaigns"(uuid, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pause_campaigns_of_template"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_campaign_size"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."says_how_to_stop"(public.whatsapp_templates) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."template_part"(public.whatsapp_templates, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."time_to_cancel"(boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."unfilled_place"(public.whatsapp_templates, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wait_for_room"(public.whatsapp_accounts, public.whatsapp_messages) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."weekly_messages"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_channel_at"(public.whatsapp_accounts, public.contact_phones) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_letters"(public.whatsapp_accounts, uuid[], public.whatsapp_templates, jsonb, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_number"(uuid, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_price"(text[], text[], text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_sender"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."campaign_progress"() TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."campaign_recipients"(uuid) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."preview_whatsapp_campaign"(uuid[], uuid, jsonb, boolean) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."queue_whatsapp_campaign"(uuid, uuid[], uuid, jsonb, boolean, integer, boolean) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."resume_campaign"(uuid) TO "authenticated";

reset check_function_bodies;
