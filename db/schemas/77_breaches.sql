-- Breaches of personal data: the register of art. 33(5) GDPR, with the 72 hours in which the authority is told
-- (art. 33(1)) and what people are told at a high risk (art. 34). Facts and measures, never data of the people.

create table private.breaches (
  id bigint generated always as identity primary key,
  -- When somebody of ours knew of it: the 72 hours begin then.
  found_at timestamptz not null,
  title public.single_line not null,
  facts text not null,
  -- As far as it is known.
  people integer not null default 0,
  risk text not null,
  measures text not null default '',
  authority_told_at timestamptz,
  people_told_at timestamptz,
  -- Why nobody is told, or is told late.
  reason_not text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  constraint facts_fit check (length(facts) between 3 and 2000),
  constraint measures_fit check (length(measures) <= 2000),
  constraint reason_fits check (length(reason_not) <= 500),
  constraint people_fit check (people >= 0),
  constraint risk_is_known check (risk in ('none', 'risk', 'high')),
  constraint told_after_found check (authority_told_at >= found_at and people_told_at >= found_at),
  constraint delay_has_a_reason check (authority_told_at <= found_at + interval '72 hours' or btrim(reason_not) <> '')
);
comment on table private.breaches is 'Breaches of personal data, what was done and who was told; written by admins, never deleted.';
alter table private.breaches enable row level security;

create function private.is_open_breach(_breach private.breaches)
  returns boolean
  language sql immutable
  set search_path = ''
as $$
  select case _breach.risk
    when 'none' then btrim(_breach.reason_not) = ''
    when 'risk' then _breach.authority_told_at is null
    else _breach.authority_told_at is null or _breach.people_told_at is null
  end
$$;
comment on function private.is_open_breach(private.breaches) is
  'Whether somebody must still be told: the authority at a risk, people too at a high one; without a risk the reason is due.';
revoke all on function private.is_open_breach from public, anon, authenticated, service_role;

create function public.admin_breaches()
  returns table (
    id bigint, found_at timestamptz, title text, facts text, people integer, risk text, measures text,
    authority_told_at timestamptz, people_told_at timestamptz, reason_not text, is_open boolean, due_at timestamptz
  )
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
begin
  perform private.require_admin();
  return query
    select breaches.id, breaches.found_at, breaches.title::text, breaches.facts, breaches.people, breaches.risk,
      breaches.measures, breaches.authority_told_at, breaches.people_told_at, breaches.reason_not,
      private.is_open_breach(breaches) as is_open, breaches.found_at + interval '72 hours'
    from private.breaches order by is_open desc, breaches.found_at desc limit 200;
end
$$;
comment on function public.admin_breaches() is 'The register of breaches, the open ones first, for admins; due_at is when the 72 hours end.';
revoke all on function public.admin_breaches from public, anon, authenticated, service_role;
grant execute on function public.admin_breaches to authenticated;

create function public.admin_write_breach(
  _found_at timestamptz, _title text, _facts text, _people integer, _risk text, _measures text, _reason_not text,
  _authority_told_at timestamptz default null, _people_told_at timestamptz default null, _id bigint default null
)
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _before jsonb;
  _after private.breaches;
begin
  perform private.require_admin();
  if greatest(_found_at, _authority_told_at, _people_told_at) > now() + interval '5 minutes' then
    raise check_violation using message = 'A breach is known and told in the past', constraint = 'not_in_the_future';
  end if;
  if _id is null then
    insert into private.breaches (
      found_at, title, facts, people, risk, measures, reason_not, authority_told_at, people_told_at
    ) values (
      _found_at, _title, btrim(_facts), _people, _risk, btrim(_measures), btrim(_reason_not), _authority_told_at,
      _people_told_at
    ) returning * into _after;
  else
    select to_jsonb(breaches) into _before from private.breaches where id = _id for update;
    if not found then
      raise exception 'no such breach' using errcode = 'PT404';
    end if;
    update private.breaches set found_at = _found_at, title = _title, facts = btrim(_facts), people = _people,
      risk = _risk, measures = btrim(_measures), reason_not = btrim(_reason_not),
      authority_told_at = _authority_told_at, people_told_at = _people_told_at, updated_at = now()
    where id = _id returning * into _after;
  end if;
  perform private.log_admin_action('breach.write', _after.id::text, null, _before, to_jsonb(_after), _title);
  return _after.id;
end
$$;
comment on function public.admin_write_breach(
  timestamptz, text, text, integer, text, text, text, timestamptz, timestamptz, bigint
) is 'Write a breach into the register, a new one without an id, for admins; every version is in the log of actions.';
revoke all on function public.admin_write_breach from public, anon, authenticated, service_role;
grant execute on function public.admin_write_breach to authenticated;
