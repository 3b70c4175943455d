-- Contact list: what the list shows of each contact, and the money between its owner and one contact.
--
-- An invoice belongs to the contact that it is linked to and to no other, so the amounts of all contacts and of the
-- unlinked invoices add up to those of the register. Trash, twins and self-invoices are in no sum; each currency is apart.

create view public.contact_list with (security_invoker = on) as
select contacts.id, contacts.user_id, contacts.type, contacts.name, contacts.first_name, contacts.last_name,
  contacts.business_name, contacts.company_id,
  (
    select company.name from public.contacts as company
    where company.user_id = contacts.user_id and company.id = contacts.company_id
      and company.merged_into is null and company.deleted_at is null
  ) as company_name,
  contacts.job_title, contacts.vat_number, contacts.tax_code, contacts.sdi_code, contacts.pec, contacts.regime,
  contacts.address, contacts.website,
  (
    select value from public.contact_emails
    where contact_emails.user_id = contacts.user_id and contact_emails.contact_id = contacts.id
    order by is_primary desc, created_at, contact_emails.id limit 1
  ) as email,
  (
    select value from public.contact_phones
    where contact_phones.user_id = contacts.user_id and contact_phones.contact_id = contacts.id
    order by is_primary desc, created_at, contact_phones.id limit 1
  )::text as phone,
  array(
    select tags.name::text from public.contact_tags
    join public.tags on tags.user_id = contact_tags.user_id and tags.id = contact_tags.tag_id
    where contact_tags.user_id = contacts.user_id and contact_tags.contact_id = contacts.id
    order by lower(tags.name)
  ) as tags,
  array(
    select tag_id from public.contact_tags
    where contact_tags.user_id = contacts.user_id and contact_tags.contact_id = contacts.id
  ) as tag_ids,
  coalesce((
    select jsonb_object_agg(channel, state) from public.consents
    where consents.user_id = contacts.user_id and consents.contact_id = contacts.id and purpose = 'marketing'
  ), '{}') as consents,
  contacts.origin, contacts.touch_days, contacts.last_interaction_at, contacts.next_touch_at, contacts.snoozed_until,
  contacts.created_at, contacts.updated_at, money.owed_cents, money.late_cents, money.owed_currencies,
  (
    select min(due_at) from public.tasks
    where tasks.user_id = contacts.user_id and tasks.contact_id = contacts.id
      and tasks.state <> 'fatto' and tasks.deleted_at is null
  ) as next_task_at
from public.contacts
-- A left join, because the planner leaves it out of a query that asks for no amount.
left join lateral (
  select (sum(open_cents) filter (where currency = 'EUR'))::bigint as owed_cents,
    (sum(register.late_cents) filter (where currency = 'EUR'))::bigint as late_cents,
    array_agg(distinct currency) filter (where currency <> 'EUR' and open_cents <> 0) as owed_currencies
  from public.invoice_register as register
  where register.user_id = contacts.user_id and register.contact_id = contacts.id and register.direction = 'attiva'
    and register.paid_on is null and register.kind <> 'autofattura' and register.deleted_at is null
    and register.twin is null
) as money on true
where contacts.merged_into is null and contacts.deleted_at is null;
comment on view public.contact_list is
  'Contacts as the list shows them; consents are those to marketing, by channel. Order by name, next_touch_at, '
  'last_interaction_at desc nulls last or owed_cents desc nulls last, then id.';
comment on column public.contact_list.owed_cents is
  'What they owe in euros by the invoices linked to this contact alone; null: nothing is open. Negative: a credit note.';
comment on column public.contact_list.owed_currencies is 'Other currencies in which something is open.';
comment on column public.contact_list.next_task_at is 'When the next open task about them is due.';

create function public.listed_contacts(_query text, _limit integer default 50000)
  returns setof public.contact_list
  language sql stable
  set search_path = ''
as $$
  select contact_list.*
  from public.search_contacts(_query, _limit) as found
  join public.contact_list on contact_list.id = found.id
  order by found.rank desc, contact_list.name, contact_list.id
$$;
comment on function public.listed_contacts(text, integer) is
  'Rows of contact_list that fit, best first: a filter and a limit of the request apply to all of them.';
revoke all on function public.listed_contacts from public, anon, authenticated, service_role;
grant execute on function public.listed_contacts to authenticated;

create function public.contact_money(_contact_id uuid)
  returns table (
    contact_id uuid, name text, relation text, direction public.invoice_direction, currency text, open_cents bigint,
    late_cents bigint, late_since date, invoiced_net_cents bigint, invoiced_cents bigint, paid_cents bigint,
    paid_days bigint, paid_count bigint
  )
  language sql stable
  set search_path = ''
as $$
  with clock as (
    select date_trunc('year', now() at time zone 'Europe/Rome')::date as new_year
  ), near as (
    select near.user_id, near.id, near.name,
      case near.id when asked.id then 'stesso' when asked.company_id then 'azienda' else 'persona' end as relation
    from public.contacts as asked
    join public.contacts as near on near.user_id = asked.user_id and (
      near.id = asked.id
      or (near.id = asked.company_id or near.company_id = asked.id) and near.merged_into is null and near.deleted_at is null
    )
    where asked.id = _contact_id
  )
  select near.id, near.name, near.relation, register.direction, register.currency, sum(register.open_cents)::bigint,
    sum(register.late_cents)::bigint, min(register.next_due_on) filter (where register.state = 'scaduta'),
    coalesce(sum(coalesce(register.net_cents, register.total_cents - coalesce(register.vat_cents, 0)))
      filter (where issued_on >= new_year), 0)::bigint,
    coalesce(sum(register.total_cents) filter (where issued_on >= new_year), 0)::bigint,
    coalesce(sum(paid.cents), 0)::bigint,
    coalesce(sum(greatest(paid_on - issued_on, 0)) filter (where kind = 'fattura'), 0)::bigint,
    count(paid_on) filter (where kind = 'fattura')
  from near cross join clock
  join public.invoice_register as register on register.user_id = near.user_id and register.contact_id = near.id
  cross join lateral (
    select sum(part.cents) as cents from public.invoice_parts as part
    where part.user_id = register.user_id and part.invoice_id = register.id and part.paid_on >= new_year
  ) as paid
  where register.kind <> 'autofattura' and register.deleted_at is null and register.twin is null
  group by near.id, near.name, near.relation, register.direction, register.currency
$$;
comment on function public.contact_money(uuid) is
  'Amounts between the caller and one contact, its company and its people, each apart, by direction and currency: what is '
  'open and late, what was invoiced and paid this year in Italy, and in how many days paid invoices were paid, in all.';
revoke all on function public.contact_money from public, anon, authenticated, service_role;
grant execute on function public.contact_money to authenticated, service_role;

revoke all on public.contact_list from public, anon, authenticated, service_role;
grant select on public.contact_list to authenticated, service_role;
