-- How an invoice counts, once for the register, the export, the assistant and /home.

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

alter table public.invoices
  add column kind public.invoice_kind not null generated always as (private.invoice_kind(type_code)) stored;

create view public.invoice_parts with (security_invoker = on) as
select invoices.user_id, invoices.id as invoice_id, invoices.document_id, part.id, coalesce(part.no, 1) as no,
  invoices.direction, invoices.currency, invoices.issued_on, part.due_on, part.method, part.iban, part.task_id,
  -- A credit note takes away, however it is signed. Without instalments an invoice is due as a whole.
  case when invoices.kind = 'nota_di_credito' then -abs(amount.cents) else amount.cents end as cents,
  coalesce(part.paid_on, invoices.paid_on) as paid_on,
  coalesce(part.paid_on, invoices.paid_on) is null
    and coalesce(part.due_on < (now() at time zone 'Europe/Rome')::date, false) as is_late,
  documents.deleted_at is null and public.twin(invoices) is null as counts
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
        and key = 'withholding' and (confirmed_at is not null or confidence >= 0.8) and value ~ '^-?[0-9]{1,13}$'
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
  public.twin(invoices) as twin
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

create or replace function public.twin(_invoice public.invoices)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object('document_id', file.id, 'filename', file.filename)
  from public.invoices as other
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
      other.counterparty_vat,
      other.content #>> array[case other.direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'],
      lower(other.counterparty_name)
    ) = coalesce(
      _invoice.counterparty_vat,
      _invoice.content #>> array[case _invoice.direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'],
      lower(_invoice.counterparty_name)
    ))
    -- One that is paid counts before others: it needs no second payment.
    and (other.paid_on is null, other.created_at, other.id) < (_invoice.paid_on is null, _invoice.created_at, _invoice.id)
  order by other.paid_on is null, other.created_at, other.id
  limit 1
$$;

create or replace function private.payment_title(_invoice public.invoices, _cents bigint)
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

create or replace function private.copy_field(_document_id uuid, _key text, _value text)
  returns void
  language plpgsql
  set search_path = ''
as $_$
declare
  _fields jsonb;
  _total_cents bigint;
  -- Whom a paper is about: of one's own it is the customer.
  _places jsonb := '{"supplier": "name", "vat_number": "vat_number", "tax_code": "tax_code", "email": "email"}';
begin
  if _key in ('issued_on', 'due_on') and _value !~ '^(19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2}$'
    or _key in ('net', 'vat', 'total', 'due', 'withholding', 'stamp') and _value !~ '^-?[0-9]{1,13}$'
    or _key = 'currency' and _value !~ '^[A-Z]{3}$'
    or _key = 'type_code' and _value !~ '^TD[0-9]{2}$'
  then
    raise exception 'a date is written 2026-01-31, an amount in cents, a currency EUR, a type TD01'
      using errcode = '22023', hint = 'dates are of 1900 to 2199';
  end if;
  select (coalesce(jsonb_object_agg(key, value), '{}') - _key) || jsonb_strip_nulls(jsonb_build_object(_key, _value))
    into _fields
  from public.document_fields where document_id = _document_id;
  _total_cents := private.cents(_fields, 'total');
  if private.invoice_kind(_fields ->> 'type_code') = 'nota_di_credito' then
    _total_cents := -abs(_total_cents);
  end if;
  if private.is_of_owner(_fields, (select user_id from public.documents where id = _document_id)) then
    _places := '{"customer": "name", "customer_vat_number": "vat_number", "email": "email"}';
  end if;
  update public.documents
  set issued_on = case when _key = 'issued_on' then _value::date else issued_on end,
    due_on = case when _key = 'due_on' then _value::date else due_on end,
    total_cents = case when _key in ('total', 'type_code') then _total_cents else total_cents end,
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
$_$;

create or replace function public.invoiced_by_month(_months integer default 12)
  returns table (month date, collected_cents bigint, open_cents bigint, late_cents bigint)
  language sql stable
  set search_path = ''
as $$
  with months as (
    select generate_series(
      date_trunc('month', today) - make_interval(months => least(greatest(_months, 1), 120) - 1),
      date_trunc('month', today), interval '1 month'
    )::date as month
    from (select now() at time zone 'Europe/Rome' as today) as clock
  ), parts as (
    select date_trunc('month', issued_on::timestamp)::date as month, cents, paid_on, is_late from public.invoice_parts
    where user_id = (select auth.uid()) and direction = 'attiva' and currency = 'EUR' and counts
      and issued_on >= (select min(month) from months)
  )
  select months.month,
    coalesce(sum(cents) filter (where paid_on is not null), 0)::bigint,
    coalesce(sum(cents) filter (where paid_on is null), 0)::bigint,
    coalesce(sum(cents) filter (where is_late), 0)::bigint
  from months left join parts using (month)
  group by months.month
  order by months.month
$$;

drop function public.next_due(public.invoices);

-- An instalment does not lower what is owed: the rest of an electronic invoice is due with the last, as in _schedules() of
-- functions/_shared/fatturapa/register.py. A cent for each instalment is rounding.
insert into public.invoice_schedules (user_id, invoice_id, no, due_on, amount_cents, paid_on)
select invoices.user_id, invoices.id, part.no + 1, part.due_on,
  (abs(owed.cents) - abs(part.cents)) * case when part.cents < 0 then -1 else 1 end, invoices.paid_on
from public.invoices
cross join lateral (select coalesce(due_cents, total_cents) as cents) as owed
cross join lateral (
  select max(no) as no, case when bool_and(due_on is not null) then max(due_on) end as due_on, count(*) as number,
    sum(amount_cents)::bigint as cents from public.invoice_schedules
  where invoice_schedules.user_id = invoices.user_id and invoice_id = invoices.id
) as part
where source = 'fatturapa' and kind <> 'autofattura'
  and abs(owed.cents) - abs(part.cents) > part.number;

revoke all on public.invoice_parts, public.invoice_register from public, anon, authenticated, service_role;
grant select on public.invoice_parts, public.invoice_register to authenticated, service_role;
revoke all on function private.invoice_kind(text) from public, anon, authenticated, service_role;
-- Writing an invoice computes its kind.
grant execute on function private.invoice_kind(text) to service_role;
grant execute on function public.twin(public.invoices) to service_role;
