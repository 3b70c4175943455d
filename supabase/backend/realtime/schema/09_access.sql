-- The API roles write and read messages as far as policies let them; everything else is the service's own.

grant usage on schema realtime to anon, authenticated, service_role;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;
grant execute on function realtime.topic() to anon, authenticated, service_role;
revoke execute on function realtime.send(jsonb, text, text, boolean) from public;
revoke execute on function realtime.send_binary(bytea, text, text, boolean) from public;
grant execute on function realtime.send(jsonb, text, text, boolean) to anon, authenticated, service_role;
grant execute on function realtime.send_binary(bytea, text, text, boolean) to anon, authenticated, service_role;
revoke all on realtime.parcels, realtime.nodes, realtime.changes from public, anon, authenticated;
