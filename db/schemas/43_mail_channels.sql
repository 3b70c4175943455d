-- Mail of a person to contacts, through the person's own mail server.
--
-- public.queue_mail is the only way into the outbox: it checks account, address, consent, suppressions and the daily cap
-- in the caller's transaction. functions/mail_account.py connects an account, jobs/mail_outbox.py sends.
--
-- A mail leaves at most once: the move from `queued` to `sending` is made by one worker right before the content leaves. A
-- worker or a connection that dies after that leaves the mail `uncertain`, and its owner decides.
--
-- Recipients have their rest: from 21 to 8, on Sundays and on public holidays of Italy a mail waits for the next morning
-- (E-10). Its writer may send it at once all the same, but not a promotion.
--
-- A promotion rests on consent, or on a sale (art. 130, paragraph 4): then the contact must not have objected.
--
-- Error codes raised, besides those of the shared sender (43_mail_shared.sql):
--   PT404  the caller has no such contact or mail (PostgREST answers 404)
--   SM001  no account is connected
--   SM002  the address is none of the contact's
--   SM003  the address is on the suppression list
--   SM004  the contact has not agreed to marketing by mail
--   SM005  the account has sent as many mails in a day as it may
--   SM006  the text has a place that was not filled in
--   SM007  the caller has no such invoice or document
--   SM008  the mail is in no state in which that can be decided
--   SM009  the sale that a promotion rests on is no invoice issued to the contact
--   SM012  an automatic mail to an address that had three in a day, or to a machine or a list

create type public.mail_security as enum ('tls', 'starttls');

create type public.mail_provider as enum ('microsoft', 'google');

create type public.mail_state as enum ('queued', 'sending', 'sent', 'failed', 'uncertain', 'cancelled');

create type public.mail_basis as enum ('contratto', 'consenso', 'soft_spam');

create type public.mail_error as enum (
  'unreachable', 'tls', 'auth', 'busy', 'refused', 'bad_address', 'attachment', 'expired', 'suppressed', 'consent',
  'interrupted', 'disconnected', 'bounced', 'automatic'
);

create type public.mail_suppression_reason as enum ('manuale', 'disiscritto', 'rimbalzo', 'reclamo');

create table public.mail_accounts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  is_shared boolean not null default false,
  host text,
  port integer,
  security public.mail_security,
  username text,
  from_address text not null,
  from_name public.single_line,
  signature text,
  daily_cap integer not null default 200,
  is_certified boolean not null default false,
  provider public.mail_provider,
  login_expired_at timestamptz,
  last_success_at timestamptz,
  last_error public.mail_error,
  last_error_reply text,
  last_error_at timestamptz,
  created_at timestamptz not null default now(),

  unique (user_id),
  constraint host_fits check (host ~ '^[A-Za-z0-9.:-]+$' and char_length(host) <= 253),
  constraint port_is_one check (port between 1 and 65535),
  constraint username_fits check (username ~ '[^[:space:]]' and username !~ '[[:cntrl:]]' and char_length(username) <= 320),
  -- The Message-ID is made of its domain.
  constraint from_address_is_an_address check (private.is_email(from_address) and from_address ~ '^[!-~]+$'),
  constraint signature_fits check (char_length(signature) between 1 and 2000),
  constraint daily_cap_fits check (daily_cap between 1 and 2000),
  constraint only_the_shared_sender_has_no_server check (
    num_nulls(host, port, security, username) = case when is_shared then 4 else 0 end
  ),
  constraint the_shared_sender_is_no_pec check (not (is_shared and is_certified)),
  constraint only_an_ordinary_mailbox_has_a_provider check (provider is null or not (is_shared or is_certified)),
  constraint only_the_login_of_a_provider_expires check (login_expired_at is null or provider is not null)
);
comment on table public.mail_accounts is 'The mail server of a person, and how its last use ended; the password is in private.mail_secrets.';

comment on column public.mail_accounts.is_shared is
  'It sends by the operator''s shared sender (43_mail_shared.sql), whose address from_address is.';

comment on column public.mail_accounts.provider is
  'Where its owner signed in (OAuth, 43_mail_logins.sql); null: it has a password.';

comment on column public.mail_accounts.login_expired_at is
  'When the provider took the login back: mails wait until its owner signs in again.';

comment on column public.mail_accounts.is_certified is 'A mailbox of certified mail (PEC): its receipts and envelopes are believed.';

create table private.mail_secrets (
  account_id uuid primary key references public.mail_accounts (id) on delete cascade,
  sealed text not null,
  access_sealed text,
  access_expires_at timestamptz
);
comment on table private.mail_secrets is
  'Passwords of mail accounts, or the refresh tokens of those with a provider, encrypted by Context.seal; no API role reads them.';
comment on column private.mail_secrets.access_sealed is 'The access token of a provider, encrypted too.';

create table public.mail_suppressions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  address text not null,
  reason public.mail_suppression_reason not null default 'manuale',
  created_at timestamptz not null default now(),

  unique (user_id, address),
  constraint address_is_lower check (private.is_email(address) and address = lower(address))
);
comment on table public.mail_suppressions is 'Addresses that a person never writes to, whatever consent says.';

create table public.mail_batches (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  key uuid not null,
  channel public.consent_channel not null default 'email',
  subject public.single_line not null,
  body text not null,
  basis public.mail_basis not null,
  template_id uuid,
  recipients integer not null,
  excluded integer not null,
  exclusions jsonb not null default '[]',
  paused_at timestamptz,
  pause_reason text,
  cancelled_at timestamptz,
  may_take_days boolean not null default false,
  may_be_often boolean not null default false,
  started_at timestamptz,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  -- A second click is the same batch.
  unique (user_id, key),
  constraint body_fits check (body ~ '[^[:space:]]' and char_length(body) <= 20000),
  constraint counts_fit check (recipients >= 1 and excluded >= 0),
  constraint it_goes_by_mail_or_whatsapp check (channel in ('email', 'whatsapp')),
  constraint whatsapp_has_a_template check ((channel = 'whatsapp') = (template_id is not null)),
  constraint exclusions_are_a_list check (jsonb_typeof(exclusions) = 'array' and char_length(exclusions::text) <= 2000000),
  constraint a_pause_has_a_reason check (
    (paused_at is null) = (pause_reason is null) and char_length(pause_reason) between 1 and 500
  )
);
comment on table public.mail_batches is
  'One text sent to several contacts, by mail or WhatsApp; written by queue_campaign() and queue_whatsapp_campaign() only.';
comment on column public.mail_batches.subject is 'By WhatsApp the name of the template, whose text is the body.';
comment on column public.mail_batches.template_id is 'No foreign key: templates go with their number.';
comment on column public.mail_batches.excluded is 'How many of the chosen contacts may not be written to.';
comment on column public.mail_batches.exclusions is 'Which ones, and why: [{contact_id, reason}]; no names, which go with their contact.';
comment on column public.mail_batches.may_take_days is
  'By WhatsApp: people beyond the room that Meta leaves in a day may get it on the next days.';
comment on column public.mail_batches.may_be_often is
  'By WhatsApp: contacts who got as many messages in seven days as are enough (E-11) may get this one too.';
comment on column public.mail_batches.started_at is
  'By WhatsApp: when the first message was about to leave, and template, room and frequency were checked again.';
comment on column public.mail_batches.paused_at is 'Since when its waiting messages stay, because its template cannot be sent.';

create table public.outgoing_mails (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  contact_id uuid not null,
  batch_id uuid,
  key uuid not null,
  recipient text not null,
  subject public.single_line not null,
  body text not null,
  basis public.mail_basis not null,
  sale_id uuid,
  invoice_id uuid,
  more_invoice_ids uuid[] not null default '{}',
  document_ids uuid[] not null default '{}',
  message_id text not null,
  state public.mail_state not null default 'queued',
  attaches_invoice boolean not null default true,
  is_at_once boolean not null default false,
  is_automatic boolean not null default false,
  is_certified boolean not null default false,
  storage_path text,
  not_before timestamptz not null,
  expires_at timestamptz not null,
  attempts integer not null default 0,
  leased_until timestamptz,
  error public.mail_error,
  reply text,
  sent_at timestamptz,
  created_at timestamptz not null default now(),

  -- Also the replica identity. It includes the owner, so that only the owner receives a deletion.
  constraint outgoing_mails_identity unique (user_id, id),
  -- A second click is the same mail.
  unique (user_id, key),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  foreign key (user_id, batch_id) references public.mail_batches (user_id, id) on delete set null (batch_id),
  constraint recipient_is_an_address check (private.is_email(recipient)),
  constraint body_fits check (body ~ '[^[:space:]]' and char_length(body) <= 25000),
  constraint attachments_fit check (cardinality(document_ids) <= 10 and array_position(document_ids, null) is null),
  constraint invoices_fit check (cardinality(more_invoice_ids) <= 20 and array_position(more_invoice_ids, null) is null),
  constraint a_soft_spam_has_its_sale check ((basis = 'soft_spam') = (sale_id is not null)),
  constraint sent_mails_have_a_time check ((state = 'sent') = (sent_at is not null)),
  constraint it_lies_in_the_folder_of_its_owner check (starts_with(storage_path, user_id::text || '/posta/')),
  constraint sending_has_a_lease check (state <> 'sending' or leased_until is not null)
);
comment on table public.outgoing_mails is 'Outbox of mails to contacts, one row for each recipient; written by queue_mail() only.';
comment on column public.outgoing_mails.key is 'Made by the form that sends it.';
comment on column public.outgoing_mails.attaches_invoice is 'Whether the PDF of its invoice goes with it.';
comment on column public.outgoing_mails.invoice_id is
  'What it is about; its PDF is attached where its writer wants it. No foreign key, as for document_ids: a mail whose attachment '
  'is gone fails and is not sent without.';
comment on column public.outgoing_mails.more_invoice_ids is 'Their PDFs are attached too: a reminder of all that is open.';
comment on column public.outgoing_mails.sale_id is 'The invoice that a soft_spam rests on. No foreign key, as for invoice_id.';
comment on column public.outgoing_mails.is_at_once is 'Its writer wants it sent in the rest of the recipient too.';
comment on column public.outgoing_mails.is_automatic is 'No person wrote it or pressed «Invia»: it keeps the limits of such mails.';
comment on column public.outgoing_mails.is_certified is 'It left from a certified mailbox, whose provider gives receipts.';
comment on column public.outgoing_mails.storage_path is 'The form in which a certified mail left, for its proof; null for others and when the quota was full.';
comment on column public.outgoing_mails.attempts is 'Also tells a worker that lost its lease from the one that has it.';
comment on column public.outgoing_mails.reply is 'What the mail server said.';

create index mail_suppressions_owner on public.mail_suppressions (user_id, created_at desc);

create index outgoing_mails_contact on public.outgoing_mails (user_id, contact_id, created_at desc);

-- Used by the daily cap.
create index outgoing_mails_latest on public.outgoing_mails (user_id, created_at desc);

create index mail_batches_latest on public.mail_batches (user_id, created_at desc);

-- Used by reports about mails, which name them so.
create index outgoing_mails_message on public.outgoing_mails (user_id, message_id);

create index outgoing_mails_batch on public.outgoing_mails (user_id, batch_id);

create index outgoing_mails_invoice on public.outgoing_mails (user_id, invoice_id) where invoice_id is not null;

create index outgoing_mails_more_invoices on public.outgoing_mails using gin (more_invoice_ids) where more_invoice_ids <> '{}';

-- Used by the pace of an account.
create index outgoing_mails_sent on public.outgoing_mails (user_id, sent_at desc) where state = 'sent';

-- Used by the job: the next mail of a person, and the people who have one.
create index outgoing_mails_next on public.outgoing_mails (user_id, not_before, id) where state = 'queued';

-- Used by private.miss_deliveries, and to find stored mails whose row is gone.
create index outgoing_mails_certified on public.outgoing_mails (sent_at) where is_certified and state = 'sent';

create index outgoing_mails_path on public.outgoing_mails (user_id, storage_path) where storage_path is not null;

create index outgoing_mails_due on public.outgoing_mails (not_before) where state in ('queued', 'sending');

create function private.easter(_year integer)
  returns date
  language sql immutable
  set search_path = ''
as $$
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
$$;
comment on function private.easter(integer) is 'Easter Sunday of a year.';
revoke all on function private.easter from public, anon, authenticated, service_role;

create function private.is_holiday(_day date)
  returns boolean
  language sql immutable
  set search_path = ''
as $$
  select extract(isodow from _day) = 7
    or extract(month from _day) * 100 + extract(day from _day)
      in (101, 106, 425, 501, 602, 815, 1101, 1208, 1225, 1226)
    -- Saint Francis (law 151/2025).
    or _day >= '2026-01-01' and extract(month from _day) * 100 + extract(day from _day) = 1004
    or _day = private.easter(extract(year from _day)::integer) + 1
$$;
comment on function private.is_holiday(date) is 'Whether a day is a Sunday or a public holiday of Italy.';
revoke all on function private.is_holiday from public, anon, authenticated, service_role;

create function private.mail_hours()
  returns time[]
  language sql immutable
  set search_path = ''
as $$
  select array['08:00', '21:00']::time[]
$$;
comment on function private.mail_hours() is 'From when until when recipients may be written to on a working day.';
revoke all on function private.mail_hours from public, anon, authenticated, service_role;

create function private.allowed_mail_time(_at timestamptz)
  returns timestamptz
  language sql immutable
  set search_path = ''
as $$
  select case
    when local::time >= hours[1] and local::time < hours[2] and not private.is_holiday(local::date) then _at
    else (
      select (morning at time zone 'Europe/Rome')
      from generate_series(local::date + hours[1], local::date + 7 + hours[1], interval '1 day') as morning
      where morning > local and not private.is_holiday(morning::date)
      order by morning limit 1
    )
  end
  from (select _at at time zone 'Europe/Rome' as local, private.mail_hours() as hours) as clock
$$;
comment on function private.allowed_mail_time(timestamptz) is 'A moment, or the end of the rest of recipients that it is in.';
revoke all on function private.allowed_mail_time from public, anon, authenticated, service_role;

create function private.mail_time(_at timestamptz, _is_at_once boolean, _basis public.mail_basis)
  returns timestamptz
  language sql immutable
  set search_path = ''
as $$
  select case when _is_at_once and _basis = 'contratto' then _at else private.allowed_mail_time(_at) end
$$;
comment on function private.mail_time(timestamptz, boolean, public.mail_basis) is
  'When a mail that is ready at a moment may leave; a promotion always keeps the rest of its recipient.';
revoke all on function private.mail_time from public, anon, authenticated, service_role;

-- Security definer because the rule is private.
create function public.next_mail_time(_at timestamptz default null)
  returns timestamptz
  language sql stable security definer
  set search_path = ''
as $$
  select private.allowed_mail_time(greatest(_at, now()))
$$;
comment on function public.next_mail_time(timestamptz) is 'When a mail written now, or for a later moment, leaves.';
revoke all on function public.next_mail_time from public, anon, authenticated, service_role;
grant execute on function public.next_mail_time to authenticated;

create function private.is_sale_to(_user_id uuid, _contact_id uuid, _invoice_id uuid)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (
    select from public.invoices join public.documents on documents.user_id = _user_id and documents.id = document_id
    where invoices.user_id = _user_id and invoices.id = _invoice_id and invoices.contact_id = _contact_id
      and direction = 'attiva' and invoices.kind = 'fattura' and deleted_at is null
  )
$$;
comment on function private.is_sale_to(uuid, uuid, uuid) is 'Whether this is an invoice that was issued to the contact.';
revoke all on function private.is_sale_to from public, anon, authenticated, service_role;

create function private.mail_refusal(
  _user_id uuid, _contact_id uuid, _recipient text, _basis public.mail_basis, _sale_id uuid
)
  returns public.mail_error
  language sql stable
  set search_path = ''
as $$
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
$$;
comment on function private.mail_refusal is
  'Why the law or the recipient forbids a mail; null when it may be sent. A contract needs no consent.';
revoke all on function private.mail_refusal from public, anon, authenticated, service_role;

create function private.is_address_of(_user_id uuid, _contact_id uuid, _address text)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (
    select from public.contact_emails
    where user_id = _user_id and contact_id = _contact_id and norm = lower(_address)
  ) or exists (
    select from public.contacts where user_id = _user_id and id = _contact_id and lower(pec) = lower(_address)
  )
$$;
comment on function private.is_address_of(uuid, uuid, text) is 'Whether an address is one of the contact''s, its PEC included.';
revoke all on function private.is_address_of from public, anon, authenticated, service_role;

create function private.require_attachments(_user_id uuid, _invoice_id uuid, _document_ids uuid[])
  returns void
  language plpgsql stable
  set search_path = ''
as $$
begin
  if _invoice_id is not null and not exists (
    select from public.invoices join public.documents on documents.user_id = _user_id and documents.id = document_id
    where invoices.user_id = _user_id and invoices.id = _invoice_id and deleted_at is null
  ) or cardinality(_document_ids) > (
    select count(*) from public.documents where user_id = _user_id and id = any (_document_ids) and deleted_at is null
  ) then
    raise exception 'no such invoice or document' using errcode = 'SM007';
  end if;
end
$$;
comment on function private.require_attachments is 'Refuses attachments that are not the person''s or are in the trash.';
revoke all on function private.require_attachments from public, anon, authenticated, service_role;

create function private.lock_mail_account(_user_id uuid)
  returns public.mail_accounts
  language plpgsql volatile
  set search_path = ''
as $$
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
$$;
comment on function private.lock_mail_account(uuid) is 'Locks and returns the account of a person.';
revoke all on function private.lock_mail_account from public, anon, authenticated, service_role;

create function private.mails_left(_account public.mail_accounts)
  returns integer
  language sql stable
  set search_path = ''
as $$
  select greatest(_account.daily_cap - count(*), 0)::integer from public.outgoing_mails
  where user_id = _account.user_id and created_at > now() - interval '1 day' and state <> 'cancelled'
$$;
comment on function private.mails_left(public.mail_accounts) is 'How many mails an account may still take today.';
revoke all on function private.mails_left from public, anon, authenticated, service_role;

create function private.has_open_place(_text text)
  returns boolean
  language sql immutable
  set search_path = ''
as $$
  select _text ~ '\{\{|\}\}|\[[^\[\]]*…[^\[\]]*\]'
$$;
comment on function private.has_open_place(text) is 'Whether a place of a text was not filled in: {{nome}}, [giorno…].';
revoke all on function private.has_open_place from public, anon, authenticated, service_role;

create function private.signed_body(_body text, _account public.mail_accounts)
  returns text
  language sql immutable
  set search_path = ''
as $$
  -- RFC 3676 4.3: mail programs know a signature by this line.
  select concat(btrim(_body, E' \n\r\t'), E'\n\n-- \n' || (_account).signature)
$$;
comment on function private.signed_body(text, public.mail_accounts) is 'A text with the signature of its account.';
revoke all on function private.signed_body from public, anon, authenticated, service_role;

create function private.new_message_id(_account public.mail_accounts)
  returns text
  language sql volatile
  set search_path = ''
as $$
  select format('<%s@%s>', gen_random_uuid(), lower(split_part((_account).from_address, '@', 2)))
$$;
comment on function private.new_message_id(public.mail_accounts) is 'A Message-ID of the domain of an account.';
revoke all on function private.new_message_id from public, anon, authenticated, service_role;

create function private.mails_a_minute()
  returns integer
  language sql immutable
  set search_path = ''
as $$
  select 20
$$;
comment on function private.mails_a_minute() is 'How fast an account sends: providers lock those that send faster.';
revoke all on function private.mails_a_minute from public, anon, authenticated, service_role;

create function private.require_mail_allowed(
  _user_id uuid, _contact_id uuid, _recipient text, _basis public.mail_basis, _sale_id uuid
)
  returns public.mail_accounts
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _account public.mail_accounts;
  _refusal public.mail_error;
begin
  _account := private.lock_mail_account(_user_id);
  if _account.is_shared then
    perform private.require_shared_allowed(_user_id, _basis);
  end if;
  if not private.is_address_of(_user_id, _contact_id, _recipient) then
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
$$;
comment on function private.require_mail_allowed is
  'Locks and returns the account of a person, unless something forbids a mail to this address now.';
revoke all on function private.require_mail_allowed from public, anon, authenticated, service_role;

create function private.time_to_cancel(_is_typed boolean)
  returns interval
  language sql immutable
  set search_path = ''
as $$
  select case when _is_typed then interval '10 minutes' else '10 seconds' end
$$;
comment on function private.time_to_cancel(boolean) is 
  'How long a mail or a campaign waits so that it can be taken back; longer when its number of recipients was typed.';
revoke all on function private.time_to_cancel from public, anon, authenticated, service_role;

-- Security definer because the outbox is written only after these checks.
create function public.queue_mail(
  _key uuid, _contact_id uuid, _recipient text, _subject text, _body text,
  _basis public.mail_basis default 'contratto', _invoice_id uuid default null, _document_ids uuid[] default '{}',
  _not_before timestamptz default null, _is_at_once boolean default false, _sale_id uuid default null,
  _is_automatic boolean default false, _attaches_invoice boolean default true
)
  returns public.outgoing_mails
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _account public.mail_accounts;
  _mail public.outgoing_mails;
  _due timestamptz := private.mail_time(
    greatest(least(coalesce(_not_before, now()), now() + interval '1 year'), now() + private.time_to_cancel(false)),
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
  if _is_automatic and not private.may_be_automatic(_user_id, _recipient) then
    raise exception 'no automatic mail may go to this address' using errcode = 'SM012';
  end if;
  insert into public.outgoing_mails (
    user_id, contact_id, key, recipient, subject, body, basis, sale_id, invoice_id, document_ids, message_id, is_at_once,
    is_automatic, attaches_invoice, not_before, expires_at
  )
  values (
    _user_id, _contact_id, _key, _recipient, _subject, private.signed_body(_body, _account), _basis,
    case when _basis = 'soft_spam' then _sale_id end, _invoice_id, _document_ids, private.new_message_id(_account),
    _is_at_once, _is_automatic, _attaches_invoice, _due, _due + interval '1 day'
  )
  on conflict (user_id, key) do update set key = excluded.key
  returning * into _mail;
  return _mail;
end
$$;
comment on function public.queue_mail is
  'Queues a mail of the caller to an address of a contact, or refuses; the same key again returns the first mail.';
revoke all on function public.queue_mail from public, anon, authenticated, service_role;
grant execute on function public.queue_mail to authenticated;

create function private.record_sent_mail(_mail public.outgoing_mails)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.interactions (user_id, contact_id, kind, direction, at, summary)
  values (
    _mail.user_id, _mail.contact_id, 'email', 'uscita', _mail.sent_at, left(_mail.subject || E'\n\n' || _mail.body, 20000)
  )
$$;
comment on function private.record_sent_mail is 'Adds a sent mail to the history of its contact.';
revoke all on function private.record_sent_mail from public, anon, authenticated, service_role;

create function public.cancel_mail(_id uuid)
  returns public.outgoing_mails
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _mail public.outgoing_mails;
begin
  update public.outgoing_mails set state = 'cancelled', leased_until = null
  where user_id = _user_id and id = _id and state = 'queued'
  returning * into _mail;
  if not found then
    select * into _mail from public.outgoing_mails where user_id = _user_id and id = _id;
  end if;
  if _mail.id is null then
    raise exception 'no such mail' using errcode = 'PT404';
  elsif _mail.state <> 'cancelled' then
    raise exception 'the mail is on its way' using errcode = 'SM008', detail = _mail.state::text;
  end if;
  return _mail;
end
$$;
comment on function public.cancel_mail(uuid) is 'Cancels a mail of the caller whose content has not left yet.';
revoke all on function public.cancel_mail from public, anon, authenticated, service_role;
grant execute on function public.cancel_mail to authenticated;

create function public.decide_mail(_id uuid, _has_arrived boolean)
  returns public.outgoing_mails
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
      not_before = private.mail_time(now() + private.time_to_cancel(false), is_at_once, basis),
      expires_at = private.mail_time(now(), is_at_once, basis) + interval '1 day'
    where id = _id returning * into _mail;
  end if;
  return _mail;
end
$$;
comment on function public.decide_mail(uuid, boolean) is
  'Says of an uncertain mail of the caller that it has arrived, or sends an uncertain or failed one again.';
revoke all on function public.decide_mail from public, anon, authenticated, service_role;
grant execute on function public.decide_mail to authenticated;

create function private.save_mail_account(
  _user_id uuid, _host text, _port integer, _security public.mail_security, _username text, _from_address text,
  _from_name text, _signature text, _sealed text, _is_certified boolean default false,
  _provider public.mail_provider default null, _access_sealed text default null, _access_expires_at timestamptz default null
)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _account_id uuid;
  _expired_at constant timestamptz := (select login_expired_at from public.mail_accounts where user_id = _user_id);
begin
  insert into public.mail_accounts (
    user_id, host, port, security, username, from_address, from_name, signature, is_certified, provider, last_success_at
  )
  values (
    _user_id, _host, _port, _security, _username, _from_address, _from_name, _signature, _is_certified, _provider, now()
  )
  on conflict (user_id) do update
    set is_shared = false, host = excluded.host, port = excluded.port, security = excluded.security,
      username = excluded.username, from_address = excluded.from_address, from_name = excluded.from_name, signature = excluded.signature,
      is_certified = excluded.is_certified, provider = excluded.provider, login_expired_at = null,
      last_success_at = now(), last_error = null, last_error_reply = null, last_error_at = null
  returning id into _account_id;
  insert into private.mail_secrets (account_id, sealed, access_sealed, access_expires_at)
  values (_account_id, _sealed, _access_sealed, _access_expires_at)
  on conflict (account_id) do update
    set sealed = excluded.sealed, access_sealed = excluded.access_sealed, access_expires_at = excluded.access_expires_at;
  -- The time in which the login had expired is no time in which they could not be sent.
  update public.outgoing_mails set expires_at = greatest(expires_at, now() + interval '1 day')
  where user_id = _user_id and state = 'queued' and _expired_at is not null;
  return _account_id;
end
$$;
comment on function private.save_mail_account is 'Keeps the account of a person after a sign-in with this password or login.';
revoke all on function private.save_mail_account from public, anon, authenticated, service_role;
grant execute on function private.save_mail_account to service_role;

create function private.mail_account_of(_user_id uuid)
  returns table (
    host text, port integer, security text, username text, from_address text, from_name text, sealed text,
    is_certified boolean, is_shared boolean, provider text
  )
  language sql stable security definer
  set search_path = ''
as $$
  select host, port, security::text, username, from_address, from_name::text, sealed, is_certified, is_shared,
    provider::text
  from public.mail_accounts left join private.mail_secrets on account_id = id
  where user_id = _user_id and (is_shared or sealed is not null)
$$;
comment on function private.mail_account_of(uuid) is 'The account of a person with its encrypted password or refresh token; no row without one.';
revoke all on function private.mail_account_of from public, anon, authenticated, service_role;
grant execute on function private.mail_account_of to service_role;

create function private.note_mail_account(_user_id uuid, _error public.mail_error, _reply text)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.mail_accounts
  set last_success_at = case when _error is null then now() else last_success_at end,
    last_error = _error, last_error_reply = _reply, last_error_at = case when _error is not null then now() end
  where user_id = _user_id
$$;
comment on function private.note_mail_account is 'Records how the last use of an account ended; no error after a success.';
revoke all on function private.note_mail_account from public, anon, authenticated, service_role;
grant execute on function private.note_mail_account to service_role;

create function private.due_mail_senders(_limit integer default 500)
  returns setof uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- Their worker is gone, or its answer came too late.
  update public.outgoing_mails set state = 'uncertain', leased_until = null, error = 'interrupted'
  where state = 'sending' and leased_until <= now();
  update public.outgoing_mails set state = 'failed', leased_until = null, error = 'expired'
  where state = 'queued' and expires_at <= now() and not private.is_mail_login_expired(user_id);
  return query
    select distinct user_id from public.outgoing_mails
    where state = 'queued' and not_before <= now() and not private.is_mail_login_expired(user_id) limit _limit;
end
$$;
comment on function private.due_mail_senders(integer) is
  'The people who have mails to be sent now; mails whose sending was interrupted become uncertain, and those that '
  'were due a day ago have failed. Those of an expired login wait.';
revoke all on function private.due_mail_senders from public, anon, authenticated, service_role;
grant execute on function private.due_mail_senders to service_role;

create function private.wait_for_mail_morning(_mail public.outgoing_mails)
  returns boolean
  language plpgsql volatile
  set search_path = ''
  -- As in private.claim_mail, whose plan is for one row.
  set enable_sort = on
as $$
declare
  _morning constant timestamptz := private.mail_time(now(), _mail.is_at_once, _mail.basis);
begin
  -- Due times are in the allowed hours. Some minutes late, by the pace of the server, is in time.
  if _mail.batch_id is null or _morning <= now() or _mail.not_before > now() - interval '5 minutes' then
    return false;
  end if;
  update public.outgoing_mails
  set not_before = _morning + (not_before - _mail.not_before), expires_at = greatest(expires_at, _morning + interval '1 day')
  where id in (
    select id from public.outgoing_mails
    where user_id = _mail.user_id and batch_id = _mail.batch_id and state = 'queued' and not_before < _morning
      and (leased_until is null or leased_until <= now())
    -- Their cancellation may wait for this one.
    for update skip locked
  );
  return true;
end
$$;
comment on function private.wait_for_mail_morning is
  'Lets a campaign by mail that is late, because the worker or the server stopped, keep the rest of its recipients (E-10); '
  'answers whether it does.';
revoke all on function private.wait_for_mail_morning from public, anon, authenticated, service_role;

create function private.claim_mail(_user_id uuid, _unsettled integer default 0)
  returns setof public.outgoing_mails
  language plpgsql volatile security definer
  set search_path = ''
  -- Along its index the first row is the next; sorted, a large sending is looked through for each of its mails.
  set enable_sort = off
as $$
declare
  _mail public.outgoing_mails;
begin
  if private.is_frozen(_user_id) or private.is_shared_held(_user_id) or private.is_mail_login_expired(_user_id) or (
    select count(*) from public.outgoing_mails
    where user_id = _user_id and state = 'sent' and sent_at > now() - interval '1 minute'
  ) + _unsettled >= private.mails_a_minute() then
    return;
  end if;
  -- A claim that a crash forgets is made again; before the content leaves there is a durable commit.
  perform set_config('synchronous_commit', 'off', true);
  loop
    select * into _mail from public.outgoing_mails
    where user_id = _user_id and state = 'queued' and not_before <= now()
      and (leased_until is null or leased_until <= now())
      and not private.waits_for_agents(_user_id, key)
    order by not_before, id limit 1 for update skip locked;
    if not found then
      return;
    end if;
    exit when not private.wait_for_mail_morning(_mail);
  end loop;
  return query
    update public.outgoing_mails set attempts = attempts + 1, leased_until = now() + interval '10 minutes'
    where id = _mail.id returning *;
end
$$;
comment on function private.claim_mail(uuid, integer) is
  'Leases the next due mail of a person; no row when none is due, many were just sent (also those not settled yet), the shared sender '
  'is paused, the login has expired, or it is of a goal while an admin has stopped the agents.';
revoke all on function private.claim_mail from public, anon, authenticated, service_role;

create function private.begin_mail_content(_id uuid, _attempt integer, _storage_path text default null)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _mail public.outgoing_mails;
  _refusal public.mail_error;
  _is_shared boolean;
begin
  select * into _mail from public.outgoing_mails
  where id = _id and attempts = _attempt and state = 'queued' for update;
  if not found then
    return false;
  end if;
  -- An objection that came after the mail was queued counts.
  _refusal := private.mail_refusal(_mail.user_id, _mail.contact_id, _mail.recipient, _mail.basis, _mail.sale_id);
  if _mail.is_automatic and not private.may_be_automatic(_mail.user_id, _mail.recipient, _id) then
    _refusal := coalesce(_refusal, 'automatic');
  end if;
  select is_shared into _is_shared from public.mail_accounts where user_id = _mail.user_id;
  if _is_shared and _mail.basis <> 'contratto' or private.lacks_certified_mailbox(_mail.user_id, _mail.key) then
    -- It was queued for a mailbox that is gone.
    _refusal := coalesce(_refusal, 'disconnected');
  end if;
  if _is_shared and _refusal is null then
    perform private.note_shared_mail(_mail);
  end if;
  update public.outgoing_mails
  set state = case when _refusal is null then 'sending'::public.mail_state else 'failed' end, error = _refusal,
    storage_path = _storage_path,
    is_certified = coalesce((select is_certified from public.mail_accounts where user_id = _mail.user_id), false),
    leased_until = case when _refusal is null then now() + interval '10 minutes' end
  where id = _id;
  return _refusal is null;
end
$$;
comment on function private.begin_mail_content(uuid, integer, text) is
  'Allows one worker to send the content of a mail, which is stored at this path if it is a proof; false when it was cancelled, refused or taken by another.';
revoke all on function private.begin_mail_content from public, anon, authenticated, service_role;
grant execute on function private.begin_mail_content to service_role;

create function private.settle_mail(
  _id uuid, _attempt integer, _state public.mail_state, _error public.mail_error default null, _reply text default null,
  _delay_s integer default 0
)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _mail public.outgoing_mails;
  _again timestamptz := now() + make_interval(secs => _delay_s);
begin
  -- The next mail's private.begin_mail_content makes it durable too. Forgotten by a crash, the mail is `sending` or leased as before.
  perform set_config('synchronous_commit', 'off', true);
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
  if not found then
    return;
  end if;
  if _state = 'failed' and _error = 'bad_address' and _reply like '5%'
    and exists (select from public.mail_accounts where user_id = _mail.user_id and is_shared)
  then
    perform private.note_shared_mail(_mail);
    perform private.note_shared_return(_mail.id, false);
  end if;
  if _state = 'sent' then
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
$$;
comment on function private.settle_mail is
  'Records how an attempt ended; queued: again after a delay, until the mail expires.';
revoke all on function private.settle_mail from public, anon, authenticated, service_role;
grant execute on function private.settle_mail to service_role;

create function private.suppress_mail(_user_id uuid, _address text, _reason public.mail_suppression_reason)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _contact_id uuid;
begin
  insert into public.mail_suppressions (user_id, address, reason)
  select id, lower(_address), _reason from auth.users where id = _user_id
  on conflict (user_id, address) do nothing;
  -- An objection takes back the consent as well; an address that does not exist says nothing about its owner.
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
$$;
comment on function private.suppress_mail(uuid, text, public.mail_suppression_reason) is
  'Puts an address on the suppression list of a person; a recipient that unsubscribed or complained also takes back the consent.';
revoke all on function private.suppress_mail from public, anon, authenticated, service_role;
grant execute on function private.suppress_mail to service_role;

create function private.cancel_mails_of_account()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update public.outgoing_mails set state = 'cancelled', error = 'disconnected', leased_until = null
  where user_id = old.user_id and state = 'queued';
  return old;
end
$$;
comment on function private.cancel_mails_of_account() is 'Mails that wait go with the account that would send them.';
revoke all on function private.cancel_mails_of_account from public, anon, authenticated, service_role;

alter table public.mail_accounts enable row level security;
alter table private.mail_secrets enable row level security;
alter table public.mail_suppressions enable row level security;
alter table public.mail_batches enable row level security;
alter table public.outgoing_mails enable row level security;

create policy "owners read their mail account" on public.mail_accounts
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners change their mail account" on public.mail_accounts
  for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "owners disconnect their mail account" on public.mail_accounts
  for delete to authenticated using (user_id = (select auth.uid()));

create policy "owners read their suppressions" on public.mail_suppressions
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners add suppressions" on public.mail_suppressions
  for insert to authenticated with check (user_id = (select auth.uid()));

create policy "owners read their batches" on public.mail_batches
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners read their outgoing mails" on public.outgoing_mails
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on private.mail_secrets from public, anon, authenticated, service_role;

revoke all on public.mail_accounts from public, anon, authenticated, service_role;
grant select, delete on public.mail_accounts to authenticated;
grant select on public.mail_accounts to service_role;
-- Anything else needs the password again: it must not be sent to another server.
grant update (from_name, signature) on public.mail_accounts to authenticated;

revoke all on public.mail_suppressions from public, anon, authenticated, service_role;
-- Not delete: what a recipient asked for stays.
grant select on public.mail_suppressions to authenticated;
grant insert (id, user_id, address) on public.mail_suppressions to authenticated;
grant select on public.mail_suppressions to service_role;

revoke all on public.mail_batches from public, anon, authenticated, service_role;
grant select on public.mail_batches to authenticated, service_role;

revoke all on public.outgoing_mails from public, anon, authenticated, service_role;
grant select on public.outgoing_mails to authenticated, service_role;

create trigger cancel_mails after delete on public.mail_accounts
  for each row execute function private.cancel_mails_of_account();

alter table public.outgoing_mails replica identity using index outgoing_mails_identity;
