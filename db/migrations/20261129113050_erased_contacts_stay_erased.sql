-- Erased contacts stay erased.
--   CREATE OR REPLACE FUNCTION private.erase_again
--   CREATE OR REPLACE FUNCTION public.erase_contact
--   COMMENT ON FUNCTION private.erase_again
--   REVOKE ALL ON FUNCTION private.erase_again

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.erase_again (
  _user_id uuid,
  _part    text,
  _at      timestamp with time zone
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _words constant text[] := string_to_array(_part, '/');
  _contact_id constant uuid := _words[2]::uuid;
  _name text;
  _claims text;
begin
  if _words[1] <> 'contact' then
    raise exception 'a part of an account that this version does not know: %', _words[1];
  end if;
  select name into _name from public.contacts where user_id = _user_id and id = _contact_id and created_at < _at;
  if not found then
    return false;
  end if;
  _claims := private.speak_for(_user_id);
  perform public.erase_contact(_contact_id, _name, _words[3] = 'all');
  perform set_config('request.jwt.claims', _claims, true);
  -- The certificate is of the day on which the contact was erased.
  update public.contact_erasures set created_at = _at where user_id = _user_id and contact_id = _contact_id;
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION public.erase_contact (
  _contact_id    uuid,
  _typed_name    text,
  _with_mentions boolean DEFAULT true
)
  RETURNS public.contact_erasures
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _name text;
  _lines jsonb;
  _request_id uuid;
  _erasure public.contact_erasures;
begin
  select name into _name from public.contacts where user_id = _user_id and id = _contact_id for update;
  if not found then
    -- A second click is the same erasure.
    select * into _erasure from public.contact_erasures where user_id = _user_id and contact_id = _contact_id;
    if not found then
      raise exception 'no such contact' using errcode = 'PT404';
    end if;
    return _erasure;
  end if;
  if private.words(_typed_name) is distinct from private.words(_name) then
    raise exception 'this is not the name of the contact' using errcode = 'SC054';
  end if;
  select jsonb_agg(jsonb_build_object(
    'place', place, 'label', case domain when 'forse' then label || ' che lo nominano' else label end,
    'fate', case when domain = 'forse' and not _with_mentions then 'resta' else fate end,
    'reason', case when domain = 'forse' and not _with_mentions then 'Non è collegato al contatto' else reason end,
    'found', line.found
  )) into _lines from private.contact_findings(_user_id, _contact_id) as line;
  insert into public.mail_suppressions (user_id, address)
  select _user_id, address from private.unwritable(_user_id, _contact_id) as address on conflict do nothing;
  perform private.remove_name(_user_id, _contact_id, _with_mentions);
  perform private.remove_letters(_user_id, _contact_id);
  -- The job of the trash erases them with their files, within a day.
  update public.documents as one set deleted_at = now() - interval '31 days'
  where user_id = _user_id and contact_id = _contact_id and not private.is_kept_document(one);
  delete from public.notifications where user_id = _user_id and entity_id = _contact_id;
  -- That there was a merge stays in the timeline of the other.
  update public.merge_log set loser_name = 'un contatto cancellato', changes = '[]'
  where user_id = _user_id and loser_id = _contact_id;
  update public.contact_requests set closed_at = now(), outcome = 'soddisfatta'
  where user_id = _user_id and contact_id = _contact_id and kind = 'cancellazione' and closed_at is null;
  select id into _request_id from public.contact_requests
  where user_id = _user_id and contact_id = _contact_id and kind = 'cancellazione' order by closed_at desc limit 1;
  delete from public.contacts where user_id = _user_id and id = _contact_id;
  -- Computed again when it is opened.
  delete from private.home_pages where user_id = _user_id;
  insert into public.contact_erasures (user_id, contact_id, initials, request_id, lines)
  select _user_id, _contact_id, left(string_agg(upper(left(word, 1)) || '.', ' '), 40), _request_id, _lines
  from regexp_split_to_table(btrim(_name), '\s+') as word
  returning * into _erasure;
  -- In the list outside the database, for a restored backup: the time is that of the erasure.
  perform jobs.enqueue('erased_contacts', jsonb_build_object(
    'user_id', _user_id, 'part', concat_ws('/', 'contact', _contact_id, case when _with_mentions then 'all' else 'linked' end),
    'at', _erasure.created_at
  ), _user_id);
  return _erasure;
end
$function$;

COMMENT ON FUNCTION "private"."erase_again"(uuid, text, timestamp with time zone) IS 'Erases a contact that a restored backup brought back («contact/<id>/all», or «/linked» without mentions), as of the time of its erasure; answers whether it was there. For the owner of the database (backend/core/erased.py).';

REVOKE ALL ON FUNCTION "private"."erase_again"(uuid, text, timestamp WITH time zone) FROM PUBLIC;

-- Those of before.
select jobs.enqueue('erased_contacts', jsonb_build_object(
  'user_id', user_id, 'at', created_at, 'part', concat_ws('/', 'contact', contact_id, case
    when lines @> '[{"reason": "Non è collegato al contatto"}]' then 'linked' else 'all'
  end)
), user_id)
from public.contact_erasures;

reset check_function_bodies;
