-- WhatsApp of a person: the connected number, what Meta delivers about it, and the messages.
--
-- functions/whatsapp_webhook.py keeps each delivery as it came; jobs/whatsapp_deliveries.py reads it. Meta delivers at least
-- once and in any order, so each step may be repeated: a message is known by its id, and counts by the time that it carries.
-- What a message says is data: nothing but the three words of private.is_stop_word acts on it.

create type public.whatsapp_account_state as enum ('attivo', 'da_ricollegare', 'sospeso', 'spento');

create type public.whatsapp_state as enum (
  'queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'uncertain', 'cancelled'
);

create type public.whatsapp_error as enum (
  'meta', 'expired', 'window', 'stopped', 'consent', 'interrupted', 'disconnected', 'unreachable', 'attachment'
);

create type public.whatsapp_media_state as enum (
  'attesa', 'pronto', 'illeggibile', 'scaduto', 'grande', 'senza_spazio', 'scollegato', 'diverso', 'fallito'
);

-- How a message came into Socio: through the API of Meta, as an echo of the app on the phone, or with the history of that app.
create type public.whatsapp_source as enum ('api', 'telefono', 'cronologia');

create type public.whatsapp_history_state as enum (
  'da_chiedere', 'attesa', 'in_corso', 'finita', 'rifiutata', 'fallita'
);

create type public.transcript_state as enum ('attesa', 'pronto', 'fallito');

create type public.transcript_error as enum (
  'fornitore', 'occupato', 'rifiutato', 'vuoto', 'crediti', 'consenso', 'file', 'interrotto', 'fermo'
);

create table public.whatsapp_accounts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  portfolio text not null,
  waba_id text not null,
  phone_number_id text not null,
  display_number public.single_line,
  state public.whatsapp_account_state not null default 'attivo',
  is_on_phone boolean not null default false,
  is_by_app boolean not null default false,
  history_state public.whatsapp_history_state,
  history_progress integer not null default 0,
  quality text,
  people_a_day integer not null default 250,
  paused_until timestamptz,
  templates_stopped_until timestamptz,
  last_delivery_at timestamptz,
  last_success_at timestamptz,
  last_error_code integer,
  last_error text,
  last_error_at timestamptz,
  created_at timestamptz not null default now(),

  unique (user_id),
  -- Its webhook has one address.
  unique (phone_number_id),
  constraint portfolio_fits check (char_length(portfolio) between 1 and 100),
  constraint people_are_counted check (people_a_day >= 0),
  constraint only_phones_have_a_history check (history_state is null or is_on_phone),
  constraint progress_is_a_percentage check (history_progress between 0 and 100),
  constraint texts_fit check (char_length(quality) <= 20 and char_length(last_error) <= 500),
  constraint ids_are_numbers check (waba_id ~ '^[0-9]{1,40}$' and phone_number_id ~ '^[0-9]{1,40}$')
);
comment on table public.whatsapp_accounts is
  'The WhatsApp number of a person; token and app secret are in private.whatsapp_secrets.';
comment on column public.whatsapp_accounts.portfolio is 'Identifiers of people are unique within it.';
comment on column public.whatsapp_accounts.state is
  'da_ricollegare: the token is gone. sospeso: a payment method is missing. spento: Meta locked it. Only attivo sends.';
comment on column public.whatsapp_accounts.is_on_phone is 'The number is used in the WhatsApp Business app too (coexistence).';
comment on column public.whatsapp_accounts.is_by_app is
  'Connected by the operator''s app, so that it can be connected again at Meta: it has no app secret of its own.';
comment on column public.whatsapp_accounts.history_state is
  'How far the messages of the phone have come in: to be asked for, awaited, coming, all there, not shared, or not to be had.';
comment on column public.whatsapp_accounts.history_progress is 'The percentage that Meta has delivered of them.';
comment on column public.whatsapp_accounts.people_a_day is
  'How many people outside their window Meta lets the portfolio write to within 24 hours; a new one has 250.';
comment on column public.whatsapp_accounts.last_delivery_at is 'When Meta last delivered something about it.';

create table private.whatsapp_secrets (
  account_id uuid primary key references public.whatsapp_accounts (id) on delete cascade,
  sealed_token text not null,
  sealed_app_secret text
);
comment on table private.whatsapp_secrets is 'Secrets of WhatsApp numbers, encrypted by Context.seal; no API role reads them.';
comment on column private.whatsapp_secrets.sealed_app_secret is
  'The secret of the person''s own Meta app; null: the number was connected by the operator''s app, whose secret is a setting.';

-- No foreign keys: a row outlives its number, and its person.
create table private.whatsapp_releases (
  id uuid primary key,
  user_id uuid not null,
  portfolio text not null,
  waba_id text not null,
  phone_number_id text not null,
  sealed_token text not null,
  sealed_app_secret text,
  -- functions/whatsapp_account.py asks Meta first, when a number is disconnected.
  due_at timestamptz not null default now() + interval '1 minute',
  created_at timestamptz not null default now()
);
comment on table private.whatsapp_releases is
  'Numbers that were disconnected, replaced or erased, about which jobs/whatsapp_releases.py has Meta deliver nothing more.';
comment on column private.whatsapp_releases.id is 'That of the number, for which its secrets are encrypted.';

create table private.whatsapp_deliveries (
  id bigint primary key generated always as identity,
  user_id uuid not null references auth.users (id) on delete cascade,
  account_id uuid not null,
  body text not null,
  received_at timestamptz not null default now(),
  handled_at timestamptz,
  dead_letter text,

  constraint dead_letter_fits check (char_length(dead_letter) between 1 and 200)
);
comment on table private.whatsapp_deliveries is
  'What Meta delivered, as it came; erased after seven days. No foreign key to the account: it outlives a reconnection.';
comment on column private.whatsapp_deliveries.dead_letter is 'Why something in it could not be assigned to anybody.';

create table public.whatsapp_messages (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  contact_id uuid not null,
  channel_id uuid not null,
  direction public.interaction_direction not null,
  message_id text,
  source public.whatsapp_source not null default 'api',
  kind text not null,
  body text not null default '',
  summary text not null,
  refers_to text,
  content jsonb not null default '{}',
  media_state public.whatsapp_media_state,
  storage_path text,
  document_id uuid,
  invoice_id uuid,
  batch_id uuid,
  voice_s integer,
  transcript_state public.transcript_state,
  transcript text,
  transcript_error public.transcript_error,
  transcript_by text,
  transcript_attempts integer not null default 0,
  transcript_retries integer not null default 0,
  at timestamptz not null,
  key uuid,
  template jsonb,
  is_automatic boolean not null default false,
  answers_id uuid,
  is_outside_window boolean not null default false,
  state public.whatsapp_state,
  not_before timestamptz,
  expires_at timestamptz,
  attempts integer not null default 0,
  leased_until timestamptz,
  is_paused boolean not null default false,
  error public.whatsapp_error,
  error_code integer,
  error_detail text,
  sent_at timestamptz,
  delivered_at timestamptz,
  read_at timestamptz,
  price_category text,
  price_kind text,
  is_billable boolean,
  created_at timestamptz not null default now(),

  -- Also the replica identity, as in outgoing_mails.
  constraint whatsapp_messages_identity unique (user_id, id),
  unique (user_id, message_id),
  -- A second click is the same message.
  unique (user_id, key),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  foreign key (user_id, channel_id) references public.contact_channels (user_id, id) on delete cascade,
  foreign key (user_id, batch_id) references public.mail_batches (user_id, id) on delete set null (batch_id),
  foreign key (user_id, document_id) references public.documents (user_id, id) on delete set null (document_id),
  foreign key (user_id, invoice_id) references public.invoices (user_id, id) on delete set null (invoice_id),
  foreign key (user_id, answers_id) references public.whatsapp_messages (user_id, id) on delete cascade,
  constraint received_messages_have_an_id check (direction = 'uscita' or message_id is not null),
  constraint sent_messages_have_a_state check ((direction = 'uscita') = (state is not null)),
  constraint states_have_their_times check (
    state is null or key is not null and not_before is not null and expires_at is not null
    and (state <> 'sending' or leased_until is not null)
  ),
  constraint template_is_an_object check (jsonb_typeof(template) = 'object' and char_length(template::text) <= 20000),
  constraint answers_fit check (
    char_length(error_detail) <= 500 and char_length(price_category) <= 50 and char_length(price_kind) <= 50
  ),
  constraint texts_fit check (
    char_length(message_id) <= 200 and char_length(kind) <= 50 and char_length(body) <= 10000
    and char_length(refers_to) <= 200
  ),
  constraint summary_fits check (char_length(summary) between 1 and 20000),
  constraint content_is_an_object check (jsonb_typeof(content) = 'object' and char_length(content::text) <= 20000),
  constraint it_lies_in_the_folder_of_its_owner check (starts_with(storage_path, user_id::text || '/whatsapp/')),
  constraint a_file_has_one_place check (num_nonnulls(storage_path, document_id) <= 1),
  constraint received_files_have_a_state check (media_state is null or direction = 'entrata'),
  constraint voice_has_a_length check (voice_s > 0),
  constraint transcripts_fit check (char_length(transcript) between 1 and 20000),
  constraint their_providers_fit check (char_length(transcript_by) between 1 and 100),
  constraint only_voice_has_a_transcript check (transcript_state is null or voice_s is not null),
  constraint ready_transcripts_have_words check ((transcript_state is not distinct from 'pronto') = (transcript is not null)),
  constraint failed_transcripts_say_why check (
    (transcript_state is not distinct from 'fallito') = (transcript_error is not null)
  )
);
comment on table public.whatsapp_messages is 'WhatsApp messages with contacts; written by the server.';
comment on column public.whatsapp_messages.message_id is 'The id that WhatsApp gave it (wamid).';
comment on column public.whatsapp_messages.source is
  'telefono: written in the app on the phone after the number was connected. cronologia: older than that, in either direction.';
comment on column public.whatsapp_messages.kind is
  'Its type as Meta names it: text, image, reaction … An unknown one is kept and shown as not supported.';
comment on column public.whatsapp_messages.summary is 'One line about any kind of message.';
comment on column public.whatsapp_messages.refers_to is 'The message that it quotes, reacts to, changes or takes back.';
comment on column public.whatsapp_messages.content is
  'What has no place in body: {media: {id, mime, name, sha256, voice}, location, contacts, code}.';

comment on column public.whatsapp_messages.media_state is
  'How the file of a received message is: fetched (pronto), fetched but not what it claims to be (illeggibile), or why it is missing.';
comment on column public.whatsapp_messages.storage_path is 'Its file, if it did not become a document.';
comment on column public.whatsapp_messages.document_id is 'The document that its file became, or that is sent with it.';
comment on column public.whatsapp_messages.invoice_id is 'The invoice whose PDF is sent with it.';
comment on column public.whatsapp_messages.batch_id is 'The campaign that it belongs to.';
comment on column public.whatsapp_messages.voice_s is
  'How many seconds a recording lasts that can become text; null for any other file, and until it was fetched.';
comment on column public.whatsapp_messages.transcript is 'The words of a voice note as a provider of AI heard them.';
comment on column public.whatsapp_messages.transcript_by is 'The provider that heard it, as people know it.';
comment on column public.whatsapp_messages.transcript_attempts is
  'How often its words were asked for. Each attempt has its own hold of credits.';
comment on column public.whatsapp_messages.transcript_retries is
  'How often this attempt is made again by itself, under the same hold, because the provider was away.';
comment on column public.whatsapp_messages.key is 'Made by the form that sends it.';
comment on column public.whatsapp_messages.template is
  'The template that it was made of: {name, language, category, is_named, values: [[place, value]]}; null for a free text.';
comment on column public.whatsapp_messages.is_automatic is 'No person wrote it: the answer to STOP, or the automatic answer.';
comment on column public.whatsapp_messages.answers_id is 'The received message to which it is the automatic answer.';
comment on column public.whatsapp_messages.is_outside_window is 'The window was closed: its recipient counts for the limit of a day.';
comment on column public.whatsapp_messages.attempts is 'Also tells a worker that lost its lease from the one that has it.';
comment on column public.whatsapp_messages.is_paused is
  'Its campaign is paused. A copy of paused_at, so that the index of the next messages leaves these out.';
comment on column public.whatsapp_messages.price_category is 'As Meta counts it, like price_kind and is_billable; null until it says so.';

create index whatsapp_accounts_waba on public.whatsapp_accounts (waba_id);

create index whatsapp_releases_due on private.whatsapp_releases (due_at);

create index whatsapp_deliveries_owner on private.whatsapp_deliveries (user_id);

create index whatsapp_deliveries_age on private.whatsapp_deliveries (received_at);

create index whatsapp_messages_channel on public.whatsapp_messages (user_id, channel_id, at desc, id);

create index whatsapp_messages_contact on public.whatsapp_messages (user_id, contact_id, at desc);

create index whatsapp_messages_batch on public.whatsapp_messages (user_id, batch_id);

create index whatsapp_messages_answers on public.whatsapp_messages (user_id, answers_id);

create index whatsapp_messages_document on public.whatsapp_messages (user_id, document_id);

create index whatsapp_messages_invoice on public.whatsapp_messages (user_id, invoice_id);

-- Used to find files whose row is gone.
create index whatsapp_messages_path on public.whatsapp_messages (user_id, storage_path) where storage_path is not null;

-- Used by the insights of windows that close.
create index contact_channels_window on public.contact_channels (window_expires_at) where not is_done;

create function private.is_stop_word(_text text)
  returns boolean
  language sql immutable
  set search_path = ''
as $$
  select upper(btrim(_text, E' \t\r\n.!"''')) in ('STOP', 'BASTA', 'CANCELLAMI')
$$;
comment on function private.is_stop_word(text) is 'Whether a whole message is a word by which people want no more messages.';
revoke all on function private.is_stop_word from public, anon, authenticated, service_role;

create function private.save_whatsapp_account(
  _id uuid, _user_id uuid, _portfolio text, _waba_id text, _phone_number_id text, _display_number text,
  _sealed_token text, _sealed_app_secret text, _is_on_phone boolean default false
)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- A person has one number: the former goes with its secrets, its messages stay.
  delete from public.whatsapp_accounts where user_id = _user_id and id <> _id;
  insert into public.whatsapp_accounts (
    id, user_id, portfolio, waba_id, phone_number_id, display_number, is_on_phone, is_by_app, history_state
  )
  values (
    _id, _user_id, _portfolio, _waba_id, _phone_number_id, private.one_line(_display_number), _is_on_phone,
    _sealed_app_secret is null, case when _is_on_phone then 'da_chiedere'::public.whatsapp_history_state end
  )
  -- The same number, connected again: what was asked for before is not asked for again.
  on conflict (id) do update
    set waba_id = excluded.waba_id, is_on_phone = excluded.is_on_phone, is_by_app = excluded.is_by_app,
      history_state = case when excluded.is_on_phone then public.whatsapp_accounts.history_state end;
  insert into private.whatsapp_secrets (account_id, sealed_token, sealed_app_secret)
  values (_id, _sealed_token, _sealed_app_secret)
  on conflict (account_id) do update
    set sealed_token = excluded.sealed_token, sealed_app_secret = excluded.sealed_app_secret;
  -- Meta delivers about this account again, perhaps to the same app under a secret that was renewed.
  delete from private.whatsapp_releases where user_id = _user_id and waba_id = _waba_id;
end
$$;
comment on function private.save_whatsapp_account is
  'Keeps the number of a person after its token has read it from Meta; unique_violation when it is connected elsewhere.';
revoke all on function private.save_whatsapp_account from public, anon, authenticated, service_role;
grant execute on function private.save_whatsapp_account to service_role;

create function private.release_whatsapp_account()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  insert into private.whatsapp_releases (
    id, user_id, portfolio, waba_id, phone_number_id, sealed_token, sealed_app_secret
  )
  select old.id, old.user_id, old.portfolio, old.waba_id, old.phone_number_id, sealed_token, sealed_app_secret
  from private.whatsapp_secrets where account_id = old.id
  on conflict do nothing;
  return old;
end
$$;
comment on function private.release_whatsapp_account() is
  'Has Meta deliver nothing more about a number that is disconnected, replaced or erased with its person.';
revoke all on function private.release_whatsapp_account from public, anon, authenticated, service_role;

create function private.due_whatsapp_releases(_limit integer default 100)
  returns table (
    id uuid, user_id uuid, portfolio text, waba_id text, phone_number_id text, sealed_token text, sealed_app_secret text
  )
  language sql volatile security definer
  set search_path = ''
as $$
  -- Tried for a week: what Meta delivers about a number that is gone is not kept.
  delete from private.whatsapp_releases where created_at < now() - interval '7 days';
  update private.whatsapp_releases set due_at = now() + interval '10 minutes'
  where id in (
    select id from private.whatsapp_releases where due_at <= now() order by due_at limit _limit for update skip locked
  )
  returning id, user_id, portfolio, waba_id, phone_number_id, sealed_token, sealed_app_secret
$$;
comment on function private.due_whatsapp_releases(integer) is
  'The numbers about which Meta is to be told now, as private.whatsapp_account has them; they are due again in ten minutes.';
revoke all on function private.due_whatsapp_releases from public, anon, authenticated, service_role;
grant execute on function private.due_whatsapp_releases to service_role;

create function private.end_whatsapp_release(_id uuid)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  delete from private.whatsapp_releases where id = _id
$$;
comment on function private.end_whatsapp_release(uuid) is 'Forgets the secrets of a number about which Meta delivers nothing more.';
revoke all on function private.end_whatsapp_release from public, anon, authenticated, service_role;
grant execute on function private.end_whatsapp_release to service_role;

create function private.whatsapp_account(_id uuid)
  returns table (
    id uuid, user_id uuid, portfolio text, waba_id text, phone_number_id text, sealed_token text, sealed_app_secret text
  )
  language sql stable security definer
  set search_path = ''
as $$
  select accounts.id, user_id, portfolio, waba_id, phone_number_id, sealed_token, sealed_app_secret
  from public.whatsapp_accounts as accounts join private.whatsapp_secrets on account_id = accounts.id
  where accounts.id = _id
$$;
comment on function private.whatsapp_account(uuid) is 'A connected number with its encrypted secrets; no row without one.';
revoke all on function private.whatsapp_account from public, anon, authenticated, service_role;
grant execute on function private.whatsapp_account to service_role;

create function private.whatsapp_account_of(_user_id uuid)
  returns uuid
  language sql stable security definer
  set search_path = ''
as $$
  select id from public.whatsapp_accounts where user_id = _user_id
$$;
comment on function private.whatsapp_account_of(uuid) is 'The connected number of a person; null without one.';
revoke all on function private.whatsapp_account_of from public, anon, authenticated, service_role;
grant execute on function private.whatsapp_account_of to service_role;

create function private.named_whatsapp_accounts(_address uuid, _ids text[])
  returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  select coalesce(jsonb_agg(named), '[]')
  from (
    select accounts.id, user_id, portfolio, waba_id, phone_number_id, sealed_token, sealed_app_secret
    from public.whatsapp_accounts as accounts join private.whatsapp_secrets on account_id = accounts.id
    where accounts.id = _address or phone_number_id = any(_ids) or waba_id = any(_ids)
    order by accounts.id is not distinct from _address desc, phone_number_id = any(_ids) desc, accounts.id
    -- A stranger may name any number of them.
    limit 50
  ) as named
$$;
comment on function private.named_whatsapp_accounts is
  'Numbers that a delivery may be about: that of the address it came to, then those with its ids of numbers and accounts. '
  'As private.whatsapp_account has them, in one value, so that it takes one round trip.';
revoke all on function private.named_whatsapp_accounts from public, anon, authenticated, service_role;
grant execute on function private.named_whatsapp_accounts to service_role;

create function private.keep_whatsapp_delivery(_account_id uuid, _body text)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  with seen as (
    update public.whatsapp_accounts set last_delivery_at = now()
    where id = (
      select id from public.whatsapp_accounts
      -- Not at each of many deliveries, nor behind the jobs that hold the row while they read: Meta waits for the answer.
      where id = _account_id and coalesce(last_delivery_at < now() - interval '10 seconds', true)
      for no key update skip locked
    )
  ), kept as (
    insert into private.whatsapp_deliveries (user_id, account_id, body)
    select user_id, id, _body from public.whatsapp_accounts where id = _account_id
    returning id, user_id
  )
  select jobs.enqueue('whatsapp_deliveries', jsonb_build_object('delivery_id', id), user_id) from kept
$$;
comment on function private.keep_whatsapp_delivery is
  'Keeps a delivery about a number as it came and has a worker read it; nothing when the number is gone.';
revoke all on function private.keep_whatsapp_delivery from public, anon, authenticated, service_role;
grant execute on function private.keep_whatsapp_delivery to service_role;

create function private.whatsapp_delivery(_id bigint)
  returns table (user_id uuid, account_id uuid, body text, phone_number_id text, is_to_wait boolean)
  language sql stable security definer
  set search_path = ''
as $$
  select deliveries.user_id, accounts.id, body, phone_number_id,
    -- Fifty a second: no conversations, but the statuses of a campaign or what Meta repeats after an outage.
    received_at > now() - interval '5 seconds' and (
      select count(*) from (
        select from private.whatsapp_deliveries as others
        where others.received_at > now() - interval '1 second' and others.account_id = deliveries.account_id
        limit 50
      ) as recent
    ) = 50
  from private.whatsapp_deliveries as deliveries
  left join public.whatsapp_accounts as accounts on accounts.id = account_id
  where deliveries.id = _id and handled_at is null
$$;
comment on function private.whatsapp_delivery(bigint) is
  'A delivery that was not read yet, with the number that it is about; no account when that was disconnected. While many come '
  'for this number it is to wait, five seconds at most: Meta waits for the answers to those.';
revoke all on function private.whatsapp_delivery from public, anon, authenticated, service_role;
grant execute on function private.whatsapp_delivery to service_role;

create function private.settle_whatsapp_delivery(_id bigint, _dead_letter text default null)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update private.whatsapp_deliveries set handled_at = now(), dead_letter = left(private.one_line(_dead_letter), 200)
  where id = _id
$$;
comment on function private.settle_whatsapp_delivery is 'Marks a delivery as read, or as a dead letter with its reason.';
revoke all on function private.settle_whatsapp_delivery from public, anon, authenticated, service_role;
grant execute on function private.settle_whatsapp_delivery to service_role;

create function private.forget_whatsapp_deliveries(_limit integer)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with gone as (
    delete from private.whatsapp_deliveries where id in (
      select id from private.whatsapp_deliveries where received_at < now() - interval '7 days' limit _limit
    )
    returning id
  )
  select count(*) from gone
$$;
comment on function private.forget_whatsapp_deliveries(integer) is 'Deletes deliveries of Meta after seven days.';
revoke all on function private.forget_whatsapp_deliveries from public, anon, authenticated, service_role;
grant execute on function private.forget_whatsapp_deliveries to service_role;

create function private.whatsapp_phone(_user_id uuid, _contact_id uuid, _norm text)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _id uuid;
begin
  insert into public.contact_phones (user_id, contact_id, value, norm, label)
  values (_user_id, _contact_id, _norm, _norm, 'WhatsApp')
  on conflict (user_id, norm) do nothing
  returning id into _id;
  return coalesce(_id, (select id from public.contact_phones where user_id = _user_id and norm = _norm));
end
$$;
comment on function private.whatsapp_phone is 'The telephone number with this E.164 form, added to the contact if no contact has it.';
revoke all on function private.whatsapp_phone from public, anon, authenticated, service_role;

create function private.whatsapp_contact(
  _user_id uuid, _name text, _fallback text, _source text default 'Messaggio WhatsApp ricevuto'
)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _line constant text := left(coalesce(private.one_line(_name), private.one_line(_fallback), 'Contatto WhatsApp'), 200);
  _contact_id uuid;
begin
  insert into public.contacts (user_id, type, first_name, last_name, origin)
  values (
    _user_id, 'persona', split_part(_line, ' ', 1), nullif(btrim(substr(_line, strpos(_line || ' ', ' '))), ''), 'whatsapp'
  )
  returning id into _contact_id;
  perform private.set_consent(
    _user_id, _contact_id, 'whatsapp', 'marketing', 'non_richiesto', null, null, _source
  );
  return _contact_id;
end
$$;
comment on function private.whatsapp_contact is
  'Makes a contact of a person known by WhatsApp, whose consent nobody has asked for; the source is noted with the consent.';
revoke all on function private.whatsapp_contact from public, anon, authenticated, service_role;

create function private.whatsapp_channel(
  _user_id uuid, _portfolio text, _bsuid text, _phone text, _name text, _username text, _at timestamptz,
  _is_old boolean default false
)
  returns public.contact_channels
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _channel public.contact_channels;
  _digits constant text := ltrim(_phone, '+');
  _contact_id uuid;
begin
  -- The BSUID, then the number by which the person was known before it had one.
  select * into _channel from public.contact_channels
  where user_id = _user_id and kind = 'whatsapp' and portfolio = _portfolio and (
    external_id in (_bsuid, _digits)
    -- The phone names people by their number only.
    or _bsuid is null and phone_id in (select id from public.contact_phones where user_id = _user_id and norm = _phone)
  )
  order by coalesce(external_id = _bsuid, false) desc, last_at desc limit 1;
  if _channel.id is null then
    select contact_id into _contact_id from public.contact_phones where user_id = _user_id and norm = _phone;
    _contact_id := coalesce(
      private.living_contact(_user_id, _contact_id),
      private.whatsapp_contact(_user_id, _name, coalesce('@' || _username, _phone))
    );
    insert into public.contact_channels (user_id, contact_id, kind, portfolio, external_id, username, last_at)
    values (_user_id, _contact_id, 'whatsapp', _portfolio, coalesce(_bsuid, _digits), _username, _at)
    returning * into _channel;
  end if;
  -- A contact who writes leaves the trash; an old message takes no contact out of it.
  update public.contacts set deleted_at = null
  where user_id = _user_id and id = _channel.contact_id and deleted_at is not null and not _is_old;
  update public.contact_channels
  set external_id = coalesce(_bsuid, external_id), username = coalesce(_username, username),
    phone_id = case when _phone is null then phone_id else private.whatsapp_phone(_user_id, contact_id, _phone) end
  where id = _channel.id
  returning * into _channel;
  return _channel;
end
$$;
comment on function private.whatsapp_channel is
  'The identity that wrote: by BSUID, then by telephone number, then a new contact. A number that appears later is linked.';
revoke all on function private.whatsapp_channel from public, anon, authenticated, service_role;

create function private.stop_whatsapp(_channel public.contact_channels, _at timestamptz)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  update public.contact_channels set stopped_at = greatest(stopped_at, _at), is_done = true where id = _channel.id;
  perform private.set_consent(
    _channel.user_id, _channel.contact_id, 'whatsapp', purpose, 'revocato', null, null, 'Messaggio WhatsApp'
  )
  from unnest(array['marketing', 'servizio']::public.consent_purpose[]) as purpose;
  update public.whatsapp_messages set state = 'cancelled', error = 'stopped', leased_until = null
  where user_id = _channel.user_id and contact_id = _channel.contact_id and batch_id is not null and state = 'queued';
end
$$;
comment on function private.stop_whatsapp is
  'Takes back the consents of a person who wants no more messages, and what campaigns have queued for that person.';
revoke all on function private.stop_whatsapp from public, anon, authenticated, service_role;

create function private.keep_whatsapp_message(_account_id uuid, _told jsonb)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _account public.whatsapp_accounts;
  _channel public.contact_channels;
  -- A clock of ours that is late must not keep the window open for longer.
  _at constant timestamptz := least((_told ->> 'at')::timestamptz, now());
  _id uuid;
  _name text;
begin
  -- Locked, so that two messages of one stranger make one contact.
  select * into _account from public.whatsapp_accounts where id = _account_id for no key update;
  if not found or exists (
    select from public.whatsapp_messages where user_id = _account.user_id and message_id = _told ->> 'message_id'
  ) then
    return null;
  end if;
  _channel := private.whatsapp_channel(
    _account.user_id, _account.portfolio, _told ->> 'bsuid', _told ->> 'phone', _told ->> 'name', _told ->> 'username', _at
  );
  insert into public.whatsapp_messages (
    user_id, contact_id, channel_id, direction, message_id, kind, body, summary, refers_to, content, media_state, at
  )
  values (
    _account.user_id, _channel.contact_id, _channel.id, 'entrata', _told ->> 'message_id', _told ->> 'kind', _told ->> 'body',
    _told ->> 'summary', _told ->> 'refers_to', _told -> 'content',
    case
      when _told #> '{content,media}' is null then null
      when coalesce(_told #>> '{content,media,id}', '') = '' then 'fallito'
      else 'attesa'
    end::public.whatsapp_media_state, _at
  )
  returning id into _id;
  update public.contact_channels
  set failures = 0, last_inbound_at = greatest(last_inbound_at, _at), window_expires_at = greatest(window_expires_at, _at + interval '24 hours'),
    snippet = case when last_inbound_at > _at then snippet else left(_told ->> 'summary', 200) end,
    -- A message that was delivered late is not news after an answer.
    is_done = case when last_at > _at then is_done else false end, last_at = greatest(last_at, _at)
  where id = _channel.id
  returning * into _channel;
  insert into public.interactions (user_id, contact_id, kind, direction, at, summary)
  values (_account.user_id, _channel.contact_id, 'whatsapp', 'entrata', _at, _told ->> 'summary');
  if private.is_stop_word(_told ->> 'body') then
    perform private.stop_whatsapp(_channel, _at);
    -- Confirmed once.
    if _channel.stopped_at is null and _channel.window_expires_at > now() then
      perform private.add_whatsapp(
        gen_random_uuid(), _channel, 'Va bene, non riceverai altri messaggi da questo numero.', null, null, now(), true
      );
    end if;
  else
    perform private.answer_automatically(_channel, _id);
  end if;
  select name into _name from public.contacts where id = _channel.contact_id;
  -- No words of the message: what a stranger writes does not become a sentence of ours.
  perform private.notify(
    _account.user_id, 'messaggio_whatsapp', 'Messaggio WhatsApp', _name || ' ti ha scritto su WhatsApp.',
    '/crm?vista=whatsapp&conversazione=' || _channel.id, 'whatsapp ' || _id, 'whatsapp', _channel.id
  );
  return _id;
end
$$;
comment on function private.keep_whatsapp_message is
  'Keeps a received message once, with its contact, the window, the history and a notice; null when it is known already.';
revoke all on function private.keep_whatsapp_message from public, anon, authenticated, service_role;
grant execute on function private.keep_whatsapp_message to service_role;

create function private.window_facts(_user_id uuid)
  returns setof private.insight_fact
  language sql stable
  set search_path = ''
as $$
  -- No words of the message, as in answer_facts().
  select 'finestra_whatsapp', 'whatsapp', channel.id, (window_expires_at at time zone 'Europe/Rome')::date, contacts.id,
    'Rispondi a ' || contacts.name || ' entro le ' || to_char(window_expires_at at time zone 'Europe/Rome', 'HH24:MI'),
    'Aspetta una risposta su WhatsApp: dopo servirà un modello.', null::bigint, 'EUR', 1.0::double precision,
    jsonb_build_object('counterparty', contacts.name)
  from public.contact_channels as channel
  join public.whatsapp_accounts as account
    on account.user_id = _user_id and account.portfolio = channel.portfolio and account.state = 'attivo'
  join public.contacts on contacts.user_id = _user_id and contacts.id = channel.contact_id
    and contacts.merged_into is null and contacts.deleted_at is null
  where channel.user_id = _user_id and not channel.is_done
    and window_expires_at > now() and window_expires_at <= now() + interval '4 hours'
    and not private.is_whatsapp_stopped(channel, false)
  order by window_expires_at, channel.id
  limit private.most_facts()
$$;
comment on function private.window_facts(uuid) is 'Contacts who wait for an answer by WhatsApp whose window closes within four hours.';
revoke all on function private.window_facts from public, anon, authenticated, service_role;

create function private.moving_windows(_limit integer)
  returns setof uuid
  language sql stable security definer
  set search_path = ''
as $$
  select distinct channel.user_id
  from public.contact_channels as channel join private.home_pages as page using (user_id)
  where not is_done and not private.is_frozen(channel.user_id)
    -- A new day computes all of them.
    and window_expires_at > now() - interval '1 day' and window_expires_at <= now() + interval '4 hours'
    and refreshed_at < case when window_expires_at <= now() then window_expires_at else window_expires_at - interval '4 hours' end
  limit _limit
$$;
comment on function private.moving_windows(integer) is
  'People for whom a window of WhatsApp came within four hours of its end, or closed, since their home was computed.';
revoke all on function private.moving_windows from public, anon, authenticated, service_role;
grant execute on function private.moving_windows to service_role;

alter table public.whatsapp_accounts enable row level security;
alter table private.whatsapp_secrets enable row level security;
alter table private.whatsapp_releases enable row level security;
alter table private.whatsapp_deliveries enable row level security;
alter table public.whatsapp_messages enable row level security;

create policy "owners read their whatsapp number" on public.whatsapp_accounts
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners read their whatsapp messages" on public.whatsapp_messages
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on private.whatsapp_secrets from public, anon, authenticated, service_role;

revoke all on private.whatsapp_releases from public, anon, authenticated, service_role;
revoke all on private.whatsapp_deliveries from public, anon, authenticated, service_role;

revoke all on public.whatsapp_accounts from public, anon, authenticated, service_role;
grant select on public.whatsapp_accounts to authenticated, service_role;

revoke all on public.whatsapp_messages from public, anon, authenticated, service_role;
grant select on public.whatsapp_messages to authenticated, service_role;

create trigger release_whatsapp_account before delete on public.whatsapp_accounts
  for each row execute function private.release_whatsapp_account();

create trigger follow_merge before insert or update of contact_id on public.contact_channels
  for each row when (new.contact_id is not null) execute function private.follow_merge();

create trigger follow_merge before insert or update of contact_id on public.whatsapp_messages
  for each row when (new.contact_id is not null) execute function private.follow_merge();

create trigger mark_inserted after insert on public.contact_channels
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.contact_channels
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_deleted after delete on public.contact_channels
  referencing old table as changed for each statement execute function private.mark_changed();

create trigger settle_notices after update of is_done on public.contact_channels
  for each row when (new.is_done and not old.is_done) execute function private.settle_notices('whatsapp');

alter table public.whatsapp_messages replica identity using index whatsapp_messages_identity;
