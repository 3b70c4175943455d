-- Erasure by table.
--   DROP FUNCTION private.erase_rows
--   CREATE OR REPLACE FUNCTION private.erase_rows
--   CREATE OR REPLACE FUNCTION private.index_contacts
--   CREATE OR REPLACE FUNCTION private.index_documents
--   CREATE OR REPLACE FUNCTION private.tables_to_erase
--   COMMENT ON FUNCTION private.erase_rows
--   COMMENT ON FUNCTION private.index_contacts
--   COMMENT ON FUNCTION private.index_documents
--   COMMENT ON FUNCTION private.tables_to_erase
--   REVOKE ALL ON FUNCTION private.erase_rows
--   GRANT EXECUTE ON FUNCTION private.erase_rows
--   REVOKE ALL ON FUNCTION private.tables_to_erase
--   GRANT EXECUTE ON FUNCTION private.tables_to_erase

set check_function_bodies = off;

DROP FUNCTION "private"."erase_rows"(uuid, integer);

CREATE OR REPLACE FUNCTION private.erase_rows (
  _request_id uuid,
  _table      text,
  _limit      integer
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid;
  _erased bigint;
begin
  if _table::regclass = any (private.kept_tables()::regclass[]) then
    raise invalid_parameter_value using message = 'a table that is kept';
  end if;
  -- The lock: two workers erase one batch after the other.
  select user_id into _user_id from public.deletion_requests where id = _request_id and erasing_at is not null for update;
  execute format('delete from %1$s where ctid = any (array(select ctid from %1$s where user_id = $1 limit $2))', _table::regclass)
  using _user_id, _limit;
  get diagnostics _erased = row_count;
  return _erased;
end
$function$;

CREATE OR REPLACE FUNCTION private.index_contacts (
  _contacts uuid[]
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if cardinality(_contacts) = 0 or current_setting('socio.index_later', true) = 'on' then
    return;
  end if;
  -- An erasure takes addresses before contacts.
  _contacts := array(select id from public.contacts where id = any (_contacts) and not private.is_being_erased(user_id));
  -- Planning alone takes longer than most of what changes a contact.
  if cardinality(_contacts) > 0 then
    perform private.index_contacts_now(_contacts);
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.index_documents (
  _documents uuid[]
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- First the documents, then the words: in this order for everybody. An erasure takes fields before documents.
  _documents := array(
    select id from public.documents
    where id = any (_documents) and not private.is_being_erased(user_id) order by id for no key update
  );
  perform private.index_texts(user_id, array_agg((
    id, 0, null, case when deleted_at is null then private.document_summary(documents) end
  )::private.document_change))
  from public.documents where id = any (_documents) group by user_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.tables_to_erase()
  RETURNS SETOF text
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select erased from private.personal_tables() as erased where erased <> all ((select private.kept_tables())::text[])
$function$;

COMMENT ON FUNCTION "private"."erase_rows"(uuid, text, integer) IS 'Erases so many rows of one table of an account that is being erased, with what hangs on them; returns how many.';

COMMENT ON FUNCTION "private"."index_contacts"(uuid[]) IS 'Writes again what these contacts are found by, unless an import does so at its end (socio.index_later) or they are being erased.';

COMMENT ON FUNCTION "private"."index_documents"(uuid[]) IS 'Writes again what is known about documents; nothing of those in the trash or of an account that is being erased.';

COMMENT ON FUNCTION "private"."tables_to_erase"() IS 'Every table of which an erasure leaves no row.';

REVOKE ALL ON FUNCTION "private"."erase_rows"(uuid, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."erase_rows"(uuid, text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."tables_to_erase"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tables_to_erase"() TO "service_role";

reset check_function_bodies;
