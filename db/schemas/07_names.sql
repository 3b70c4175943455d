-- Names and words as they are compared: without accents, capitals and punctuation, company forms as one word.
--
-- functions/_shared/names.py does the same; tests/vectors/names.json holds the cases of both.

-- Immutable although unaccent() is only stable: its dictionary never changes here.
create function private.words(_text text)
  returns text
  language plpgsql immutable strict parallel safe
  set search_path = ''
as $$
declare
  _forms constant text := '\m(s r l|s r l s|s p a|s n c|s a s|s a p a|s c a r l)\M';
  _words text := btrim(regexp_replace(
    lower(extensions.unaccent(
      'extensions.unaccent'::regdictionary, regexp_replace(normalize(_text, NFKD), '[\u0300-\u036f]', '', 'g')
    )), '[^[:alnum:]]+', ' ', 'g'
  ));
begin
  -- Marks each company form with <> and removes the spaces in it.
  if _words ~ _forms then
    _words := regexp_replace(regexp_replace(_words, _forms, '<\1>', 'g'), ' (?=[a-z ]{1,7}>)', '', 'g');
    _words := translate(_words, '<>', '');
  end if;
  return _words;
end
$$;
comment on function private.words(text) is
  'The words of a text without accents, capitals and punctuation, one space between them; «S.r.l.» and «s r l» are srl.';
revoke all on function private.words from public, anon, authenticated, service_role;
grant execute on function private.words to service_role;

-- Security definer because an index of contacts uses it: owners insert contacts, but may not use the private schema.
create function private.name_key(_name text)
  returns text
  language sql immutable strict parallel safe security definer
  set search_path = ''
as $$
  -- A name may have neither letter nor digit.
  select coalesce(nullif(replace(private.words(_name), ' ', ''), ''), private.one_line(_name))
$$;
comment on function private.name_key(text) is
  'Equal for names that differ only in accents, capitals, punctuation and spaces: «D''Angelò S.r.l.» is dangelosrl.';
revoke all on function private.name_key from public, anon, authenticated, service_role;
grant execute on function private.name_key to authenticated, service_role;
