-- Segui i preventivi: what the agent reads of the pipeline. Its letters are in functions/_shared/goals/quotes.py.

create function private.quote_items(_user_id uuid, _day date)
  returns table (
    contact_id uuid, contact_name text, is_company boolean, email text, deal_id uuid, title text, cents bigint,
    sent_on date, silent_since date, document_id uuid
  )
  language sql stable security definer
  set search_path = ''
as $$
  select contacts.id, contacts.name, contacts.type = 'azienda', address.value, deals.id, deals.title, deals.amount_cents,
    (stay.entered_at at time zone 'Europe/Rome')::date,
    (greatest(stay.entered_at, talk.latest) at time zone 'Europe/Rome')::date, paper.document_id
  from (select (_day + 1)::timestamp at time zone 'Europe/Rome' as ends_at) as days
  -- The log knows where a deal was on a day of the past; the present stay has not been left.
  join public.deal_stage_log as stay on stay.user_id = _user_id and stay.entered_at < days.ends_at
    and (stay.left_at is null or stay.left_at >= days.ends_at)
  join public.stages on stages.user_id = _user_id and stages.id = stay.stage_id and private.is_quote_stage(stages)
  join public.deals on deals.user_id = _user_id and deals.id = stay.deal_id and deals.deleted_at is null
    and deals.currency = 'EUR' and (deals.expected_close is null or deals.expected_close >= _day)
  join public.contacts on contacts.user_id = _user_id and contacts.id = deals.contact_id and contacts.deleted_at is null
  left join lateral (
    select max(at) as latest, bool_or(direction = 'entrata') as has_answered
    from public.interactions
    where interactions.user_id = _user_id and interactions.contact_id = contacts.id
      and at > stay.entered_at and at < days.ends_at
  ) as talk on true
  left join lateral (
    select value from public.contact_emails
    where contact_emails.user_id = _user_id and contact_emails.contact_id = contacts.id
    order by is_primary desc, created_at, id limit 1
  ) as address on true
  left join lateral (
    select documents.id as document_id
    from public.document_links
    join public.documents on documents.user_id = _user_id and documents.id = document_links.document_id
      and documents.kind = 'preventivo' and documents.deleted_at is null
    where document_links.user_id = _user_id and document_links.deal_id = deals.id
    order by documents.created_at desc, documents.id limit 1
  ) as paper on true
  where talk.has_answered is not true
  order by contacts.name, contacts.id, stay.entered_at, deals.id
$$;
comment on function private.quote_items(uuid, date) is
  'Quotes of a person without an answer on a day: deals in euros in a stage of quotes whose contact has not written since '
  'and whose expected end has not passed, with the latest quote among their documents.';
revoke all on function private.quote_items from public, anon, authenticated, service_role;
grant execute on function private.quote_items to service_role;

create function private.recall_about_answered()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.recall_goal_mails(new.user_id, null, jsonb_build_object('deal_id', deals.id))
  from public.deals
  where deals.user_id = new.user_id and deals.contact_id = new.contact_id
    -- A message of before the quote that comes in late is no answer to it.
    and exists (
      select from public.deal_stage_log as stay
      where stay.user_id = new.user_id and deal_id = deals.id and left_at is null and new.at > stay.entered_at
    )
    and exists (
      select from public.goal_steps
      where goal_steps.user_id = new.user_id
        and args -> 'items' @> jsonb_build_array(jsonb_build_object('deal_id', deals.id))
    );
  return null;
end
$$;
comment on function private.recall_about_answered() is 'A client who has answered is not asked for an answer in the morning.';
revoke all on function private.recall_about_answered from public, anon, authenticated, service_role;

create trigger recall_about_answered after insert on public.interactions
  for each row when (new.direction = 'entrata') execute function private.recall_about_answered();

create trigger recall_about_moved after update of stage_id, contact_id, deleted_at on public.deals
  for each row when (
    new.stage_id <> old.stage_id or new.contact_id is distinct from old.contact_id
    or new.deleted_at is not null and old.deleted_at is null
  )
  execute function private.recall_about('deal_id', 'id');
