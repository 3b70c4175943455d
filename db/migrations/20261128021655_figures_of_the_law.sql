-- Figures of the law.
--   DROP FUNCTION public.set_tax_parameter
--   CREATE OR REPLACE FUNCTION public.admin_set_tax_parameter
--   REVOKE ALL ON FUNCTION public.admin_set_tax_parameter
--   CREATE OR REPLACE FUNCTION public.admin_tax_parameters
--   REVOKE ALL ON FUNCTION public.admin_tax_parameters
--   COMMENT ON FUNCTION public.admin_set_tax_parameter
--   COMMENT ON FUNCTION public.admin_tax_parameters
--   GRANT EXECUTE ON FUNCTION public.admin_set_tax_parameter
--   GRANT EXECUTE ON FUNCTION public.admin_tax_parameters

set check_function_bodies = off;

DROP FUNCTION "public"."set_tax_parameter"(text, date, numeric, text);

CREATE OR REPLACE FUNCTION public.admin_set_tax_parameter (
  _name       text,
  _valid_from date,
  _value      numeric,
  _source     text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _before jsonb;
begin
  perform private.require_admin();
  if not exists (select from public.tax_parameters where name = _name) then
    raise exception 'no such figure' using errcode = 'PT404';
  end if;
  select to_jsonb(tax_parameters) into _before from public.tax_parameters where name = _name and valid_from = _valid_from;
  insert into public.tax_parameters (name, valid_from, value, source) values (_name, _valid_from, _value, _source)
  on conflict (name, valid_from) do update set value = excluded.value, source = excluded.source;
  perform private.log_admin_action(
    'tax_parameter', concat(_name, ' ', _valid_from), null, _before,
    jsonb_build_object('value', _value, 'source', _source), _source
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_set_tax_parameter"(text, date, numeric, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_tax_parameters()
  RETURNS TABLE (
    name       text,
    valid_from date,
    value      numeric,
    source     text
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  return query
    select figures.name, figures.valid_from, figures.value, figures.source from public.tax_parameters as figures
    order by figures.name, figures.valid_from desc limit 500;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_tax_parameters"() FROM PUBLIC, "anon", "service_role";

COMMENT ON FUNCTION "public"."admin_set_tax_parameter"(text, date, numeric, text) IS 'Writes a figure of the law that holds from a day on, for admins; its source is the reason in the log. PT404.';

COMMENT ON FUNCTION "public"."admin_tax_parameters"() IS 'The figures of the law, the newest of each first, for admins.';

GRANT EXECUTE ON FUNCTION "public"."admin_set_tax_parameter"(text, date, numeric, text) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_tax_parameters"() TO "authenticated";

reset check_function_bodies;
