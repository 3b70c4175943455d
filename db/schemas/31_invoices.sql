-- Invoices: what is owed and by when, from electronic invoices (every body of a file) and from confirmed scans.
--
-- The server writes invoices; the owner says what was paid and asks for reminders, one task for each payment date.
-- Withheld tax is not owed. A scan is registered again when its owner corrects it. The XML and the PDF of the same
-- invoice count once. Reminders follow their invoice, into the trash too. One's own tax code on a received scan does
-- not make it one's own invoice, and placeholder numbers («0000000») identify nobody.
--
-- Error codes raised:
--   PT404  the caller has no such document, invoice or payment date (PostgREST answers 404)
--   SC041  a scan lacks what an invoice needs: a number, a date and a total that are sure, and no doubt about its kind
--     or currency
--   SC043  the fields of an electronic invoice cannot be changed

create type public.invoice_direction as enum ('attiva', 'passiva');

create type public.invoice_source as enum ('fatturapa', 'campi');

create type public.invoice_kind as enum ('fattura', 'nota_di_credito', 'autofattura');
comment on type public.invoice_kind is
  'fattura: money; nota_di_credito: takes away; autofattura: for the tax office, nobody is paid by it.';

create function private.invoice_kind(_type_code text)
  returns public.invoice_kind
  language sql immutable parallel safe
  set search_path = ''
as $$
  select case
    when _type_code in ('TD04', 'TD08') then 'nota_di_credito'
    when _type_code between 'TD16' and 'TD23' or _type_code in ('TD27', 'TD28', 'TD29') then 'autofattura'
    else 'fattura'
  end::public.invoice_kind
$$;
comment on function private.invoice_kind(text) is
  'How an invoice of this TipoDocumento counts. The reader needs the same codes: functions/_shared/fatturapa/model.py.';
revoke all on function private.invoice_kind from public, anon, authenticated, service_role;
-- Writing an invoice computes its kind.
grant execute on function private.invoice_kind to service_role;

create table public.invoices (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  document_id uuid not null,
  body_no integer not null default 1,
  direction public.invoice_direction not null,
  type_code text not null default 'TD01',
  kind public.invoice_kind not null generated always as (private.invoice_kind(type_code)) stored,
  number text not null,
  issued_on date not null,
  contact_id uuid,
  counterparty_name text,
  counterparty_vat text,
  net_cents bigint,
  vat_cents bigint,
  total_cents bigint not null,
  due_cents bigint,
  currency text not null default 'EUR',
  content jsonb,
  findings jsonb not null default '[]',
  paid_on date,
  payment_noted_at timestamptz,
  source public.invoice_source not null,
  is_automatic boolean not null default false,
  counterparty_key text generated always as (private.name_key(counterparty_name)) stored,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (document_id, body_no),
  foreign key (user_id, document_id) references public.documents (user_id, id) on delete cascade,
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete set null (contact_id),
  constraint body_no_counts_from_one check (body_no >= 1),
  constraint type_code_is_one check (type_code ~ '^TD[0-9]{2}$'),
  constraint currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  constraint content_is_an_object check (jsonb_typeof(content) = 'object'),
  constraint findings_are_a_list check (jsonb_typeof(findings) = 'array'),
  constraint texts_fit check (
    number ~ '[^[:space:]]' and char_length(number) <= 100 and char_length(counterparty_name) <= 500
    and char_length(counterparty_vat) <= 50
  )
);
comment on table public.invoices is 'Issued and received invoices, one for each body of a document.';
comment on column public.invoices.due_cents is 'What is to be paid, after withholding; null: the total.';
comment on column public.invoices.content is 'The whole invoice as functions/_shared/fatturapa writes it; null for a scan.';
comment on column public.invoices.findings is 'What does not add up: [{code, severity, text}], in words for the owner.';
comment on column public.invoices.is_automatic is
  'Entered from a paper without its owner''s word; false as soon as the owner confirms, pays or plans it.';
comment on column public.invoices.counterparty_key is 'The name as it is compared: «NERI SRL» is «Neri S.r.l.».';
comment on column public.invoices.payment_noted_at is 'When its owner, or a paper, said that it was paid.';
comment on column public.invoices.paid_on is 'When the last of it was paid.';

create table public.invoice_schedules (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  invoice_id uuid not null,
  no integer not null default 1,
  due_on date,
  amount_cents bigint not null,
  method text,
  iban text,
  paid_on date,
  task_id uuid,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (invoice_id, no),
  foreign key (user_id, invoice_id) references public.invoices (user_id, id) on delete cascade,
  foreign key (user_id, task_id) references public.tasks (user_id, id) on delete set null (task_id),
  constraint no_counts_from_one check (no >= 1),
  constraint method_is_one check (method ~ '^MP[0-9]{2}$'),
  constraint iban_fits check (char_length(iban) <= 50)
);
comment on table public.invoice_schedules is 'When how much of an invoice is to be paid.';
comment on column public.invoice_schedules.due_on is 'Null: at once, or whenever was agreed.';
comment on column public.invoice_schedules.task_id is 'The task that reminds of it.';

-- Used by the register (by direction and period) and by its export.
create index invoices_by_date on public.invoices (user_id, issued_on desc, id desc);

create index invoices_unpaid on public.invoices (user_id, direction, issued_on desc) where paid_on is null;

create index invoices_document on public.invoices (user_id, document_id);

create index invoices_contact on public.invoices (user_id, contact_id);

create index invoices_twins on public.invoices (user_id, number, issued_on);

create index invoice_schedules_invoice on public.invoice_schedules (user_id, invoice_id, no);

create index invoice_schedules_due on public.invoice_schedules (user_id, due_on) where paid_on is null;

create index invoice_schedules_task on public.invoice_schedules (user_id, task_id);

create function private.store_schedules(_invoice_id uuid, _user_id uuid, _schedules jsonb)
  returns void
  language sql volatile
  set search_path = ''
as $$
  with told as (
    select coalesce((one ->> 'no')::integer, place::integer) as no, (one ->> 'due_on')::date as due_on,
      (one ->> 'amount_cents')::bigint as amount_cents, one ->> 'method' as method, one ->> 'iban' as iban,
      -- Of what is paid as a whole no part is open.
      coalesce(
        (one ->> 'paid_on')::date, (select paid_on from public.invoices where user_id = _user_id and id = _invoice_id)
      ) as paid_on
    from jsonb_array_elements(coalesce(_schedules, '[]')) with ordinality as listed (one, place)
  ), gone as (
    delete from public.invoice_schedules
    where user_id = _user_id and invoice_id = _invoice_id and no not in (select no from told)
    returning task_id
  ), unneeded as (
    update public.tasks set deleted_at = now()
    from gone where user_id = _user_id and id = task_id and state <> 'fatto' and deleted_at is null
  )
  insert into public.invoice_schedules as kept (user_id, invoice_id, no, due_on, amount_cents, method, iban, paid_on)
  select _user_id, _invoice_id, no, due_on, amount_cents, method, iban, paid_on from told
  on conflict (invoice_id, no) do update set
    due_on = excluded.due_on, amount_cents = excluded.amount_cents, method = excluded.method, iban = excluded.iban,
    paid_on = coalesce(kept.paid_on, excluded.paid_on)
$$;
comment on function private.store_schedules(uuid, uuid, jsonb) is
  'Writes the days of payment of an invoice; what was paid and its task stay, the reminders of those that go go too.';
revoke all on function private.store_schedules from public, anon, authenticated, service_role;

create function private.store_invoice(_document_id uuid, _user_id uuid, _invoices jsonb)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _told record;
  _row public.invoices;
  _contact_id uuid;
  _id uuid;
begin
  select contact_id into _contact_id from public.documents where user_id = _user_id and id = _document_id for update;
  if not found then
    raise exception 'no such document' using errcode = 'PT404';
  end if;
  perform private.remove_invoices(_document_id, _user_id, array(
    select coalesce((one ->> 'body_no')::integer, place::integer)
    from jsonb_array_elements(_invoices) with ordinality as listed (one, place)
  ));
  for _told in select one, place::integer from jsonb_array_elements(_invoices) with ordinality as listed (one, place)
  loop
    _row := jsonb_populate_record(null::public.invoices, _told.one);
    insert into public.invoices as kept (
      user_id, document_id, body_no, direction, type_code, number, issued_on, contact_id, counterparty_name,
      counterparty_vat, net_cents, vat_cents, total_cents, due_cents, currency, content, findings, paid_on, source
    ) values (
      _user_id, _document_id, coalesce(_row.body_no, _told.place), _row.direction, coalesce(_row.type_code, 'TD01'),
      _row.number, _row.issued_on, coalesce(_contact_id, _row.contact_id), _row.counterparty_name, _row.counterparty_vat,
      _row.net_cents, _row.vat_cents, _row.total_cents, _row.due_cents, coalesce(_row.currency, 'EUR'), _row.content,
      coalesce(_row.findings, '[]'), _row.paid_on, coalesce(_row.source, 'fatturapa')
    )
    on conflict (document_id, body_no) do update set
      direction = excluded.direction, type_code = excluded.type_code, number = excluded.number,
      issued_on = excluded.issued_on, contact_id = coalesce(kept.contact_id, excluded.contact_id),
      counterparty_name = excluded.counterparty_name, counterparty_vat = excluded.counterparty_vat,
      net_cents = excluded.net_cents, vat_cents = excluded.vat_cents, total_cents = excluded.total_cents,
      due_cents = excluded.due_cents, currency = excluded.currency, content = excluded.content,
      findings = excluded.findings, paid_on = coalesce(kept.paid_on, excluded.paid_on), source = excluded.source
    returning id into _id;
    perform private.store_schedules(_id, _user_id, _told.one -> 'schedules');
  end loop;
end
$$;
comment on function private.store_invoice(uuid, uuid, jsonb) is
  'Writes the invoices of a document, one object for each body: the columns of invoices, and schedules [{no, due_on, '
  'amount_cents, method, iban}]. The same again changes nothing; what was paid, and the tasks, stay. PT404.';
revoke all on function private.store_invoice from public, anon, authenticated, service_role;
grant execute on function private.store_invoice to service_role;

create function private.own_invoice(_invoice_id uuid)
  returns public.invoices
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _invoice public.invoices;
begin
  select * into _invoice from public.invoices where user_id = (select auth.uid()) and id = _invoice_id for update;
  if not found then
    raise exception 'no such invoice' using errcode = 'PT404';
  end if;
  return _invoice;
end
$$;
comment on function private.own_invoice(uuid) is 'The caller''s invoice, locked; PT404 if it is none.';
revoke all on function private.own_invoice from public, anon, authenticated, service_role;

create function private.finish_paid_tasks(_invoice_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  update public.tasks set state = 'fatto'
  from public.invoice_schedules
  where invoice_schedules.invoice_id = _invoice_id and invoice_schedules.paid_on is not null
    and tasks.user_id = invoice_schedules.user_id and tasks.id = task_id and tasks.state <> 'fatto'
$$;
comment on function private.finish_paid_tasks(uuid) is 'What was paid needs no reminder.';
revoke all on function private.finish_paid_tasks from public, anon, authenticated, service_role;

-- Security definer, like the next functions, because only the server may write invoices. The owner reports payments
-- through these functions.
create function public.mark_invoice_paid(_invoice_id uuid, _paid_on date)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  perform private.own_invoice(_invoice_id);
  update public.invoice_schedules set paid_on = case when _paid_on is not null then coalesce(paid_on, _paid_on) end
  where invoice_id = _invoice_id;
  update public.invoices set paid_on = _paid_on, is_automatic = false where id = _invoice_id;
  perform private.finish_paid_tasks(_invoice_id);
end
$$;
comment on function public.mark_invoice_paid(uuid, date) is
  'Says when the rest of an invoice of the caller was paid, and does its tasks; null: it was not paid at all. PT404.';
revoke all on function public.mark_invoice_paid from public, anon, authenticated, service_role;
grant execute on function public.mark_invoice_paid to authenticated;

create function public.mark_schedule_paid(_schedule_id uuid, _paid_on date)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _invoice_id constant uuid := (
    select invoice_id from public.invoice_schedules where user_id = (select auth.uid()) and id = _schedule_id
  );
begin
  perform private.own_invoice(_invoice_id);
  update public.invoice_schedules set paid_on = _paid_on where id = _schedule_id;
  update public.invoices
  set is_automatic = false, paid_on = (
    select case when bool_and(invoice_schedules.paid_on is not null) then max(invoice_schedules.paid_on) end
    from public.invoice_schedules where invoice_id = _invoice_id
  )
  where id = _invoice_id;
  perform private.finish_paid_tasks(_invoice_id);
end
$$;
comment on function public.mark_schedule_paid(uuid, date) is
  'Says when a part of an invoice of the caller was paid; null: it was not. With its last part the invoice is paid. PT404.';
revoke all on function public.mark_schedule_paid from public, anon, authenticated, service_role;
grant execute on function public.mark_schedule_paid to authenticated;

create function private.payment_title(_invoice public.invoices, _cents bigint)
  returns text
  language sql stable
  set search_path = ''
as $$
  -- Of a credit note the money goes the other way.
  select left(translate(concat(
    case when is_paid_by_owner then 'Paga ' else 'Incassa ' end,
    case when is_credit then 'nota di credito ' else 'fattura ' end, _invoice.number,
    -- A received paper is of somebody; money goes to them or comes from them.
    case when is_paid_by_owner and not is_credit then ' di ' when is_paid_by_owner then ' a ' else ' da ' end
      || nullif(btrim(coalesce(
        (select name from public.contacts where user_id = _invoice.user_id and id = _invoice.contact_id),
        _invoice.counterparty_name
      )), ''),
    ': ', private.euros(abs(_cents), _invoice.currency)
  ), E'\t\r\n', '   '), 200)
  from (
    select _invoice.kind = 'nota_di_credito' as is_credit,
      (_invoice.direction = 'passiva') <> (_invoice.kind = 'nota_di_credito') as is_paid_by_owner
  ) as flow
$$;
comment on function private.payment_title(public.invoices, bigint) is
  'What is to be done about an amount of an invoice: «Paga fattura 12 di Rossi srl: 1.220,00 €».';
revoke all on function private.payment_title from public, anon, authenticated, service_role;
-- The calendar feed shows it.
grant execute on function private.payment_title to service_role;

create function public.remind_of_schedules(_invoice_id uuid, _days_before integer default 3)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _invoice public.invoices := private.own_invoice(_invoice_id);
  _schedule record;
  _task_id uuid;
  _made integer := 0;
begin
  for _schedule in
    select * from public.invoice_schedules
    where invoice_id = _invoice_id and paid_on is null and due_on is not null and not exists (
      select from public.tasks
      where tasks.user_id = invoice_schedules.user_id and tasks.id = task_id and tasks.deleted_at is null
    )
    order by no
  loop
    insert into public.tasks (user_id, title, due_at, contact_id, remind_at, origin)
    values (
      _invoice.user_id, private.payment_title(_invoice, _schedule.amount_cents),
      _schedule.due_on::timestamp at time zone 'Europe/Rome', _invoice.contact_id,
      array[private.reminder_moment(_schedule.due_on, _days_before)], 'fattura'
    )
    returning id into _task_id;
    update public.invoice_schedules set task_id = _task_id where id = _schedule.id;
    insert into public.document_links (user_id, document_id, task_id)
    values (_invoice.user_id, _invoice.document_id, _task_id);
    _made := _made + 1;
  end loop;
  update public.invoices set is_automatic = false where id = _invoice_id and is_automatic;
  return _made;
end
$$;
comment on function public.remind_of_schedules(uuid, integer) is
  'Makes a task for each day of payment of the caller''s invoice that is not paid and has none; reminds at nine so many days '
  'before, or on the day, or at once, whichever is still to come. Answers how many were made. PT404.';
revoke all on function public.remind_of_schedules from public, anon, authenticated, service_role;
grant execute on function public.remind_of_schedules to authenticated;

create function private.sure_fields(_document_id uuid)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select coalesce(jsonb_object_agg(key, value), '{}') from public.document_fields
  where document_id = _document_id and (confirmed_at is not null or confidence >= public.sure_confidence())
$$;
comment on function private.sure_fields(uuid) is 'What is known of a document for sure: {key: value}.';
revoke all on function private.sure_fields from public, anon, authenticated, service_role;

create function public.confirm_invoice(_document_id uuid)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
  _id uuid;
begin
  -- An electronic invoice says everything itself.
  select id into _id from public.invoices
  where user_id = _document.user_id and document_id = _document_id and source = 'fatturapa' order by body_no limit 1;
  if found then
    return _id;
  end if;
  _id := private.register_scan(_document);
  if _id is null then
    raise exception 'an invoice has a number, a date and a total' using errcode = 'SC041';
  end if;
  update public.invoices set is_automatic = false where id = _id and is_automatic;
  update public.documents set left_out_at = null where id = _document_id and left_out_at is not null;
  return _id;
end
$$;
comment on function public.confirm_invoice(uuid) is
  'Makes an invoice with one day of payment of what is sure in a scan of the caller, or confirms the one that was entered '
  'automatically; answers the invoice. PT404, SC041.';
revoke all on function public.confirm_invoice from public, anon, authenticated, service_role;
grant execute on function public.confirm_invoice to authenticated;

create function private.follow_document_contact()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update public.invoices set contact_id = new.contact_id
  where user_id = new.user_id and document_id = new.id and contact_id is distinct from new.contact_id;
  -- The owner says who it is from or for: that may be all that was missing.
  if old.contact_id is null and new.contact_reason is null then
    perform private.enter_scan(new.id);
  end if;
  return null;
end
$$;
comment on function private.follow_document_contact() is 'An invoice is about whom its document is about.';
revoke all on function private.follow_document_contact from public, anon, authenticated, service_role;

create function private.cents(_fields jsonb, _key text)
  returns bigint
  language sql immutable parallel safe
  set search_path = ''
as $$
  select case when _fields ->> _key ~ '^-?[0-9]{1,13}$' then (_fields ->> _key)::bigint end
$$;
comment on function private.cents(jsonb, text) is 'The amount of a field of {key: value}; null when it is none.';
revoke all on function private.cents from public, anon, authenticated, service_role;

create function private.is_of_owner(_fields jsonb, _user_id uuid)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (
    -- A paper that was received may show its reader's tax code anywhere: it counts only where no VAT number stands.
    select from public.profiles
    where user_id = _user_id
      and coalesce(nullif(_fields ->> 'vat_number', ''), _fields ->> 'tax_code') in (vat_number, tax_code)
  )
$$;
comment on function private.is_of_owner(jsonb, uuid) is
  'Whether who issued a paper with these fields is its owner; the same as functions/_shared/documents/conclusions.py.';
revoke all on function private.is_of_owner from public, anon, authenticated, service_role;

create function private.reminder_moment(_due_on date, _days_before integer)
  returns timestamptz
  language sql stable
  set search_path = ''
as $$
  -- The first of both that is still to come; when both are over, at once: a moment that is over reminds of nothing.
  select coalesce(min(moment), now() + interval '1 minute')
  from unnest(array[_due_on - least(greatest(_days_before, 0), 365), _due_on]) as day
  cross join lateral (select (day + time '09:00') at time zone 'Europe/Rome' as moment) as at_nine
  where moment > now()
$$;
comment on function private.reminder_moment(date, integer) is
  'When to remind of a day of payment: at nine so many days before, or on the day, or at once.';
revoke all on function private.reminder_moment from public, anon, authenticated, service_role;

create function private.retitle_reminders(_invoice public.invoices)
  returns void
  language sql volatile
  set search_path = ''
as $$
  -- What its owner called otherwise keeps its name.
  update public.tasks set title = private.payment_title(_invoice, part.amount_cents)
  from public.invoice_schedules as part
  where part.user_id = _invoice.user_id and part.invoice_id = _invoice.id
    and tasks.user_id = part.user_id and tasks.id = part.task_id and tasks.state <> 'fatto'
    and tasks.title ~ '^(Paga|Incassa) (fattura|nota di credito) '
    and tasks.title <> private.payment_title(_invoice, part.amount_cents)
$$;
comment on function private.retitle_reminders(public.invoices) is 'The open tasks of an invoice say what it says.';
revoke all on function private.retitle_reminders from public, anon, authenticated, service_role;

-- Security definer, like the next function, because the roles that change invoices may not call functions of the
-- private schema.
create function private.follow_invoice()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.retitle_reminders(new);
  return null;
end
$$;
comment on function private.follow_invoice() is 'What reminds of an invoice says which way the money goes, and to whom.';
revoke all on function private.follow_invoice from public, anon, authenticated, service_role;

create function private.follow_schedule()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  _invoice public.invoices;
begin
  select * into _invoice from public.invoices where user_id = new.user_id and id = new.invoice_id;
  perform private.retitle_reminders(_invoice);
  -- A day that its owner chose stays.
  update public.tasks
  set due_at = new.due_on::timestamp at time zone 'Europe/Rome',
    remind_at = case when new.due_on is null or remind_at = '{}' then '{}'
      else array[private.reminder_moment(new.due_on, 3)] end
  where user_id = new.user_id and id = new.task_id and state <> 'fatto' and new.due_on is distinct from old.due_on
    and due_at is not distinct from old.due_on::timestamp at time zone 'Europe/Rome';
  return null;
end
$$;
comment on function private.follow_schedule() is 'The task that reminds of a day of payment follows its day and its amount.';
revoke all on function private.follow_schedule from public, anon, authenticated, service_role;

create function private.remove_invoices(_document_id uuid, _user_id uuid, _kept integer[])
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _invoice_id uuid;
begin
  for _invoice_id in
    select id from public.invoices
    where user_id = _user_id and document_id = _document_id and body_no <> all (_kept)
  loop
    perform private.store_schedules(_invoice_id, _user_id, '[]');
    delete from public.invoices where user_id = _user_id and id = _invoice_id;
  end loop;
end
$$;
comment on function private.remove_invoices(uuid, uuid, integer[]) is
  'Takes the invoices of a document out of the register, with their reminders, but for these numbers of bodies.';
revoke all on function private.remove_invoices from public, anon, authenticated, service_role;

create function private.scan_content(_document public.documents, _fields jsonb)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object(
    'direction', case when is_own then 'attiva' else 'passiva' end, 'type_code', _fields ->> 'type_code',
    'number', left(_fields ->> 'number', 100), 'issued_on', _fields ->> 'issued_on',
    'net_cents', private.cents(_fields, 'net'), 'vat_cents', private.cents(_fields, 'vat'),
    'total_cents', total_cents, 'due_cents', due_cents,
    'currency', coalesce(_fields ->> 'currency', _document.currency),
    'counterparty_name', left(case when is_own then _fields ->> 'customer'
      else coalesce(_fields ->> 'supplier', _document.supplier ->> 'name') end, 500),
    -- As an electronic invoice writes it: «IT 0123…» bare, «de 123…» with its country.
    'counterparty_vat', left(private.alias_value(
      'vat_number', _fields ->> case when is_own then 'customer_vat_number' else 'vat_number' end
    ), 50),
    'source', 'campi',
    'schedules', jsonb_build_array(jsonb_build_object(
      'due_on', _fields ->> 'due_on', 'amount_cents', coalesce(due_cents, total_cents), 'iban', left(_fields ->> 'iban', 50)
    ))
  )
  from (
    select private.is_of_owner(_fields, _document.user_id) as is_own, private.cents(_fields, 'total') as total_cents,
      coalesce(
        private.cents(_fields, 'due'),
        case when private.cents(_fields, 'withholding') is not null then private.payable_cents(_fields) end
      ) as due_cents
  ) as told
$$;
comment on function private.scan_content(public.documents, jsonb) is
  'A scan with these fields ({key: value}) as store_invoice() takes it: one body with one day of payment.';
revoke all on function private.scan_content from public, anon, authenticated, service_role;

create function private.register_scan(_document public.documents)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _fields constant jsonb := private.sure_fields(_document.id);
begin
  if not _fields ?& array['number', 'issued_on'] or private.cents(_fields, 'total') is null or exists (
    -- These turn the total into something else: a debt into a credit, dollars into euros.
    select from public.document_fields
    where user_id = _document.user_id and document_id = _document.id and key in ('type_code', 'currency')
      and confirmed_at is null and confidence < public.sure_confidence()
  ) then
    return null;
  end if;
  perform private.store_invoice(
    _document.id, _document.user_id, jsonb_build_array(private.scan_content(_document, _fields))
  );
  return (select id from public.invoices where user_id = _document.user_id and document_id = _document.id);
end
$$;
comment on function private.register_scan(public.documents) is
  'Makes an invoice with one day of payment of what is sure in a scan; null, and nothing is written, when that is too little.';
revoke all on function private.register_scan from public, anon, authenticated, service_role;

create function private.follow_fields(_document_id uuid)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _document public.documents;
begin
  select documents.* into _document from public.documents
  where id = _document_id and exists (
    select from public.invoices
    where invoices.user_id = documents.user_id and document_id = documents.id and source = 'campi'
  );
  if not found then
    return;
  elsif _document.kind = 'fattura' or not _document.kind_by_user then
    perform private.register_scan(_document);
  else
    perform private.remove_invoices(_document_id, _document.user_id, '{}');
  end if;
end
$$;
comment on function private.follow_fields(uuid) is
  'A scan that was registered is registered as its fields are now, and not at all when its owner says it is no invoice.';
revoke all on function private.follow_fields from public, anon, authenticated, service_role;

create function private.is_party(_party jsonb, _own public.profiles)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select coalesce(coalesce(_party ->> 'vat_country', 'IT') = 'IT' and vat_number = _own.vat_number, false)
    or coalesce(tax_code = upper(_own.tax_code), false) or coalesce(tax_code = _own.vat_number, false)
  from (
    select private.bare_number(_party ->> 'vat_number') as vat_number, private.bare_number(_party ->> 'tax_code') as tax_code
  ) as bare
$$;
comment on function private.is_party(jsonb, public.profiles) is
  'Whether a party of an electronic invoice is its owner; the same as _is() in functions/_shared/fatturapa/register.py.';
revoke all on function private.is_party from public, anon, authenticated, service_role;

create function private.direct_invoices(_own public.profiles)
  returns void
  language sql volatile
  set search_path = ''
as $$
  -- The same as direction() and _entry() in functions/_shared/fatturapa/register.py, of what was read before.
  with sides as (
    select id, direction as former, content, findings, case
      when sold and bought then case type_code when 'TD27' then 'attiva' else 'passiva' end
      when sold then 'attiva' when bought then 'passiva' end as known
    from public.invoices, lateral (
      select private.is_party(content -> 'supplier', _own) as sold, private.is_party(content -> 'customer', _own) as bought
    ) as parties
    where user_id = _own.user_id and content is not null
  ), told as (
    select id, former, coalesce(known, 'passiva')::public.invoice_direction as direction,
      content -> case known when 'attiva' then 'customer' else 'supplier' end as other,
      jsonb_path_query_array(findings, '$[*] ? (@.code != "non_tua")') || case when known is null then jsonb_build_array(
        jsonb_build_object('code', 'non_tua', 'severity', 'avviso', 'text', case
          when coalesce(_own.vat_number, _own.tax_code) is null then 'Nei tuoi dati fiscali manca la partita IVA'
          else 'Né chi vende né chi compra ha la tua partita IVA o il tuo codice fiscale'
        end || ': ho messo la fattura tra quelle ricevute.')
      ) else '[]' end as findings
    from sides
  ), turned as (
    update public.invoices set direction = told.direction, findings = told.findings,
      counterparty_name = nullif(left(other ->> 'name', 500), ''),
      counterparty_vat = left(private.party_vat(other), 50)
    from told
    where invoices.id = told.id and (former, invoices.findings) is distinct from (told.direction, told.findings)
    returning invoices.user_id, document_id, body_no, other, former <> told.direction as is_turned
  )
  update public.documents
  -- Who was linked was oneself.
  set contact_id = null, contact_suggestion = null, contact_reason = null,
    supplier = nullif(jsonb_strip_nulls(jsonb_build_object(
      'name', other -> 'name', 'vat_number', private.party_vat(other), 'tax_code', other -> 'tax_code',
      'email', other -> 'email'
    )), '{}')
  from turned
  where turned.user_id = documents.user_id and document_id = documents.id and body_no = 1 and is_turned;
  delete from public.document_aliases
  where user_id = _own.user_id and value in (
    private.alias_value('vat_number', _own.vat_number), private.alias_value('tax_code', _own.tax_code)
  )
$$;
comment on function private.direct_invoices(public.profiles) is
  'Puts the electronic invoices of a person on the side that their own numbers give, and removes these numbers from document_aliases.';
revoke all on function private.direct_invoices from public, anon, authenticated, service_role;

create function private.follow_own_numbers()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  perform private.direct_invoices(new);
  -- The same of scans. Who was linked was oneself.
  update public.documents
  set supplier = private.about(said, new.user_id), contact_id = null, contact_suggestion = null, contact_reason = null
  from (
    select document_id, jsonb_object_agg(key, value) as said from public.document_fields
    where user_id = new.user_id and source <> 'fatturapa' group by document_id
  ) as scan
  where documents.user_id = new.user_id and documents.id = document_id
    and coalesce(coalesce(nullif(said ->> 'vat_number', ''), said ->> 'tax_code') in (old.vat_number, old.tax_code), false)
      <> private.is_of_owner(said, new.user_id);
  perform private.follow_fields(document_id) from public.invoices where user_id = new.user_id and source = 'campi';
  perform private.link_papers(array(
    select id from public.documents where user_id = new.user_id and contact_id is null and supplier is not null
  ));
  return null;
end
$$;
comment on function private.follow_own_numbers() is
  'Invoices that were read before their owner said who they are get onto the right side.';
revoke all on function private.follow_own_numbers from public, anon, authenticated, service_role;

create function public.twin(_invoice public.invoices)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object('document_id', file.id, 'filename', file.filename)
  from public.invoices as other
  cross join lateral (
    select array[case other.direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'] as tax_code
  ) as path
  join public.documents as file on file.user_id = other.user_id and file.id = other.document_id and file.deleted_at is null
  where other.user_id = _invoice.user_id and other.number = _invoice.number and other.issued_on = _invoice.issued_on
    and other.direction = _invoice.direction and (
      other.type_code = _invoice.type_code
      -- Of a scan nothing but credit or no credit can be told: a deferred invoice is a TD01 there.
      or 'campi' in (other.source, _invoice.source)
        and (other.kind = 'nota_di_credito') = (_invoice.kind = 'nota_di_credito')
    )
    -- Of one's own a scan may name the customer otherwise; the number is one's own.
    and (_invoice.direction = 'attiva' and 'campi' in (other.source, _invoice.source) or coalesce(
      -- A name says nothing where both show a number.
      coalesce(other.counterparty_vat, other.content #>> tax_code)
        = coalesce(_invoice.counterparty_vat, _invoice.content #>> tax_code),
      other.counterparty_key = _invoice.counterparty_key
    ))
    -- One that is paid counts before others: it needs no second payment.
    and (other.paid_on is null, other.created_at, other.id) < (_invoice.paid_on is null, _invoice.created_at, _invoice.id)
  order by other.paid_on is null, other.created_at, other.id
  limit 1
$$;
comment on function public.twin(public.invoices) is
  'The file {document_id, filename} in which the same invoice counts: signed and unsigned, sent twice, a scan of it; null '
  'when it is this one. What has a twin is in no sum.';
revoke all on function public.twin from public, anon, authenticated, service_role;
grant execute on function public.twin to authenticated, service_role;

create function private.party_vat(_party jsonb)
  returns text
  language sql immutable
  set search_path = ''
as $$
  select case
    when vat_number = '' or vat_number ~ '^([A-Z]{2}){0,2}(0+|9{11}|X+)$' then null
    when vat_country is null or vat_country = 'IT' or starts_with(vat_number, vat_country) then vat_number
    else vat_country || vat_number
  end
  from (
    -- Greece is GR to the post and EL to the tax office.
    select case _party ->> 'vat_country' when 'GR' then 'EL' else _party ->> 'vat_country' end as vat_country,
      regexp_replace(regexp_replace(upper(_party ->> 'vat_number'), '[^A-Z0-9]', '', 'g'), '^IT(?=[0-9]{11}$)', '')
        as vat_number
  ) as told
$$;
comment on function private.party_vat(jsonb) is
  'The VAT number of a party of an electronic invoice, a foreign one with its country, null for a placeholder; the same as '
  'vat_of() in functions/_shared/fatturapa/register.py.';
revoke all on function private.party_vat from public, anon, authenticated, service_role;
-- Writing a document computes the numbers that it is found by.
grant execute on function private.party_vat to authenticated, service_role;

create function private.payable_cents(_fields jsonb)
  returns bigint
  language sql immutable
  set search_path = ''
as $$
  select total - sign(total)::bigint * coalesce(abs(private.cents(_fields, 'withholding')), 0)
  from (select private.cents(_fields, 'total') as total) as told
$$;
comment on function private.payable_cents(jsonb) is 'The total less what is withheld, whichever way the money goes.';
revoke all on function private.payable_cents from public, anon, authenticated, service_role;

create function private.follow_total(_document_id uuid, _before jsonb)
  returns void
  language sql volatile
  set search_path = ''
as $$
  -- What is to be paid was the total less what is withheld: it still is.
  update public.document_fields
  set value = private.payable_cents(said)
  from (
    select jsonb_object_agg(key, value) as said from public.document_fields where document_id = _document_id
  ) as now
  where document_id = _document_id and key = 'due' and value = _before ->> 'due'
    and private.cents(_before, 'due') = private.payable_cents(_before) and private.payable_cents(said) is not null
$$;
comment on function private.follow_total(uuid, jsonb) is
  'What is to be paid follows a total or a withholding that is not any more what it was before: {key: value}.';
revoke all on function private.follow_total from public, anon, authenticated, service_role;

create view public.invoice_parts with (security_invoker = on) as
select invoices.user_id, invoices.id as invoice_id, invoices.document_id, part.id, coalesce(part.no, 1) as no,
  invoices.direction, invoices.currency, invoices.issued_on, part.due_on, part.method, part.iban, part.task_id,
  -- A credit note takes away, however it is signed. Without instalments an invoice is due as a whole.
  case when invoices.kind = 'nota_di_credito' then -abs(amount.cents) else amount.cents end as cents,
  coalesce(part.paid_on, invoices.paid_on) as paid_on,
  coalesce(part.paid_on, invoices.paid_on) is null
    and coalesce(part.due_on < (now() at time zone 'Europe/Rome')::date, false) as is_late,
  -- Only one with the same number and day can have a twin: seeing that there is none takes a tenth of asking for it.
  documents.deleted_at is null and (not exists (
    select from public.invoices as other
    where other.user_id = invoices.user_id and other.number = invoices.number and other.issued_on = invoices.issued_on
      and other.id <> invoices.id
  ) or public.twin(invoices) is null) as counts
from public.invoices
join public.documents on documents.user_id = invoices.user_id and documents.id = invoices.document_id
left join public.invoice_schedules as part on part.user_id = invoices.user_id and part.invoice_id = invoices.id
cross join lateral (
  select coalesce(part.amount_cents, invoices.due_cents, invoices.total_cents) as cents
) as amount
where invoices.kind <> 'autofattura';
comment on view public.invoice_parts is
  'What is to be paid of each invoice, and when, signed. Sums add the parts that count: not in the trash, and no twin.';

create view public.invoice_register with (security_invoker = on) as
select invoices.id, invoices.user_id, invoices.document_id, invoices.body_no, invoices.direction, invoices.type_code,
  invoices.kind, invoices.number, invoices.issued_on, invoices.contact_id, contacts.name as contact_name,
  invoices.counterparty_name, invoices.counterparty_vat, invoices.currency, invoices.content, invoices.findings,
  invoices.paid_on, invoices.source, invoices.created_at, documents.filename, documents.deleted_at,
  signed.sign,
  signed.sign * invoices.net_cents as net_cents, signed.sign * invoices.vat_cents as vat_cents,
  signed.sign * invoices.total_cents as total_cents,
  -- An electronic invoice says itself what is withheld and which VAT its customer pays to the state.
  signed.sign * case when invoices.content is null then (
      select abs(value::bigint) from public.document_fields
      where document_fields.user_id = invoices.user_id and document_fields.document_id = invoices.document_id
        and key = 'withholding' and (confirmed_at is not null or confidence >= public.sure_confidence()) and value ~ '^-?[0-9]{1,13}$'
    ) else (
      select case when bool_and(cents is not null) then sum(cents)::bigint end
      from jsonb_path_query(invoices.content, '$.withholdings[*]') as withheld,
        lateral (select (withheld ->> 'amount_cents')::bigint as cents) as each
    ) end as withheld_cents,
  signed.sign * (
    select sum((summary ->> 'tax_cents')::bigint)::bigint
    from jsonb_path_query(invoices.content, '$.summaries[*] ? (@.due == "S")') as summary
  ) as split_vat_cents,
  parts.payable_cents, parts.paid_cents, parts.open_cents, parts.late_cents, parts.next_due_on,
  case
    when invoices.kind = 'autofattura' then 'non_si_paga'
    when invoices.paid_on is not null then 'pagata'
    when parts.is_late then 'scaduta'
    when parts.is_begun then 'in_parte'
    else 'aperta'
  end as state,
  public.twin(invoices) as twin, invoices.is_automatic
from public.invoices
join public.documents on documents.user_id = invoices.user_id and documents.id = invoices.document_id
left join public.contacts on contacts.user_id = invoices.user_id and contacts.id = invoices.contact_id
cross join lateral (
  select case when invoices.kind = 'nota_di_credito' and invoices.total_cents > 0 then -1 else 1 end as sign
) as signed
-- A left join, because the planner leaves it out of a query that asks for no amount.
left join lateral (
  select coalesce(sum(cents), 0)::bigint as payable_cents,
    coalesce(sum(cents) filter (where part.paid_on is not null), 0)::bigint as paid_cents,
    coalesce(sum(cents) filter (where part.paid_on is null), 0)::bigint as open_cents,
    coalesce(sum(cents) filter (where is_late), 0)::bigint as late_cents,
    min(due_on) filter (where part.paid_on is null) as next_due_on,
    coalesce(bool_or(is_late), false) as is_late,
    coalesce(bool_or(part.paid_on is not null), false) as is_begun
  from public.invoice_parts as part
  where part.user_id = invoices.user_id and part.invoice_id = invoices.id
) as parts on true;
comment on view public.invoice_register is
  'Invoices as they count: amounts signed, nothing payable of self-invoices. Sums leave out the trash and rows with a twin.';
comment on column public.invoice_register.payable_cents is
  'What the customer pays to the supplier: the total less what is withheld and less split-payment VAT.';
comment on column public.invoice_register.state is 'non_si_paga, pagata, scaduta, in_parte or aperta.';
comment on column public.invoice_register.sign is 'What turns the amounts of content as they are written into how they count.';

alter table public.invoices enable row level security;
alter table public.invoice_schedules enable row level security;

create policy "owners read their invoices" on public.invoices
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read what is due" on public.invoice_schedules
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.invoices from public, anon, authenticated, service_role;
grant select on public.invoices to authenticated;
grant select, insert, update, delete on public.invoices to service_role;

revoke all on public.invoice_schedules from public, anon, authenticated, service_role;
grant select on public.invoice_schedules to authenticated;
grant select, insert, update, delete on public.invoice_schedules to service_role;

revoke all on public.invoice_parts from public, anon, authenticated, service_role;
grant select on public.invoice_parts to authenticated, service_role;

revoke all on public.invoice_register from public, anon, authenticated, service_role;
grant select on public.invoice_register to authenticated, service_role;

create trigger follow_document_contact after update of contact_id on public.documents
  for each row when (old.contact_id is distinct from new.contact_id)
  execute function private.follow_document_contact();

create trigger follow_invoice
  after update of direction, type_code, number, contact_id, counterparty_name, currency on public.invoices
  for each row when (
    (old.direction, old.type_code, old.number, old.contact_id, old.counterparty_name, old.currency)
    is distinct from (new.direction, new.type_code, new.number, new.contact_id, new.counterparty_name, new.currency)
  )
  execute function private.follow_invoice();

create trigger follow_schedule after update of due_on, amount_cents on public.invoice_schedules
  for each row when (
    new.task_id is not null and (old.due_on, old.amount_cents) is distinct from (new.due_on, new.amount_cents)
  )
  execute function private.follow_schedule();

create trigger follow_own_numbers after update of vat_number, tax_code on public.profiles
  for each row when ((old.vat_number, old.tax_code) is distinct from (new.vat_number, new.tax_code))
  execute function private.follow_own_numbers();

alter table public.invoices replica identity using index invoices_user_id_id_key;
alter table public.invoice_schedules replica identity using index invoice_schedules_user_id_id_key;
