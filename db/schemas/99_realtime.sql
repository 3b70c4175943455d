-- Tables whose changes reach the browser. The publication names them also where a database has no logical replication.
-- On hosted Supabase the publication exists and may belong to another role.

do $$
begin
  if not exists (select from pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
  end if;
  alter publication supabase_realtime add table
    public.consents, public.contact_channels, public.contact_emails, public.contact_phones, public.contact_tags, public.contacts,
    public.conversations, public.credit_wallets, public.deals, public.document_fields, public.document_links,
    public.document_tags, public.documents, public.drafts, public.goal_steps, public.goals, public.import_batches,
    public.insights, public.interactions, public.invoice_schedules, public.invoices, public.mail_threads, public.memories, public.messages, public.notes,
    public.notifications, public.outgoing_mails, public.projects, public.segments, public.tags, public.tasks,
    public.tool_calls, public.whatsapp_messages;
exception
  when insufficient_privilege then
    raise warning 'No right to publish changes: the client asks every 30 seconds instead';
end
$$;
