-- Limitation of processing (GDPR, art. 18): a person's data stay where they are, and nothing is done with them.
--
-- A limited account (profiles.limited_since) is frozen like one that waits for its deletion (private.is_frozen,
-- 63_account_deletion.sql): no answer of the assistant, no insight, no briefing, no notice but those of security; mails and
-- messages wait, no mailbox is read, the address for forwarded mails takes none, the calendar feed is closed. Nothing is
-- disconnected: without the limit all goes on.

create function public.limit_processing(_is_limited boolean)
  returns timestamptz
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _person constant uuid := (select auth.uid());
  _since timestamptz;
begin
  update public.profiles set limited_since = case when _is_limited then coalesce(limited_since, now()) end
  where user_id = _person returning limited_since into _since;
  if _is_limited then
    update public.runs set stop_requested_at = now()
    where user_id = _person and state = 'running' and stop_requested_at is null;
  else
    -- What changed meanwhile has no insight yet.
    insert into private.insight_marks (user_id) values (_person);
  end if;
  return _since;
end
$$;
comment on function public.limit_processing(boolean) is
  'Limits the processing of the caller''s data, or ends that; answers since when it is limited, null when it is not.';
revoke all on function public.limit_processing from public, anon, authenticated, service_role;
grant execute on function public.limit_processing to authenticated;
