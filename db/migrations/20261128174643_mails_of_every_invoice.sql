-- Mails of every invoice.
--   CREATE OR REPLACE FUNCTION public.related_mails
--   CREATE INDEX outgoing_mails_more_invoices ON public.outgoing_mails USING gin (more_invoice_ids) WHERE (more_i…

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.related_mails (
  _contact_id uuid    DEFAULT NULL::uuid,
  _invoice_id uuid    DEFAULT NULL::uuid,
  _deal_id    uuid    DEFAULT NULL::uuid,
  _limit      integer DEFAULT 20
)
  RETURNS TABLE (
    thread_id    uuid,
    outgoing_id  uuid,
    contact_id   uuid,
    party        text,
    subject      text,
    snippet      text,
    state        public.mail_state,
    is_done      boolean,
    has_warnings boolean,
    at           timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with asked as (
    select _contact_id as contact_id, '-infinity'::timestamptz as since where _contact_id is not null
    union all
    select contact_id, created_at from public.deals where user_id = (select auth.uid()) and id = _deal_id
  ), people as (
    -- Of a company, its people too.
    select contacts.id, since from asked join public.contacts on contacts.user_id = (select auth.uid())
      and (contacts.id = asked.contact_id or contacts.company_id = asked.contact_id)
  ), threads as (
    select * from public.mail_threads where user_id = (select auth.uid()) and invoice_id = _invoice_id
    union
    select * from public.mail_threads where user_id = (select auth.uid()) and deal_id = _deal_id
    union
    select thread.* from people join public.mail_threads as thread
      on thread.user_id = (select auth.uid()) and thread.contact_id = people.id and thread.last_at >= people.since
  ), letters as (
    select * from public.outgoing_mails where user_id = (select auth.uid()) and invoice_id = _invoice_id
    union
    select * from public.outgoing_mails
    where user_id = (select auth.uid()) and more_invoice_ids <> '{}' and more_invoice_ids @> array[_invoice_id]
    union
    select sent.* from people join public.outgoing_mails as sent
      on sent.user_id = (select auth.uid()) and sent.contact_id = people.id and sent.created_at >= people.since
  )
  select threads.id, null::uuid, threads.contact_id, coalesce(contacts.name, party_name, party), threads.subject::text, threads.snippet,
    null::public.mail_state, threads.is_done, threads.has_warnings, threads.last_at
  from threads left join public.contacts on contacts.user_id = threads.user_id and contacts.id = threads.contact_id
  union all
  select null, sent.id, sent.contact_id, coalesce(contacts.name, sent.recipient), sent.subject::text, left(sent.body, 200), sent.state, true, false,
    coalesce(sent.sent_at, sent.created_at)
  from letters as sent
  left join public.contacts on contacts.user_id = sent.user_id and contacts.id = sent.contact_id
  where sent.state <> 'cancelled' and not exists (
    select from public.mail_thread_letters as letter join threads on threads.id = letter.thread_id
    where letter.outgoing_id = sent.id
  )
  order by 10 desc, 5 limit least(greatest(_limit, 0), 100)
$function$;

CREATE INDEX outgoing_mails_more_invoices ON public.outgoing_mails USING gin (more_invoice_ids)
  WHERE (more_invoice_ids <> '{}'::uuid[]);

reset check_function_bodies;
