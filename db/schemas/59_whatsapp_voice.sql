-- WhatsApp voice notes become text: asked for one by one, or by themselves where their person agreed to the price.
--
-- functions/transcribe_voice.py asks, and jobs/whatsapp_voice.py has the provider of AI listen. Credits are held when the text
-- is asked for, and taken in the transaction that keeps it: a worker that dies in between costs nothing, and the job listens
-- again. What a voice note says is data, like all that is received.
--
-- Error codes raised:
--   PT404  the caller has no such voice note, or its file is not there
--   SA005  it costs more than was shown; the detail is the price
--   SA006  the caller has not agreed to the provider
--   SA007  the caller wants nothing sent to a provider (67_privacy.sql)
--   SA008  an admin has stopped the AI for everybody (78_guardrail.sql)
--   SD001  the account is frozen
--   SW012  it is longer than twenty minutes
--   SC003, SC005, SC009  from the wallet

create type public.whatsapp_answer_when as enum ('mai', 'fuori_orario', 'sempre', 'ferie');

create table public.whatsapp_settings (
  user_id uuid primary key default auth.uid() references auth.users (id) on delete cascade,
  voice_credits bigint,
  answer_when public.whatsapp_answer_when not null default 'mai',
  answer_text text,
  answer_until date,

  constraint voice_credits_are_a_price check (voice_credits between 0 and 1000),
  constraint answer_fits check (char_length(answer_text) between 1 and 1000),
  constraint holidays_end check (answer_when <> 'ferie' or answer_until is not null)
);
comment on table public.whatsapp_settings is 'What Socio does by itself on WhatsApp; a person without a row wants nothing of it.';
comment on column public.whatsapp_settings.answer_when is 'When somebody who writes is answered automatically (60_whatsapp_answers.sql).';
comment on column public.whatsapp_settings.answer_text is 'In the words of the person; null: the default text with the working hours.';
comment on column public.whatsapp_settings.answer_until is 'The last day of the holidays.';
comment on column public.whatsapp_settings.voice_credits is
  'The price of a minute for which voice notes become text by themselves; null: only when asked.';

create function private.transcript_price(_voice_s integer)
  returns bigint
  language sql stable
  set search_path = ''
as $$
  select private.quote_of('voice_minute') * ceil(_voice_s / 60.0)::bigint
$$;
comment on function private.transcript_price(integer) is 'What the text of a voice note costs: each minute that it has begun.';
revoke all on function private.transcript_price from public, anon, authenticated, service_role;

create function private.transcript_key(_message_id uuid, _attempt integer)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select 'voice:' || _message_id || ':' || _attempt
$$;
comment on function private.transcript_key is 'The key of the credits that an attempt holds.';
revoke all on function private.transcript_key from public, anon, authenticated, service_role;

create function private.ask_transcript(_user_id uuid, _message_id uuid, _host text, _max_credits bigint)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _message public.whatsapp_messages;
  _price bigint;
begin
  -- Locked, so that a second click waits here and finds the first.
  select * into _message from public.whatsapp_messages
  where user_id = _user_id and id = _message_id and voice_s is not null and storage_path is not null for update;
  if not found then
    raise exception 'no such voice note' using errcode = 'PT404';
  elsif _message.transcript_state = 'pronto' or _message.transcript_state = 'attesa' and exists (
    select from public.credit_holds
    where user_id = _user_id and state = 'open'
      and idempotency_key = private.transcript_key(_message_id, _message.transcript_attempts)
  ) then
    return false;
  elsif _message.voice_s > 1200 then
    raise exception 'the voice note is too long' using errcode = 'SW012';
  elsif private.is_frozen(_user_id) then
    raise exception 'the account is frozen' using errcode = 'SD001';
  elsif private.is_local_only(_user_id) then
    raise exception 'the person wants the local mode only' using errcode = 'SA007';
  elsif private.is_ai_stopped() then
    raise exception 'the AI is stopped' using errcode = 'SA008';
  elsif not exists (select from private.ai_consents where user_id = _user_id and host = _host) then
    raise exception 'the person has not agreed to this provider' using errcode = 'SA006';
  end if;
  _price := private.transcript_price(_message.voice_s);
  if _price > _max_credits then
    raise exception 'the text costs more than was shown' using errcode = 'SA005', detail = _price;
  end if;
  update public.whatsapp_messages
  set transcript_state = 'attesa', transcript_error = null, transcript_attempts = transcript_attempts + 1,
    transcript_retries = 0
  where id = _message_id
  returning * into _message;
  if _price > 0 then
    perform private.hold_credits(
      _user_id, _price, private.transcript_key(_message_id, _message.transcript_attempts), 'voice_minute', _message_id::text,
      now() + interval '30 minutes'
    );
  end if;
  return true;
end
$$;
comment on function private.ask_transcript is
  'Has a voice note wait for its text and holds the price; false when the text is there or under way already.';
revoke all on function private.ask_transcript from public, anon, authenticated, service_role;
grant execute on function private.ask_transcript to service_role;

create function private.ask_transcript_alone(_message_id uuid, _host text)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _message public.whatsapp_messages;
  _agreed bigint;
begin
  -- Old voice notes that come with the history of the phone are not paid for unasked.
  select messages.* into _message from public.whatsapp_messages as messages
  where id = _message_id and transcript_state is null and source = 'api';
  select voice_credits * ceil(_message.voice_s / 60.0)::bigint into _agreed
  from public.whatsapp_settings where user_id = _message.user_id;
  -- Strangers write too, and must not empty a wallet: five minutes at most, fifty times a day.
  if _agreed is null or _message.voice_s > 300 or 50 <= (
    select count(*) from public.ai_usage
    where user_id = _message.user_id and work = 'transcript' and created_at > now() - interval '1 day'
  ) then
    return false;
  end if;
  return private.ask_transcript(_message.user_id, _message_id, _host, _agreed);
exception
  when sqlstate 'SC003' or sqlstate 'SC005' or sqlstate 'SC009' then
    update public.whatsapp_messages set transcript_state = 'fallito', transcript_error = 'crediti' where id = _message_id;
    return false;
  when sqlstate 'SA005' or sqlstate 'SA006' or sqlstate 'SA007' or sqlstate 'SA008' or sqlstate 'SD001' or sqlstate 'PT404'
  then
    return false;
end
$$;
comment on function private.ask_transcript_alone is
  'Has a voice note that was just fetched become text where its person wants that, at most at the price agreed to.';
revoke all on function private.ask_transcript_alone from public, anon, authenticated, service_role;
grant execute on function private.ask_transcript_alone to service_role;

create function private.begin_transcript(
  _message_id uuid, _host text, _provider text, _model text, _retry integer default 0
)
  returns table (user_id uuid, storage_path text, voice_s integer, attempt integer)
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _message public.whatsapp_messages;
begin
  select * into _message from public.whatsapp_messages as messages
  -- A job of an earlier try that runs again, because its worker died, finds that the next one waits already.
  where id = _message_id and transcript_state = 'attesa' and transcript_retries = _retry for update;
  if not found then
    return;
  elsif private.is_frozen(_message.user_id) or private.is_local_only(_message.user_id) or not exists (
    select from private.ai_consents as given where given.user_id = _message.user_id and host = _host
  ) then
    -- Taken back after the text was asked for.
    perform private.fail_transcript(_message_id, _message.transcript_attempts, 'consenso');
    return;
  elsif private.is_ai_stopped() then
    perform private.fail_transcript(_message_id, _message.transcript_attempts, 'fermo');
    return;
  end if;
  -- A row before the file leaves, so that an attempt that fails is counted too.
  insert into public.ai_usage as usage (user_id, message_id, work, mode, host, provider, model, entities)
  values (
    _message.user_id, _message_id, 'transcript', 'ia', _host, _provider, _model,
    jsonb_build_array(jsonb_build_object('kind', 'contact', 'id', _message.contact_id))
  )
  on conflict (message_id) do update set host = _host, provider = _provider, model = _model;
  return query select _message.user_id, _message.storage_path, _message.voice_s, _message.transcript_attempts;
end
$$;
comment on function private.begin_transcript is
  'The file of a voice note that waits for its text, right before it goes to the provider; no row when it does not wait any more.';
revoke all on function private.begin_transcript from public, anon, authenticated, service_role;
grant execute on function private.begin_transcript to service_role;

create function private.keep_transcript(_user_id uuid, _message_id uuid, _attempt integer, _text text, _by text)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _key constant text := private.transcript_key(_message_id, _attempt);
  _message public.whatsapp_messages;
  _cost bigint;
begin
  update public.whatsapp_messages
  set transcript_state = 'pronto', transcript = left(_text, 20000), transcript_by = left(_by, 100)
  where user_id = _user_id and id = _message_id and transcript_attempts = _attempt and transcript_state = 'attesa'
  returning * into _message;
  if not found then
    -- Its contact was erased, or another worker was faster and has closed the hold.
    perform private.close_hold_of_key(_user_id, _key, 0);
    return false;
  end if;
  _cost := private.close_hold_of_key(_user_id, _key, private.transcript_price(_message.voice_s));
  update public.ai_usage set credits = coalesce(credits, 0) + _cost, seconds = _message.voice_s where message_id = _message_id;
  update public.interactions set summary = private.whatsapp_words(_message)
  where user_id = _user_id and contact_id = _message.contact_id and kind = 'whatsapp' and direction = 'entrata'
    and at = _message.at and summary = _message.summary;
  update public.contact_channels set snippet = left(private.whatsapp_words(_message), 200)
  where user_id = _user_id and id = _message.channel_id and last_inbound_at = _message.at and snippet = _message.summary;
  return true;
end
$$;
comment on function private.keep_transcript is
  'Keeps the text of a voice note and takes its price, once, at the message, in the history and in the list of conversations.';
revoke all on function private.keep_transcript from public, anon, authenticated, service_role;
grant execute on function private.keep_transcript to service_role;

create function private.retry_transcript(_message_id uuid, _attempt integer)
  returns table (retry integer, delay_s double precision)
  language sql volatile security definer
  set search_path = ''
as $$
  update public.whatsapp_messages as message set transcript_retries = transcript_retries + 1
  where id = _message_id and transcript_attempts = _attempt and transcript_state = 'attesa' and transcript_retries < 3
  -- Half a minute, two, eight: within the half hour of the hold. Up to half of it more, so that not all come back at once.
  returning transcript_retries, 7.5 * 4 ^ transcript_retries * (1 + random() / 2)
$$;
comment on function private.retry_transcript is
  'Has a voice note wait for another try, three times at most; answers which and in how many seconds, no row when it was the last.';
revoke all on function private.retry_transcript from public, anon, authenticated, service_role;
grant execute on function private.retry_transcript to service_role;

create function private.fail_transcript(_message_id uuid, _attempt integer, _error public.transcript_error)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid;
begin
  update public.whatsapp_messages set transcript_state = 'fallito', transcript_error = _error
  where id = _message_id and transcript_attempts = coalesce(_attempt, transcript_attempts) and transcript_state = 'attesa'
  returning user_id, transcript_attempts into _user_id, _attempt;
  perform private.close_hold_of_key(_user_id, private.transcript_key(_message_id, _attempt), 0);
end
$$;
comment on function private.fail_transcript is 'Says why a voice note has no text, and gives the credits back; without an attempt of the last one.';
revoke all on function private.fail_transcript from public, anon, authenticated, service_role;
grant execute on function private.fail_transcript to service_role;

alter table public.whatsapp_settings enable row level security;

create policy "owners read their whatsapp settings" on public.whatsapp_settings
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners add their whatsapp settings" on public.whatsapp_settings
  for insert to authenticated with check (user_id = (select auth.uid()));

create policy "owners change their whatsapp settings" on public.whatsapp_settings
  for update to authenticated using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

revoke all on public.whatsapp_settings from public, anon, authenticated, service_role;
grant select on public.whatsapp_settings to authenticated, service_role;
grant insert (user_id, voice_credits, answer_when, answer_text, answer_until),
  update (user_id, voice_credits, answer_when, answer_text, answer_until)
  on public.whatsapp_settings to authenticated;
