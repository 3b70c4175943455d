-- Roadmap votes once.
--   CREATE OR REPLACE FUNCTION private.keep_received_mail
--   CREATE OR REPLACE FUNCTION private.notify_received_mail
--   CREATE OR REPLACE FUNCTION private.whatsapp_people_left
--   CREATE OR REPLACE FUNCTION public.admin_roadmap
--   CREATE OR REPLACE FUNCTION public.admin_write_roadmap_item
--   CREATE OR REPLACE FUNCTION public.roadmap_board

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.keep_received_mail (
  _user_id uuid,
  _told    jsonb
)
  RETURNS TABLE (
    mail_id    uuid,
    thread_id  uuid,
    contact_id uuid,
    is_new     boolean
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
#variable_conflict use_column
declare
  _mail public.received_mails := jsonb_populate_record(null::public.received_mails, _told);
  _known_id uuid;
begin
  perform private.lock_mails(_user_id);
  _mail.is_by_address := coalesce(_mail.is_by_address, false);
  _mail.is_forwarded := coalesce(_mail.is_forwarded, false);
  if not exists (select from public.mail_addresses where user_id = _user_id and _mail.is_by_address)
    and not exists (select from public.mail_inboxes where user_id = _user_id and not _mail.is_by_address)
  then
    return;
  end if;
  _mail.user_id := _user_id;
  _mail.contact_id := private.living_contact(_user_id, (
    select contact_id from public.contact_emails where user_id = _user_id and norm = _mail.party
  ));
  select id into _known_id from public.received_mails
  where user_id = _user_id and message_id = _mail.message_id and sha256 = _mail.sha256;
  _known_id := coalesce(_known_id, private.same_mail(_mail), (
    select id from public.received_mails
    where user_id = _user_id and folder_name = _mail.folder_name and uidvalidity = _mail.uidvalidity and message_uid = _mail.message_uid
  ));
  if _known_id is not null then
    -- The address is no place: a mailbox finds its mail again by its own.
    if not _mail.is_by_address then
      update public.received_mails
      set folder_name = _mail.folder_name, uidvalidity = _mail.uidvalidity, message_uid = _mail.message_uid
      where id = _known_id;
    end if;
    return query select id, thread_id, contact_id, false from public.received_mails where id = _known_id;
    return;
  end if;
  _mail.reference_ids := private.real_references(_user_id, _mail.reference_ids);
  _mail.thread_id := private.open_thread(_mail);
  _mail.created_at := now();
  insert into public.received_mails select _mail.*;
  perform private.record_received_mail(_mail);
  perform private.notify_received_mail(_mail);
  return query select _mail.id, _mail.thread_id, _mail.contact_id, true;
end
$function$;

CREATE OR REPLACE FUNCTION private.notify_received_mail (
  _mail public.received_mails
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.notify(
    _mail.user_id, 'email_ricevuta', 'Email da ' || name,
    case when _mail.warnings <> '[]' then 'Controlla chi scrive prima di rispondere: ' else '' end || _mail.subject,
    '/crm?vista=posta&conversazione=' || _mail.thread_id, 'email_ricevuta:' || _mail.id, 'mail_thread', _mail.thread_id
  )
  from public.contacts
  where user_id = _mail.user_id and id = _mail.contact_id and _mail.folder = 'ricevuti' and _mail.kind = 'persona'
    -- The first reading brings a year of mails, and the first after a pause some days of them.
    and _mail.at > now() - interval '1 day'
    -- A forwarded mail was read by its owner.
    and not _mail.is_forwarded
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_people_left (
  _account public.whatsapp_accounts
)
  RETURNS integer
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select greatest((_account).people_a_day - count(distinct channel_id), 0)::integer
  from public.whatsapp_messages
  where user_id = (_account).user_id and is_outside_window and state <> 'cancelled' and state <> 'failed'
    and coalesce(sent_at, not_before) > now() - interval '24 hours'
    -- Messages of a campaign that are due on later days do not count today.
    and (batch_id is null or coalesce(sent_at, not_before) < now() + interval '24 hours')
$function$;

CREATE OR REPLACE FUNCTION public.admin_roadmap()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  return jsonb_build_object(
    'items', (
      select coalesce(jsonb_agg(to_jsonb(items) || jsonb_build_object(
        'is_late', private.roadmap_item_is_late(items), 'votes', votes,
        'ideas', (select count(*) from private.ideas where item_id = items.id),
        'error', (select message from private.error_groups where id = error_group_id)
      ) order by votes desc, id desc), '[]')
      from (
        -- Open items first: old decisions make room for them.
        select * from private.roadmap_items order by state in ('done', 'declined'), id desc limit 300
      ) as items
      cross join lateral private.roadmap_item_votes(id) as votes
    ),
    'ideas', (
      -- Without their authors.
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', id, 'title', title, 'text', text, 'item_id', item_id, 'is_declined', is_declined, 'reply', reply,
        'created_at', created_at
      ) order by answered_at is not null, id desc), '[]')
      from (select * from private.ideas order by answered_at is not null, id desc limit 200) as ideas
    )
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.admin_write_roadmap_item (
  _title          text,
  _text           text,
  _state          text,
  _is_public      boolean DEFAULT false,
  _due_on         date    DEFAULT NULL::date,
  _kind           text    DEFAULT 'product'::text,
  _error_group_id bigint  DEFAULT NULL::bigint,
  _id             bigint  DEFAULT NULL::bigint
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _before private.roadmap_items;
  _item private.roadmap_items;
begin
  perform private.require_admin();
  if _id is null then
    insert into private.roadmap_items (kind, title, text, state, is_public, due_on, error_group_id, done_at)
    values (_kind, _title, _text, _state, _is_public, _due_on, _error_group_id, case _state when 'done' then now() end)
    returning * into _item;
  else
    select * into _before from private.roadmap_items where id = _id for update;
    if not found then
      raise exception 'no such item' using errcode = 'PT404';
    end if;
    update private.roadmap_items set title = _title, text = _text, state = _state, is_public = _is_public,
      due_on = _due_on, done_at = case _state when 'done' then coalesce(done_at, now()) end
    where id = _id returning * into _item;
  end if;
  if _before.state is distinct from _item.state then
    perform private.notify_ideas(_item);
  end if;
  -- The title is the reason as well: no other one is asked for.
  perform private.log_admin_action(
    'roadmap.write', _item.id::text, null,
    case when _id is not null then jsonb_build_object('state', _before.state, 'is_public', _before.is_public) end,
    jsonb_build_object('state', _item.state, 'is_public', _item.is_public), _item.title
  );
  return _item.id;
end
$function$;

CREATE OR REPLACE FUNCTION public.roadmap_board()
  RETURNS TABLE (
    id      bigint,
    title   text,
    text    text,
    state   text,
    due_on  date,
    is_late boolean,
    done_at timestamp with time zone,
    votes   integer,
    is_mine boolean
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
  select id, title, text, state, due_on, private.roadmap_item_is_late(items), done_at, votes,
    exists (select from private.roadmap_votes where item_id = items.id and user_id = (select auth.uid()))
  from private.roadmap_items as items cross join lateral private.roadmap_item_votes(id) as votes
  where is_public and state <> 'declined'
  order by state = 'done', votes desc, id desc limit 100
$function$;

reset check_function_bodies;
