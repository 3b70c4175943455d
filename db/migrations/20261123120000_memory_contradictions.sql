-- A fact that was found and says something else on the topic of a known one («Rossi paga a 90 giorni» after «… a 60») is
-- laid before its person too: they see both, and what they keep takes the place of the other (public.keep_memory).

create or replace function private.propose_memory(
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
        and extensions.similarity(private.search_text(body), private.search_text(_text)) >= case
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
