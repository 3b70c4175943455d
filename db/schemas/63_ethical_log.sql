-- Ethical log: what was judged, decided and done for a person, in a chain of hashes that shows every later change.
--
-- It holds ids and hashes, no text. Each person has a chain under a pseudonym; the account's end drops the link between
-- both, and the hashes still verify. functions/jobs/ethical_anchors.py signs the end of each chain once a day. Rows go
-- after twelve months up to an anchor, so the first row that is left continues a signed hash.

create table private.ethical_chains (
  user_id uuid primary key references auth.users (id) on delete cascade,
  chain uuid not null unique default gen_random_uuid(),
  seq bigint not null default 0,
  hash text not null default '',

  constraint seq_counts_from_zero check (seq >= 0)
);
comment on table private.ethical_chains is 'Whose chain is which, and how it ends; locked while a row is added.';

create table public.ethical_logs (
  id uuid primary key default gen_random_uuid(),
  chain uuid not null,
  seq bigint not null,
  user_id uuid references auth.users (id) on delete set null,
  goal_id uuid,
  step_id uuid,
  action text not null,
  inputs_hash text not null,
  rules text[] not null default '{}',
  rule_version text,
  verdict text,
  model_opinion text,
  human_decision text,
  at timestamptz not null,
  prev_hash text not null,
  hash text not null,

  unique (chain, seq),
  constraint seq_counts_from_one check (seq >= 1),
  constraint action_is_a_name check (action ~ '^[a-z_]{1,50}$'),
  constraint verdict_is_one check (verdict in ('consenti', 'conferma', 'blocca')),
  constraint opinion_is_one check (model_opinion in ('consenti', 'conferma', 'blocca')),
  constraint decision_is_a_name check (human_decision ~ '^[a-z_]{1,50}$'),
  constraint hashes_are_sha256 check (inputs_hash ~ '^[0-9a-f]{64}$' and hash ~ '^[0-9a-f]{64}$')
);
comment on table public.ethical_logs is 'What was judged, decided and done, without text; only added to, kept for twelve months.';
comment on column public.ethical_logs.chain is 'Pseudonym of the person, which stays when the account goes.';
comment on column public.ethical_logs.goal_id is 'No foreign key, as for step_id: the log outlives what it is about.';
comment on column public.ethical_logs.inputs_hash is 'SHA-256 of what was judged: arguments, preview, recipients, price.';
comment on column public.ethical_logs.human_decision is 'What a person decided, where one did.';

create table private.ethical_anchors (
  chain uuid not null,
  seq bigint not null,
  day date not null,
  hash text not null,
  signature text,

  primary key (chain, seq),
  constraint hash_is_sha256 check (hash ~ '^[0-9a-f]{64}$')
);
comment on table private.ethical_anchors is 'How each chain ended on a day, signed by the server; kept when the rows before it go.';
comment on column private.ethical_anchors.signature is 'Ed25519, hexadecimal, of «chain:seq:day:hash»; null until the job has signed.';

create index ethical_logs_latest on public.ethical_logs (user_id, seq desc);

create index ethical_logs_goal on public.ethical_logs (user_id, goal_id, seq desc) where goal_id is not null;

-- Used by the retention job.
create index ethical_anchors_day on private.ethical_anchors (day);

create function private.ethical_hash(_row public.ethical_logs)
  returns text
  language sql immutable
  set search_path = ''
as $$
  -- JSON, because a separator could be part of a value. The person is not in it: the account may go.
  select encode(sha256(convert_to(jsonb_build_array(
    (_row).chain, (_row).seq, (_row).goal_id, (_row).step_id, (_row).action, (_row).inputs_hash, to_jsonb((_row).rules),
    (_row).rule_version, (_row).verdict, (_row).model_opinion, (_row).human_decision,
    (extract(epoch from (_row).at) * 1000000)::bigint, (_row).prev_hash
  )::text, 'UTF8')), 'hex')
$$;
comment on function private.ethical_hash(public.ethical_logs) is 'The hash of a row of the log, over all that it says.';
revoke all on function private.ethical_hash from public, anon, authenticated, service_role;

create function private.log_ethics(
  _user_id uuid, _action text, _inputs jsonb, _goal_id uuid default null, _step_id uuid default null,
  _rules text[] default '{}', _rule_version text default null, _verdict text default null,
  _human_decision text default null, _model_opinion text default null
)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _chain private.ethical_chains;
  _row public.ethical_logs;
begin
  insert into private.ethical_chains (user_id) values (_user_id) on conflict (user_id) do nothing;
  select * into _chain from private.ethical_chains where user_id = _user_id for update;
  _row := row (
    gen_random_uuid(), _chain.chain, _chain.seq + 1, _user_id, _goal_id, _step_id, _action,
    encode(sha256(convert_to(_inputs::text, 'UTF8')), 'hex'), _rules, _rule_version, _verdict, _model_opinion,
    _human_decision, clock_timestamp(), _chain.hash, ''
  )::public.ethical_logs;
  _row.hash := private.ethical_hash(_row);
  insert into public.ethical_logs select (_row).*;
  update private.ethical_chains set seq = _row.seq, hash = _row.hash where user_id = _user_id;
end
$$;
comment on function private.log_ethics is 'Adds a row to the log of a person; of the inputs only their hash is kept.';
revoke all on function private.log_ethics from public, anon, authenticated, service_role;
grant execute on function private.log_ethics to service_role;

create function private.ethics_kept_since()
  returns date
  language sql stable
  set search_path = ''
as $$
  select (private.today() - interval '12 months')::date
$$;
comment on function private.ethics_kept_since() is 'The first day of the ethical log that is kept: twelve months ago in Italy, whose days the anchors have.';
revoke all on function private.ethics_kept_since from public, anon, authenticated, service_role;

create function private.refuse_change_of_ethics()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    -- The account is gone: the row stays under its pseudonym.
    if new.user_id is null and not exists (select from auth.users where id = old.user_id) then
      old.user_id := null;
      if new is not distinct from old then
        return new;
      end if;
    end if;
  elsif tg_op = 'DELETE' and exists (
    select from private.ethical_anchors
    where chain = old.chain and seq >= old.seq and day < private.ethics_kept_since() and signature is not null
  ) then
    return old;
  end if;
  raise exception 'the ethical log is only added to' using errcode = '23001';
end
$$;
comment on function private.refuse_change_of_ethics() is
  'Makes the log append-only: rows older than twelve months, up to a signed anchor, may go.';
revoke all on function private.refuse_change_of_ethics from public, anon, authenticated, service_role;

create function private.due_anchors(_limit integer)
  returns setof private.ethical_anchors
  language sql volatile security definer
  set search_path = ''
as $$
  insert into private.ethical_anchors (chain, seq, day, hash)
  select chain, seq, private.today(), hash from private.ethical_chains as chains
  where seq > 0 and not exists (
    select from private.ethical_anchors where chain = chains.chain and seq = chains.seq
  ) and not exists (
    select from private.ethical_anchors where chain = chains.chain and day = private.today()
  )
  on conflict do nothing;
  select * from private.ethical_anchors where signature is null order by day limit _limit
$$;
comment on function private.due_anchors(integer) is 'Notes how each chain that grew ends today; answers the anchors to be signed.';
revoke all on function private.due_anchors from public, anon, authenticated, service_role;
grant execute on function private.due_anchors to service_role;

create function private.sign_anchor(_chain uuid, _seq bigint, _signature text)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update private.ethical_anchors set signature = _signature where chain = _chain and seq = _seq and signature is null
$$;
comment on function private.sign_anchor is 'Keeps the signature of an anchor; one that is signed stays.';
revoke all on function private.sign_anchor from public, anon, authenticated, service_role;
grant execute on function private.sign_anchor to service_role;

-- Security definer because chains and anchors are private.
create function public.verify_ethical_log()
  returns jsonb
  language sql stable security definer
  set search_path = ''
as $$
  with mine as (
    select * from private.ethical_chains where user_id = (select auth.uid())
  ), rows as (
    select logs.seq, logs.hash, logs.prev_hash, logs.hash = private.ethical_hash(logs) as is_whole,
      lag(logs.hash) over (order by logs.seq) as before, lag(logs.seq) over (order by logs.seq) as seq_before
    from public.ethical_logs as logs join mine on mine.chain = logs.chain
  ), checked as (
    select seq, is_whole and case
      when seq_before is not null then seq = seq_before + 1 and prev_hash = before
      when seq = 1 then prev_hash = ''
      -- What came before was erased after twelve months: an anchor says how it ended, or is about to.
      else exists (
        select from private.ethical_anchors
        where chain = (select chain from mine) and (
          ethical_anchors.seq = rows.seq - 1 and hash = rows.prev_hash
          or ethical_anchors.seq >= rows.seq and day < private.ethics_kept_since()
        )
      )
    end as is_good
    from rows
  )
  select jsonb_build_object(
    'entries', (select count(*) from rows),
    'broken_at', (select min(seq) from checked where not is_good),
    -- The newest rows cannot be cut off unseen.
    'is_complete', coalesce((select coalesce((select max(seq) from rows), 0) = mine.seq from mine), true),
    'anchors', coalesce((
      select jsonb_agg(jsonb_build_object(
        'chain', chain, 'seq', anchors.seq, 'day', day, 'hash', anchors.hash, 'signature', signature,
        'is_met', coalesce((select rows.hash = anchors.hash from rows where rows.seq = anchors.seq), true)
      ) order by anchors.seq)
      from private.ethical_anchors as anchors where chain = (select chain from mine)
    ), '[]')
  )
$$;
comment on function public.verify_ethical_log() is
  'Computes the chain of the caller again: how many rows, the first that does not fit, whether the newest is there, and the '
  'signed anchors with whether the rows meet them.';
revoke all on function public.verify_ethical_log from public, anon, authenticated, service_role;
grant execute on function public.verify_ethical_log to authenticated;

create function private.forget_ethics(_limit integer)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with gone as (
    delete from public.ethical_logs where id in (
      select logs.id from public.ethical_logs as logs
      where exists (
        select from private.ethical_anchors as anchors
        where anchors.chain = logs.chain and anchors.seq >= logs.seq and anchors.signature is not null
          and day < private.ethics_kept_since()
      )
      order by logs.chain, logs.seq limit _limit
    )
    returning id
  )
  select count(*) from gone
$$;
comment on function private.forget_ethics(integer) is
  'Deletes rows of the log up to the newest signed anchor that is older than twelve months; answers how many.';
revoke all on function private.forget_ethics from public, anon, authenticated, service_role;
grant execute on function private.forget_ethics to service_role;

alter table private.ethical_chains enable row level security;
alter table public.ethical_logs enable row level security;
alter table private.ethical_anchors enable row level security;

create policy "owners read their ethical log" on public.ethical_logs
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on private.ethical_chains from public, anon, authenticated, service_role;

revoke all on private.ethical_anchors from public, anon, authenticated, service_role;

revoke all on public.ethical_logs from public, anon, authenticated, service_role;
grant select on public.ethical_logs to authenticated, service_role;

create trigger refuse_change before update or delete on public.ethical_logs
  for each row execute function private.refuse_change_of_ethics();

create trigger refuse_truncation before truncate on public.ethical_logs
  for each statement execute function private.refuse_change();
