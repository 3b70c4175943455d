-- Italian tax identifiers: checks of VAT numbers, tax codes, SDI codes, IBANs and ATECO codes, and the tax regimes.

create type public.tax_regime as enum ('forfettario', 'ordinario', 'semplificato', 'altro');

create function private.is_vat_number(_number text)
  returns boolean
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  -- Seven digits of the person, three of the office that gave the number, one check digit (Luhn). An
  -- unknown office is no error: the list of offices grows. The import and the checks of invoices warn of it.
  select case when _number !~ '^[0-9]{11}$' or _number ~ '^0{7}' then false
    else (
      select sum(case when place % 2 = 1 then digit when digit > 4 then digit * 2 - 9 else digit * 2 end) % 10 = 0
      from generate_series(1, 11) as place, lateral (select substr(_number, place, 1)::integer as digit) as digits
    )
  end
$$;
comment on function private.is_vat_number(text) is 'Whether a text is a partita IVA: 11 digits, the last by Luhn.';
revoke all on function private.is_vat_number from public, anon, authenticated, service_role;
grant execute on function private.is_vat_number to authenticated, service_role;

create function private.is_tax_code(_code text)
  returns boolean
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  -- Letters stand for digits where two people would have the same code (omocodia). A woman's day counts from 41. The
  -- century is unknown; 2000 is a leap year, so it forgives a 29 February.
  select case
    when _code !~ '^[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]$' then false
    else (
      select day - case when day > 40 then 40 else 0 end between 1
        and extract(day from make_date(2000 + year, month, 1) + interval '1 month - 1 day')
      from (
        select translate(substr(_code, 7, 2), 'LMNPQRSTUV', '0123456789')::integer as year,
          strpos('ABCDEHLMPRST', substr(_code, 9, 1)) as month,
          translate(substr(_code, 10, 2), 'LMNPQRSTUV', '0123456789')::integer as day
      ) as birth
    ) and (
      -- What a character in an odd place counts, by its place in the alphabet or its digit (D.M. 23 December 1976).
      select chr(65 + sum(
          case when place % 2 = 0 then value
            else ('{1,0,5,7,9,13,15,17,19,21,2,4,18,20,11,3,6,8,12,14,16,10,22,25,24,23}'::integer[])[value + 1] end
        )::integer % 26) = substr(_code, 16, 1)
      from generate_series(1, 15) as place, lateral (
        select ascii(substr(_code, place, 1)) - case when substr(_code, place, 1) ~ '[0-9]' then 48 else 65 end as value
      ) as characters
    )
  end
$$;
comment on function private.is_tax_code(text) is
  'Whether a text is the codice fiscale of a person: 16 characters, the birthday exists and the last letter fits.';
revoke all on function private.is_tax_code from public, anon, authenticated, service_role;
grant execute on function private.is_tax_code to authenticated, service_role;

create function private.is_sdi_code(_code text)
  returns boolean
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select _code ~ '^[A-Z0-9]{7}$'
$$;
comment on function private.is_sdi_code(text) is 'Whether a text is a codice destinatario of the exchange system.';
revoke all on function private.is_sdi_code from public, anon, authenticated, service_role;
grant execute on function private.is_sdi_code to authenticated, service_role;

create function private.bare_iban(_iban text)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select upper(regexp_replace(_iban, '[^A-Za-z0-9]', '', 'g'))
$$;
comment on function private.bare_iban(text) is 'An account as it is compared: letters and digits only, upper case.';
revoke all on function private.bare_iban from public, anon, authenticated, service_role;

create function private.is_iban(_iban text)
  returns boolean
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  -- The lengths that functions/_shared/fatturapa/identities.py and web/src/lib/iban.ts know too; others are only
  -- checked by their remainder.
  select case
    when _iban !~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$' then false
    when char_length(_iban) <> coalesce((
      '{"IT": 27, "SM": 27, "DE": 22, "FR": 27, "ES": 24, "AT": 20, "CH": 21, "BE": 16, "NL": 18, "LT": 20, "GB": 22}'
      ::jsonb ->> left(_iban, 2)
    )::integer, char_length(_iban)) then false
    else (
      select string_agg(case when sign ~ '[0-9]' then sign else (ascii(sign) - 55)::text end, '' order by place)::numeric
        % 97 = 1
      from regexp_split_to_table(substr(_iban, 5) || left(_iban, 4), '') with ordinality as signs (sign, place)
    )
  end
$$;
comment on function private.is_iban(text) is
  'Whether a text is an IBAN, upper case and without blanks, with right length and check digits (ISO 13616).';
revoke all on function private.is_iban from public, anon, authenticated, service_role;
grant execute on function private.is_iban to authenticated, service_role;

create function private.is_ateco(_code text)
  returns boolean
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select _code ~ '^[0-9]{2}[.][0-9]{2}[.][0-9]{2}$' and left(_code, 2) <> '00'
$$;
comment on function private.is_ateco(text) is
  'Whether a text has the shape of an ATECO code as a registration of VAT carries it: «74.12.01».';
revoke all on function private.is_ateco from public, anon, authenticated, service_role;
grant execute on function private.is_ateco to authenticated, service_role;

create function private.bare_number(_number text)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select regexp_replace(upper(regexp_replace(_number, '\s', '', 'g')), '^IT', '')
$$;
comment on function private.bare_number(text) is 'A tax number without blanks and without its country, if that is Italy.';
revoke all on function private.bare_number from public, anon, authenticated, service_role;
