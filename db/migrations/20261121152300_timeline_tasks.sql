-- The timeline of a contact gets its tasks: an open one stands where it was written down, a finished one where it was done.

do $$
begin
  -- Whatever branches the view has by now stay as they are.
  execute format($view$
    create or replace view public.timeline with (security_invoker = on) as
    %s
    union all
    select 'task:' || id, user_id, contact_id, 'attivita', coalesce(completed_at, created_at),
      case when completed_at is null then 'Attività' else 'Attività completata' end,
      title::text, 'task', id, jsonb_build_object(
        'state', state, 'due_at', due_at, 'due_is_allday', due_is_allday, 'priority', priority, 'project_id', project_id
      )
    from public.tasks
    where contact_id is not null and deleted_at is null
  $view$, rtrim(pg_get_viewdef('public.timeline'::regclass), ';'));
end
$$;
