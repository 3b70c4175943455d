-- Memory: facts that the assistant knows about its user, each with the sentence it came from.
--
-- A fact that software found waits as 'proposta' until the user keeps it. A fact that the user threw away leaves a
-- digest and is never proposed again. One check guards both ways in. A fact that contradicts a known one («Rossi paga a
-- 90 giorni» after «… a 60») is proposed too: the user sees both, and the kept one replaces the other
-- (public.keep_memory).
--
-- Error codes raised (PostgREST answers 400; the message is the reason where one is named):
--   SM001  must not be remembered: segreti, conto, salute, convinzioni
--   SM002  a similar memory exists; the detail is its id
--   SM003  the memory is full
--   PT404  the user has no such memory or contact (404)

create type public.memory_kind as enum ('profilo', 'preferenza', 'contatto', 'decisione', 'obiettivo', 'narrativa');

create type public.memory_state as enum ('proposta', 'attiva', 'sospesa', 'superata');

create type public.memory_origin as enum ('utente', 'ia', 'import');

create type public.memory_source as enum ('manuale', 'chat', 'nota', 'documento', 'sistema');

create table public.memories (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  kind public.memory_kind not null,
  contact_id uuid,
  topic public.single_line,
  body text not null,
  state public.memory_state not null default 'proposta',
  importance smallint not null default 3,
  origin public.memory_origin not null,
  source public.memory_source not null,
  source_id uuid,
  source_quote text,
  superseded_by uuid,
  uses integer not null default 0,
  last_used_at timestamptz,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  stems tsvector generated always as (to_tsvector('pg_catalog.italian', body)) stored,
  words tsvector generated always as (to_tsvector('pg_catalog.simple', body)) stored,

  -- Also the replica identity. It includes the owner, so that only the owner receives a deletion.
  constraint memories_identity unique (user_id, id),
  -- Facts about a contact are deleted with the contact.
  foreign key (user_id, contact_id) references public.contacts (user_id, id) on delete cascade,
  foreign key (user_id, superseded_by) references public.memories (user_id, id) on delete set null (superseded_by),
  constraint body_is_a_sentence check (
    body !~ '[[:cntrl:]]' and char_length(body) between 12 and case kind when 'narrativa' then 4000 else 240 end
  ),
  constraint importance_is_a_step check (importance between 1 and 5),
  -- A fact that was not typed in by hand names its source and quotes it, so that the user can check it.
  constraint found_facts_name_their_source check (
    source = 'manuale' or source_id is not null and char_length(source_quote) between 1 and 500
  ),
  constraint only_people_write_by_hand check (source <> 'manuale' or origin = 'utente'),
  constraint uses_are_counted check (uses >= 0)
);
comment on table public.memories is 'What the assistant knows of its person; what it may use is ''attiva''.';
comment on column public.memories.topic is 'What it is about, in a word: a new fact on the same topic takes the place of the old one.';
comment on column public.memories.source_quote is 'The sentence it came from, as it stood there.';
comment on column public.memories.superseded_by is 'The fact that took its place; it stays to be read.';

create table private.memory_tombstones (
  user_id uuid not null references auth.users (id) on delete cascade,
  digest bytea not null,
  created_at timestamptz not null default now(),
  primary key (user_id, digest)
);
comment on table private.memory_tombstones is 'Digests of what a person had forgotten: it is not learned again.';

create table public.memory_settings (
  user_id uuid primary key default auth.uid() references auth.users (id) on delete cascade,
  is_active boolean not null default true,
  in_new_chats boolean not null default true
);
comment on table public.memory_settings is 'Whether the assistant remembers at all, and in new conversations; no row means both.';

create index memories_of_contact on public.memories (user_id, contact_id);

create index memories_superseded on public.memories (user_id, superseded_by);

create function private.unmemorable(_text text)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select case
    when _text ~* '\m(passwords?|passwd|passphrase|pin|cvv|cvc|otp|api key|chiave privata|codice segreto|credenziali)\M'
      then 'segreti'
    when _text ~* '\m[a-z]{2}[0-9]{2}( ?[a-z0-9]){11,30}\M' and _text ~ '([0-9] ?){8}'
      or _text ~ '\m[0-9]{4}([ -]?[0-9]{4}){2}[ -]?[0-9]{3,4}\M'
      then 'conto'
    when _text ~* ('\m(diabet|tumor[ei]\M|cancro\M|oncolog|chemio|depress[oai]\M|depressione|psichiatr|psicoterap|hiv\M|aids\M'
      || '|epiless|sclerosi|gravidanz|incinta|aborto|invalidità civile|disabil|handicap|malat[oa]\M|malattia|infarto|ictus\M'
      || '|alcolis|alcolizzat|tossicodipenden|celiac|bipolare|anoress|bulimi|autis)')
      then 'salute'
    when _text ~* ('\m(cattolic|protestant[ei]\M|musulman|islamic|ebre[oai]\M|ebraic|testimon[ei] di geova|buddist|induist|ate[oa]\M'
      || '|sindacalist|sindacat[oi]\M|cgil\M|cisl\M|partito (democratico|politico|comunista)|vota (per|a|il|la|lega|pd)\M'
      || '|omosessual|lesbic|gay\M|bisessual|transgender)')
      then 'convinzioni'
  end
$$;
comment on function private.unmemorable(text) is
  'Why a text must not be remembered: secrets, accounts, health, or beliefs (GDPR art. 9); null when it may.';
revoke all on function private.unmemorable from public, anon, authenticated, service_role;

create function private.memory_digest(_text text)
  returns bytea
  language sql stable strict parallel safe
  set search_path = ''
as $$
  select sha256(convert_to(private.words(_text), 'UTF8'))
$$;
comment on function private.memory_digest(text) is 'The same for a sentence and itself with other accents, capitals and points.';
revoke all on function private.memory_digest from public, anon, authenticated, service_role;

create function private.similar_memory(_user_id uuid, _body text, _except uuid default null)
  returns uuid
  language sql stable
  set search_path = ''
as $$
  -- From a similarity of 0.6 on it says the same.
  select id from public.memories
  where user_id = _user_id and state in ('attiva', 'sospesa', 'proposta') and id is distinct from _except
    and extensions.similarity(private.words(body), private.words(_body)) >= 0.6
  order by extensions.similarity(private.words(body), private.words(_body)) desc, id limit 1
$$;
comment on function private.similar_memory(uuid, text, uuid) is 'The memory of an owner that says nearly the same, if any.';
revoke all on function private.similar_memory from public, anon, authenticated, service_role;

create function private.refuse_memory(_user_id uuid, _body text)
  returns void
  language plpgsql stable
  set search_path = ''
as $$
begin
  if private.unmemorable(_body) is not null then
    raise exception '%', private.unmemorable(_body) using errcode = 'SM001';
  end if;
  -- What fits into every conversation next to the question.
  if char_length(_body) + (
    select coalesce(sum(char_length(body)), 0) from public.memories
    where user_id = _user_id and state = 'attiva' and kind <> 'narrativa'
  ) > 8000 then
    raise exception 'the memory is full' using errcode = 'SM003';
  end if;
end
$$;
comment on function private.refuse_memory(uuid, text) is 'SM001 for what must not be remembered, SM003 when there is no room.';
revoke all on function private.refuse_memory from public, anon, authenticated, service_role;

create function private.supersede_memories(_memory public.memories)
  returns void
  language sql volatile
  set search_path = ''
as $$
  update public.memories set state = 'superata', superseded_by = _memory.id, updated_at = now()
  where user_id = _memory.user_id and id <> _memory.id and state in ('attiva', 'sospesa')
    and contact_id is not distinct from _memory.contact_id and lower(topic) = lower(_memory.topic)
$$;
comment on function private.supersede_memories(public.memories) is 'A fact takes the place of those on the same topic of the same person.';
revoke all on function private.supersede_memories from public, anon, authenticated, service_role;

-- Security definer, like all functions below. They check what may be remembered, and clients cannot write memories in
-- another way.
create function public.remember(
  _body text,
  _kind public.memory_kind,
  _contact_id uuid default null,
  _topic text default null,
  _replaces uuid default null,
  _anyway boolean default false
)
  returns public.memories
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _text text := btrim(regexp_replace(_body, '\s+', ' ', 'g'));
  _similar uuid;
  _memory public.memories;
begin
  if _contact_id is not null and not exists (
    select from public.contacts where user_id = _user_id and id = _contact_id
  ) then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  _similar := private.similar_memory(_user_id, _text, _replaces);
  if _similar is not null and not _anyway then
    raise exception 'there is one nearly like it' using errcode = 'SM002', detail = _similar::text;
  end if;
  if _replaces is not null then
    update public.memories set state = 'superata', updated_at = now()
    where user_id = _user_id and id = _replaces;
    if not found then
      raise exception 'no such memory' using errcode = 'PT404';
    end if;
  end if;
  perform private.refuse_memory(_user_id, _text);
  -- Whoever says it again wants it again.
  delete from private.memory_tombstones where user_id = _user_id and digest = private.memory_digest(_text);
  insert into public.memories (user_id, kind, contact_id, topic, body, state, origin, source)
  values (_user_id, _kind, _contact_id, _topic, _text, 'attiva', 'utente', 'manuale')
  returning * into _memory;
  update public.memories set superseded_by = _memory.id where user_id = _user_id and id = _replaces;
  perform private.supersede_memories(_memory);
  return _memory;
end
$$;
comment on function public.remember(text, public.memory_kind, uuid, text, uuid, boolean) is
  'Writes down what the caller said to remember, in place of another fact if one is named; SM001, SM002, SM003, PT404.';
revoke all on function public.remember from public, anon, authenticated, service_role;
grant execute on function public.remember to authenticated;

create function public.keep_memory(_id uuid, _body text default null)
  returns public.memories
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _memory public.memories;
  _text text;
begin
  select * into _memory from public.memories where user_id = _user_id and id = _id for update;
  if not found or _memory.state = 'superata' then
    raise exception 'no such memory' using errcode = 'PT404';
  end if;
  _text := coalesce(btrim(regexp_replace(_body, '\s+', ' ', 'g')), _memory.body);
  if _text <> _memory.body or _memory.state <> 'attiva' then
    -- Its own length counts once.
    update public.memories set state = 'sospesa' where id = _id and state = 'attiva';
    perform private.refuse_memory(_user_id, _text);
    update public.memories set body = _text, state = 'attiva', updated_at = now() where id = _id returning * into _memory;
    perform private.supersede_memories(_memory);
  end if;
  return _memory;
end
$$;
comment on function public.keep_memory(uuid, text) is
  'Makes a proposal, a paused or a corrected memory of the caller count; SM001, SM003, PT404.';
revoke all on function public.keep_memory from public, anon, authenticated, service_role;
grant execute on function public.keep_memory to authenticated;

create function public.pause_memory(_id uuid)
  returns public.memories
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _memory public.memories;
begin
  update public.memories set state = 'sospesa', updated_at = now()
  where user_id = (select auth.uid()) and id = _id and state in ('attiva', 'sospesa')
  returning * into _memory;
  if not found then
    raise exception 'no such memory' using errcode = 'PT404';
  end if;
  return _memory;
end
$$;
comment on function public.pause_memory(uuid) is 'Keeps a memory of the caller without using it, until keep_memory; PT404.';
revoke all on function public.pause_memory from public, anon, authenticated, service_role;
grant execute on function public.pause_memory to authenticated;

create function public.forget(_ids uuid[] default null, _contact_id uuid default null, _everything boolean default false)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _forgotten integer;
begin
  with gone as (
    delete from public.memories
    where user_id = _user_id and (_everything or id = any (_ids) or contact_id = _contact_id)
    returning body
  ), buried as (
    insert into private.memory_tombstones (user_id, digest)
      select distinct _user_id, private.memory_digest(body) from gone
    on conflict do nothing
  )
  select count(*) into _forgotten from gone;
  return _forgotten;
end
$$;
comment on function public.forget(uuid[], uuid, boolean) is
  'Erases memories of the caller: those named, all about a contact, or all. They are never proposed again. Answers how many.';
revoke all on function public.forget from public, anon, authenticated, service_role;
grant execute on function public.forget to authenticated;

create function private.propose_memory(
  _user_id uuid,
  _body text,
  _kind public.memory_kind,
  _source public.memory_source,
  _source_id uuid,
  _source_quote text,
  _contact_id uuid default null,
  _topic text default null
)
  returns public.memories
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _text text := btrim(regexp_replace(_body, '\s+', ' ', 'g'));
  _memory public.memories;
begin
  if exists (select from public.memory_settings where user_id = _user_id and not is_active)
    or _kind = 'narrativa' or _source = 'manuale' or char_length(_text) not between 12 and 240
    or private.unmemorable(_text) is not null or private.unmemorable(_source_quote) is not null
    -- Somebody it is about: a contact, the person themselves, or a name.
    or (_kind = 'contatto' and _contact_id is null and _text !~ '\m[[:upper:]][[:lower:]]+')
    or exists (
      select from private.memory_tombstones where user_id = _user_id and digest = private.memory_digest(_text)
    )
    -- Known already, unless it is another word on the topic of what holds: 0.9 is the same with a slip of the pen.
    or exists (
      select from public.memories
      where user_id = _user_id and state in ('attiva', 'sospesa', 'proposta')
        and extensions.similarity(private.words(body), private.words(_text)) >= case
          when state <> 'proposta' and lower(topic) = lower(_topic) and contact_id is not distinct from _contact_id
            and (kind <> 'contatto' or contact_id is not null)
          then 0.9 else 0.6
        end
    )
    -- Three of one conversation are a person's patience.
    or (select count(*) >= 3 from public.memories where user_id = _user_id and source_id = _source_id and origin = 'ia')
  then
    return null;
  end if;
  insert into public.memories (user_id, kind, contact_id, topic, body, origin, source, source_id, source_quote)
  values (_user_id, _kind, _contact_id, _topic, _text, 'ia', _source, _source_id, left(_source_quote, 500))
  returning * into _memory;
  return _memory;
end
$$;
comment on function private.propose_memory is
  'Propose a found fact to its user if it passes the checks; null if not.';
revoke all on function private.propose_memory from public, anon, authenticated, service_role;
grant execute on function private.propose_memory to service_role;

create function private.note_memory_uses(_user_id uuid, _ids uuid[])
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  update public.memories set uses = uses + 1, last_used_at = now() where user_id = _user_id and id = any (_ids)
$$;
comment on function private.note_memory_uses(uuid, uuid[]) is 'These memories stood beside a question.';
revoke all on function private.note_memory_uses from public, anon, authenticated, service_role;
grant execute on function private.note_memory_uses to service_role;

create function public.recall_memories(_question text, _limit integer default 5, _contact_id uuid default null)
  returns table (id uuid, kind public.memory_kind, contact_id uuid, body text, source_quote text, rank real)
  language sql stable security definer
  set search_path = ''
as $$
  with mine as materialized (
    select memories.*, private.words(concat_ws(' ', contacts.name, memories.body)) as plain,
      to_tsvector('pg_catalog.simple', coalesce(contacts.name, '')) as names, count(*) over () as total
    from public.memories
    left join public.contacts on contacts.user_id = memories.user_id and contacts.id = memories.contact_id
    where memories.user_id = (select auth.uid()) and memories.state = 'attiva'
      and (expires_at is null or expires_at > now())
      and (_contact_id is null or memories.contact_id = _contact_id)
      and not exists (select from public.memory_settings where user_id = (select auth.uid()) and not is_active)
  ), asked as materialized (
    -- Words that carry meaning: those that the Italian dictionary does not stop.
    select distinct word, to_tsvector('pg_catalog.italian', word) as stems
    from unnest(tsvector_to_array(to_tsvector('pg_catalog.simple', left(_question, 1000)))) as word
    where to_tsvector('pg_catalog.italian', word) <> ''
  ), weighed as (
    select 'stem' as way, stem as lexeme, ln((max(total) + 1) / (count(*) + 0.5)) as weight
    from (select distinct unnest(tsvector_to_array(stems)) as stem from asked) as lexemes
    join mine on mine.stems @@ quote_literal(stem)::tsquery
    group by stem
    union all
    select 'word', word, ln((max(total) + 1) / (count(*) + 0.5))
    from asked join mine on (mine.words || names) @@ quote_literal(word)::tsquery
    group by word
  ), scored as (
    select mine.id, way, sum(weight)::real as score
    from mine join weighed
      on (way = 'stem' and mine.stems @@ quote_literal(lexeme)::tsquery)
      or (way = 'word' and (mine.words || names) @@ quote_literal(lexeme)::tsquery)
    group by mine.id, way
    union all
    select mine.id, 'trigram', sum(
        case when likeness >= 0.4 then likeness else 0 end
      )::real
    from mine cross join asked
    cross join lateral (select extensions.word_similarity(private.words(word), plain) as likeness) as compared
    group by mine.id
  ), fused as (
    -- Reciprocal rank fusion with k = 60.
    select scored.id, sum(1.0 / (60 + place))::real as rank
    from (select id, rank() over (partition by way order by score desc) as place from scored where score > 0) as scored
    group by scored.id
  )
  select mine.id, mine.kind, mine.contact_id, mine.body, mine.source_quote, fused.rank
  from fused join mine on mine.id = fused.id
  order by fused.rank desc, mine.importance desc, mine.updated_at desc, mine.id
  limit least(_limit, 50)
$$;
comment on function public.recall_memories(text, integer, uuid) is
  'What the caller''s memory holds for a question, best first: Italian stems, words as they are and trigrams, fused.';
revoke all on function public.recall_memories from public, anon, authenticated, service_role;
grant execute on function public.recall_memories to authenticated;

alter table public.memories enable row level security;
alter table private.memory_tombstones enable row level security;
alter table public.memory_settings enable row level security;

create policy "owners read their memories" on public.memories
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners change their memories" on public.memories
  for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

create policy "owners read their memory settings" on public.memory_settings
  for select to authenticated using (user_id = (select auth.uid()));

create policy "owners make their memory settings" on public.memory_settings
  for insert to authenticated with check (user_id = (select auth.uid()));

create policy "owners change their memory settings" on public.memory_settings
  for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));

revoke all on public.memories from public, anon, authenticated, service_role;
grant select on public.memories to authenticated, service_role;
grant update (kind, contact_id, importance, expires_at) on public.memories to authenticated;

revoke all on private.memory_tombstones from public, anon, authenticated, service_role;

revoke all on public.memory_settings from public, anon, authenticated, service_role;
grant select on public.memory_settings to authenticated, service_role;
grant insert (user_id, is_active, in_new_chats) on public.memory_settings to authenticated;
grant update (user_id, is_active, in_new_chats) on public.memory_settings to authenticated;

alter table public.memories replica identity using index memories_identity;
