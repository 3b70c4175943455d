-- Requests of the person's own clients about their data (GDPR, art. 15 to 21): what was asked, and until when to answer.
--
-- The person is the controller of what they keep about their clients. Art. 12(3): one calendar month from the receipt;
-- once two months more, with a reason that is told within the first. A request keeps the name after its contact is erased,
-- as the proof that it was answered (art. 5(2)).
--
-- Error codes raised:
--   PT404  the caller has no such contact or request (PostgREST answers 404)
--   SC051  the day of the receipt is in the future, or more than a year ago
--   SC052  200 requests are open
--   SC053  it cannot be extended: it is closed, was extended already, or its month is over

create type public.contact_request_kind as enum ('accesso', 'copia', 'rettifica', 'cancellazione', 'opposizione');

create type public.contact_request_outcome as enum ('soddisfatta', 'in_parte', 'rifiutata', 'ritirata');

create table public.contact_requests (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  contact_id uuid,
  contact_name public.single_line not null,
  kind public.contact_request_kind not null,
  received_on date not null,
  received_by public.single_line,
  extended_at timestamptz,
  extension_reason text,
  -- The last day of a shorter month counts for a day that it does not have.
  due_on date not null generated always as (
    (received_on + make_interval(months => case when extended_at is null then 1 else 3 end))::date
  ) stored,
  closed_at timestamptz,
  outcome public.contact_request_outcome,
  note text,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete set null (contact_id),
  constraint an_extension_has_a_reason check ((extended_at is null) = (extension_reason is null)),
  constraint what_is_closed_has_an_outcome check ((closed_at is null) = (outcome is null)),
  constraint extension_reason_fits check (char_length(extension_reason) between 3 and 1000),
  constraint note_fits check (char_length(note) between 1 and 2000)
);
comment on table public.contact_requests is
  'What clients of a person asked about their data; written by the functions of this chapter and by erase_contact().';
comment on column public.contact_requests.received_by is 'How it came in: a mail, a letter, by telephone.';
comment on column public.contact_requests.due_on is 'The last day to answer.';

-- Open requests first, the most urgent first.
create index contact_requests_due on public.contact_requests (user_id, closed_at desc, due_on);

create index contact_requests_contact on public.contact_requests (user_id, contact_id);

-- Used by the retention job.
create index contact_requests_closed on public.contact_requests (closed_at) where closed_at is not null;

-- Security definer, like the two functions below, because the dates and the name are never a browser's to write.
create function public.register_contact_request(
  _contact_id uuid, _kind public.contact_request_kind, _received_on date default null, _received_by text default null
)
  returns public.contact_requests
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _today constant date := private.today();
  _request public.contact_requests;
begin
  _contact_id := private.living_contact(_user_id, _contact_id);
  if _contact_id is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  _received_on := coalesce(_received_on, _today);
  if _received_on not between _today - 365 and _today then
    raise exception 'a request is received today or in the past year' using errcode = 'SC051';
  end if;
  -- A second click waits for the first.
  perform from public.profiles where user_id = _user_id for no key update;
  select * into _request from public.contact_requests
  where user_id = _user_id and contact_id = _contact_id and kind = _kind and received_on = _received_on and closed_at is null;
  if found then
    return _request;
  end if;
  if (select count(*) from public.contact_requests where user_id = _user_id and closed_at is null) >= 200 then
    raise exception 'too many open requests' using errcode = 'SC052';
  end if;
  insert into public.contact_requests (user_id, contact_id, contact_name, kind, received_on, received_by)
  select _user_id, id, left(name, 200), _kind, _received_on, nullif(btrim(_received_by), '')
  from public.contacts where user_id = _user_id and id = _contact_id
  returning * into _request;
  return _request;
end
$$;
comment on function public.register_contact_request is
  'Writes down that a contact of the caller, or the one it was merged into, asked for a right; the same open request once.';
revoke all on function public.register_contact_request from public, anon, authenticated, service_role;
grant execute on function public.register_contact_request to authenticated;

create function public.extend_contact_request(_id uuid, _reason text)
  returns public.contact_requests
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _request public.contact_requests;
begin
  select * into _request from public.contact_requests where user_id = (select auth.uid()) and id = _id for update;
  if not found then
    raise exception 'no such request' using errcode = 'PT404';
  end if;
  if _request.closed_at is not null or _request.extended_at is not null or _request.due_on < private.today() then
    raise exception 'this request cannot be extended' using errcode = 'SC053';
  end if;
  update public.contact_requests set extended_at = now(), extension_reason = btrim(_reason)
  where id = _id returning * into _request;
  return _request;
end
$$;
comment on function public.extend_contact_request(uuid, text) is
  'Gives an open request of the caller two months more, once and within its first month (art. 12(3)).';
revoke all on function public.extend_contact_request from public, anon, authenticated, service_role;
grant execute on function public.extend_contact_request to authenticated;

create function public.close_contact_request(
  _id uuid, _outcome public.contact_request_outcome, _note text default null
)
  returns public.contact_requests
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _request public.contact_requests;
begin
  update public.contact_requests set closed_at = now(), outcome = _outcome, note = nullif(btrim(_note), '')
  where user_id = (select auth.uid()) and id = _id and closed_at is null
  returning * into _request;
  if not found then
    -- A second click changes nothing.
    select * into _request from public.contact_requests where user_id = (select auth.uid()) and id = _id;
  end if;
  if _request.id is null then
    raise exception 'no such request' using errcode = 'PT404';
  end if;
  return _request;
end
$$;
comment on function public.close_contact_request is 'Closes a request of the caller with what came of it; a closed one stays as it is.';
revoke all on function public.close_contact_request from public, anon, authenticated, service_role;
grant execute on function public.close_contact_request to authenticated;

create function private.request_facts(_user_id uuid, _today date)
  returns setof private.insight_fact
  language sql stable
  set search_path = ''
as $$
  select 'richiesta_cliente', 'contact_request', id, due_on - 7, contact_id,
    'Richiesta di ' || contact_name || ': ' || case
      when due_on < _today then 'scaduta'
      when due_on = _today then 'scade oggi'
      else 'mancano ' || private.counted(due_on - _today, 'un giorno', 'giorni')
    end,
    'Ha chiesto ' || case kind
      when 'accesso' then 'di sapere quali suoi dati hai'
      when 'copia' then 'una copia dei suoi dati'
      when 'rettifica' then 'di correggere i suoi dati'
      when 'cancellazione' then 'di cancellare i suoi dati'
      else 'di non usare più i suoi dati'
    end || ': rispondi entro il ' || to_char(due_on, 'DD/MM/YYYY') || '.',
    null::bigint, 'EUR', case when due_on < _today then 1.0 else 0.9 end, '{}'::jsonb
  from public.contact_requests
  where user_id = _user_id and closed_at is null and due_on - 7 <= _today
  order by due_on, id limit private.most_facts()
$$;
comment on function private.request_facts(uuid, date) is 'Requests of clients about their data that are due within a week, or late.';
revoke all on function private.request_facts from public, anon, authenticated, service_role;

alter table public.contact_requests enable row level security;

create policy "owners read their requests" on public.contact_requests
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on public.contact_requests from public, anon, authenticated, service_role;
grant select on public.contact_requests to authenticated, service_role;

create trigger mark_inserted after insert on public.contact_requests
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_updated after update on public.contact_requests
  referencing new table as changed for each statement execute function private.mark_changed();

create trigger mark_deleted after delete on public.contact_requests
  referencing old table as changed for each statement execute function private.mark_changed();
