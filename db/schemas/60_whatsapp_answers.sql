-- WhatsApp, automatic answer: a fixed text of the person, to somebody who writes outside working hours, always, or in holidays.
--
-- private.keep_whatsapp_message queues it one minute later in the outbox, in the transaction that keeps the message, so a
-- delivery that comes twice is answered once. private.begin_whatsapp drops it when the person has answered meanwhile. No model
-- is asked, nothing of the message is read, and the conversation waits for its person as before.
--
-- There is no loop: a contact is answered once in 24 hours, and a message that begins as an automatic answer is not answered.

create function private.is_at_work(_user_id uuid)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select coalesce((
    select extract(isodow from local)::smallint = any (work_days) and local::time >= work_from and local::time < work_to
      and not private.is_holiday(local::date)
    from public.profiles left join public.notification_settings as settings using (user_id)
    cross join lateral (select now() at time zone coalesce(settings.zone, 'Europe/Rome') as local) as clock
    where user_id = _user_id
  ), true)
$$;
comment on function private.is_at_work(uuid) is 'Whether these are the working hours of a person, by the clock of their zone; never on a holiday.';
revoke all on function private.is_at_work from public, anon, authenticated, service_role;

create function private.working_hours(_user_id uuid)
  returns text
  language sql stable
  set search_path = ''
as $$
  select case
      when work_days = '{1,2,3,4,5,6,7}' then 'tutti i giorni'
      -- Days in a row, from three on, are told by the first and the last.
      when count > 2 and last - first = count - 1 then 'dal ' || names[first] || ' al ' || names[last]
      else regexp_replace((select string_agg(names[day], ', ' order by day) from unnest(work_days) as day), ', (\w+)$', ' e \1')
    end || ' dalle ' || to_char(work_from, 'FMHH24:MI') || ' alle ' || to_char(work_to, 'FMHH24:MI')
  from public.profiles
  cross join lateral (select min(day), max(day), count(*) from unnest(work_days) as day) as days (first, last, count)
  cross join (
    select array['lunedì', 'martedì', 'mercoledì', 'giovedì', 'venerdì', 'sabato', 'domenica'] as names
  ) as week
  where user_id = _user_id
$$;
comment on function private.working_hours(uuid) is 'The working hours of a person in words: «dal lunedì al venerdì dalle 9:00 alle 18:00».';
revoke all on function private.working_hours from public, anon, authenticated, service_role;

create function private.automatic_answer(_user_id uuid, _settings public.whatsapp_settings)
  returns text
  language sql stable
  set search_path = ''
as $$
  select 'Risposta automatica: ' || coalesce(nullif(btrim((_settings).answer_text), ''), case (_settings).answer_when
    when 'ferie' then 'grazie del messaggio! Sono in ferie fino al ' || to_char((_settings).answer_until, 'FMDD/MM/YYYY')
      || ' compreso: ti rispondo al mio ritorno.'
    when 'sempre' then 'grazie del messaggio! L’ho ricevuto e ti rispondo appena posso.'
    else 'grazie del messaggio! In questo momento non sono al lavoro: ci sono '
      || coalesce(private.working_hours(_user_id), 'in orario di ufficio') || '. Ti rispondo appena torno.'
  end)
$$;
comment on function private.automatic_answer is 'What the automatic answer says with these settings; it always says that it is one.';
revoke all on function private.automatic_answer from public, anon, authenticated, service_role;

create function private.is_away(_user_id uuid, _settings public.whatsapp_settings)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select coalesce(case (_settings).answer_when
    when 'sempre' then true
    when 'fuori_orario' then not private.is_at_work(_user_id)
    when 'ferie' then private.today() <= (_settings).answer_until
  end, false)
$$;
comment on function private.is_away is 'Whether somebody who writes now is answered automatically with these settings.';
revoke all on function private.is_away from public, anon, authenticated, service_role;

create function private.answer_automatically(_channel public.contact_channels, _message_id uuid)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _settings public.whatsapp_settings;
  _message public.whatsapp_messages;
begin
  select * into _settings from public.whatsapp_settings where user_id = _channel.user_id;
  if not private.is_away(_channel.user_id, _settings) or private.is_frozen(_channel.user_id) then
    return;
  end if;
  select * into _message from public.whatsapp_messages where id = _message_id;
  -- Words and files of a person only: no reaction, no tap on the button of a template, no notice of WhatsApp itself.
  if _message.kind not in ('text', 'image', 'video', 'audio', 'document', 'sticker', 'location', 'contacts')
    or _message.body ~* '^\W*(risposta automatica|messaggio automatico|automatic reply|auto-?reply)'
    -- It was delivered late, or its person has dealt with it.
    or _message.at < now() - interval '1 hour' or _channel.is_done or not private.is_whatsapp_window_open(_channel)
    or private.is_whatsapp_stopped(_channel, true)
    or exists (
      select from public.whatsapp_messages
      where user_id = _channel.user_id and contact_id = _channel.contact_id and answers_id is not null
        and created_at > now() - interval '24 hours' and state <> 'cancelled'
    )
  then
    return;
  end if;
  perform private.add_whatsapp(
    gen_random_uuid(), _channel, private.automatic_answer(_channel.user_id, _settings), null, null,
    now() + interval '1 minute', true, _answers_id => _message_id
  );
end
$$;
comment on function private.answer_automatically is
  'Queues the automatic answer to a message that was just kept, if its person wants one now and the contact got no other in 24 hours.';
revoke all on function private.answer_automatically from public, anon, authenticated, service_role;

create function private.is_answer_needless(_message public.whatsapp_messages)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _channel public.contact_channels;
  _settings public.whatsapp_settings;
begin
  if _message.answers_id is null then
    return false;
  end if;
  -- Locked: an answer of the person that is being queued is waited for, and seen below.
  select * into _channel from public.contact_channels
  where user_id = _message.user_id and id = _message.channel_id for no key update;
  select * into _settings from public.whatsapp_settings where user_id = _message.user_id;
  return _channel.is_done or not private.is_away(_message.user_id, _settings) or exists (
    select from public.whatsapp_messages
    where user_id = _message.user_id and channel_id = _message.channel_id and direction = 'uscita' and not is_automatic
      and batch_id is null and state not in ('cancelled', 'failed')
      and created_at > _message.created_at - interval '1 minute'
  );
end
$$;
comment on function private.is_answer_needless is
  'Whether an automatic answer has become needless: its person answered, finished the conversation, or does not want it any more.';
revoke all on function private.is_answer_needless from public, anon, authenticated, service_role;

create function public.preview_whatsapp_answer(
  _when public.whatsapp_answer_when, _text text default null, _until date default null
)
  returns table (body text, leaves_now boolean)
  language sql stable security definer
  set search_path = ''
as $$
  select private.automatic_answer(settings.user_id, settings), private.is_away(settings.user_id, settings)
  from jsonb_populate_record(null::public.whatsapp_settings, jsonb_build_object(
    'user_id', (select auth.uid()), 'answer_when', _when, 'answer_text', left(_text, 1000), 'answer_until', _until
  )) as settings
$$;
comment on function public.preview_whatsapp_answer is
  'What the caller''s automatic answer would say with these choices, and whether it would leave now. Sends nothing.';
revoke all on function public.preview_whatsapp_answer from public, anon, authenticated, service_role;
grant execute on function public.preview_whatsapp_answer to authenticated;
