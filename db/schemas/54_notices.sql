-- Notices: what happens to a person's rows and is told to them, through private.notify.
--
-- A new insight is a notice where its kind is one and its day is near: of years of old invoices nothing is told. What was
-- done settles the notices about it, so that neither the bell nor a mail speaks of it any more.

create function private.notify_insights()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  perform private.notify(
    fact.user_id, fact.kind,
    -- A card says the rest in its body and its colour; a mail is read by its subject.
    case fact.kind when 'fattura_scaduta' then 'Scaduta: ' when 'in_scadenza' then 'In scadenza: '
      when 'da_pagare' then 'Da pagare: ' else '' end || fact.title,
    fact.body,
    case
      when fact.entity_type = 'invoice' then '/documents/' || (fact.data ->> 'document_id')
      when fact.entity_type = 'document' then '/documents/' || fact.entity_id
    end,
    concat_ws(':', fact.kind, fact.entity_id, fact.since),
    case when fact.entity_id is not null then fact.entity_type end, fact.entity_id
  )
  from changed as fact
  where fact.kind in ('fattura_scaduta', 'in_scadenza', 'da_pagare', 'contratto_in_scadenza', 'crediti_in_scadenza')
    and fact.state = 'nuova' and fact.since >= private.today() - 7
  order by fact.score desc;
  return null;
end
$$;
comment on function private.notify_insights() is 'Tells of new insights that are notices; the same fact once.';
revoke all on function private.notify_insights from public, anon, authenticated, service_role;

create function private.notify_document(_document_id uuid)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  select private.notify(
    user_id,
    case when state = 'da_verificare' then 'documento_da_verificare' else 'analisi_conclusa' end,
    case when state = 'da_verificare' then 'Da verificare: ' else 'Letto: ' end || filename,
    case when state = 'da_verificare' then 'Qualche dato letto è incerto: confermalo o correggilo.'
      else 'L’analisi è conclusa: puoi cercarlo e usare i suoi dati.' end,
    '/documents/' || id, state || ':' || id, 'document', id
  )
  from public.documents
  where id = _document_id and deleted_at is null and parent_id is null and (
    state = 'da_verificare'
    -- Whoever waited for it saw it.
    or state = 'pronto' and created_at < now() - interval '1 minute'
  )
$$;
comment on function private.notify_document(uuid) is 'Tells of a document that was read: to check, or, if it took long, ready.';
revoke all on function private.notify_document from public, anon, authenticated, service_role;
grant execute on function private.notify_document to service_role;

create function private.notify_proposals()
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with told as (
    select private.notify(
      user_id, 'approvazione', 'Da approvare: ' || coalesce(preview ->> 'title', 'una proposta di Socio'),
      'Aspetta la tua decisione fino al ' || to_char(expires_at at time zone 'Europe/Rome', 'DD/MM/YYYY') || '.',
      '/chat/' || conversation_id, 'approvazione:' || id, 'tool_call', id
    )
    from public.tool_calls as call
    where state = 'proposed' and expires_at > now() and created_at < now() - interval '10 minutes' and not exists (
      select from private.notification_deliveries
      where user_id = call.user_id and dedupe_key = 'approvazione:' || call.id and channel = 'in_app'
    )
    limit 100
  )
  select count(*) from told
$$;
comment on function private.notify_proposals() is
  'Tells of proposals that nobody has decided for ten minutes: until then their person is there; answers how many.';
revoke all on function private.notify_proposals from public, anon, authenticated, service_role;
grant execute on function private.notify_proposals to service_role;

create function private.notify_payment()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  if new.kind = 'fattura' and new.paid_on >= private.today() - 30 then
    perform private.notify(
      new.user_id, 'fattura_pagata',
      concat('Fattura ', new.number, case new.direction when 'attiva' then ' incassata' else ' pagata' end),
      concat_ws(': ', nullif(btrim(new.counterparty_name), ''),
        private.euros(coalesce(new.due_cents, new.total_cents), new.currency)) || '.',
      '/documents/' || new.document_id, concat_ws(':', 'pagata', new.id, new.paid_on), 'invoice', new.id,
      -- Whoever said so themselves need not be called.
      coalesce(auth.uid() = new.user_id, false)
    );
  end if;
  return null;
end
$$;
comment on function private.notify_payment() is 'Tells that an invoice was paid; in the list only, when its owner said so.';
revoke all on function private.notify_payment from public, anon, authenticated, service_role;

create function private.settle_notices()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  update public.notifications set is_read = true, read_at = now()
  where user_id = new.user_id and entity_id = new.id and entity_type = tg_argv[0] and not is_read
    and kind <> 'fattura_pagata';
  return null;
end
$$;
comment on function private.settle_notices() is 'What was done needs no notice any more.';
revoke all on function private.settle_notices from public, anon, authenticated, service_role;

create function private.notify_credits()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _settings public.credit_settings;
  _used bigint;
begin
  select * into _settings from public.credit_settings where user_id = new.user_id;
  -- On the way down, once: what came before this entry was not below.
  if new.balance_after < _settings.low_threshold and new.balance_after - new.amount >= _settings.low_threshold then
    perform private.notify(
      new.user_id, 'crediti_bassi',
      case new.balance_after when 0 then 'Hai finito i crediti' when 1 then 'Ti resta un credito'
        else 'Ti restano ' || new.balance_after || ' crediti' end,
      'Senza crediti Socio continua a rispondere in modalità locale.', null, 'crediti_bassi:' || new.id
    );
  end if;
  if _settings.monthly_cap > 0 then
    _used := private.used_this_month(new.user_id);
    perform private.notify(
      new.user_id, 'tetto_mensile',
      format('Hai usato %s dei %s crediti del mese', _used, _settings.monthly_cap),
      case when percent = 100 then 'Il tetto che hai scelto è raggiunto: puoi alzarlo quando vuoi.'
        else 'Raggiunto il tetto che hai scelto, Socio passa alla modalità locale.' end,
      null, concat_ws(':', 'tetto', to_char(private.today(), 'YYYY-MM'), _settings.monthly_cap, percent)
    )
    from (select case when _used >= _settings.monthly_cap then 100 when _used * 5 >= _settings.monthly_cap * 4 then 80 end)
      as reached (percent)
    where percent is not null;
  end if;
  return null;
end
$$;
comment on function private.notify_credits() is 'Tells when credits fall below the threshold and the month nears its cap.';
revoke all on function private.notify_credits from public, anon, authenticated, service_role;

create function private.brief_person(_now timestamptz default now())
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _person uuid;
  _day date;
begin
  insert into public.notification_settings (user_id)
  select distinct user_id from public.notification_prefs where category = 'briefing' and is_enabled
  on conflict do nothing;
  select settings.user_id, local::date into _person, _day
  from public.notification_settings as settings
  cross join lateral (select _now at time zone settings.zone as local) as clock
  where exists (
    select from public.notification_prefs as prefs
    where prefs.user_id = settings.user_id and category = 'briefing' and is_enabled
  ) and briefed_on is distinct from local::date
    -- A briefing of the morning is of no use in the evening.
    and local between local::date + briefing_at and local::date + briefing_at + interval '6 hours'
  limit 1 for update of settings skip locked;
  if not found then
    return false;
  end if;
  update public.notification_settings set briefed_on = _day where user_id = _person;
  perform private.refresh_home(_person);
  -- Nothing to say, nothing sent.
  perform private.notify(_person, 'briefing', 'La tua giornata', words, null, 'briefing:' || _day)
  from (
    select string_agg(part ->> 'text', E'\n\n' order by place) as words
    from private.home_pages
    cross join jsonb_array_elements(content -> 'briefing') with ordinality as parts (part, place)
    where user_id = _person
  ) as briefing
  where words is not null;
  return true;
end
$$;
comment on function private.brief_person(timestamptz) is
  'Puts the briefing of one person whose hour has come on its way, once for each local day; false when nobody is left.';
revoke all on function private.brief_person from public, anon, authenticated, service_role;
grant execute on function private.brief_person to service_role;

create trigger notify_inserted after insert on public.insights
  referencing new table as changed for each statement
  when (current_setting('socio.restoring', true) is distinct from 'on') execute function private.notify_insights();

create trigger notify_payment after update of paid_on on public.invoices
  for each row when (old.paid_on is null and new.paid_on is not null) execute function private.notify_payment();

create trigger settle_notices after update of paid_on on public.invoices
  for each row when (old.paid_on is null and new.paid_on is not null) execute function private.settle_notices('invoice');

create trigger settle_notices after update of state on public.tool_calls
  for each row when (old.state = 'proposed' and new.state <> 'proposed') execute function private.settle_notices('tool_call');

create trigger settle_notices after update of state, deleted_at on public.tasks
  for each row when (new.state = 'fatto' and old.state <> 'fatto' or new.deleted_at is not null and old.deleted_at is null)
  execute function private.settle_notices('task');

create trigger settle_notices after update of deleted_at on public.documents
  for each row when (new.deleted_at is not null and old.deleted_at is null)
  execute function private.settle_notices('document');

create trigger notify_credits after insert on public.credit_ledger
  for each row when (new.kind = 'settle') execute function private.notify_credits();
