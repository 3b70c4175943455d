-- A deal that the assistant moved, and that is taken back, was won or lost when it was, and not when it came back.

-- Definer: since when a deal is in its stage is kept by private.enter_stage, and written by nobody else.
create function public.take_back_deal(_deal_id uuid, _from uuid, _to uuid, _since timestamptz, _lost_reason text)
  returns boolean
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  update public.deals
  set stage_id = _to, stage_since = coalesce(least(_since, now()), now()), lost_reason = _lost_reason
  where user_id = (select auth.uid()) and id = _deal_id and stage_id = _from and deleted_at is null;
  return found;
end
$$;
comment on function public.take_back_deal(uuid, uuid, uuid, timestamptz, text) is
  'Moves a deal of the caller back into the stage it was in, as long there as it was before; false if it is elsewhere by now.';

revoke all on function public.take_back_deal from public, anon, authenticated, service_role;
grant execute on function public.take_back_deal to authenticated;
