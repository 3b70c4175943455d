-- Telemetry networks.
--   CREATE TABLE private.telemetry_networks ( day date NOT NULL, table_name name NOT NULL, network bigint NOT NUL…
--   ALTER TABLE private.telemetry_networks ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.limit_network_day
--   CREATE TRIGGER network_day BEFORE INSERT ON public.analytics_events FOR EACH ROW EXECUTE FUNCTION private.lim…
--   CREATE TRIGGER network_day BEFORE INSERT ON public.error_logs FOR EACH ROW EXECUTE FUNCTION private.limit_net…
--   COMMENT ON COLUMN private.telemetry_networks.network IS 'A hash of an IPv4 address or of the /64 of an IPv6 a…
--   COMMENT ON FUNCTION private.limit_network_day
--   COMMENT ON TABLE private.telemetry_networks IS 'How many rows of telemetry a network inserted on a day; yeste…
--   REVOKE ALL ON FUNCTION private.limit_network_day
--   GRANT DELETE, SELECT ON TABLE private.telemetry_networks TO service_role

set check_function_bodies = off;

CREATE TABLE "private"."telemetry_networks" (
  "day"        date    NOT NULL,
  "table_name" name    NOT NULL,
  "network"    bigint  NOT NULL,
  "inserted"   integer NOT NULL,
  CONSTRAINT "telemetry_networks_pkey" PRIMARY KEY (day, table_name, network)
);

ALTER TABLE "private"."telemetry_networks"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.limit_network_day()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _limit constant integer := tg_argv[0];
  _address constant text := nullif(current_setting('request.headers', true), '')::jsonb ->> 'x-forwarded-for';
  _network inet;
  _inserted integer;
begin
  if not pg_input_is_valid(coalesce(_address, ''), 'inet') or _address::inet << any (array['127.0.0.0/8', '::/127']::inet[]) then
    return new;
  end if;
  _network := network(set_masklen(_address::inet, case family(_address::inet) when 4 then 32 else 64 end));
  insert into private.telemetry_networks as seen (day, table_name, network, inserted)
  values (current_date, tg_table_name, hashtextextended(current_date || host(_network), 0), 1)
  on conflict (day, table_name, network) do update set inserted = seen.inserted + 1
  returning inserted into _inserted;
  if _inserted > _limit then
    raise exception 'too many rows for one network' using errcode = 'PT429', hint = 'Try again tomorrow.';
  end if;
  return new;
end
$function$;

CREATE TRIGGER network_day
  BEFORE INSERT ON public.analytics_events
  FOR EACH ROW
  EXECUTE FUNCTION private.limit_network_day('20000');

CREATE TRIGGER network_day
  BEFORE INSERT ON public.error_logs
  FOR EACH ROW
  EXECUTE FUNCTION private.limit_network_day('500');

COMMENT ON COLUMN "private"."telemetry_networks"."network" IS 'A hash of an IPv4 address or of the /64 of an IPv6 address.';

COMMENT ON FUNCTION "private"."limit_network_day"() IS 'Refuses a row when its network inserted as many as the argument today (UTC), through PostgREST.';

COMMENT ON TABLE "private"."telemetry_networks" IS 'How many rows of telemetry a network inserted on a day; yesterday''s are deleted.';

REVOKE ALL ON FUNCTION "private"."limit_network_day"() FROM PUBLIC;

GRANT DELETE, SELECT ON TABLE "private"."telemetry_networks" TO "service_role";

reset check_function_bodies;
