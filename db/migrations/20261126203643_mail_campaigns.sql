-- Mail campaigns.
--   DROP FUNCTION private.mail_refusal
--   DROP FUNCTION private.require_mail_allowed
--   DROP FUNCTION public.queue_mail
--   DROP FUNCTION public.record_consent
--   CREATE TABLE public.mail_batches ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, key uui…
--   ALTER TABLE public.mail_batches ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.mail_batches FROM anon
--   ALTER TABLE public.outgoing_mails ADD COLUMN batch_id uuid
--   ALTER TABLE public.outgoing_mails ADD COLUMN sale_id uuid
--   ALTER TABLE public.outgoing_mails ADD COLUMN is_at_once boolean NOT NULL DEFAULT false
--   ALTER TABLE public.mail_batches ADD COLUMN basis public.mail_basis NOT NULL
--   ALTER TABLE public.mail_batches ADD COLUMN recipients integer NOT NULL
--   ALTER TABLE public.mail_batches ADD COLUMN excluded integer NOT NULL
--   ALTER TABLE public.mail_batches ADD COLUMN cancelled_at timestamp WITH time zone
--   ALTER TABLE public.mail_batches ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE OR REPLACE FUNCTION private.allowed_mail_time
--   CREATE OR REPLACE FUNCTION private.begin_mail_content
--   CREATE OR REPLACE FUNCTION private.campaign_letters
--   CREATE OR REPLACE FUNCTION private.claim_mail
--   CREATE OR REPLACE FUNCTION private.easter
--   CREATE OR REPLACE FUNCTION private.fill_in
--   CREATE OR REPLACE FUNCTION private.has_open_place
--   CREATE OR REPLACE FUNCTION private.is_holiday
--   CREATE OR REPLACE FUNCTION private.is_sale_to
--   CREATE OR REPLACE FUNCTION private.lock_mail_account
--   CREATE OR REPLACE FUNCTION private.mail_refusal
--   CREATE OR REPLACE FUNCTION private.mail_time
--   CREATE OR REPLACE FUNCTION private.mails_a_minute
--   CREATE OR REPLACE FUNCTION private.mails_left
--   CREATE OR REPLACE FUNCTION private.most_unconfirmed_recipients
--   CREATE OR REPLACE FUNCTION private.new_message_id
--   CREATE OR REPLACE FUNCTION private.note_mail_report
--   CREATE OR REPLACE FUNCTION private.require_mail_allowed
--   CREATE OR REPLACE FUNCTION private.set_consent
--   CREATE OR REPLACE FUNCTION private.settle_mail
--   CREATE OR REPLACE FUNCTION private.signed_body
--   CREATE OR REPLACE FUNCTION private.suppress_mail
--   CREATE OR REPLACE FUNCTION public.campaign_progress
--   REVOKE ALL ON FUNCTION public.campaign_progress
--   CREATE OR REPLACE FUNCTION public.cancel_campaign
--   REVOKE ALL ON FUNCTION public.cancel_campaign
--   CREATE OR REPLACE FUNCTION public.decide_mail
--   CREATE OR REPLACE FUNCTION public.next_mail_time
--   REVOKE ALL ON FUNCTION public.next_mail_time
--   CREATE OR REPLACE FUNCTION public.preview_campaign
--   REVOKE ALL ON FUNCTION public.preview_campaign
--   CREATE OR REPLACE FUNCTION public.queue_campaign
--   REVOKE ALL ON FUNCTION public.queue_campaign
--   CREATE OR REPLACE FUNCTION public.queue_mail
--   REVOKE ALL ON FUNCTION public.queue_mail
--   CREATE OR REPLACE FUNCTION public.record_consent
--   REVOKE ALL ON FUNCTION public.record_consent
--   ALTER TABLE public.mail_batches ADD CONSTRAINT counts_fit CHECK (((recipients >= 1) AND (excluded >= 0)))
--   ALTER TABLE public.mail_batches ADD CONSTRAINT mail_batches_user_id_fkey FOREIGN KEY (user_id) REFERENCES aut…
--   ALTER TABLE public.outgoing_mails ADD CONSTRAINT a_soft_spam_has_its_sale CHECK (((basis = 'soft_spam'::publi…
--   ALTER TABLE public.outgoing_mails ADD CONSTRAINT outgoing_mails_user_id_batch_id_fkey FOREIGN KEY (user_id, b…
--   CREATE INDEX mail_batches_latest ON public.mail_batches USING btree (user_id, created_at DESC)
--   CREATE INDEX outgoing_mails_batch ON public.outgoing_mails USING btree (user_id, batch_id)
--   CREATE INDEX outgoing_mails_message ON public.outgoing_mails USING btree (user_id, message_id)
--   CREATE INDEX outgoing_mails_next ON public.outgoing_mails USING btree (user_id, not_before, id) WHERE (state …
--   CREATE INDEX outgoing_mails_sent ON public.outgoing_mails USING btree (user_id, sent_at DESC) WHERE (state = …
--   CREATE POLICY owners read their batches ON public.mail_batches FOR SELECT TO authenticated USING ((user_id = …
--   COMMENT ON COLUMN public.mail_batches.excluded IS 'How many of the chosen contacts may not be written to.'
--   COMMENT ON COLUMN public.outgoing_mails.is_at_once IS 'Its writer wants it sent in the rest of the recipient …
--   COMMENT ON COLUMN public.outgoing_mails.sale_id IS 'The invoice that a soft_spam rests on. No foreign key, as…
--   COMMENT ON FUNCTION private.allowed_mail_time
--   COMMENT ON FUNCTION private.campaign_letters
--   COMMENT ON FUNCTION private.easter
--   COMMENT ON FUNCTION private.fill_in
--   COMMENT ON FUNCTION private.has_open_place
--   COMMENT ON FUNCTION private.is_holiday
--   COMMENT ON FUNCTION private.is_sale_to
--   COMMENT ON FUNCTION private.lock_mail_account
--   COMMENT ON FUNCTION private.mail_refusal
--   COMMENT ON FUNCTION private.mail_time
--   COMMENT ON FUNCTION private.mails_a_minute
--   COMMENT ON FUNCTION private.mails_left
--   COMMENT ON FUNCTION private.most_unconfirmed_recipients
--   COMMENT ON FUNCTION private.new_message_id
--   COMMENT ON FUNCTION private.note_mail_report
--   COMMENT ON FUNCTION private.require_mail_allowed
--   COMMENT ON FUNCTION private.set_consent
--   COMMENT ON FUNCTION private.signed_body
--   COMMENT ON FUNCTION private.suppress_mail
--   COMMENT ON FUNCTION public.campaign_progress
--   COMMENT ON FUNCTION public.cancel_campaign
--   COMMENT ON FUNCTION public.next_mail_time
--   COMMENT ON FUNCTION public.preview_campaign
--   COMMENT ON FUNCTION public.queue_campaign
--   COMMENT ON FUNCTION public.queue_mail
--   COMMENT ON FUNCTION public.record_consent
--   COMMENT ON TABLE public.mail_batches IS 'One text sent to several contacts; written by queue_campaign() only.'
--   REVOKE ALL ON FUNCTION private.allowed_mail_time
--   REVOKE ALL ON FUNCTION private.campaign_letters
--   REVOKE ALL ON FUNCTION private.easter
--   REVOKE ALL ON FUNCTION private.fill_in
--   REVOKE ALL ON FUNCTION private.has_open_place
--   REVOKE ALL ON FUNCTION private.is_holiday
--   REVOKE ALL ON FUNCTION private.is_sale_to
--   REVOKE ALL ON FUNCTION private.lock_mail_account
--   REVOKE ALL ON FUNCTION private.mail_refusal
--   REVOKE ALL ON FUNCTION private.mail_time
--   REVOKE ALL ON FUNCTION private.mails_a_minute
--   REVOKE ALL ON FUNCTION private.mails_left
--   REVOKE ALL ON FUNCTION private.most_unconfirmed_recipients
--   REVOKE ALL ON FUNCTION private.new_message_id
--   REVOKE ALL ON FUNCTION private.note_mail_report
--   GRANT EXECUTE ON FUNCTION private.note_mail_report
--   REVOKE ALL ON FUNCTION private.require_mail_allowed
--   REVOKE ALL ON FUNCTION private.set_consent
--   REVOKE ALL ON FUNCTION private.signed_body
--   REVOKE ALL ON FUNCTION private.suppress_mail
--   GRANT EXECUTE ON FUNCTION private.suppress_mail
--   GRANT EXECUTE ON FUNCTION public.campaign_progress
--   GRANT EXECUTE ON FUNCTION public.cancel_campaign
--   GRANT EXECUTE ON FUNCTION public.next_mail_time
--   GRANT EXECUTE ON FUNCTION public.preview_campaign
--   GRANT EXECUTE ON FUNCTION public.queue_campaign
--   GRANT EXECUTE ON FUNCTION public.queue_mail
--   GRANT EXECUTE ON FUNCTION public.record_consent
--   REVOKE ALL ON TABLE public.mail_batches FROM authenticated
--   GRANT SELECT ON TABLE public.mail_batches TO authenticated
--   REVOKE ALL ON TABLE public.mail_batches FROM service_role
--   GRANT SELECT ON TABLE public.mail_batches TO service_role

set check_function_bodies = off;

DROP FUNCTION "private"."mail_refusal"(uuid, uuid, text, public.mail_basis);

DROP FUNCTION "private"."require_mail_allowed"(uuid, uuid, text, public.mail_basis);

DROP FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp WITH time zone);

DROP FUNCTION "public"."record_consent"(uuid, public.consent_channel, public.consent_purpose, public.consent_state, text, text, text);

CREATE TABLE "public"."mail_batches" (
  "id"      uuid               NOT NULL DEFAULT gen_random_uuid(),
  "user_id" uuid               NOT NULL,
  "key"     uuid               NOT NULL,
  "subject" public.single_line NOT NULL,
  "body"    text               NOT NULL,
  CONSTRAINT "body_fits" CHECK (((body ~ '[^[:space:]]'::text) AND (char_length(body) <= 20000))),
  CONSTRAINT "mail_batches_pkey" PRIMARY KEY (id),
  CONSTRAINT "mail_batches_user_id_id_key" UNIQUE (user_id, id),
  CONSTRAINT "mail_batches_user_id_key_key" UNIQUE (user_id, key)
);

ALTER TABLE "public"."mail_batches"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."mail_batches" FROM "anon";

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "batch_id" uuid;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "sale_id" uuid;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "is_at_once" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."mail_batches"
  ADD COLUMN "basis" public.mail_basis NOT NULL;

ALTER TABLE "public"."mail_batches"
  ADD COLUMN "recipients" integer NOT NULL;

ALTER TABLE "public"."mail_batches"
  ADD COLUMN "excluded" integer NOT NULL;

ALTER TABLE "public"."mail_batches"
  ADD COLUMN "cancelled_at" timestamp WITH time zone;

ALTER TABLE "public"."mail_batches"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE OR REPLACE FUNCTION private.allowed_mail_time (
  _at timestamp with time zone
)
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when local::time >= '08:00' and local::time < '21:00' and not private.is_holiday(local::date) then _at
    else (
      select (morning at time zone 'Europe/Rome')
      from generate_series(local::date + time '08:00', local::date + 7 + time '08:00', interval '1 day') as morning
      where morning > local and not private.is_holiday(morning::date)
      order by morning limit 1
    )
  end
  from (select _at at time zone 'Europe/Rome' as local) as clock
$function$;

CREATE OR REPLACE FUNCTION private.begin_mail_content (
  _id      uuid,
  _attempt integer
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.outgoing_mails;
  _refusal public.mail_error;
begin
  select * into _mail from public.outgoing_mails
  where id = _id and attempts = _attempt and state = 'queued' for update;
  if not found then
    return false;
  end if;
  -- An objection that came after the mail was queued counts.
  _refusal := private.mail_refusal(_mail.user_id, _mail.contact_id, _mail.recipient, _mail.basis, _mail.sale_id);
  update public.outgoing_mails
  set state = case when _refusal is null then 'sending'::public.mail_state else 'failed' end, error = _refusal,
    leased_until = case when _refusal is null then now() + interval '10 minutes' end
  where id = _id;
  return _refusal is null;
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
    from (
      select jsonb_build_object(
        'nome', contacts.first_name, 'cognome', contacts.last_name, 'contatto', contacts.name,
        'azienda', case contacts.type when 'azienda' then contacts.name else company.name end
      ) as places
    ) as known
  ) as letter
  order by contacts.name, contacts.id
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
  if (
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

CREATE OR REPLACE FUNCTION private.easter (
  _year integer
)
  RETURNS date
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- The Gregorian reckoning that Butcher's Ecclesiastical Calendar (1876) prints, as in web/src/lib/holidays.ts.
  select make_date(_year, place / 31, place % 31 + 1)
  from (
    select moon + sunday - 7 * ((golden + 11 * moon + 22 * sunday) / 451) + 114 as place
    from (
      select golden, moon, (32 + 2 * (century % 4) + 2 * (_year % 100 / 4) - moon - _year % 100 % 4) % 7 as sunday
      from (
        select golden, century,
          (19 * golden + century - century / 4 - (century - (century + 8) / 25 + 1) / 3 + 15) % 30 as moon
        from (select _year % 19 as golden, _year / 100 as century) as parts
      ) as moons
    ) as sundays
  ) as places
$function$;

CREATE OR REPLACE FUNCTION private.fill_in (
  _text   text,
  _values jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  _place record;
begin
  for _place in select key, value from jsonb_each_text(_values) where value is not null
  loop
    _text := regexp_replace(
      _text, '\{\{\s*' || _place.key || '\s*\}\}', replace(_place.value, '\', '\\'), 'gi'
    );
  end loop;
  return _text;
end
$function$;

CREATE OR REPLACE FUNCTION private.has_open_place (
  _text text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select _text ~ '\{\{|\}\}|\[[^\[\]]*…[^\[\]]*\]'
$function$;

CREATE OR REPLACE FUNCTION private.is_holiday (
  _day date
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select extract(isodow from _day) = 7
    or extract(month from _day) * 100 + extract(day from _day)
      in (101, 106, 425, 501, 602, 815, 1101, 1208, 1225, 1226)
    -- Saint Francis (law 151/2025).
    or _day >= '2026-01-01' and extract(month from _day) * 100 + extract(day from _day) = 1004
    or _day = private.easter(extract(year from _day)::integer) + 1
$function$;

CREATE OR REPLACE FUNCTION private.is_sale_to (
  _user_id    uuid,
  _contact_id uuid,
  _invoice_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (
    select from public.invoices join public.documents on documents.user_id = _user_id and documents.id = document_id
    where invoices.user_id = _user_id and invoices.id = _invoice_id and invoices.contact_id = _contact_id
      and direction = 'attiva' and invoices.kind = 'fattura' and deleted_at is null
  )
$function$;

CREATE OR REPLACE FUNCTION private.lock_mail_account (
  _user_id uuid
)
  RETURNS public.mail_accounts
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _account public.mail_accounts;
begin
  -- Locked, so that mails queued at the same time are all counted.
  select * into _account from public.mail_accounts where user_id = _user_id for no key update;
  if not found then
    raise exception 'no mail account is connected' using errcode = 'SM001';
  end if;
  return _account;
end
$function$;

CREATE OR REPLACE FUNCTION private.mail_refusal (
  _user_id    uuid,
  _contact_id uuid,
  _recipient  text,
  _basis      public.mail_basis,
  _sale_id    uuid
)
  RETURNS public.mail_error
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    when exists (
      select from public.mail_suppressions where user_id = _user_id and address = lower(_recipient)
    ) then 'suppressed'::public.mail_error
    when _basis = 'consenso' and not exists (
      select from public.consents
      where user_id = _user_id and contact_id = _contact_id and channel = 'email' and purpose = 'marketing'
        and state = 'dato'
    ) then 'consent'
    when _basis = 'soft_spam' and (not private.is_sale_to(_user_id, _contact_id, _sale_id) or exists (
      select from public.consents
      where user_id = _user_id and contact_id = _contact_id and channel = 'email' and purpose = 'marketing'
        and state in ('negato', 'revocato')
    )) then 'consent'
  end
$function$;

CREATE OR REPLACE FUNCTION private.mail_time (
  _at         timestamp with time zone,
  _is_at_once boolean,
  _basis      public.mail_basis
)
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case when _is_at_once and _basis = 'contratto' then _at else private.allowed_mail_time(_at) end
$function$;

CREATE OR REPLACE FUNCTION private.mails_a_minute()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select 20
$function$;

CREATE OR REPLACE FUNCTION private.mails_left (
  _account public.mail_accounts
)
  RETURNS integer
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select greatest(_account.daily_cap - count(*), 0)::integer from public.outgoing_mails
  where user_id = _account.user_id and created_at > now() - interval '1 day' and state <> 'cancelled'
$function$;

CREATE OR REPLACE FUNCTION private.most_unconfirmed_recipients()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select 100
$function$;

CREATE OR REPLACE FUNCTION private.new_message_id (
  _account public.mail_accounts
)
  RETURNS text
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select format('<%s@%s>', gen_random_uuid(), lower(split_part((_account).from_address, '@', 2)))
$function$;

CREATE OR REPLACE FUNCTION private.note_mail_report (
  _user_id      uuid,
  _message_id   text,
  _is_complaint boolean,
  _status       text,
  _diagnostic   text
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.outgoing_mails;
begin
  -- Our Message-IDs cannot be guessed, so that a made-up report suppresses nobody.
  select * into _mail from public.outgoing_mails where user_id = _user_id and message_id = _message_id for update;
  if not found then
    return false;
  end if;
  if _is_complaint then
    perform private.suppress_mail(_user_id, _mail.recipient, 'reclamo');
    return true;
  end if;
  update public.outgoing_mails
  set state = 'failed', sent_at = null, error = 'bounced', leased_until = null,
    reply = left(private.one_line(concat_ws(' ', _status, _diagnostic)), 300)
  where id = _mail.id and state in ('sent', 'sending', 'uncertain');
  -- No such mailbox, and a mailbox that is closed (RFC 3463, RFC 7505). What is full, too large or about us may pass.
  if _status in ('5.1.1', '5.1.10', '5.2.1') then
    perform private.suppress_mail(_user_id, _mail.recipient, 'rimbalzo');
  end if;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.require_mail_allowed (
  _user_id    uuid,
  _contact_id uuid,
  _recipient  text,
  _basis      public.mail_basis,
  _sale_id    uuid
)
  RETURNS public.mail_accounts
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _account public.mail_accounts;
  _refusal public.mail_error;
begin
  _account := private.lock_mail_account(_user_id);
  if not exists (
    select from public.contact_emails
    where user_id = _user_id and contact_id = _contact_id and norm = lower(_recipient)
  ) then
    raise exception 'the contact has no such address' using errcode = 'SM002';
  end if;
  if _basis = 'soft_spam' and not private.is_sale_to(_user_id, _contact_id, _sale_id) then
    raise exception 'no invoice was issued to the contact' using errcode = 'SM009';
  end if;
  _refusal := private.mail_refusal(_user_id, _contact_id, _recipient, _basis, _sale_id);
  if _refusal = 'suppressed' then
    raise exception 'the address is on the suppression list' using errcode = 'SM003';
  elsif _refusal = 'consent' then
    raise exception 'the contact has not agreed to marketing by mail' using errcode = 'SM004';
  end if;
  if private.mails_left(_account) = 0 then
    raise exception 'the daily cap of the account is reached' using errcode = 'SM005';
  end if;
  return _account;
end
$function$;

CREATE OR REPLACE FUNCTION private.set_consent (
  _user_id     uuid,
  _contact_id  uuid,
  _channel     public.consent_channel,
  _purpose     public.consent_purpose,
  _state       public.consent_state,
  _legal_basis text,
  _wording     text,
  _source      text
)
  RETURNS public.consents
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _consent public.consents;
begin
  -- What was answered to a contact that was merged counts for the one that is left: no refusal is lost.
  _contact_id := private.living_contact(_user_id, _contact_id);
  if _contact_id is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  perform from public.contacts where user_id = _user_id and id = _contact_id for no key update;
  select * into _consent from public.consents
  where contact_id = _contact_id and channel = _channel and purpose = _purpose;
  -- The same again, as by a second click, proves nothing new.
  if (_consent.state, _consent.legal_basis::text, _consent.wording, _consent.source::text)
    is not distinct from (_state, _legal_basis, _wording, _source)
  then
    return _consent;
  end if;
  insert into public.consents (user_id, contact_id, channel, purpose, state, legal_basis, wording, source)
  values (_user_id, _contact_id, _channel, _purpose, _state, _legal_basis, _wording, _source)
  on conflict (contact_id, channel, purpose) do update
    set state = excluded.state, legal_basis = excluded.legal_basis, wording = excluded.wording,
      source = excluded.source, at = excluded.at
  returning * into _consent;
  insert into public.consent_events (user_id, contact_id, channel, purpose, state, legal_basis, wording, source, at)
  values (_user_id, _contact_id, _channel, _purpose, _state, _legal_basis, _wording, _source, _consent.at);
  return _consent;
end
$function$;

CREATE OR REPLACE FUNCTION private.settle_mail (
  _id      uuid,
  _attempt integer,
  _state   public.mail_state,
  _error   public.mail_error DEFAULT NULL::public.mail_error,
  _reply   text              DEFAULT NULL::text,
  _delay_s integer           DEFAULT 0
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _mail public.outgoing_mails;
  _again timestamptz := now() + make_interval(secs => _delay_s);
begin
  update public.outgoing_mails
  set state = case when _state = 'queued' and now() > expires_at then 'failed' else _state end,
    error = case when _state = 'queued' and now() > expires_at then 'expired' else _error end,
    reply = left(private.one_line(_reply), 300), leased_until = null, sent_at = case when _state = 'sent' then now() end,
    not_before = case when _state = 'queued' then private.mail_time(_again, is_at_once, basis) else not_before end,
    -- The rest of the recipient is no time in which it could not be sent.
    expires_at = case when _state = 'queued' then expires_at + (private.mail_time(_again, is_at_once, basis) - _again)
      else expires_at end
  -- An answer that came after the lease still tells what is true.
  where id = _id and attempts = _attempt and state in ('queued', 'sending', 'uncertain')
  returning * into _mail;
  if found and _state = 'sent' then
    perform private.record_sent_mail(_mail);
    -- Not at each of many mails.
    if exists (
      select from public.mail_accounts where user_id = _mail.user_id
        and (last_error is not null or last_success_at is null or last_success_at < now() - interval '10 seconds')
    ) then
      perform private.note_mail_account(_mail.user_id, null, null);
    end if;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.signed_body (
  _body    text,
  _account public.mail_accounts
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- RFC 3676 4.3: mail programs know a signature by this line.
  select concat(btrim(_body, E' \n\r\t'), E'\n\n-- \n' || (_account).signature)
$function$;

CREATE OR REPLACE FUNCTION private.suppress_mail (
  _user_id uuid,
  _address text,
  _reason  public.mail_suppression_reason
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _contact_id uuid;
begin
  insert into public.mail_suppressions (user_id, address, reason)
  select id, lower(_address), _reason from auth.users where id = _user_id
  on conflict (user_id, address) do nothing;
  -- Who objects takes back the consent as well; an address that does not exist says nothing about its owner.
  if _reason in ('disiscritto', 'reclamo') then
    select private.living_contact(_user_id, contact_id) into _contact_id
    from public.contact_emails where user_id = _user_id and norm = lower(_address);
    if _contact_id is not null then
      perform private.set_consent(
        _user_id, _contact_id, 'email', 'marketing', 'revocato', null, null,
        case _reason when 'reclamo' then 'Segnalazione come spam' else 'Link di disiscrizione' end
      );
    end if;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION public.campaign_progress()
  RETURNS TABLE (
    id           uuid,
    subject      text,
    recipients   integer,
    excluded     integer,
    created_at   timestamp with time zone,
    cancelled_at timestamp with time zone,
    waiting      bigint,
    sent         bigint,
    failed       bigint,
    uncertain    bigint,
    next_at      timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select batch.id, batch.subject, batch.recipients, batch.excluded, batch.created_at, batch.cancelled_at, counts.*
  from public.mail_batches as batch
  cross join lateral (
    select count(*) filter (where state in ('queued', 'sending')), count(*) filter (where state = 'sent'),
      count(*) filter (where state = 'failed'), count(*) filter (where state = 'uncertain'),
      min(not_before) filter (where state = 'queued')
    from public.outgoing_mails where user_id = batch.user_id and batch_id = batch.id
  ) as counts
  where batch.user_id = (select auth.uid())
  order by batch.created_at desc limit 50
$function$;

REVOKE ALL ON FUNCTION "public"."campaign_progress"() FROM PUBLIC, "anon", "service_role";

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
  return _batch;
end
$function$;

REVOKE ALL ON FUNCTION "public"."cancel_campaign"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.decide_mail (
  _id          uuid,
  _has_arrived boolean
)
  RETURNS public.outgoing_mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _mail public.outgoing_mails;
begin
  select * into _mail from public.outgoing_mails where user_id = _user_id and id = _id for update;
  if not found then
    raise exception 'no such mail' using errcode = 'PT404';
  elsif _mail.state <> 'uncertain' and (_has_arrived or _mail.state <> 'failed') then
    raise exception 'nothing is to be decided' using errcode = 'SM008', detail = _mail.state::text;
  end if;
  if _has_arrived then
    update public.outgoing_mails set state = 'sent', sent_at = now(), error = null where id = _id returning * into _mail;
    perform private.record_sent_mail(_mail);
  else
    perform private.require_attachments(_user_id, _mail.invoice_id, _mail.document_ids);
    perform private.require_mail_allowed(
      _user_id, _mail.contact_id, _mail.recipient, _mail.basis, _mail.sale_id
    );
    -- With the same Message-ID: a server that has it already may drop the second.
    update public.outgoing_mails
    set state = 'queued', error = null, reply = null,
      not_before = private.mail_time(now() + interval '10 seconds', is_at_once, basis),
      expires_at = private.mail_time(now(), is_at_once, basis) + interval '1 day'
    where id = _id returning * into _mail;
  end if;
  return _mail;
end
$function$;

CREATE OR REPLACE FUNCTION public.next_mail_time (
  _at timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.allowed_mail_time(greatest(_at, now()))
$function$;

REVOKE ALL ON FUNCTION "public"."next_mail_time"(timestamp WITH time zone) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.preview_campaign (
  _contact_ids uuid[],
  _subject     text,
  _body        text,
  _basis       public.mail_basis
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with letters as materialized (
    select * from private.campaign_letters((select auth.uid()), _contact_ids, _subject, _body, _basis)
  )
  select jsonb_build_object(
    'letters', coalesce(
      jsonb_agg(to_jsonb(letters) - array['sale_id', 'refusal']) filter (where refusal is null), '[]'
    ),
    'excluded', coalesce(
      jsonb_agg(jsonb_build_object('contact_id', contact_id, 'name', name, 'reason', refusal))
        filter (where refusal is not null), '[]'
    ),
    'left', coalesce((
      select private.mails_left(mail_accounts) from public.mail_accounts where user_id = (select auth.uid())
    ), 0),
    'is_to_be_typed', count(*) filter (where refusal is null) > private.most_unconfirmed_recipients()
  )
  from letters
$function$;

REVOKE ALL ON FUNCTION "public"."preview_campaign"(uuid[], text, text, public.mail_basis) FROM PUBLIC, "anon", "service_role";

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
  _excluded integer;
  _start timestamptz;
begin
  select * into _batch from public.mail_batches where user_id = _user_id and key = _key;
  if found then
    return _batch;
  end if;
  select count(*) filter (where refusal is null), count(refusal) into _recipients, _excluded
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
    -- Time to take it all back.
    now() + case when _recipients > private.most_unconfirmed_recipients() then interval '10 minutes' else '10 seconds' end
  );
  insert into public.mail_batches (user_id, key, subject, body, basis, recipients, excluded)
  values (_user_id, _key, _subject, _body, _basis, _recipients, _excluded) returning * into _batch;
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

REVOKE ALL ON FUNCTION "public"."queue_campaign"(uuid, uuid[], text, text, public.mail_basis, integer, timestamp WITH time zone) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.queue_mail (
  _key          uuid,
  _contact_id   uuid,
  _recipient    text,
  _subject      text,
  _body         text,
  _basis        public.mail_basis        DEFAULT 'contratto'::public.mail_basis,
  _invoice_id   uuid                     DEFAULT NULL::uuid,
  _document_ids uuid[]                   DEFAULT '{}'::uuid[],
  _not_before   timestamp with time zone DEFAULT NULL::timestamp WITH time zone,
  _is_at_once   boolean                  DEFAULT false,
  _sale_id      uuid                     DEFAULT NULL::uuid
)
  RETURNS public.outgoing_mails
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _account public.mail_accounts;
  _mail public.outgoing_mails;
  _due timestamptz := private.mail_time(
    -- Ten seconds for «Annulla».
    greatest(least(coalesce(_not_before, now()), now() + interval '1 year'), now() + interval '10 seconds'),
    _is_at_once, _basis
  );
begin
  _contact_id := private.living_contact(_user_id, _contact_id);
  if _contact_id is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  select * into _mail from public.outgoing_mails where user_id = _user_id and key = _key;
  if found then
    return _mail;
  end if;
  if private.has_open_place(_subject || _body) then
    raise exception 'a place of the text was not filled in' using errcode = 'SM006';
  end if;
  perform private.require_attachments(_user_id, _invoice_id, _document_ids);
  _account := private.require_mail_allowed(_user_id, _contact_id, _recipient, _basis, _sale_id);
  insert into public.outgoing_mails (
    user_id, contact_id, key, recipient, subject, body, basis, sale_id, invoice_id, document_ids, message_id, is_at_once,
    not_before, expires_at
  )
  values (
    _user_id, _contact_id, _key, _recipient, _subject, private.signed_body(_body, _account), _basis,
    case when _basis = 'soft_spam' then _sale_id end, _invoice_id, _document_ids, private.new_message_id(_account),
    _is_at_once, _due, _due + interval '1 day'
  )
  on conflict (user_id, key) do update set key = excluded.key
  returning * into _mail;
  return _mail;
end
$function$;

REVOKE ALL
  ON FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp WITH time zone, boolean, uuid)
  FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.record_consent (
  _contact_id  uuid,
  _channel     public.consent_channel,
  _purpose     public.consent_purpose,
  _state       public.consent_state,
  _legal_basis text                   DEFAULT NULL::text,
  _wording     text                   DEFAULT NULL::text,
  _source      text                   DEFAULT NULL::text
)
  RETURNS public.consents
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.set_consent(
    (select auth.uid()), _contact_id, _channel, _purpose, _state, _legal_basis, _wording, _source
  )
$function$;

REVOKE ALL ON FUNCTION "public"."record_consent"(uuid, public.consent_channel, public.consent_purpose, public.consent_state, text, text, text) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "public"."mail_batches"
  ADD CONSTRAINT "counts_fit" CHECK (((recipients >= 1) AND (excluded >= 0)));

ALTER TABLE "public"."mail_batches"
  ADD CONSTRAINT "mail_batches_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."outgoing_mails"
  ADD CONSTRAINT "a_soft_spam_has_its_sale" CHECK (((basis = 'soft_spam'::public.mail_basis) = (sale_id IS NOT NULL)));

ALTER TABLE "public"."outgoing_mails"
  ADD CONSTRAINT "outgoing_mails_user_id_batch_id_fkey" FOREIGN KEY (user_id, batch_id) REFERENCES public.mail_batches(user_id, id) ON DELETE SET NULL (batch_id);

CREATE INDEX mail_batches_latest ON public.mail_batches USING btree (user_id, created_at DESC);

CREATE INDEX outgoing_mails_batch ON public.outgoing_mails USING btree (user_id, batch_id);

CREATE INDEX outgoing_mails_message ON public.outgoing_mails USING btree (user_id, message_id);

CREATE INDEX outgoing_mails_next ON public.outgoing_mails USING btree (user_id, not_before, id)
  WHERE (state = 'queued'::public.mail_state);

CREATE INDEX outgoing_mails_sent ON public.outgoing_mails USING btree (user_id, sent_at DESC)
  WHERE (state = 'sent'::public.mail_state);

CREATE POLICY "owners read their batches" ON "public"."mail_batches"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON COLUMN "public"."mail_batches"."excluded" IS 'How many of the chosen contacts may not be written to.';

COMMENT ON COLUMN "public"."outgoing_mails"."is_at_once" IS 'Its writer wants it sent in the rest of the recipient too.';

COMMENT ON COLUMN "public"."outgoing_mails"."sale_id" IS 'The invoice that a soft_spam rests on. No foreign key, as for invoice_id.';

COMMENT ON FUNCTION "private"."allowed_mail_time"(timestamp with time zone) IS 'A moment, or the end of the rest of recipients that it is in.';

COMMENT ON FUNCTION "private"."campaign_letters"(uuid, uuid[], text, text, public.mail_basis) IS 'What each contact would get, or why it is left out: no_address, no_sale, suppressed, consent, unfilled, too_long.';

COMMENT ON FUNCTION "private"."easter"(integer) IS 'Easter Sunday of a year.';

COMMENT ON FUNCTION "private"."fill_in"(text, jsonb) IS 'Puts values at places such as {{nome}}; a place without a value stays.';

COMMENT ON FUNCTION "private"."has_open_place"(text) IS 'Whether a place of a text was not filled in: {{nome}}, [giorno…].';

COMMENT ON FUNCTION "private"."is_holiday"(date) IS 'Whether a day is a Sunday or a public holiday of Italy.';

COMMENT ON FUNCTION "private"."is_sale_to"(uuid, uuid, uuid) IS 'Whether this is an invoice that was issued to the contact.';

COMMENT ON FUNCTION "private"."lock_mail_account"(uuid) IS 'Locks and returns the account of a person.';

COMMENT ON FUNCTION "private"."mail_refusal"(uuid, uuid, text, public.mail_basis, uuid) IS 'Why the law or the recipient forbids a mail; null when it may be sent. A contract needs no consent.';

COMMENT ON FUNCTION "private"."mail_time"(timestamp with time zone, boolean, public.mail_basis) IS 'When a mail that is ready at a moment may leave; a promotion always keeps the rest of its recipient.';

COMMENT ON FUNCTION "private"."mails_a_minute"() IS 'How fast an account sends: providers lock those that send faster.';

COMMENT ON FUNCTION "private"."mails_left"(public.mail_accounts) IS 'How many mails an account may still take today.';

COMMENT ON FUNCTION "private"."most_unconfirmed_recipients"() IS 'More recipients than that are to be typed.';

COMMENT ON FUNCTION "private"."new_message_id"(public.mail_accounts) IS 'A Message-ID of the domain of an account.';

COMMENT ON FUNCTION "private"."note_mail_report"(uuid, text, boolean, text, text) IS 'Records that a mail came back, or that its recipient complained; suppresses whoever cannot or does not want to receive. False for a mail that the person did not send.';

COMMENT ON FUNCTION "private"."require_mail_allowed"(uuid, uuid, text, public.mail_basis, uuid) IS 'Locks and returns the account of a person, unless something forbids a mail to this address now.';

COMMENT ON FUNCTION "private"."set_consent"(uuid, uuid, public.consent_channel, public.consent_purpose, public.consent_state, text, text, text) IS 'Writes down what a contact of a person, or the one it was merged into, allows for a channel and a purpose, with its proof; PT404 if it is none.';

COMMENT ON FUNCTION "private"."signed_body"(text, public.mail_accounts) IS 'A text with the signature of its account.';

COMMENT ON FUNCTION "private"."suppress_mail"(uuid, text, public.mail_suppression_reason) IS 'Puts an address on the suppression list of a person; who has unsubscribed or complained also takes back the consent.';

COMMENT ON FUNCTION "public"."campaign_progress"() IS 'The latest batches of the caller, and how far they are.';

COMMENT ON FUNCTION "public"."cancel_campaign"(uuid) IS 'Cancels the mails of a batch of the caller that have not left yet.';

COMMENT ON FUNCTION "public"."next_mail_time"(timestamp with time zone) IS 'When a mail written now, or for a later moment, leaves.';

COMMENT ON FUNCTION "public"."preview_campaign"(uuid[], text, text, public.mail_basis) IS 'Who would get what, who is left out and why, how many mails are left today, and whether the number is to be typed.';

COMMENT ON FUNCTION "public"."queue_campaign"(uuid, uuid[], text, text, public.mail_basis, integer, timestamp with time zone) IS 'Queues a mail of the caller to each of these contacts that may be written to; the same key again returns the first batch.';

COMMENT ON FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp with time zone, boolean, uuid) IS 'Queues a mail of the caller to an address of a contact, or refuses; the same key again returns the first mail.';

COMMENT ON FUNCTION "public"."record_consent"(uuid, public.consent_channel, public.consent_purpose, public.consent_state, text, text, text) IS 'private.set_consent for a contact of the caller.';

COMMENT ON TABLE "public"."mail_batches" IS 'One text sent to several contacts; written by queue_campaign() only.';

REVOKE ALL ON FUNCTION "private"."allowed_mail_time"(timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."campaign_letters"(uuid, uuid[], text, text, public.mail_basis) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."easter"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."fill_in"(text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_open_place"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_holiday"(date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_sale_to"(uuid, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_mail_account"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_refusal"(uuid, uuid, text, public.mail_basis, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_time"(timestamp WITH time zone, boolean, public.mail_basis) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mails_a_minute"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mails_left"(public.mail_accounts) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."most_unconfirmed_recipients"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."new_message_id"(public.mail_accounts) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_mail_report"(uuid, text, boolean, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_mail_report"(uuid, text, boolean, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."require_mail_allowed"(uuid, uuid, text, public.mail_basis, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_consent"(uuid, uuid, public.consent_channel, public.consent_purpose, public.consent_state, text, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."signed_body"(text, public.mail_accounts) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."suppress_mail"(uuid, text, public.mail_suppression_reason) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."suppress_mail"(uuid, text, public.mail_suppression_reason) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."campaign_progress"() TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."cancel_campaign"(uuid) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."next_mail_time"(timestamp WITH time zone) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."preview_campaign"(uuid[], text, text, public.mail_basis) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."queue_campaign"(uuid, uuid[], text, text, public.mail_basis, integer, timestamp WITH time zone) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."queue_mail"(uuid, uuid, text, text, text, public.mail_basis, uuid, uuid[], timestamp WITH time zone, boolean, uuid) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."record_consent"(uuid, public.consent_channel, public.consent_purpose, public.consent_state, text, text, text) TO "authenticated";

REVOKE ALL ON TABLE "public"."mail_batches" FROM "authenticated";

GRANT SELECT ON TABLE "public"."mail_batches" TO "authenticated";

REVOKE ALL ON TABLE "public"."mail_batches" FROM "service_role";

GRANT SELECT ON TABLE "public"."mail_batches" TO "service_role";

reset check_function_bodies;
