-- Invoice parts: ask for a twin only where there can be one. Written by hand: the columns stay, so no view goes.

create or replace view public.invoice_parts with (security_invoker = on) as
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
