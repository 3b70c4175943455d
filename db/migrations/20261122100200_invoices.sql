-- Invoices: what is owed and by when, from electronic invoices (every body of a file) and from scans that were confirmed.
--
-- The server writes them; the owner says what was paid, and asks to be reminded: one task for each day of payment.
--
-- Error codes raised:
--   PT404  there is no such document, invoice or day of payment of the caller (PostgREST answers 404)
--   SC041  a scan lacks what an invoice needs: a number, a date and a total that are sure

create type public.invoice_direction as enum ('attiva', 'passiva');
create type public.invoice_source as enum ('fatturapa', 'campi');

-- Who one is: by these an invoice is known to be issued or received.
alter table public.profiles
  add column vat_number text,
  add column tax_code text,
  add constraint vat_number_is_one check (private.is_vat_number(vat_number)),
  add constraint tax_code_is_one check (private.is_tax_code(tax_code) or private.is_vat_number(tax_code));

-- --- Tables ---

create table public.invoices (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  document_id uuid not null,
  body_no integer not null default 1,
  direction public.invoice_direction not null,
  type_code text not null default 'TD01',
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
  source public.invoice_source not null,
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

-- --- Indexes ---

-- Serves the register, by direction and period, and its export.
create index invoices_by_date on public.invoices (user_id, issued_on desc, id desc);
create index invoices_unpaid on public.invoices (user_id, direction, issued_on desc) where paid_on is null;
create index invoices_document on public.invoices (user_id, document_id);
create index invoices_contact on public.invoices (user_id, contact_id);
create index invoice_schedules_invoice on public.invoice_schedules (user_id, invoice_id, no);
create index invoice_schedules_due on public.invoice_schedules (user_id, due_on) where paid_on is null;
create index invoice_schedules_task on public.invoice_schedules (user_id, task_id);

-- --- Functions ---

create function private.store_schedules(_invoice_id uuid, _user_id uuid, _schedules jsonb)
  returns void
  language sql volatile
  set search_path = ''
as $$
  with told as (
    select coalesce((one ->> 'no')::integer, place::integer) as no, (one ->> 'due_on')::date as due_on,
      (one ->> 'amount_cents')::bigint as amount_cents, one ->> 'method' as method, one ->> 'iban' as iban,
      (one ->> 'paid_on')::date as paid_on
    from jsonb_array_elements(coalesce(_schedules, '[]')) with ordinality as listed (one, place)
  ), gone as (
    delete from public.invoice_schedules
    where user_id = _user_id and invoice_id = _invoice_id and no not in (select no from told)
  )
  insert into public.invoice_schedules as kept (user_id, invoice_id, no, due_on, amount_cents, method, iban, paid_on)
  select _user_id, _invoice_id, no, due_on, amount_cents, method, iban, paid_on from told
  on conflict (invoice_id, no) do update set
    due_on = excluded.due_on, amount_cents = excluded.amount_cents, method = excluded.method, iban = excluded.iban,
    paid_on = coalesce(kept.paid_on, excluded.paid_on)
$$;
comment on function private.store_schedules(uuid, uuid, jsonb) is
  'Writes the days of payment of an invoice; what was paid and its task stay.';

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
  delete from public.invoices
  where user_id = _user_id and document_id = _document_id and body_no not in (
    select coalesce((one ->> 'body_no')::integer, place::integer)
    from jsonb_array_elements(_invoices) with ordinality as listed (one, place)
  );
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

-- Definer, like the next ones: invoices are the server's, but for what their owner says.
create function public.mark_invoice_paid(_invoice_id uuid, _paid_on date)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  perform private.own_invoice(_invoice_id);
  update public.invoice_schedules set paid_on = case when _paid_on is not null then coalesce(paid_on, _paid_on) end
  where invoice_id = _invoice_id;
  update public.invoices set paid_on = _paid_on where id = _invoice_id;
  perform private.finish_paid_tasks(_invoice_id);
end
$$;
comment on function public.mark_invoice_paid(uuid, date) is
  'Says when the rest of an invoice of the caller was paid, and does its tasks; null: it was not paid at all. PT404.';

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
  set paid_on = (
    select case when bool_and(invoice_schedules.paid_on is not null) then max(invoice_schedules.paid_on) end
    from public.invoice_schedules where invoice_id = _invoice_id
  )
  where id = _invoice_id;
  perform private.finish_paid_tasks(_invoice_id);
end
$$;
comment on function public.mark_schedule_paid(uuid, date) is
  'Says when a part of an invoice of the caller was paid; null: it was not. With its last part the invoice is paid. PT404.';

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
    select _invoice.type_code in ('TD04', 'TD08') as is_credit,
      (_invoice.direction = 'passiva') <> (_invoice.type_code in ('TD04', 'TD08')) as is_paid_by_owner
  ) as flow
$$;
comment on function private.payment_title(public.invoices, bigint) is
  'What is to be done about an amount of an invoice: «Paga fattura 12 di Rossi srl: 1.220,00 €».';

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
      array[(_schedule.due_on - least(greatest(_days_before, 0), 365) + time '09:00') at time zone 'Europe/Rome'],
      'fattura'
    )
    returning id into _task_id;
    update public.invoice_schedules set task_id = _task_id where id = _schedule.id;
    insert into public.document_links (user_id, document_id, task_id)
    values (_invoice.user_id, _invoice.document_id, _task_id);
    _made := _made + 1;
  end loop;
  return _made;
end
$$;
comment on function public.remind_of_schedules(uuid, integer) is
  'Makes a task for each day of payment of the caller''s invoice that is not paid and has none; reminds at nine so many days '
  'before. Answers how many were made. PT404.';

create function private.sure_fields(_document_id uuid)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select coalesce(jsonb_object_agg(key, value), '{}') from public.document_fields
  where document_id = _document_id and (confirmed_at is not null or confidence >= 0.8)
$$;
comment on function private.sure_fields(uuid) is 'What is known of a document for sure: {key: value}.';

create function public.confirm_invoice(_document_id uuid)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
  _fields constant jsonb := private.sure_fields(_document_id);
  _id uuid;
begin
  -- An electronic invoice says everything itself.
  select id into _id from public.invoices
  where user_id = _document.user_id and document_id = _document_id and source = 'fatturapa' order by body_no limit 1;
  if found then
    return _id;
  elsif not _fields ?& array['number', 'issued_on', 'total'] then
    raise exception 'an invoice has a number, a date and a total' using errcode = 'SC041';
  end if;
  perform private.store_invoice(_document_id, _document.user_id, jsonb_build_array(jsonb_build_object(
    'direction', (
      select case when profiles.vat_number = _fields ->> 'vat_number' then 'attiva' else 'passiva' end
      from public.profiles where user_id = _document.user_id
    ),
    'number', _fields ->> 'number', 'issued_on', _fields ->> 'issued_on', 'net_cents', _fields ->> 'net',
    'vat_cents', _fields ->> 'vat', 'total_cents', _fields ->> 'total', 'currency', _document.currency,
    'counterparty_name', case when _fields ->> 'vat_number' = (
      select profiles.vat_number from public.profiles where user_id = _document.user_id
    ) then _fields ->> 'customer' else coalesce(_fields ->> 'supplier', _document.supplier ->> 'name') end,
    'counterparty_vat', nullif(_fields ->> 'vat_number', (
      select profiles.vat_number from public.profiles where user_id = _document.user_id
    )),
    'source', 'campi',
    'schedules', jsonb_build_array(jsonb_build_object(
      'due_on', _fields ->> 'due_on', 'amount_cents', _fields ->> 'total', 'iban', _fields ->> 'iban'
    ))
  )));
  return (select id from public.invoices where user_id = _document.user_id and document_id = _document_id);
end
$$;
comment on function public.confirm_invoice(uuid) is
  'Makes an invoice with one day of payment of what is sure in a scan of the caller; answers the invoice. PT404, SC041.';

create function private.follow_document_contact()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  update public.invoices set contact_id = new.contact_id
  where user_id = new.user_id and document_id = new.id and contact_id is distinct from new.contact_id;
  return null;
end
$$;
comment on function private.follow_document_contact() is 'An invoice is about whom its document is about.';

-- --- Rights ---

alter table public.invoices enable row level security;
alter table public.invoice_schedules enable row level security;

create policy "owners read their invoices" on public.invoices
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read what is due" on public.invoice_schedules
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.invoices, public.invoice_schedules from public, anon, authenticated, service_role;
grant select on public.invoices, public.invoice_schedules to authenticated;
grant select, insert, update, delete on public.invoices, public.invoice_schedules to service_role;
grant update (vat_number, tax_code) on public.profiles to authenticated;

revoke all on function private.store_schedules, private.store_invoice, private.own_invoice, private.finish_paid_tasks,
  public.mark_invoice_paid, public.mark_schedule_paid, private.payment_title, public.remind_of_schedules,
  private.sure_fields, public.confirm_invoice, private.follow_document_contact
  from public, anon, authenticated, service_role;
grant execute on function private.store_invoice to service_role;
grant execute on function public.mark_invoice_paid, public.mark_schedule_paid, public.remind_of_schedules,
  public.confirm_invoice to authenticated;

-- --- Triggers ---

create trigger follow_document_contact after update of contact_id on public.documents
  for each row when (old.contact_id is distinct from new.contact_id)
  execute function private.follow_document_contact();

-- --- What the browser follows ---

do $$
begin
  alter table public.invoices replica identity using index invoices_user_id_id_key;
  alter table public.invoice_schedules replica identity using index invoice_schedules_user_id_id_key;
  alter publication supabase_realtime add table public.invoices, public.invoice_schedules;
exception
  when insufficient_privilege then
    raise warning 'No right to publish changes: the client asks every 30 seconds instead';
end
$$;
