-- Snippets keep emoji.
--   CREATE OR REPLACE FUNCTION private.page_snippet
--   CREATE OR REPLACE FUNCTION private.plain_line
--   COMMENT ON FUNCTION private.page_snippet

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.page_snippet (
  _text     text,
  _patterns text[]
)
  RETURNS TABLE (
    snippet text,
    marks   integer[]
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  _pattern text;
  _at integer := 0;
begin
  foreach _pattern in array _patterns loop
    _at := regexp_instr(_text, _pattern, 1, 1, 0, 'i');
    exit when _at > 0;
  end loop;
  if _at = 0 then
    -- Perhaps it is broken at the end of a line.
    _text := private.plain_line(_text);
    foreach _pattern in array _patterns loop
      _at := regexp_instr(_text, _pattern, 1, 1, 0, 'i');
      exit when _at > 0;
    end loop;
  end if;
  snippet := private.plain_line(substr(_text, greatest(_at - 80, 1), 280));
  if _at > 81 then
    snippet := '…' || regexp_replace(snippet, '^\S*\s', '');
  end if;
  if char_length(_text) > greatest(_at - 80, 1) + 279 then
    snippet := regexp_replace(snippet, '\s\S*$', '') || '…';
  end if;
  snippet := btrim(snippet);
  marks := array(
    select unnest(array[first - 1, last])
    -- A character beyond the first plane, such as an emoji, counts twice in a browser.
    from private.places(
      regexp_replace(snippet, E'[\\U00010000-\\U0010FFFF]', E'\u25a1\u25a1', 'g'), array_to_string(_patterns, '|')
    )
    order by first
  );
  return next;
end
$function$;

CREATE OR REPLACE FUNCTION private.plain_line (
  _text text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  STRICT
  SET search_path TO ''
  AS $function$
  select regexp_replace(private.joined_lines(_text), '[[:space:][:cntrl:]]+', ' ', 'g')
$function$;

COMMENT ON FUNCTION "private"."page_snippet"(text, text[]) IS 'A sentence or two around the first match, of the first pattern that has one, and where all matches begin and end in it, in UTF-16 units.';

reset check_function_bodies;
