-- The register of invoices says what the papers say: what is withheld is not owed, a scan is registered again when its
-- owner corrects it, the same invoice counts once, and reminders follow their invoice, into the trash too.
--
-- Error codes raised:
--   SC041  a scan lacks what an invoice needs: a number, a date and a total that are sure, and no doubt about what kind of
--          paper it is or about its currency

-- What a field says -----------------------------------------------------------------------------------------------------

create function private.cents(_fields jsonb, _key text)
  returns bigint
  language sql immutable parallel safe
  set search_path = ''
as $$
  select case when _fields ->> _key ~ '^-?[0-9]{1,13}$' then (_fields ->> _key)::bigint end
$$;
comment on function private.cents(jsonb, text) is 'The amount of a field of {key: value}; null when it is none.';

create function private.is_of_owner(_fields jsonb, _user_id uuid)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  select exists (
    select from public.profiles where user_id = _user_id and (
      vat_number in (_fields ->> 'vat_number', _fields ->> 'tax_code')
      or tax_code in (_fields ->> 'vat_number', _fields ->> 'tax_code')
    )
  )
$$;
comment on function private.is_of_owner(jsonb, uuid) is
  'Whether who issued a paper with these fields is its owner; the same as functions/_shared/documents/conclusions.py.';

create or replace function private.copy_field(_document_id uuid, _key text, _value text)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _fields jsonb;
  _is_credit boolean;
  -- Whom a paper is about: of one's own it is the customer.
  _places jsonb := '{"supplier": "name", "vat_number": "vat_number", "tax_code": "tax_code", "email": "email"}';
begin
  if _key in ('issued_on', 'due_on') and _value !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'
    or _key in ('net', 'vat', 'total', 'due', 'withholding', 'stamp') and _value !~ '^-?[0-9]{1,13}$'
    or _key = 'currency' and _value !~ '^[A-Z]{3}$'
    or _key = 'type_code' and _value !~ '^TD[0-9]{2}$'
  then
    raise exception 'a date is written 2026-01-31, an amount in cents, a currency EUR, a type TD01' using errcode = '22023';
  end if;
  select (coalesce(jsonb_object_agg(key, value), '{}') - _key) || jsonb_strip_nulls(jsonb_build_object(_key, _value))
    into _fields
  from public.document_fields where document_id = _document_id;
  _is_credit := coalesce(_fields ->> 'type_code' in ('TD04', 'TD08'), false);
  if private.is_of_owner(_fields, (select user_id from public.documents where id = _document_id)) then
    _places := '{"customer": "name", "customer_vat_number": "vat_number", "email": "email"}';
  end if;
  update public.documents
  set issued_on = case when _key = 'issued_on' then _value::date else issued_on end,
    due_on = case when _key = 'due_on' then _value::date else due_on end,
    total_cents = case
      when _key = 'type_code' then case when _is_credit then -1 else 1 end * abs(total_cents)
      when _key <> 'total' then total_cents
      when _is_credit then -abs(_value::bigint)
      else _value::bigint
    end,
    currency = case when _key = 'currency' then coalesce(_value, 'EUR') else currency end,
    supplier = case when not _places ? _key then supplier else nullif(
      jsonb_strip_nulls(coalesce(supplier, '{}') || jsonb_build_object(_places ->> _key, _value)), '{}'
    ) end
  where id = _document_id
    and (_places ? _key or _key in ('issued_on', 'due_on', 'total', 'type_code', 'currency'));
exception
  when datetime_field_overflow then
    raise exception 'there is no such day' using errcode = '22023';
end
$$;

-- Reminders follow their invoice ----------------------------------------------------------------------------------------

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

create or replace function public.remind_of_schedules(_invoice_id uuid, _days_before integer default 3)
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
  return _made;
end
$$;

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

-- Definer, like the next one: whoever changes an invoice has no way into this schema.
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

create or replace function private.follow_trashed_document()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  -- What went into the trash with its parent comes back with it; what was there before stays there.
  update public.documents set deleted_at = new.deleted_at
    where user_id = new.user_id and parent_id = new.id and deleted_at is not distinct from old.deleted_at;
  -- So do the reminders of its invoices; what is done is nobody's reminder any more.
  update public.tasks set deleted_at = new.deleted_at
  from public.invoices join public.invoice_schedules as part
    on part.user_id = invoices.user_id and part.invoice_id = invoices.id
  where invoices.user_id = new.user_id and invoices.document_id = new.id
    and tasks.user_id = part.user_id and tasks.id = part.task_id and tasks.state <> 'fatto'
    and tasks.deleted_at is not distinct from old.deleted_at;
  return null;
end
$$;
comment on function private.follow_trashed_document() is
  'What came in a document, and what reminds of its invoices, goes into the trash and comes back with it.';

-- The register ----------------------------------------------------------------------------------------------------------

create or replace function private.store_schedules(_invoice_id uuid, _user_id uuid, _schedules jsonb)
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

create or replace function private.store_invoice(_document_id uuid, _user_id uuid, _invoices jsonb)
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

create function private.register_scan(_document public.documents)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _fields constant jsonb := private.sure_fields(_document.id);
  _is_own constant boolean := private.is_of_owner(_fields, _document.user_id);
  _total_cents constant bigint := private.cents(_fields, 'total');
  _due_cents constant bigint := coalesce(
    private.cents(_fields, 'due'), _total_cents - abs(private.cents(_fields, 'withholding'))
  );
begin
  if not _fields ?& array['number', 'issued_on'] or _total_cents is null or exists (
    -- These turn the total into something else: a debt into a credit, dollars into euros.
    select from public.document_fields
    where user_id = _document.user_id and document_id = _document.id and key in ('type_code', 'currency')
      and confirmed_at is null and confidence < 0.8
  ) then
    return null;
  end if;
  perform private.store_invoice(_document.id, _document.user_id, jsonb_build_array(jsonb_build_object(
    'direction', case when _is_own then 'attiva' else 'passiva' end, 'type_code', _fields ->> 'type_code',
    'number', _fields ->> 'number', 'issued_on', _fields ->> 'issued_on',
    'net_cents', private.cents(_fields, 'net'), 'vat_cents', private.cents(_fields, 'vat'),
    'total_cents', _total_cents, 'due_cents', _due_cents,
    'currency', coalesce(_fields ->> 'currency', _document.currency),
    'counterparty_name', case when _is_own then _fields ->> 'customer'
      else coalesce(_fields ->> 'supplier', _document.supplier ->> 'name') end,
    'counterparty_vat', _fields ->> case when _is_own then 'customer_vat_number' else 'vat_number' end,
    'source', 'campi',
    'schedules', jsonb_build_array(jsonb_build_object(
      'due_on', _fields ->> 'due_on', 'amount_cents', coalesce(_due_cents, _total_cents), 'iban', _fields ->> 'iban'
    ))
  )));
  return (select id from public.invoices where user_id = _document.user_id and document_id = _document.id);
end
$$;
comment on function private.register_scan(public.documents) is
  'Makes an invoice with one day of payment of what is sure in a scan; null, and nothing is written, when that is too little.';

create or replace function public.confirm_invoice(_document_id uuid)
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
  return _id;
end
$$;

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

create or replace function public.confirm_field(
  _document_id uuid, _key text, _value text, _page integer default null, _box integer[] default null,
  _label text default null
)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
  _said constant text := nullif(btrim(_value), '');
  _before constant jsonb := (
    select coalesce(jsonb_object_agg(key, value), '{}') from public.document_fields
    where user_id = _document.user_id and document_id = _document_id
  );
  _after constant jsonb := (_before - _key) || jsonb_strip_nulls(jsonb_build_object(_key, _said));
  _field public.document_fields;
begin
  perform private.copy_field(_document_id, _key, _said);
  if _said is null then
    delete from public.document_fields where user_id = _document.user_id and document_id = _document_id and key = _key;
  else
    insert into public.document_fields as field
      (user_id, document_id, key, value, confidence, page, box, label, source, confirmed_at)
    values (_document.user_id, _document_id, _key, _said, 1, _page, _box, left(_label, 200), 'persona', now())
    -- Confirmed as it was read it keeps its place; another value stands elsewhere.
    on conflict (document_id, key) do update set
      value = _said, confirmed_at = now(),
      source = case when field.value = _said then field.source else 'persona' end,
      confidence = case when field.value = _said then field.confidence else 1 end,
      page = coalesce(_page, case when field.value = _said then field.page end),
      box = coalesce(_box, case when field.value = _said then field.box end),
      label = coalesce(left(_label, 200), case when field.value = _said then field.label end)
    returning * into _field;
    perform private.learn_field(_document, _key, _field.label);
  end if;
  -- What is to be paid was the total less what is withheld: it still is.
  update public.document_fields
  set value = private.cents(_after, 'total') - coalesce(abs(private.cents(_after, 'withholding')), 0)
  where user_id = _document.user_id and document_id = _document_id and key = 'due' and _key in ('total', 'withholding')
    and private.cents(_before, 'due')
      = private.cents(_before, 'total') - coalesce(abs(private.cents(_before, 'withholding')), 0)
    and private.cents(_after, 'total') is not null;
  perform private.settle_document(_document_id);
  perform private.follow_fields(_document_id);
end
$$;
comment on function public.confirm_field(uuid, text, text, integer, integer[], text) is
  'Says what a field of the caller''s document holds, and where it stands; null: nothing. Remembers it for the supplier, '
  'calls the document ready when nothing is left to be confirmed, and registers it again if it was registered. PT404, 22023.';

create or replace function public.set_document_kind(_document_id uuid, _kind public.document_kind)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _document public.documents := private.own_document(_document_id);
  _vat_number constant text := _document.supplier ->> 'vat_number';
begin
  update public.documents
  set kind = _kind, kind_confidence = 1, kind_rule = 'Scelto da te', kind_by_user = true
  where id = _document_id;
  insert into public.document_corrections (user_id, vat_number, key, kind)
  select _document.user_id, _vat_number, 'kind', _kind where char_length(_vat_number) <= 30
  on conflict (user_id, vat_number, key) do update set kind = excluded.kind, created_at = now();
  perform private.settle_document(_document_id);
  perform private.follow_fields(_document_id);
end
$$;
comment on function public.set_document_kind(uuid, public.document_kind) is
  'Says what kind the caller''s document is; no machine changes it any more, and a scan that is no invoice leaves the '
  'register. PT404.';

-- Who one is ------------------------------------------------------------------------------------------------------------

create function private.bare_number(_number text)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select regexp_replace(upper(regexp_replace(_number, '\s', '', 'g')), '^IT', '')
$$;
comment on function private.bare_number(text) is 'A tax number without blanks and without its country, if that is Italy.';

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
          when coalesce(_own.vat_number, _own.tax_code) is null then 'Nel profilo manca la tua partita IVA'
          else 'Né chi vende né chi compra ha la tua partita IVA o il tuo codice fiscale'
        end || ': ho messo la fattura tra quelle ricevute.')
      ) else '[]' end as findings
    from sides
  ), turned as (
    update public.invoices set direction = told.direction, findings = told.findings,
      counterparty_name = nullif(left(other ->> 'name', 500), ''),
      counterparty_vat = left(
        case when other ->> 'vat_number' <> '' then concat(nullif(other ->> 'vat_country', 'IT'), other ->> 'vat_number') end, 50
      )
    from told
    where invoices.id = told.id and (former, invoices.findings) is distinct from (told.direction, told.findings)
    returning invoices.user_id, document_id, body_no, other, former <> told.direction as is_turned
  )
  update public.documents
  set contact_suggestion = null, supplier = nullif(jsonb_strip_nulls(jsonb_build_object(
    'name', other -> 'name', 'vat_number', other -> 'vat_number', 'tax_code', other -> 'tax_code', 'email', other -> 'email'
  )), '{}')
  from turned
  where turned.user_id = documents.user_id and document_id = documents.id and body_no = 1 and is_turned
$$;
comment on function private.direct_invoices(public.profiles) is
  'Puts the electronic invoices of a person on the side where who they are puts them.';

create function private.follow_own_numbers()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.direct_invoices(new);
  perform private.follow_fields(document_id) from public.invoices where user_id = new.user_id and source = 'campi';
  return null;
end
$$;
comment on function private.follow_own_numbers() is
  'Invoices that were read before their owner said who they are get onto the right side.';

create trigger follow_own_numbers after update of vat_number, tax_code on public.profiles
  for each row when ((old.vat_number, old.tax_code) is distinct from (new.vat_number, new.tax_code))
  execute function private.follow_own_numbers();

-- The same invoice twice ------------------------------------------------------------------------------------------------

create function public.twin(_invoice public.invoices)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object('document_id', file.id, 'filename', file.filename)
  from public.invoices as other
  join public.documents as file on file.user_id = other.user_id and file.id = other.document_id and file.deleted_at is null
  where other.user_id = _invoice.user_id and other.number = _invoice.number and other.issued_on = _invoice.issued_on
    and other.direction = _invoice.direction and other.type_code = _invoice.type_code
    and coalesce(
      other.counterparty_vat,
      other.content #>> array[case other.direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'],
      lower(other.counterparty_name)
    ) = coalesce(
      _invoice.counterparty_vat,
      _invoice.content #>> array[case _invoice.direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'],
      lower(_invoice.counterparty_name)
    )
    -- One that is paid counts before others: it needs no second payment.
    and (other.paid_on is null, other.created_at, other.id) < (_invoice.paid_on is null, _invoice.created_at, _invoice.id)
  order by other.paid_on is null, other.created_at, other.id
  limit 1
$$;
comment on function public.twin(public.invoices) is
  'The file {document_id, filename} in which the same invoice counts: signed and unsigned, sent twice, a scan of it; null '
  'when it is this one. What has a twin is in no sum.';

create index invoices_twins on public.invoices (user_id, number, issued_on);

create or replace function public.invoiced_by_month(_months integer default 12)
  returns table (month date, collected_cents bigint, open_cents bigint, late_cents bigint)
  language sql stable
  set search_path = ''
as $$
  with today as (select (now() at time zone 'Europe/Rome')::date as today),
  months as (
    select generate_series(
      date_trunc('month', today::timestamp) - make_interval(months => least(greatest(_months, 1), 120) - 1),
      date_trunc('month', today::timestamp), interval '1 month'
    )::date as month
    from today
  ),
  parts as (
    select date_trunc('month', issued_on::timestamp)::date as month,
      case when type_code in ('TD04', 'TD08') then -abs(due) else due end as cents,
      coalesce(parts.paid_on, invoices.paid_on) is not null as is_paid,
      coalesce(due_on < today, false) as is_late
    from public.invoices
    cross join today
    left join public.invoice_schedules as parts
      on parts.user_id = invoices.user_id and parts.invoice_id = invoices.id
    cross join lateral (select coalesce(parts.amount_cents, due_cents, total_cents)) as due (due)
    where invoices.user_id = (select auth.uid()) and direction = 'attiva' and currency = 'EUR'
      and type_code not between 'TD16' and 'TD23' and type_code not in ('TD27', 'TD28', 'TD29')
      and issued_on >= (select min(month) from months) and public.twin(invoices) is null
      and exists (
        select from public.documents
        where documents.user_id = invoices.user_id and documents.id = document_id and deleted_at is null
      )
  )
  select months.month,
    coalesce(sum(cents) filter (where is_paid), 0)::bigint,
    coalesce(sum(cents) filter (where not is_paid), 0)::bigint,
    coalesce(sum(cents) filter (where not is_paid and is_late), 0)::bigint
  from months left join parts using (month)
  group by months.month
  order by months.month
$$;
comment on function public.invoiced_by_month(integer) is
  'Of the caller''s issued invoices in euro, by their month in Italy, this one last: what was paid, what is open, and what of '
  'that is late. The same invoice counts once.';

-- Rights ----------------------------------------------------------------------------------------------------------------

revoke all on function private.cents, private.is_of_owner, private.reminder_moment, private.retitle_reminders,
  private.follow_invoice, private.follow_schedule, private.remove_invoices, private.register_scan, private.follow_fields,
  private.bare_number, private.is_party, private.direct_invoices,
  private.follow_own_numbers, public.twin
  from public, anon, authenticated, service_role;
grant execute on function public.twin to authenticated;

-- What is there already -------------------------------------------------------------------------------------------------

-- An invoice that tells no day of payment is due as a whole, whenever that is.
insert into public.invoice_schedules (user_id, invoice_id, amount_cents, paid_on)
select user_id, id, coalesce(due_cents, total_cents), paid_on from public.invoices
where type_code not between 'TD16' and 'TD23' and type_code not in ('TD27', 'TD28', 'TD29')
  and coalesce(due_cents, total_cents) <> 0
  and not exists (
    select from public.invoice_schedules as part where part.user_id = invoices.user_id and part.invoice_id = invoices.id
  );

-- What reminds of an invoice in the trash lies there too.
update public.tasks set deleted_at = documents.deleted_at
from public.invoice_schedules as part
join public.invoices on invoices.user_id = part.user_id and invoices.id = part.invoice_id
join public.documents on documents.user_id = invoices.user_id and documents.id = invoices.document_id
where documents.deleted_at is not null and tasks.user_id = part.user_id and tasks.id = part.task_id
  and tasks.state <> 'fatto' and tasks.deleted_at is null;

-- Invoices that were read before their owner said who they are.
select private.direct_invoices(profiles) from public.profiles where coalesce(vat_number, tax_code) is not null;
