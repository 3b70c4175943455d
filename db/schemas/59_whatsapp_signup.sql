-- WhatsApp by Meta's Embedded Signup, and the phone that goes on with the same number (coexistence).
--
-- A connection begins with a row of private.whatsapp_signups, which belongs to one session of one person and is used once.
-- functions/whatsapp_signup.py exchanges the code. Then Meta delivers what the phone knows: its history in pieces, its
-- contacts, and from now on an echo of each message written there. It comes twice, in any order, and a job may die in the
-- middle: a message is kept once, by its id. None of it is news: no notice, no automatic answer, no conversation that waits.

create table private.whatsapp_signups (
  user_id uuid primary key references auth.users (id) on delete cascade,
  state_hash text not null,
  session_id text,
  is_on_phone boolean not null,
  sealed_token text,
  expires_at timestamptz not null,

  constraint state_hash_is_hexadecimal check (state_hash ~ '^[0-9a-f]{64}$')
);
comment on table private.whatsapp_signups is 'A connection at Meta that a person has begun, for ten minutes; the last one only.';
comment on column private.whatsapp_signups.session_id is 'The session of the browser that began it: no other may end it.';
comment on column private.whatsapp_signups.is_on_phone is 'The number is to stay in the WhatsApp Business app too.';
comment on column private.whatsapp_signups.sealed_token is
  'What the code was exchanged for, when a choice or a second try is needed; null before the exchange.';

create function private.begin_whatsapp_signup(_user_id uuid, _state_hash text, _session_id text, _is_on_phone boolean)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  insert into private.whatsapp_signups (user_id, state_hash, session_id, is_on_phone, expires_at)
  values (_user_id, _state_hash, _session_id, _is_on_phone, now() + interval '10 minutes')
  on conflict (user_id) do update
    set state_hash = excluded.state_hash, session_id = excluded.session_id, is_on_phone = excluded.is_on_phone,
      sealed_token = null, expires_at = excluded.expires_at
$$;
comment on function private.begin_whatsapp_signup is 'Begins a connection at Meta in place of an earlier one.';
revoke all on function private.begin_whatsapp_signup from public, anon, authenticated, service_role;
grant execute on function private.begin_whatsapp_signup to service_role;

create function private.take_whatsapp_signup(_user_id uuid, _state_hash text, _session_id text)
  returns table (is_on_phone boolean, sealed_token text, is_expired boolean, is_same_session boolean)
  language sql volatile security definer
  set search_path = ''
as $$
  delete from private.whatsapp_signups where user_id = _user_id and state_hash = _state_hash
  returning is_on_phone, sealed_token, expires_at <= now(), session_id is not distinct from _session_id
$$;
comment on function private.take_whatsapp_signup is
  'Uses up the connection of a person with this state; no row: it is another person''s, used, or unknown.';
revoke all on function private.take_whatsapp_signup from public, anon, authenticated, service_role;
grant execute on function private.take_whatsapp_signup to service_role;

create function private.resume_whatsapp_signup(
  _user_id uuid, _state_hash text, _session_id text, _is_on_phone boolean, _sealed_token text
)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  insert into private.whatsapp_signups (user_id, state_hash, session_id, is_on_phone, sealed_token, expires_at)
  values (_user_id, _state_hash, _session_id, _is_on_phone, _sealed_token, now() + interval '10 minutes')
  -- One that was begun meanwhile counts.
  on conflict (user_id) do nothing
$$;
comment on function private.resume_whatsapp_signup is
  'Lets a connection whose code was exchanged already be ended by the same state, without another visit to Meta.';
revoke all on function private.resume_whatsapp_signup from public, anon, authenticated, service_role;
grant execute on function private.resume_whatsapp_signup to service_role;

create function private.unasked_whatsapp_histories(_limit integer default 500)
  returns table (account_id uuid, user_id uuid)
  language sql stable security definer
  set search_path = ''
as $$
  select id, user_id from public.whatsapp_accounts
  -- The request that connects it asks right after; Meta gives the history within a day of the connection only.
  where history_state = 'da_chiedere' and created_at < now() - interval '3 minutes' and created_at > now() - interval '1 day'
  limit _limit
$$;
comment on function private.unasked_whatsapp_histories(integer) is
  'Numbers whose history was not asked for, because the process that connected them died.';
revoke all on function private.unasked_whatsapp_histories from public, anon, authenticated, service_role;
grant execute on function private.unasked_whatsapp_histories to service_role;

create function private.is_whatsapp_history_unasked(_account_id uuid)
  returns boolean
  language sql stable security definer
  set search_path = ''
as $$
  select exists (select from public.whatsapp_accounts where id = _account_id and history_state = 'da_chiedere')
$$;
comment on function private.is_whatsapp_history_unasked(uuid) is 'Whether the history of a number is still to be asked for.';
revoke all on function private.is_whatsapp_history_unasked from public, anon, authenticated, service_role;
grant execute on function private.is_whatsapp_history_unasked to service_role;

create function private.note_whatsapp_history(
  _account_id uuid, _state public.whatsapp_history_state, _progress integer default 0
)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.whatsapp_accounts
  set is_on_phone = true,
    history_progress = greatest(history_progress, least(greatest(_progress, 0), 100)),
    history_state = case
      when history_state = 'finita' or greatest(history_progress, _progress) >= 100 then 'finita'::public.whatsapp_history_state
      -- A piece that has come counts for more than the answer to the request, which may be late or lost.
      when history_state = 'in_corso' then 'in_corso'
      else _state
    end
  where id = _account_id
$$;
comment on function private.note_whatsapp_history is 'Records how far the history of a number has come in; pieces in any order never take it back.';
revoke all on function private.note_whatsapp_history from public, anon, authenticated, service_role;
grant execute on function private.note_whatsapp_history to service_role;

create function private.keep_phone_message(
  _account public.whatsapp_accounts, _told jsonb, _source public.whatsapp_source
)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _at constant timestamptz := least((_told ->> 'at')::timestamptz, now());
  _direction constant public.interaction_direction := _told ->> 'direction';
  _file constant jsonb := case when _direction = 'entrata' then _told #> '{content,media}' end;
  _media_state constant public.whatsapp_media_state := case
    when _file is null then null when coalesce(_file ->> 'id', '') = '' then 'fallito' else 'attesa'
  end;
  _known public.whatsapp_messages;
  _channel public.contact_channels;
  _id uuid;
begin
  select * into _known from public.whatsapp_messages
  where user_id = _account.user_id and message_id = _told ->> 'message_id';
  if found then
    -- The kind of a file comes apart from its message, before or after it.
    if _known.kind = 'media_placeholder' and _told ->> 'kind' <> 'media_placeholder' then
      update public.whatsapp_messages
      set kind = _told ->> 'kind', body = _told ->> 'body', summary = _told ->> 'summary', media_state = _media_state,
        content = case when _file is null then '{}' else _told -> 'content' end
      where id = _known.id;
      update public.interactions set summary = _told ->> 'summary'
      where user_id = _account.user_id and contact_id = _known.contact_id and kind = 'whatsapp' and at = _known.at
        and direction = _known.direction and summary = _known.summary;
      update public.contact_channels set snippet = left(_told ->> 'summary', 200)
      where id = _known.channel_id and last_inbound_at = _known.at and snippet = left(_known.summary, 200);
      return case when _media_state = 'attesa' then _known.id end;
    end if;
    return null;
  elsif coalesce(_told ->> 'bsuid', _told ->> 'phone') is null then
    return null;
  end if;
  _channel := private.whatsapp_channel(
    _account.user_id, _account.portfolio, _told ->> 'bsuid', _told ->> 'phone', _told ->> 'name', _told ->> 'username', _at,
    _source = 'cronologia'
  );
  insert into public.whatsapp_messages (
    user_id, contact_id, channel_id, direction, message_id, source, kind, body, summary, refers_to, content, media_state, at,
    state, key, not_before, expires_at, sent_at, created_at
  )
  values (
    _account.user_id, _channel.contact_id, _channel.id, _direction, _told ->> 'message_id', _source, _told ->> 'kind',
    _told ->> 'body', _told ->> 'summary', _told ->> 'refers_to',
    case when _direction = 'uscita' and _told #> '{content,media}' is not null then '{}' else _told -> 'content' end,
    _media_state, _at,
    case when _direction = 'uscita' then (_told ->> 'state')::public.whatsapp_state end,
    case when _direction = 'uscita' then gen_random_uuid() end,
    case when _direction = 'uscita' then _at end, case when _direction = 'uscita' then _at end,
    -- When it was written counts, so that an old message is no answer to a new one.
    case when _direction = 'uscita' then _at end, _at
  )
  returning id into _id;
  update public.contact_channels
  set last_at = greatest(last_at, _at),
    -- The owner has answered on the phone.
    is_done = is_done or _direction = 'uscita' and coalesce(_at >= last_inbound_at, true),
    snippet = case
      when _direction = 'entrata' and coalesce(_at >= last_inbound_at, true) then left(_told ->> 'summary', 200) else snippet
    end,
    last_inbound_at = case when _direction = 'entrata' then greatest(last_inbound_at, _at) else last_inbound_at end,
    window_expires_at = case
      when _direction = 'entrata' then greatest(window_expires_at, _at + interval '24 hours') else window_expires_at
    end,
    stopped_at = case
      when _direction = 'entrata' and private.is_stop_word(_told ->> 'body') then greatest(stopped_at, _at) else stopped_at
    end
  where id = _channel.id;
  insert into public.interactions (user_id, contact_id, kind, direction, at, summary)
  values (_account.user_id, _channel.contact_id, 'whatsapp', _direction, _at, _told ->> 'summary');
  return case when _media_state = 'attesa' then _id end;
end
$$;
comment on function private.keep_phone_message is
  'Keeps a message that the phone knows once, without a notice; answers its id if its file is to be fetched.';
revoke all on function private.keep_phone_message from public, anon, authenticated, service_role;

create function private.keep_phone_messages(_account_id uuid, _told jsonb, _source public.whatsapp_source)
  returns uuid[]
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _account public.whatsapp_accounts;
  _one jsonb;
  _files uuid[] := '{}';
begin
  -- Locked, so that two messages of one person make one contact.
  select * into _account from public.whatsapp_accounts where id = _account_id for no key update;
  if not found then
    return _files;
  end if;
  for _one in select value from jsonb_array_elements(_told)
  loop
    _files := _files || private.keep_phone_message(_account, _one, _source);
  end loop;
  return array_remove(_files, null);
end
$$;
comment on function private.keep_phone_messages is
  'Keeps messages of the phone, old ones or echoes; answers those whose files are to be fetched.';
revoke all on function private.keep_phone_messages from public, anon, authenticated, service_role;
grant execute on function private.keep_phone_messages to service_role;

create function private.keep_phone_contacts(_account_id uuid, _told jsonb)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid;
  _contact_id uuid;
  _phone text;
  _name text;
begin
  -- Locked, as where messages are kept.
  select user_id into _user_id from public.whatsapp_accounts where id = _account_id for no key update;
  if not found then
    return;
  end if;
  for _phone, _name in
    select one ->> 'phone', left(private.one_line(one ->> 'name'), 200) from jsonb_array_elements(_told) as one
  loop
    select contact_id into _contact_id from public.contact_phones where user_id = _user_id and norm = _phone;
    if not found then
      _contact_id := private.whatsapp_contact(_user_id, _name, _phone, 'Rubrica di WhatsApp Business');
      perform private.whatsapp_phone(_user_id, _contact_id, _phone);
    elsif _name is not null then
      -- Old messages carry no names: a contact that they made is called by its number until the name comes.
      update public.contacts
      set first_name = split_part(_name, ' ', 1), last_name = nullif(btrim(substr(_name, strpos(_name || ' ', ' '))), '')
      where user_id = _user_id and id = _contact_id and origin = 'whatsapp' and first_name = _phone and last_name is null;
    end if;
  end loop;
end
$$;
comment on function private.keep_phone_contacts is
  'Makes contacts of the address book of the phone where their number is unknown, and names those known by a number only.';
revoke all on function private.keep_phone_contacts from public, anon, authenticated, service_role;
grant execute on function private.keep_phone_contacts to service_role;

create function private.lose_whatsapp_number(_account_id uuid)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  select private.change_whatsapp_state(
    user_id, 'da_ricollegare', 0, 'Il collegamento è stato tolto dal telefono o da Meta: ricollega il numero.'
  )
  from public.whatsapp_accounts where id = _account_id
$$;
comment on function private.lose_whatsapp_number(uuid) is 'Says that the owner, or Meta, has ended the connection of a number.';
revoke all on function private.lose_whatsapp_number from public, anon, authenticated, service_role;
grant execute on function private.lose_whatsapp_number to service_role;

alter table private.whatsapp_signups enable row level security;

revoke all on private.whatsapp_signups from public, anon, authenticated, service_role;
