-- Deals: possible work, the stages it passes and how long it stays in each.
--
-- Each owner has one pipeline, made at first use. A trigger writes a log row for each stay in a stage; from the log
-- comes what is usual for this owner («trattativa ferma»: longer in a stage than 1.5 times the third quartile of the
-- stays). A deal that the assistant moved and that is moved back keeps its own time of winning or losing.

create type public.stage_kind as enum ('aperta', 'vinta', 'persa');

create table public.stages (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  name public.single_line not null,
  position integer not null,
  probability smallint not null,
  kind public.stage_kind not null default 'aperta',
  created_at timestamptz not null default now(),

  constraint stages_identity unique (user_id, id),
  -- A won deal is certain, and a lost deal counts for nothing.
  constraint probability_fits_the_stage check (
    case kind when 'vinta' then probability = 100 when 'persa' then probability = 0 else probability between 0 and 100 end
  )
);
comment on table public.stages is 'The stages of an owner''s one pipeline, in the order of their position.';
comment on column public.stages.probability is 'Per cent of the amount that a deal of this stage counts for.';

create table public.deals (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  contact_id uuid,
  title public.single_line not null,
  amount_cents bigint not null default 0,
  currency text not null default 'EUR',
  stage_id uuid not null,
  position text collate "C" not null default 'a0',
  probability smallint,
  expected_close date,
  stage_since timestamptz not null default now(),
  won_at timestamptz,
  lost_at timestamptz,
  lost_reason public.single_line,
  origin public.contact_origin not null default 'manuale',
  import_batch_id uuid,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),

  constraint deals_identity unique (user_id, id),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete set null (contact_id),
  constraint deals_import_fkey foreign key (user_id, import_batch_id)
    references public.import_batches (user_id, id) on delete set null (import_batch_id),
  -- Stages are deleted only with their account, because no API role has the right to delete one.
  foreign key (user_id, stage_id) references public.stages (user_id, id) on delete cascade,
  -- One thousand million euro. A number in the browser still represents it exactly.
  constraint amount_is_sensible check (amount_cents between 0 and 100000000000),
  constraint currency_is_a_code check (currency ~ '^[A-Z]{3}$'),
  constraint position_is_a_key check (position ~ '^[0-9A-Za-z]{1,100}$'),
  constraint probability_is_a_percentage check (probability between 0 and 100),
  constraint ends_one_way check (won_at is null or lost_at is null),
  constraint only_the_lost_have_a_reason check (lost_reason is null or lost_at is not null)
);
comment on table public.deals is 'What may become work for a client: an amount in a stage of the pipeline.';
comment on column public.deals.position is 'Place among the cards of its stage: a fractional key, compared byte by byte.';
comment on column public.deals.probability is 'The owner''s own guess; null: that of the stage.';
comment on column public.deals.stage_since is 'When it came into its stage; won_at and lost_at follow it, all three by trigger.';
comment on column public.deals.deleted_at is 'In the trash since.';

create table public.deal_stage_log (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  deal_id uuid not null,
  stage_id uuid not null,
  entered_at timestamptz not null,
  left_at timestamptz,
  created_at timestamptz not null default now(),

  foreign key (user_id, deal_id) references public.deals (user_id, id) on delete cascade,
  foreign key (user_id, stage_id) references public.stages (user_id, id) on delete cascade,
  constraint leaves_after_it_entered check (left_at >= entered_at)
);
comment on table public.deal_stage_log is 'Each stay of a deal in a stage, written by trigger; the present one has not been left.';

-- One stage for won deals and one for lost deals, so that the buttons of a board have one target each.
create unique index stages_ends on public.stages (user_id, kind) where kind <> 'aperta';

-- Used by the board: the cards of a column in their order.
create index deals_board on public.deals (user_id, stage_id, position);

create index deals_contact on public.deals (user_id, contact_id);

create index deals_import on public.deals (user_id, import_batch_id);

create index deal_stage_log_deal on public.deal_stage_log (user_id, deal_id, entered_at);

-- Used to compute the usual time in a stage.
create index deal_stage_log_stage on public.deal_stage_log (user_id, stage_id);

create unique index deal_stage_log_present on public.deal_stage_log (deal_id) where left_at is null;

create function public.ensure_stages()
  returns setof public.stages
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := auth.uid();
begin
  if not exists (select from public.stages where user_id = _user_id) then
    -- Two tabs at once: the second waits here and finds the stages of the first.
    perform pg_advisory_xact_lock(hashtextextended('stages ' || _user_id, 0));
    insert into public.stages (user_id, name, position, probability, kind)
    select _user_id, name, position, probability, kind::public.stage_kind
    from (values
      ('Contatto', 1, 10, 'aperta'), ('Qualificato', 2, 25, 'aperta'), ('Preventivo', 3, 50, 'aperta'),
      ('Trattativa', 4, 75, 'aperta'), ('Vinta', 5, 100, 'vinta'), ('Persa', 6, 0, 'persa')
    ) as first (name, position, probability, kind)
    where not exists (select from public.stages where user_id = _user_id);
  end if;
  return query select * from public.stages where user_id = _user_id order by position;
end
$$;
comment on function public.ensure_stages() is 'The caller''s stages in their order; the six usual ones are made at the first call.';
revoke all on function public.ensure_stages from public, anon, authenticated, service_role;
grant execute on function public.ensure_stages to authenticated;

create function private.is_quote_stage(_stage public.stages)
  returns boolean
  language sql immutable
  set search_path = ''
as $$
  select (_stage).kind = 'aperta' and (_stage).name ilike '%preventiv%'
$$;
comment on function private.is_quote_stage(public.stages) is 'Whether deals of a stage are quotes that wait for an answer.';
revoke all on function private.is_quote_stage from public, anon, authenticated, service_role;

create function public.stage_habits()
  returns table (stage_id uuid, usual_days numeric, sample integer)
  language sql stable
  set search_path = ''
as $$
  select stages.id,
    case
      -- Never less than a day: a stage that is passed within an hour would be late at once.
      when count(stays.days) >= 8
        then greatest(1, round((1.5 * percentile_cont(0.75) within group (order by stays.days))::numeric, 1))
      else 14
    end,
    count(stays.days)::integer
  from public.stages
  left join lateral (
    select extract(epoch from left_at - entered_at)::double precision / 86400 as days
    from public.deal_stage_log
    where user_id = stages.user_id and deal_stage_log.stage_id = stages.id and left_at is not null
  ) as stays on true
  where stages.user_id = (select auth.uid()) and stages.kind = 'aperta'
  group by stages.id
$$;
comment on function public.stage_habits() is
  'After how many days in a stage a deal of the caller is late: 1.5 times the third quartile of at least 8 stays, else 14.';
revoke all on function public.stage_habits from public, anon, authenticated, service_role;
grant execute on function public.stage_habits to authenticated;

-- Security definer because clients may not write the log. A stay of less than five minutes was a mistake and leaves no
-- trace. If the user moves the card back («Annulla»), the deal is as old as before.
create function private.enter_stage()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
declare
  _kind public.stage_kind;
  _since timestamptz;
begin
  if tg_op = 'UPDATE' then
    if new.stage_id = old.stage_id then
      return new;
    end if;
    if new.stage_since = old.stage_since then
      new.stage_since := now();
    end if;
    if new.stage_since - old.stage_since < interval '5 minutes' then
      delete from public.deal_stage_log where deal_id = new.id and left_at is null;
    else
      update public.deal_stage_log set left_at = new.stage_since where deal_id = new.id and left_at is null;
    end if;
    update public.deal_stage_log set left_at = null
    where id = (
        select id from public.deal_stage_log
        where user_id = new.user_id and deal_id = new.id order by entered_at desc limit 1
      ) and stage_id = new.stage_id
    returning entered_at into _since;
    if found then
      new.stage_since := _since;
    else
      insert into public.deal_stage_log (user_id, deal_id, stage_id, entered_at)
        values (new.user_id, new.id, new.stage_id, new.stage_since);
    end if;
  end if;
  select kind into _kind from public.stages where user_id = new.user_id and id = new.stage_id;
  new.won_at := case when _kind = 'vinta' then new.stage_since end;
  new.lost_at := case when _kind = 'persa' then new.stage_since end;
  new.lost_reason := case when _kind = 'persa' then new.lost_reason end;
  return new;
end
$$;
comment on function private.enter_stage() is 'Keeps stage_since, won_at, lost_at and the log in step with the stage.';
revoke all on function private.enter_stage from public, anon, authenticated, service_role;

create function private.log_first_stage()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  insert into public.deal_stage_log (user_id, deal_id, stage_id, entered_at)
    values (new.user_id, new.id, new.stage_id, new.stage_since);
  return null;
end
$$;
comment on function private.log_first_stage() is 'The stay of a new deal: its row has to be there first.';
revoke all on function private.log_first_stage from public, anon, authenticated, service_role;

-- Security definer because clients may not write stage_since, which private.enter_stage maintains.
create function public.take_back_deal(_deal_id uuid, _from uuid, _to uuid, _since timestamptz, _lost_reason text)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  update public.deals
  set stage_id = _to, stage_since = coalesce(least(_since, now()), now()), lost_reason = _lost_reason
  where user_id = (select auth.uid()) and id = _deal_id and stage_id = _from and deleted_at is null;
  return found;
end
$$;
comment on function public.take_back_deal(uuid, uuid, uuid, timestamptz, text) is
  'Moves a deal of the caller back into the stage it was in, as long there as it was before; false if it is elsewhere by now.';
revoke all on function public.take_back_deal from public, anon, authenticated, service_role;
grant execute on function public.take_back_deal to authenticated;

alter table public.stages enable row level security;
alter table public.deals enable row level security;
alter table public.deal_stage_log enable row level security;

create policy "owners read their stages" on public.stages
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners change their stages" on public.stages
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners read their deals" on public.deals
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners add deals" on public.deals
  for insert to authenticated
  with check (user_id = (select auth.uid()));

create policy "owners change their deals" on public.deals
  for update to authenticated
  using (user_id = (select auth.uid()))
  with check (user_id = (select auth.uid()));

create policy "owners delete their deals" on public.deals
  for delete to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read the stays of their deals" on public.deal_stage_log
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.stages from public, anon, authenticated, service_role;
grant select on public.stages to authenticated;
grant select, insert, update on public.stages to service_role;
grant update (name, position, probability) on public.stages to authenticated;

revoke all on public.deals from public, anon, authenticated, service_role;
grant select, delete on public.deals to authenticated;
grant select, insert, update, delete on public.deals to service_role;
grant insert (
  id, user_id, contact_id, title, amount_cents, currency, stage_id, position, probability, expected_close,
  lost_reason
) on public.deals to authenticated;
grant update (
  contact_id, title, amount_cents, currency, stage_id, position, probability, expected_close, lost_reason, deleted_at
) on public.deals to authenticated;

revoke all on public.deal_stage_log from public, anon, authenticated, service_role;
grant select on public.deal_stage_log to authenticated, service_role;

create trigger deals_enter_stage
  before insert or update of stage_id on public.deals
  for each row execute function private.enter_stage();

create trigger deals_first_stage
  after insert on public.deals
  for each row execute function private.log_first_stage();

alter table public.deals replica identity using index deals_identity;
