-- What a merge left hidden is kept for as long as it can be undone.

create function private.forget_merges(_days integer)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with old as (
    -- That two contacts were merged stays in the timeline; what they were before does not.
    update public.merge_log set changes = '[]'
    where created_at < now() - make_interval(days => _days) and changes <> '[]'
    returning user_id, winner_id, loser_id, undone_at
  ), gone as (
    delete from public.contacts using old
    where contacts.user_id = old.user_id and contacts.id = old.loser_id and contacts.merged_into = old.winner_id
      and old.undone_at is null
    returning contacts.id
  )
  select count(*) from gone
$$;
comment on function private.forget_merges(integer) is
  'Erases contacts that were merged longer ago than so many days, and the way back; answers how many.';

revoke all on function private.forget_merges(integer) from public, anon, authenticated, service_role;
grant execute on function private.forget_merges(integer) to service_role;
