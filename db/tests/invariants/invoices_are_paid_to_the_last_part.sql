-- An invoice that is paid has no part left, and one whose parts are all paid is paid.
select invoices.id, invoices.paid_on, count(*) filter (where invoice_schedules.paid_on is null) as left_to_pay
from public.invoices
join public.invoice_schedules on invoice_schedules.user_id = invoices.user_id and invoice_id = invoices.id
group by invoices.id
having (invoices.paid_on is not null) <> bool_and(invoice_schedules.paid_on is not null)
