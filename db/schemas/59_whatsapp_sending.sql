-- WhatsApp, sending: the outbox, the window as a lock, templates, what Meta answers, and what it costs.
--
-- public.queue_whatsapp is the only way in for a person: a free text within 24 hours of the contact's last message, an
-- approved template otherwise. private.begin_whatsapp asks all of it again right before a message leaves. Meta knows no
-- idempotency key: a message whose answer was lost is `uncertain`, waits for its status, and is never sent again by itself.
--
-- Error codes raised:
--   PT404  the caller has no such conversation, template, file or message (PostgREST answers 404)
--   SW001  no number is connected, or the number cannot send; the detail is its state
--   SW002  the window is closed: only a template may be sent
--   SW003  the contact wants no more messages
--   SW004  the template is not approved, or a place of it was not filled in
--   SW005  as many people were written to in a day as Meta allows
--   SW006  the contact has not agreed to marketing by WhatsApp
--   SW007  the message is in no state in which that can be decided

create table public.whatsapp_templates (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  template_id text not null,
  name text not null,
  language text not null,
  category text not null,
  state text not null,
  quality text,
  reason text,
  body text not null,
  footer text,
  is_named boolean not null,
  places text[] not null default '{}',
  is_usable boolean not null default true,
  created_at timestamptz not null default now(),

  constraint whatsapp_templates_identity unique (user_id, id),
  unique (user_id, name, language),
  constraint texts_fit check (
    char_length(template_id) <= 100 and char_length(name) <= 512 and char_length(language) <= 20
    and char_length(category) <= 50 and char_length(state) <= 50 and char_length(quality) <= 50
    and char_length(reason) <= 500 and char_length(body) <= 2000 and char_length(footer) <= 500
  )
);
comment on table public.whatsapp_templates is 'Message templates of a person as Meta has them; written by the server.';
comment on column public.whatsapp_templates.template_id is 'Its id at Meta.';
comment on column public.whatsapp_templates.category is 'UTILITY, MARKETING or AUTHENTICATION; Meta changes it by itself.';
comment on column public.whatsapp_templates.state is 'As Meta names it: PENDING, APPROVED, REJECTED, PAUSED, DISABLED …';
comment on column public.whatsapp_templates.places is 'The places of the body, in order: names, or 1, 2, 3 …';
comment on column public.whatsapp_templates.is_usable is 'False for a template with a part that Socio does not fill in.';

create table public.whatsapp_rates (
  id uuid primary key default gen_random_uuid(),
  market text not null,
  category text not null,
  valid_from date not null,
  currency text not null,
  amount_micros bigint not null,

  unique (market, category, valid_from),
  constraint market_is_a_prefix check (market ~ '^[1-9][0-9]{0,3}$'),
  constraint category_fits check (category ~ '^[a-z_]{1,50}$'),
  constraint currency_is_a_code check (currency ~ '^[A-Z]{3}$'),
  constraint amount_is_no_debt check (amount_micros >= 0)
);
comment on table public.whatsapp_rates is
  'What Meta charges for a message; an admin fills it in. Without a row a price is not known, and none is invented.';
comment on column public.whatsapp_rates.market is 'The country prefix of the recipient, without +.';
comment on column public.whatsapp_rates.amount_micros is 'Millionths of the currency.';

create table private.whatsapp_buckets (
  id uuid primary key,
  tokens double precision not null,
  counted_at timestamptz not null
);
comment on table private.whatsapp_buckets is 'Token buckets: how many messages a number, or a person, may still be sent now.';

-- What a code of Meta means for what is sent (reference: Cloud API error codes). A code that is not listed ends the message.
create view private.whatsapp_reactions with (security_invoker = on) as
select first_code, last_code, reaction, delay_s, message from (values
  (0, 0, 'reconnect', 0, 'Il collegamento con WhatsApp non vale più: ricollega il numero.'),
  (4, 4, 'slow_down', 300, 'WhatsApp chiede di rallentare.'),
  (10, 10, 'reconnect', 0, 'Il token non ha i permessi che servono: ricollega il numero.'),
  (190, 190, 'reconnect', 0, 'Il token è scaduto: ricollega il numero.'),
  (200, 299, 'reconnect', 0, 'Il token non ha i permessi che servono: ricollega il numero.'),
  (368, 368, 'switch_off', 0, 'Meta ha bloccato il numero per una violazione delle sue regole.'),
  (80007, 80007, 'slow_down', 300, 'WhatsApp chiede di rallentare.'),
  (130429, 130429, 'slow_down', 10, 'WhatsApp chiede di rallentare.'),
  (130497, 130497, 'switch_off', 0, 'Meta non permette di scrivere a persone di questo paese.'),
  (131000, 131000, 'retry', 30, 'WhatsApp ha avuto un errore.'),
  (131016, 131016, 'retry', 60, 'WhatsApp non è disponibile.'),
  (131026, 131026, 'doubt', 0, 'Il messaggio non può essere consegnato a questa persona.'),
  (131030, 131030, 'end', 0, 'La persona non è nella lista di prova del numero.'),
  (131031, 131031, 'switch_off', 0, 'Meta ha bloccato l’account.'),
  (131037, 131037, 'end', 0, 'Il nome del numero non è ancora approvato: controllalo in WhatsApp Manager.'),
  (131042, 131042, 'pause', 0, 'Manca un metodo di pagamento in WhatsApp Manager.'),
  (131044, 131044, 'pause', 0, 'Manca un metodo di pagamento in WhatsApp Manager.'),
  (131047, 131047, 'close_window', 0, 'Sono passate più di 24 ore: usa un modello.'),
  (131048, 131048, 'stop_templates', 86400, 'Molte persone hanno bloccato o segnalato il numero: i modelli sono fermi per un giorno.'),
  (131049, 131049, 'end', 0, 'Meta non consegna altre promozioni a questa persona per ora.'),
  (131050, 131050, 'suppress', 0, 'La persona non vuole più promozioni.'),
  (131051, 131051, 'end', 0, 'WhatsApp non accetta questo tipo di messaggio.'),
  (131052, 131052, 'retry', 60, 'WhatsApp non ha potuto leggere il file.'),
  (131053, 131053, 'end', 0, 'WhatsApp non accetta questo file.'),
  (131056, 131056, 'slow_person', 30, 'Troppi messaggi a questa persona in poco tempo.'),
  (131057, 131057, 'slow_down', 600, 'Il numero è in manutenzione.'),
  (131062, 131062, 'end', 0, 'Per questo messaggio serve il numero di telefono della persona: chiediglielo.'),
  (131063, 131063, 'end', 0, 'I modelli promozionali sono disattivati per questo numero.'),
  (131064, 131064, 'stop_templates', 86400, 'Meta ha fermato i modelli per come sono classificati.'),
  (132000, 132001, 'reread', 0, 'Il modello è cambiato in WhatsApp Manager: aggiorna i modelli.'),
  (132005, 132005, 'reread', 0, 'Il testo del modello è troppo lungo.'),
  (132007, 132007, 'reread', 0, 'Il testo del modello non rispetta le regole di Meta.'),
  (132008, 132008, 'reread', 0, 'Il modello è cambiato in WhatsApp Manager: aggiorna i modelli.'),
  (132012, 132012, 'reread', 0, 'Il modello è cambiato in WhatsApp Manager: aggiorna i modelli.'),
  (132015, 132015, 'pause_template', 0, 'Il modello è in pausa per qualità: scegline un altro.'),
  (132016, 132016, 'disable_template', 0, 'Il modello è disattivato per qualità: scegline un altro.'),
  (133016, 133016, 'slow_down', 600, 'Il numero è stato registrato troppe volte: aspetta.'),
  (135000, 135000, 'retry', 30, 'WhatsApp ha avuto un errore.')
) as reactions (first_code, last_code, reaction, delay_s, message);
comment on view private.whatsapp_reactions is 'What each error code of Meta makes us do, with its words for people.';

-- Used by the job: the next messages of a number. Those of a paused campaign may be thousands, and are not read at all.
create index whatsapp_messages_next on public.whatsapp_messages (user_id, not_before, id)
  where state = 'queued' and not is_paused;

create index whatsapp_messages_due on public.whatsapp_messages (not_before) where state = 'queued' and not is_paused;

-- Used by the sweep, which runs each minute: campaigns may wait for weeks.
create index whatsapp_messages_expiring on public.whatsapp_messages (expires_at) where state = 'queued';

create index whatsapp_messages_leased on public.whatsapp_messages (leased_until) where state = 'sending';

-- Used by the limit of people in a day.
create index whatsapp_messages_day on public.whatsapp_messages (user_id, coalesce(sent_at, not_before))
  where is_outside_window;

-- Used by the same limit when a message leaves (private.wait_for_room), for each of a campaign.
create index whatsapp_messages_written on public.whatsapp_messages (user_id, coalesce(sent_at, not_before))
  where is_outside_window and state not in ('queued', 'cancelled', 'failed');

-- Used by the counters of a month.
create index whatsapp_messages_sent on public.whatsapp_messages (user_id, sent_at desc) where sent_at is not null;

create function private.take_whatsapp_token(_id uuid, _per_s double precision, _most double precision)
  returns double precision
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _tokens double precision;
begin
  insert into private.whatsapp_buckets (id, tokens, counted_at) values (_id, _most, clock_timestamp())
  on conflict (id) do nothing;
  select least(_most, tokens + _per_s * greatest(extract(epoch from clock_timestamp() - counted_at)::float8, 0))
  into _tokens
  from private.whatsapp_buckets where id = _id for update;
  if _tokens < 1 then
    return (1 - _tokens) / _per_s;
  end if;
  update private.whatsapp_buckets set tokens = _tokens - 1, counted_at = clock_timestamp() where id = _id;
  return 0;
end
$$;
comment on function private.take_whatsapp_token is 'Takes one token of a bucket and answers 0, or in how many seconds there is one.';
revoke all on function private.take_whatsapp_token from public, anon, authenticated, service_role;

create function private.is_whatsapp_window_open(_channel public.contact_channels, _at timestamptz default now())
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select coalesce((_channel).window_expires_at > _at, false)
$$;
comment on function private.is_whatsapp_window_open is 'Whether a free text may be sent now, or at another moment.';
revoke all on function private.is_whatsapp_window_open from public, anon, authenticated, service_role;

create function private.is_whatsapp_stopped(_channel public.contact_channels, _is_template boolean)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select (_channel).stopped_at is not null
    -- Whoever writes again after STOP may be answered; a template needs a new consent.
    and not (not _is_template and (_channel).last_inbound_at > (_channel).stopped_at)
    and not exists (
      select from public.consents
      where user_id = (_channel).user_id and contact_id = (_channel).contact_id and channel = 'whatsapp'
        and state = 'dato' and at > (_channel).stopped_at
    )
$$;
comment on function private.is_whatsapp_stopped is 'Whether the person wants no more messages.';
revoke all on function private.is_whatsapp_stopped from public, anon, authenticated, service_role;

create function private.has_agreed_on_whatsapp(_user_id uuid, _contact_id uuid, _purposes public.consent_purpose[])
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (
    select from public.consents
    where user_id = _user_id and contact_id = _contact_id and channel = 'whatsapp'
      and purpose = any (_purposes) and state = 'dato'
  )
$$;
comment on function private.has_agreed_on_whatsapp is 'Whether a contact has agreed to one of these purposes by WhatsApp.';
revoke all on function private.has_agreed_on_whatsapp from public, anon, authenticated, service_role;

create function private.has_objected_on_whatsapp(_user_id uuid, _contact_id uuid, _category text)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (
    select from public.consents
    where user_id = _user_id and contact_id = _contact_id and channel = 'whatsapp'
      and purpose = case _category when 'MARKETING' then 'marketing' else 'servizio' end::public.consent_purpose
      and state in ('negato', 'revocato')
  ) or exists (
    select from public.contact_requests where user_id = _user_id and contact_id = _contact_id and kind = 'opposizione'
  )
$$;
comment on function private.has_objected_on_whatsapp is 'Whether a contact wants no templates of this category to several people.';
revoke all on function private.has_objected_on_whatsapp from public, anon, authenticated, service_role;

create function private.whatsapp_refusal(_message public.whatsapp_messages)
  returns public.whatsapp_error
  language sql stable
  set search_path = ''
as $$
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
$$;
comment on function private.whatsapp_refusal is 'Why a message must not leave now; null when it may.';
revoke all on function private.whatsapp_refusal from public, anon, authenticated, service_role;

create function private.whatsapp_people_beyond(_account public.whatsapp_accounts, _at timestamptz default now())
  returns integer
  language sql stable
  set search_path = ''
as $$
  select (count(distinct channel_id) - (_account).people_a_day)::integer
  from public.whatsapp_messages
  where user_id = (_account).user_id and is_outside_window and state <> 'cancelled' and state <> 'failed'
    and coalesce(sent_at, not_before) > _at - interval '24 hours'
    -- Messages of a campaign that are due on later days do not count on the day that may begin now: at night and on
    -- holidays it begins later.
    and (batch_id is null or coalesce(sent_at, not_before) < private.allowed_mail_time(_at) + interval '24 hours')
$$;
comment on function private.whatsapp_people_beyond is
  'How many people outside their window are written to within a day beyond what Meta allows; negative while there is room.';
revoke all on function private.whatsapp_people_beyond from public, anon, authenticated, service_role;

create function private.whatsapp_people_left(_account public.whatsapp_accounts, _at timestamptz default now())
  returns integer
  language sql stable
  set search_path = ''
as $$
  select greatest(-private.whatsapp_people_beyond(_account, _at), 0)
$$;
comment on function private.whatsapp_people_left is
  'How many people outside their window may still be written to within a day, that of now or of a later moment.';
revoke all on function private.whatsapp_people_left from public, anon, authenticated, service_role;

create function private.add_whatsapp(
  _key uuid, _channel public.contact_channels, _body text, _template jsonb, _refers_to text, _not_before timestamptz,
  _is_automatic boolean default false, _file jsonb default null, _batch_id uuid default null, _answers_id uuid default null
)
  returns public.whatsapp_messages
  language plpgsql volatile
  set search_path = ''
as $$
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
$$;
comment on function private.add_whatsapp is 'Adds a message to the outbox; its conversation is done, unless the answer is automatic.';
revoke all on function private.add_whatsapp from public, anon, authenticated, service_role;

create function private.unfilled_place(_template public.whatsapp_templates, _values jsonb)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select place
  from unnest((_template).places) with ordinality as places (place, ordinal)
  cross join lateral private.one_line(_values ->> place) as value
  where value is null or private.has_open_place(value)
  order by ordinal limit 1
$$;
comment on function private.unfilled_place is 'The first place of a template that these values do not fill in; null when they do.';
revoke all on function private.unfilled_place from public, anon, authenticated, service_role;

create function private.template_part(_template public.whatsapp_templates, _values jsonb)
  returns jsonb
  language sql immutable
  set search_path = ''
as $$
  select jsonb_build_object(
    'name', (_template).name, 'language', (_template).language, 'category', (_template).category,
    'is_named', (_template).is_named,
    'values', (
      select coalesce(jsonb_agg(jsonb_build_array(place, private.one_line(_values ->> place)) order by ordinal), '[]')
      from unnest((_template).places) with ordinality as places (place, ordinal)
    )
  )
$$;
comment on function private.template_part is 'The template of a message with its values, as the outbox keeps it.';
revoke all on function private.template_part from public, anon, authenticated, service_role;

create function private.filled_template(_template public.whatsapp_templates, _values jsonb)
  returns text
  language plpgsql immutable
  set search_path = ''
as $$
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
$$;
comment on function private.filled_template is 'The text of a template with its places filled in; SW004 when one is empty.';
revoke all on function private.filled_template from public, anon, authenticated, service_role;

-- Security definer because the outbox is written only after these checks.
create function public.queue_whatsapp(
  _key uuid, _channel_id uuid, _body text default null, _template_id uuid default null, _values jsonb default '{}',
  _refers_to text default null, _is_at_once boolean default false, _document_id uuid default null, _invoice_id uuid default null
)
  returns public.whatsapp_messages
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function public.queue_whatsapp is
  'Queues a free text or a file within the window, or a template, to a conversation of the caller, or refuses; the same key again '
  'returns the first message. A template outside the window waits for the end of the recipient''s rest, unless it is '
  'about a contract and its writer sends it at once.';
revoke all on function public.queue_whatsapp from public, anon, authenticated, service_role;
grant execute on function public.queue_whatsapp to authenticated;

create function private.note_sent_whatsapp(_message public.whatsapp_messages)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.interactions (user_id, contact_id, kind, direction, at, summary)
  values (_message.user_id, _message.contact_id, 'whatsapp', 'uscita', _message.sent_at, _message.summary)
$$;
comment on function private.note_sent_whatsapp is 'Adds a sent message to the history of its contact.';
revoke all on function private.note_sent_whatsapp from public, anon, authenticated, service_role;

create function private.wait_for_room(_account public.whatsapp_accounts, _message public.whatsapp_messages)
  returns boolean
  language plpgsql volatile
  set search_path = ''
  -- private.claim_whatsapp switches it off. Without it distinct conversations are counted along the index of all messages of a
  -- person, instead of those of a day.
  set enable_sort = on
as $$
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
  where user_id = _message.user_id and batch_id is not null and is_outside_window and state = 'queued' and not is_paused
    and not_before <= clock_timestamp() and (leased_until is null or leased_until <= now());
  return true;
end
$$;
comment on function private.wait_for_room is
  'Lets the due messages of campaigns wait when as many people were written to in a day as Meta allows; answers whether they do.';
revoke all on function private.wait_for_room from public, anon, authenticated, service_role;

create function private.start_campaign(_account public.whatsapp_accounts, _id uuid)
  returns boolean
  language plpgsql volatile
  set search_path = ''
  -- As in private.wait_for_room.
  set enable_sort = on
as $$
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
$$;
comment on function private.start_campaign is
  'Asks again, when the first message of a campaign is about to leave, what was asked when it was planned, and pauses it if it may '
  'not go; answers whether it has started, null while somebody changes it.';
revoke all on function private.start_campaign from public, anon, authenticated, service_role;

create function private.wait_for_morning(_message public.whatsapp_messages)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
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
$$;
comment on function private.wait_for_morning is
  'Lets a campaign that is late, because the worker or the number stopped, keep the rest of its recipients (E-10); answers whether it does.';
revoke all on function private.wait_for_morning from public, anon, authenticated, service_role;

create function private.is_campaign_waiting(_account public.whatsapp_accounts, _message public.whatsapp_messages)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
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
$$;
comment on function private.is_campaign_waiting is
  'Whether a due message of a campaign must not leave yet: it is paused, or due later, then; null: try again in a moment.';
revoke all on function private.is_campaign_waiting from public, anon, authenticated, service_role;

create function private.due_whatsapp_senders(_limit integer default 500)
  returns setof uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- Their worker is gone, or its answer came too late.
  update public.whatsapp_messages set state = 'uncertain', leased_until = null, error = 'interrupted'
  where state = 'sending' and leased_until <= now();
  update public.whatsapp_messages set state = 'failed', leased_until = null, error = 'expired'
  where state = 'queued' and expires_at <= now();
  -- A bucket of yesterday is full.
  delete from private.whatsapp_buckets where counted_at < now() - interval '1 day';
  -- A connection that was begun and not ended may hold a token.
  delete from private.whatsapp_signups where expires_at < now() - interval '1 hour';
  return query
    select distinct messages.user_id
    from public.whatsapp_messages as messages
    join public.whatsapp_accounts as accounts on accounts.user_id = messages.user_id
    where messages.state = 'queued' and not is_paused and not_before <= now() and accounts.state = 'attivo'
      and coalesce(paused_until <= now(), true)
    limit _limit;
end
$$;
comment on function private.due_whatsapp_senders(integer) is
  'The people who have messages to be sent now; messages whose sending was interrupted become uncertain, and those that '
  'could not be sent in their time have failed.';
revoke all on function private.due_whatsapp_senders from public, anon, authenticated, service_role;
grant execute on function private.due_whatsapp_senders to service_role;

create function private.claim_whatsapp(_user_id uuid)
  returns setof public.whatsapp_messages
  language plpgsql volatile security definer
  set search_path = ''
  -- Along its index the first row is the next; sorted, a large sending is looked through for each of its messages.
  set enable_sort = off
as $$
declare
  _account public.whatsapp_accounts;
  _message public.whatsapp_messages;
  _is_waiting boolean;
  _wait_s double precision;
begin
  select * into _account from public.whatsapp_accounts
  where user_id = _user_id and state = 'attivo' and coalesce(paused_until <= now(), true)
  -- As private.lock_whatsapp_number.
  for no key update;
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
      -- The message did not leave: its person keeps the token.
      update private.whatsapp_buckets set tokens = tokens + 1 where id = _message.channel_id;
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
$$;
comment on function private.claim_whatsapp(uuid) is
  'Leases the next due message of a person; no row when none is due, the number is paused, or too many were just sent.';
revoke all on function private.claim_whatsapp from public, anon, authenticated, service_role;
grant execute on function private.claim_whatsapp to service_role;

create function private.next_whatsapp_s(_user_id uuid)
  returns double precision
  language sql stable security definer
  set search_path = ''
as $$
  select extract(epoch from not_before - clock_timestamp())::double precision from public.whatsapp_messages
  -- Its moment may have come since it was asked for. What is due for longer waits for something else.
  where user_id = _user_id and state = 'queued' and not is_paused and not_before > clock_timestamp() - interval '1 second'
  order by not_before, id limit 1
$$;
comment on function private.next_whatsapp_s(uuid) is
  'In how many seconds the next message of a person is due, negative for the last second; null when nothing will be.';
revoke all on function private.next_whatsapp_s from public, anon, authenticated, service_role;
grant execute on function private.next_whatsapp_s to service_role;

create function private.begin_whatsapp(_id uuid, _attempt integer)
  returns table (external_id text, phone text)
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function private.begin_whatsapp is
  'Allows one worker to send a message and answers to whom; no row when it was cancelled, refused or taken by another.';
revoke all on function private.begin_whatsapp from public, anon, authenticated, service_role;
grant execute on function private.begin_whatsapp to service_role;

create function private.pause_campaign(_batch public.mail_batches, _reason text)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
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
$$;
comment on function private.pause_campaign is 'Pauses a campaign that is planned or under way, and notifies its person.';
revoke all on function private.pause_campaign from public, anon, authenticated, service_role;

create function private.pause_campaigns(_user_id uuid, _template_id uuid, _reason text)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
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
$$;
comment on function private.pause_campaigns is
  'Pauses the campaigns of a template, or all of a person, that are under way, and notifies their person.';
revoke all on function private.pause_campaigns from public, anon, authenticated, service_role;

create function private.pause_campaigns_of_template()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
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
$$;
comment on function private.pause_campaigns_of_template() is 'A template that may not be sent as it was pauses the campaigns that send it.';
revoke all on function private.pause_campaigns_of_template from public, anon, authenticated, service_role;

create function private.lock_whatsapp_number(_user_id uuid)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  perform from public.whatsapp_accounts where user_id = _user_id for no key update;
end
$$;
comment on function private.lock_whatsapp_number(uuid) is
  'Locks the number of a person, before messages and campaigns: whatever may change several of them takes this lock first, so '
  'that no two wait for each other.';
revoke all on function private.lock_whatsapp_number from public, anon, authenticated, service_role;

create function private.react_to_whatsapp(_message public.whatsapp_messages, _code integer, _detail text)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
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
$$;
comment on function private.react_to_whatsapp is 'Does what an error code of Meta asks for, to the message and to all that it says.';
revoke all on function private.react_to_whatsapp from public, anon, authenticated, service_role;

create function private.change_whatsapp_state(
  _user_id uuid, _state public.whatsapp_account_state, _code integer, _message text
)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
begin
  update public.whatsapp_accounts
  set state = _state, last_error_code = _code, last_error = _message, last_error_at = now()
  where user_id = _user_id and state <> _state;
  if found then
    perform private.notify(
      _user_id, 'whatsapp_fermo', 'WhatsApp non invia più', _message, '/settings/channels',
      'whatsapp state ' || gen_random_uuid()
    );
  end if;
end
$$;
comment on function private.change_whatsapp_state is 'Says that a number cannot send, and notifies its person once.';
revoke all on function private.change_whatsapp_state from public, anon, authenticated, service_role;

create function private.settle_whatsapp(
  _id uuid, _attempt integer, _message_id text default null, _code integer default null, _detail text default null,
  _is_temporary boolean default false
)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _message public.whatsapp_messages;
begin
  if _code is not null then
    perform private.lock_whatsapp_number(user_id) from public.whatsapp_messages where id = _id;
  end if;
  select * into _message from public.whatsapp_messages where id = _id and attempts = _attempt for update;
  if not found or _message.state not in ('queued', 'sending', 'uncertain') then
    -- Its status was faster than the answer.
    update public.whatsapp_messages set message_id = coalesce(message_id, _message_id) where id = _id;
  elsif _code is not null then
    perform private.react_to_whatsapp(_message, _code, _detail);
  elsif _message_id is not null then
    update public.whatsapp_messages
    set state = 'sent', message_id = _message_id, sent_at = now(), leased_until = null, error = null, error_code = null,
      error_detail = null
    where id = _id returning * into _message;
    perform private.note_sent_whatsapp(_message);
    update public.whatsapp_accounts set last_success_at = now() where user_id = _message.user_id;
  elsif _is_temporary then
    update public.whatsapp_messages
    set state = 'queued', error = 'unreachable', leased_until = null,
      not_before = now() + make_interval(secs => least(30 * 2 ^ (_attempt - 1), 900))
    where id = _id;
  else
    update public.whatsapp_messages set state = 'uncertain', error = 'interrupted', leased_until = null where id = _id;
  end if;
end
$$;
comment on function private.settle_whatsapp is
  'Records how an attempt ended: Meta gave the message an id, refused it with a code, could not be reached (temporary), or '
  'did not answer, which leaves it uncertain.';
revoke all on function private.settle_whatsapp from public, anon, authenticated, service_role;
grant execute on function private.settle_whatsapp to service_role;

create function private.fail_whatsapp(_id uuid, _attempt integer, _error public.whatsapp_error)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.whatsapp_messages set state = 'failed', error = _error, leased_until = null
  where id = _id and attempts = _attempt and state = 'queued'
$$;
comment on function private.fail_whatsapp is 'Ends a leased message that cannot be sent for a reason of ours.';
revoke all on function private.fail_whatsapp from public, anon, authenticated, service_role;
grant execute on function private.fail_whatsapp to service_role;

create function private.whatsapp_rank(_state public.whatsapp_state)
  returns integer
  language sql immutable
  set search_path = ''
as $$
  select case _state when 'sent' then 1 when 'failed' then 2 when 'delivered' then 3 when 'read' then 4 else 0 end
$$;
comment on function private.whatsapp_rank is 'The order of states: a status that comes late never takes one back.';
revoke all on function private.whatsapp_rank from public, anon, authenticated, service_role;

create function private.keep_whatsapp_status(_account_id uuid, _told jsonb)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _message public.whatsapp_messages;
  _former public.whatsapp_messages;
  _state constant public.whatsapp_state := _told ->> 'state';
  _at constant timestamptz := least((_told ->> 'at')::timestamptz, now());
begin
  if _state = 'failed' then
    perform private.lock_whatsapp_number(user_id) from public.whatsapp_accounts where id = _account_id;
  end if;
  select messages.* into _former
  from public.whatsapp_messages as messages join public.whatsapp_accounts as accounts using (user_id)
  where accounts.id = _account_id and direction = 'uscita'
    and (messages.id = (_told ->> 'our_id')::uuid or message_id = _told ->> 'message_id')
  order by messages.id = (_told ->> 'our_id')::uuid desc limit 1
  for update of messages;
  if not found then
    return;
  end if;
  update public.whatsapp_messages
  set message_id = coalesce(message_id, _told ->> 'message_id'),
    state = case when private.whatsapp_rank(_state) > private.whatsapp_rank(state) then _state else state end,
    sent_at = case when _state = 'failed' then sent_at else coalesce(sent_at, _at) end,
    delivered_at = case when _state in ('delivered', 'read') then least(delivered_at, _at) else delivered_at end,
    read_at = case when _state = 'read' then least(read_at, _at) else read_at end,
    price_category = coalesce(_told ->> 'price_category', price_category),
    price_kind = coalesce(_told ->> 'price_kind', price_kind),
    is_billable = coalesce((_told ->> 'is_billable')::boolean, is_billable),
    leased_until = null, error = case when _state = 'failed' then error end
  where id = _former.id
  returning * into _message;
  if _former.sent_at is null and _message.sent_at is not null then
    perform private.note_sent_whatsapp(_message);
  end if;
  if _message.state = 'failed' and _former.state <> 'failed' then
    perform private.react_to_whatsapp(_message, coalesce((_told ->> 'code')::integer, -1), _told ->> 'detail');
  elsif _message.state in ('delivered', 'read') then
    update public.contact_channels set failures = 0 where id = _message.channel_id and failures > 0;
  end if;
end
$$;
comment on function private.keep_whatsapp_status is
  'Records what became of a sent message, once for each status and in whatever order they come; its price too.';
revoke all on function private.keep_whatsapp_status from public, anon, authenticated, service_role;
grant execute on function private.keep_whatsapp_status to service_role;

create function public.cancel_whatsapp(_id uuid)
  returns public.whatsapp_messages
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _message public.whatsapp_messages;
begin
  update public.whatsapp_messages set state = 'cancelled', leased_until = null
  where user_id = _user_id and id = _id and state = 'queued'
  returning * into _message;
  if not found then
    select * into _message from public.whatsapp_messages where user_id = _user_id and id = _id;
  end if;
  if _message.id is null then
    raise exception 'no such message' using errcode = 'PT404';
  elsif _message.state is distinct from 'cancelled' then
    raise exception 'the message is on its way' using errcode = 'SW007', detail = _message.state::text;
  end if;
  return _message;
end
$$;
comment on function public.cancel_whatsapp(uuid) is 'Cancels a message of the caller that has not left yet.';
revoke all on function public.cancel_whatsapp from public, anon, authenticated, service_role;
grant execute on function public.cancel_whatsapp to authenticated;

create function public.decide_whatsapp(_id uuid, _has_arrived boolean)
  returns public.whatsapp_messages
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _message public.whatsapp_messages;
begin
  select * into _message from public.whatsapp_messages where user_id = _user_id and id = _id for update;
  if not found then
    raise exception 'no such message' using errcode = 'PT404';
  elsif _message.state is distinct from 'uncertain' then
    raise exception 'nothing is to be decided' using errcode = 'SW007', detail = _message.state::text;
  end if;
  update public.whatsapp_messages
  set state = case when _has_arrived then 'sent'::public.whatsapp_state else 'failed' end,
    sent_at = case when _has_arrived then now() end, error = case when not _has_arrived then error end
  where id = _id returning * into _message;
  if _has_arrived then
    perform private.note_sent_whatsapp(_message);
  end if;
  return _message;
end
$$;
comment on function public.decide_whatsapp(uuid, boolean) is
  'Says of an uncertain message of the caller that it has arrived, or that it has not.';
revoke all on function public.decide_whatsapp from public, anon, authenticated, service_role;
grant execute on function public.decide_whatsapp to authenticated;

create function private.save_whatsapp_templates(_account_id uuid, _told jsonb, _is_all boolean)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select user_id from public.whatsapp_accounts where id = _account_id);
  _count integer;
begin
  -- A template that changes may pause campaigns.
  perform private.lock_whatsapp_number(_user_id);
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
$$;
comment on function private.save_whatsapp_templates is 'Keeps templates as Meta has them; those that are gone too, if all were read.';
revoke all on function private.save_whatsapp_templates from public, anon, authenticated, service_role;
grant execute on function private.save_whatsapp_templates to service_role;

create function private.note_whatsapp_template(_account_id uuid, _told jsonb)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  select private.lock_whatsapp_number(user_id) from public.whatsapp_accounts where id = _account_id;
  update public.whatsapp_templates as template
  set state = coalesce(_told ->> 'state', template.state), quality = coalesce(_told ->> 'quality', template.quality),
    category = coalesce(_told ->> 'category', template.category),
    reason = case when _told ? 'state' then _told ->> 'reason' else template.reason end
  from public.whatsapp_accounts as accounts
  where accounts.id = _account_id and template.user_id = accounts.user_id
    and template.name = _told ->> 'name' and template.language = _told ->> 'language'
$$;
comment on function private.note_whatsapp_template is 'Records what Meta says of a template: state, quality or category.';
revoke all on function private.note_whatsapp_template from public, anon, authenticated, service_role;
grant execute on function private.note_whatsapp_template to service_role;

create function private.note_whatsapp_number(
  _account_id uuid, _display_number text, _quality text, _people_a_day integer
)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.whatsapp_accounts
  set display_number = private.one_line(_display_number), quality = left(private.one_line(_quality), 20),
    people_a_day = coalesce(_people_a_day, people_a_day), state = 'attivo', paused_until = null, last_error_code = null,
    last_error = null, last_error_at = null, last_success_at = now()
  where id = _account_id
$$;
comment on function private.note_whatsapp_number is 'Records what Meta says of a number that answers with its token: it can send again.';
revoke all on function private.note_whatsapp_number from public, anon, authenticated, service_role;
grant execute on function private.note_whatsapp_number to service_role;

create function private.drop_whatsapp_account(_user_id uuid)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  delete from public.whatsapp_accounts where user_id = _user_id
$$;
comment on function private.drop_whatsapp_account(uuid) is 'Forgets the number of a person with its secrets; the messages stay.';
revoke all on function private.drop_whatsapp_account from public, anon, authenticated, service_role;
grant execute on function private.drop_whatsapp_account to service_role;

create function private.cancel_messages_of_number()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update public.whatsapp_messages set state = 'cancelled', error = 'disconnected', leased_until = null
  where user_id = old.user_id and state = 'queued';
  delete from public.whatsapp_templates where user_id = old.user_id;
  return old;
end
$$;
comment on function private.cancel_messages_of_number() is 'Messages that wait, and templates, go with the number.';
revoke all on function private.cancel_messages_of_number from public, anon, authenticated, service_role;

create function public.whatsapp_usage(_month date default null)
  returns table (category text, kind text, messages bigint, unpriced bigint, currency text, amount_micros bigint)
  language sql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
  select sent.price_category, sent.price_kind, count(*), count(*) filter (where sent.is_billable and rate.id is null),
    rate.currency, coalesce(sum(rate.amount_micros) filter (where sent.is_billable), 0)::bigint
  from public.whatsapp_messages as sent
  join public.contact_channels as channels on channels.user_id = sent.user_id and channels.id = sent.channel_id
  left join public.contact_phones as phones on phones.user_id = sent.user_id and phones.id = channels.phone_id
  left join lateral (
    select rates.* from public.whatsapp_rates as rates
    where rates.category = sent.price_category and rates.valid_from <= (sent.sent_at at time zone 'Europe/Rome')::date
      and starts_with(ltrim(phones.norm, '+'), rates.market)
    order by char_length(rates.market) desc, rates.valid_from desc limit 1
  ) as rate on true
  where sent.user_id = (select auth.uid()) and sent.price_category is not null
    and sent.sent_at >= date_trunc('month', coalesce(_month::timestamp, now() at time zone 'Europe/Rome')) at time zone 'Europe/Rome'
    and sent.sent_at < (date_trunc('month', coalesce(_month::timestamp, now() at time zone 'Europe/Rome')) + interval '1 month')
      at time zone 'Europe/Rome'
  group by 1, 2, 5
  order by 1, 2, 5
$$;
comment on function public.whatsapp_usage(date) is
  'The delivered messages of the caller in a month as Meta counts them: by category and kind, how many have no known price, '
  'and the sum of the others.';
revoke all on function public.whatsapp_usage from public, anon, authenticated, service_role;
grant execute on function public.whatsapp_usage to authenticated;

create function public.set_whatsapp_rate(
  _market text, _category text, _valid_from date, _currency text, _amount_micros bigint
)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  if not private.is_admin() then
    raise sqlstate 'PT403' using message = 'Only an admin changes rates';
  end if;
  insert into public.whatsapp_rates (market, category, valid_from, currency, amount_micros)
  values (_market, _category, _valid_from, _currency, _amount_micros)
  on conflict (market, category, valid_from) do update
    set currency = excluded.currency, amount_micros = excluded.amount_micros;
end
$$;
comment on function public.set_whatsapp_rate is 'Writes what a message costs from a day on; for admins with a second factor.';
revoke all on function public.set_whatsapp_rate from public, anon, authenticated, service_role;
grant execute on function public.set_whatsapp_rate to authenticated;

alter table public.whatsapp_templates enable row level security;
alter table public.whatsapp_rates enable row level security;
alter table private.whatsapp_buckets enable row level security;

create policy "owners read their whatsapp templates" on public.whatsapp_templates
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on private.whatsapp_buckets from public, anon, authenticated, service_role;
revoke all on private.whatsapp_reactions from public, anon, authenticated, service_role;

revoke all on public.whatsapp_templates from public, anon, authenticated, service_role;
grant select on public.whatsapp_templates to authenticated, service_role;

revoke all on public.whatsapp_rates from public, anon, authenticated, service_role;
grant select on public.whatsapp_rates to service_role;

create trigger pause_campaigns_of_changed after update of state, category, body on public.whatsapp_templates
  for each row when (
    new.state <> old.state and new.state <> 'APPROVED' or new.category <> old.category or new.body <> old.body
  )
  execute function private.pause_campaigns_of_template();

create trigger pause_campaigns_of_deleted after delete on public.whatsapp_templates
  for each row execute function private.pause_campaigns_of_template();

create trigger cancel_messages after delete on public.whatsapp_accounts
  for each row execute function private.cancel_messages_of_number();
