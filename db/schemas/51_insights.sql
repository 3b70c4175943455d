-- Insights: what is worth doing now and why, computed from the rows of one person, at no credits.
--
-- A rule answers facts (52_insight_rules.sql). A fact becomes one row, known by its kind, its entity and the day since
-- which it holds, so that the same fact is told once and stays dismissed; another due date is another fact. A row is
-- resolved when its fact is gone and comes back with it. Rows go after thirty days.
--
-- Score: money at risk × urgency × (1 − rate of refusals of the kind). Where no money is at risk the catalogue says what
-- a kind counts for. The home shows the best five, at most two of a kind.
--
-- Error codes raised:
--   PT404  the caller has no such insight, or there is no such kind (PostgREST answers 404)

create type public.insight_state as enum ('nuova', 'rimandata', 'fatta', 'scartata', 'risolta');

create type private.insight_fact as (
  kind text, entity_type text, entity_id uuid, since date, contact_id uuid, title text, body text, amount_cents bigint,
  currency text, urgency double precision, data jsonb
);

-- The catalogue. A view, so that a new kind is one more line here and a rule in the next chapter.
create view public.insight_kinds with (security_invoker = on) as
select * from (values
  ('fattura_scaduta', 'Fatture scadute', 'soldi', 'sollecito', 0, 7),
  ('in_scadenza', 'Fatture in scadenza', 'soldi', 'promemoria', 0, 7),
  ('da_pagare', 'Fatture da pagare', 'soldi', 'fattura', 0, 2),
  ('fattura_scartata', 'Fatture scartate', 'soldi', 'fattura', 0, 1),
  ('documento_da_verificare', 'Documenti da verificare', 'documenti', 'verifica', 15000, 2),
  ('da_collegare', 'Documenti da collegare', 'documenti', 'collega', 10000, 7),
  ('preventivo_fermo', 'Preventivi fermi', 'trattative', 'attivita', 0, 7),
  ('trattativa_ferma', 'Trattative ferme', 'trattative', 'attivita', 0, 7),
  ('da_risentire', 'Persone da risentire', 'persone', 'risenti', 20000, 3),
  ('risposta_dovuta', 'Risposte che aspettano', 'persone', 'rispondi', 30000, 1),
  ('finestra_whatsapp', 'Finestre WhatsApp che si chiudono', 'persone', 'rispondi', 40000, 1),
  ('compleanno_cliente_anno', 'Anniversari dei clienti', 'persone', 'risenti', 8000, 30),
  ('attivita_scadute', 'Attività scadute', 'agenda', 'ripianifica', 40000, 1),
  ('giornata_piena', 'Giornate piene', 'agenda', 'ripianifica', 15000, 1),
  ('contratto_in_scadenza', 'Contratti in scadenza', 'documenti', 'attivita', 50000, 14),
  ('crediti_in_esaurimento', 'Crediti in esaurimento', 'crediti', 'ricarica', 15000, 7),
  ('crediti_in_scadenza', 'Crediti in scadenza', 'crediti', 'crediti', 10000, 7),
  ('concentrazione', 'Un cliente che pesa molto', 'rischi', 'contatto', 10000, 30),
  ('doppioni', 'Contatti doppi', 'persone', 'unisci', 5000, 14),
  ('consenso_mancante', 'Consensi che mancano', 'persone', 'contatti', 5000, 30),
  ('soglia_forfettario', 'Soglia del forfettario', 'rischi', 'forfettario', 20000, 30),
  ('richiesta_cliente', 'Richieste sui dati dei clienti', 'rischi', 'richiesta', 60000, 1)
) as kinds (kind, label, category, action, worth_cents, rest_days);
comment on view public.insight_kinds is
  'The kinds of insights: how a person calls them, their family, what their button does, what one counts for where no '
  'money is at risk, and for how many days it rests after it was acted on.';

create table public.insights (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  kind text not null,
  entity_type text not null,
  entity_id uuid,
  since date not null,
  contact_id uuid,
  title text not null,
  body text not null,
  amount_cents bigint,
  currency text not null default 'EUR',
  score double precision not null,
  data jsonb not null default '{}',
  state public.insight_state not null default 'nuova',
  snoozed_until timestamptz,
  reason text,
  created_at timestamptz not null default now(),

  -- Also the replica identity. It includes the owner, so that only the owner receives a deletion.
  constraint insights_identity unique (user_id, id),
  constraint insights_fact unique nulls not distinct (user_id, kind, entity_type, entity_id, since),
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  constraint currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  constraint data_is_an_object check (jsonb_typeof(data) = 'object'),
  constraint title_fits check (char_length(title) between 1 and 300),
  constraint body_fits check (char_length(body) between 1 and 500),
  constraint reason_fits check (char_length(reason) between 1 and 200),
  constraint only_what_rests_has_an_end check ((snoozed_until is not null) = (state in ('rimandata', 'fatta'))),
  constraint only_the_dismissed_have_a_reason check (reason is null or state = 'scartata')
);
comment on table public.insights is 'What is worth doing, one row for each fact; kept for thirty days.';
comment on column public.insights.since is 'Since when the fact holds: the day of its due date, of its stage, of its week.';
comment on column public.insights.snoozed_until is 'Put off, or acted on: it comes back then, if the fact still holds.';
comment on column public.insights.data is 'What the button needs, and the figures of the text.';

create table public.insight_prefs (
  user_id uuid not null references auth.users (id) on delete cascade,
  kind text not null,
  is_enabled boolean not null default true,
  refused integer not null default 0,
  acted integer not null default 0,
  created_at timestamptz not null default now(),

  primary key (user_id, kind),
  constraint counts_are_counts check (refused >= 0 and acted >= 0)
);
comment on table public.insight_prefs is 'What a person made of a kind of insights: switched off, refused, acted on.';

-- Appended to by every statement that may change a fact, without a key, so that no writer waits for another.
create table private.insight_marks (
  id bigint primary key generated always as identity,
  user_id uuid not null,
  marked_at timestamptz not null default now()
);
comment on table private.insight_marks is 'Whose rows changed since their insights were computed.';

create index insights_contact on public.insights (user_id, contact_id);

-- Used by the purge.
create index insights_age on public.insights (created_at);

create index insight_marks_user on private.insight_marks (user_id);

create function private.refusal_rate(_refused integer, _acted integer)
  returns double precision
  language sql immutable parallel safe
  set search_path = ''
as $$
  -- As if there had been two answers that were no refusals: one click does not silence a kind.
  select coalesce(_refused, 0) / (coalesce(_refused, 0) + coalesce(_acted, 0) + 2)::double precision
$$;
comment on function private.refusal_rate(integer, integer) is 'Which part of the insights of a kind a person refused, 0 to 1.';
revoke all on function private.refusal_rate from public, anon, authenticated, service_role;

create function private.keep_insights(_user_id uuid, _facts private.insight_fact[])
  returns void
  language sql volatile
  set search_path = ''
as $$
  with scored as materialized (
    select fact.*,
      round((
        greatest(abs(coalesce(fact.amount_cents, 0)), kinds.worth_cents) * fact.urgency
          * (1 - private.refusal_rate(prefs.refused, prefs.acted))
      )::numeric, 2)::double precision as score
    from unnest(_facts) as fact
    join public.insight_kinds as kinds on kinds.kind = fact.kind
    left join public.insight_prefs as prefs on prefs.user_id = _user_id and prefs.kind = fact.kind
    where coalesce(prefs.is_enabled, true)
  ), kept as (
    insert into public.insights as old (
      user_id, kind, entity_type, entity_id, since, contact_id, title, body, amount_cents, currency, score, data
    )
    select _user_id, kind, entity_type, entity_id, since, contact_id, left(title, 300), left(body, 500), amount_cents,
      coalesce(currency, 'EUR'), score, coalesce(data, '{}') from scored
    on conflict on constraint insights_fact do update set
      contact_id = excluded.contact_id, title = excluded.title, body = excluded.body, score = excluded.score,
      amount_cents = excluded.amount_cents, currency = excluded.currency, data = excluded.data,
      state = case when old.state = 'risolta' or old.snoozed_until <= now() then 'nuova' else old.state end,
      snoozed_until = case when old.snoozed_until > now() then old.snoozed_until end
    -- What is the same is not written: it would be sent to every open tab.
    where (old.contact_id, old.title, old.body, old.score, old.amount_cents, old.currency, old.data)
        is distinct from (excluded.contact_id, excluded.title, excluded.body, excluded.score, excluded.amount_cents,
          excluded.currency, excluded.data)
      or old.state = 'risolta' or old.snoozed_until <= now()
  )
  update public.insights set state = 'risolta', snoozed_until = null
  where user_id = _user_id and state in ('nuova', 'rimandata', 'fatta') and not exists (
    select from scored
    where scored.kind = insights.kind and scored.entity_type = insights.entity_type and scored.since = insights.since
      and scored.entity_id is not distinct from insights.entity_id
  )
$$;
comment on function private.keep_insights(uuid, private.insight_fact[]) is
  'Writes the facts that hold as insights of a person, and resolves those whose fact is gone.';
revoke all on function private.keep_insights from public, anon, authenticated, service_role;

create function private.count_answer(_user_id uuid, _kind text, _state public.insight_state, _times integer)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.insight_prefs as kept (user_id, kind, refused, acted)
  select _user_id, _kind, greatest(0, refused), greatest(0, acted)
  from (
    select case when _state = 'scartata' then _times else 0 end as refused,
      case when _state = 'fatta' then _times else 0 end as acted
  ) as told
  where _state in ('scartata', 'fatta')
  on conflict (user_id, kind) do update set
    refused = greatest(0, kept.refused + case when _state = 'scartata' then _times else 0 end),
    acted = greatest(0, kept.acted + case when _state = 'fatta' then _times else 0 end)
$$;
comment on function private.count_answer(uuid, text, public.insight_state, integer) is
  'Counts that a person refused or acted on an insight, or with -1 that they took it back.';
revoke all on function private.count_answer from public, anon, authenticated, service_role;

-- Security definer, like the next function, because owners do not write what the server computes.
create function public.answer_insight(
  _insight_id uuid, _state public.insight_state, _until timestamptz default null, _reason text default null
)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _insight public.insights;
  _rest_days integer;
begin
  select * into _insight from public.insights where user_id = auth.uid() and id = _insight_id for update;
  if not found or _state = 'risolta' then
    raise exception 'no such insight' using errcode = 'PT404';
  end if;
  select rest_days into _rest_days from public.insight_kinds where kind = _insight.kind;
  perform private.count_answer(_insight.user_id, _insight.kind, _insight.state, -1);
  perform private.count_answer(_insight.user_id, _insight.kind, _state, 1);
  update public.insights
  set state = _state, reason = case when _state = 'scartata' then left(nullif(btrim(_reason), ''), 200) end,
    snoozed_until = case
      when _state = 'fatta' then now() + make_interval(days => coalesce(_rest_days, 1))
      when _state = 'rimandata' then least(greatest(coalesce(_until, now() + interval '1 day'), now()), now() + interval '1 year')
    end
  where id = _insight_id;
  -- Its other insights count for less, or for more, from now on.
  if 'scartata' in (_state, _insight.state) or 'fatta' in (_state, _insight.state) then
    perform private.mark_person(_insight.user_id);
  end if;
end
$$;
comment on function public.answer_insight(uuid, public.insight_state, timestamptz, text) is
  'What the caller makes of an insight: acted on it (it rests), put it off until then, refused it and why, or takes that '
  'back (nuova). PT404.';
revoke all on function public.answer_insight from public, anon, authenticated, service_role;
grant execute on function public.answer_insight to authenticated;

create function public.switch_insights(_kind text, _is_enabled boolean)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  if not exists (select from public.insight_kinds where kind = _kind) then
    raise exception 'no such kind' using errcode = 'PT404';
  end if;
  insert into public.insight_prefs (user_id, kind, is_enabled) values (auth.uid(), _kind, _is_enabled)
  on conflict (user_id, kind) do update set is_enabled = excluded.is_enabled;
  perform private.mark_person(auth.uid());
end
$$;
comment on function public.switch_insights(text, boolean) is
  'Says whether the caller wants to see insights of a kind («non mostrarmi più questo tipo»). PT404.';
revoke all on function public.switch_insights from public, anon, authenticated, service_role;
grant execute on function public.switch_insights to authenticated;

create function private.mark_person(_user_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into private.insight_marks (user_id) values (_user_id)
$$;
comment on function private.mark_person(uuid) is 'Notes that the insights of a person are to be computed again.';
revoke all on function private.mark_person from public, anon, authenticated, service_role;

-- Security definer because who changes a row may not write marks.
create function private.mark_changed()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  insert into private.insight_marks (user_id) select distinct user_id from changed;
  return null;
end
$$;
comment on function private.mark_changed() is 'Marks whoever owns the rows of a statement.';
revoke all on function private.mark_changed from public, anon, authenticated, service_role;

alter table public.insights enable row level security;
alter table public.insight_prefs enable row level security;
alter table private.insight_marks enable row level security;

create policy "owners read their insights" on public.insights
  for select to authenticated
  using (user_id = (select auth.uid()));

create policy "owners read what they made of insights" on public.insight_prefs
  for select to authenticated
  using (user_id = (select auth.uid()));

revoke all on public.insight_kinds from public, anon, authenticated, service_role;
grant select on public.insight_kinds to authenticated, service_role;

revoke all on public.insights from public, anon, authenticated, service_role;
grant select on public.insights to authenticated;
grant select, insert, update, delete on public.insights to service_role;

revoke all on public.insight_prefs from public, anon, authenticated, service_role;
grant select on public.insight_prefs to authenticated;
grant select, insert, update, delete on public.insight_prefs to service_role;

revoke all on private.insight_marks from public, anon, authenticated, service_role;
grant select, insert, delete on private.insight_marks to service_role;

alter table public.insights replica identity using index insights_identity;
