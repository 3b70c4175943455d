-- What its owner decides about a conversation by mail: whether it goes on in another one, and that it is a deal.
--
-- Error codes raised:
--   PT404  the caller has no such thread (PostgREST answers 404)

-- Security definer because threads and their mails are written by the server only.
create function public.decide_thread(_thread_id uuid, _is_same boolean)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _thread public.mail_threads;
begin
  -- As keep_received_mail does, so that no mail joins a thread that goes.
  perform private.lock_mails(_user_id);
  select * into _thread from public.mail_threads where user_id = _user_id and id = _thread_id;
  if not found then
    raise exception 'no such thread' using errcode = 'PT404';
  elsif _thread.suggested_thread_id is null or not _is_same then
    update public.mail_threads set suggested_thread_id = null where id = _thread_id;
    return _thread_id;
  end if;
  update public.received_mails set thread_id = _thread.suggested_thread_id
  where user_id = _user_id and thread_id = _thread_id;
  update public.mail_thread_letters set thread_id = _thread.suggested_thread_id
  where user_id = _user_id and thread_id = _thread_id;
  update public.mail_threads as kept
  set contact_id = coalesce(kept.contact_id, _thread.contact_id), invoice_id = coalesce(kept.invoice_id, _thread.invoice_id),
    deal_id = coalesce(kept.deal_id, _thread.deal_id), has_warnings = kept.has_warnings or _thread.has_warnings,
    is_done = kept.is_done and _thread.is_done, last_at = greatest(kept.last_at, _thread.last_at),
    party = case when _thread.last_at >= kept.last_at then _thread.party else kept.party end,
    party_name = case when _thread.last_at >= kept.last_at then _thread.party_name else kept.party_name end,
    snippet = case when _thread.last_at >= kept.last_at then _thread.snippet else kept.snippet end,
    kind = case when _thread.last_at >= kept.last_at then _thread.kind else kept.kind end
  where kept.id = _thread.suggested_thread_id;
  -- What was thought to go on in this one goes on in the other.
  update public.mail_threads set suggested_thread_id = _thread.suggested_thread_id
  where user_id = _user_id and suggested_thread_id = _thread_id and id <> _thread.suggested_thread_id;
  delete from public.mail_threads where id = _thread_id;
  return _thread.suggested_thread_id;
end
$$;
comment on function public.decide_thread(uuid, boolean) is
  'Joins a thread of the caller with the one that its subject suggests, or says that they are two; answers the thread that stays.';
revoke all on function public.decide_thread from public, anon, authenticated, service_role;
grant execute on function public.decide_thread to authenticated;

-- Security definer because a deal that a mail named has an origin of its own: a stranger wrote its title.
create function public.make_thread_deal(_thread_id uuid)
  returns uuid
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _thread public.mail_threads;
  _deal_id uuid;
begin
  select * into _thread from public.mail_threads where user_id = _user_id and id = _thread_id for no key update;
  if not found then
    raise exception 'no such thread' using errcode = 'PT404';
  elsif exists (
    select from public.deals where user_id = _user_id and id = _thread.deal_id and deleted_at is null
  ) then
    return _thread.deal_id;
  end if;
  insert into public.deals (user_id, contact_id, title, stage_id, origin)
  select _user_id, _thread.contact_id, _thread.subject, id, 'email'
  from public.ensure_stages() where kind = 'aperta' order by position limit 1
  returning id into _deal_id;
  update public.mail_threads set deal_id = _deal_id where id = _thread_id;
  return _deal_id;
end
$$;
comment on function public.make_thread_deal(uuid) is
  'Makes a deal of a thread of the caller, in the first stage and called as its subject; the same deal again while it is there.';
revoke all on function public.make_thread_deal from public, anon, authenticated, service_role;
grant execute on function public.make_thread_deal to authenticated;
