-- Turning the memory off is an upsert, and PostgREST writes its whole row anew, the key included: without this right it was
-- refused. Whose row it is the policy holds.
grant update (user_id) on public.memory_settings to authenticated;
