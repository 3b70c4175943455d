-- The record of processing activities (art. 30 GDPR): as controller (30.1) and as processor for our customers (30.2).

create table private.processing_activities (
  id bigint generated always as identity primary key,
  name public.single_line not null,
  -- titolare: ours; responsabile: on behalf of customers, whose purposes and legal bases are theirs.
  role text not null,
  purpose text not null,
  legal_basis text not null,
  subjects text not null,
  data text not null,
  recipients text not null,
  transfers text not null,
  retention text not null,
  measures text not null,
  -- It is kept when the processing has ended: the record answers for the past too.
  ended_on date,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  constraint name_is_taken unique (name),
  constraint role_is_known check (role in ('titolare', 'responsabile')),
  constraint texts_fit check (
    least(length(purpose), length(legal_basis), length(subjects), length(data), length(recipients), length(transfers),
      length(retention), length(measures)) >= 3
    and greatest(length(purpose), length(legal_basis), length(subjects), length(data), length(recipients),
      length(transfers), length(retention), length(measures)) <= 1000
  )
);
comment on table private.processing_activities is 'The record of art. 30 GDPR; written by admins, never deleted.';
alter table private.processing_activities enable row level security;

create function public.admin_processing_activities()
  returns table (
    id bigint, name text, role text, purpose text, legal_basis text, subjects text, data text, recipients text,
    transfers text, retention text, measures text, ended_on date, updated_at timestamptz
  )
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
begin
  perform private.require_admin();
  return query
    select activity.id, activity.name::text, activity.role, activity.purpose, activity.legal_basis, activity.subjects,
      activity.data, activity.recipients, activity.transfers, activity.retention, activity.measures, activity.ended_on,
      activity.updated_at
    from private.processing_activities as activity
    order by activity.ended_on is not null, activity.role desc, activity.id limit 200;
end
$$;
comment on function public.admin_processing_activities() is
  'The record of processing activities for admins: the present ones first, ours before those on behalf of customers.';
revoke all on function public.admin_processing_activities from public, anon, authenticated, service_role;
grant execute on function public.admin_processing_activities to authenticated;

create function public.admin_write_processing_activity(_activity jsonb, _reason text)
  returns bigint
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
declare
  _new private.processing_activities := jsonb_populate_record(null::private.processing_activities, _activity);
  _before jsonb;
  _after private.processing_activities;
begin
  perform private.require_admin();
  if _new.id is null then
    insert into private.processing_activities (
      name, role, purpose, legal_basis, subjects, data, recipients, transfers, retention, measures, ended_on
    ) values (
      _new.name, _new.role, btrim(_new.purpose), btrim(_new.legal_basis), btrim(_new.subjects), btrim(_new.data),
      btrim(_new.recipients), btrim(_new.transfers), btrim(_new.retention), btrim(_new.measures), _new.ended_on
    ) returning * into _after;
  else
    select to_jsonb(activity) into _before from private.processing_activities as activity where id = _new.id for update;
    if not found then
      raise exception 'no such activity' using errcode = 'PT404';
    end if;
    update private.processing_activities
    set name = _new.name, role = _new.role, purpose = btrim(_new.purpose), legal_basis = btrim(_new.legal_basis),
      subjects = btrim(_new.subjects), data = btrim(_new.data), recipients = btrim(_new.recipients),
      transfers = btrim(_new.transfers), retention = btrim(_new.retention), measures = btrim(_new.measures),
      ended_on = _new.ended_on, updated_at = now()
    where id = _new.id returning * into _after;
  end if;
  perform private.log_admin_action('processing.write', _after.id::text, null, _before, to_jsonb(_after), _reason);
  return _after.id;
end
$$;
comment on function public.admin_write_processing_activity(jsonb, text) is
  'Write an activity into the record, a new one without an id, for admins; every version is in the log of actions.';
revoke all on function public.admin_write_processing_activity from public, anon, authenticated, service_role;
grant execute on function public.admin_write_processing_activity to authenticated;
