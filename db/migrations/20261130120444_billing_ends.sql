-- Billing ends.
--   DROP TRIGGER append_only ON public.credit_ledger
--   DROP VIEW public.retention_rules
--   ALTER TABLE private.early_bird_seats DROP CONSTRAINT a_taken_seat_says_when
--   CREATE OR REPLACE FUNCTION private.accounting_kept_since
--   CREATE OR REPLACE FUNCTION private.expire_wallet
--   CREATE OR REPLACE FUNCTION private.forget_accounting
--   CREATE OR REPLACE FUNCTION private.forget_certificates
--   CREATE OR REPLACE FUNCTION private.last_accounting_at
--   CREATE OR REPLACE FUNCTION private.refuse_deletion_of_entry
--   CREATE OR REPLACE FUNCTION private.take_early_bird_seat
--   CREATE OR REPLACE FUNCTION public.early_bird_seats
--   ALTER TABLE private.early_bird_seats ADD CONSTRAINT a_taken_seat_says_when CHECK (((taken_at IS NOT NULL) OR …
--   CREATE VIEW public.retention_rules WITH (security_invoker=on) AS SELECT rule, title, period, reason, outcome,…
--   REVOKE ALL ON TABLE public.retention_rules FROM anon
--   CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON public.credit_ledger FOR EACH STATEMENT EXECUTE FUNCT…
--   CREATE TRIGGER refuse_deletion BEFORE DELETE ON public.credit_ledger FOR EACH ROW EXECUTE FUNCTION private.re…
--   COMMENT ON FUNCTION private.accounting_kept_since
--   COMMENT ON FUNCTION private.forget_accounting
--   COMMENT ON FUNCTION private.forget_certificates
--   COMMENT ON FUNCTION private.last_accounting_at
--   COMMENT ON FUNCTION private.refuse_deletion_of_entry
--   COMMENT ON TABLE public.credit_ledger IS 'Every movement of credits, append-only: the truth that wallets and …
--   COMMENT ON VIEW public.retention_rules IS 'How long each kind of data is kept and why; `every` is how often t…
--   REVOKE ALL ON FUNCTION private.accounting_kept_since
--   REVOKE ALL ON FUNCTION private.forget_accounting
--   GRANT EXECUTE ON FUNCTION private.forget_accounting
--   REVOKE ALL ON FUNCTION private.forget_certificates
--   GRANT EXECUTE ON FUNCTION private.forget_certificates
--   REVOKE ALL ON FUNCTION private.last_accounting_at
--   REVOKE ALL ON FUNCTION private.refuse_deletion_of_entry
--   REVOKE ALL ON TABLE public.retention_rules FROM authenticated
--   GRANT SELECT ON TABLE public.retention_rules TO authenticated
--   REVOKE ALL ON TABLE public.retention_rules FROM service_role
--   GRANT SELECT ON TABLE public.retention_rules TO service_role

set check_function_bodies = off;

DROP TRIGGER "append_only" ON "public"."credit_ledger";

DROP VIEW "public"."retention_rules";

ALTER TABLE "private"."early_bird_seats"
  DROP CONSTRAINT "a_taken_seat_says_when";

CREATE OR REPLACE FUNCTION private.accounting_kept_since()
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$ select now() - interval '10 years' $function$;

CREATE OR REPLACE FUNCTION private.expire_wallet (
  _user_id uuid
)
  RETURNS integer
  LANGUAGE plpgsql
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  _lot public.credit_lots;
  _done integer := 0;
begin
  for _lot in
    select * from public.credit_lots
    where user_id = _user_id and remaining > 0 and expires_at <= now() order by expires_at, id
  loop
    _done := _done + 1;
    if _lot.order_id is null and _lot.kind <> 'acquisto' or not exists (select from auth.users where id = _user_id) then
      -- With the wallet's last entry the key is a new one: what a won dispute gives back to a lot may expire once more.
      perform private.take(
        _user_id, 'expire', 'expiry',
        format('expire:%s:%s', _lot.id, (select max(id) from public.credit_ledger where user_id = _user_id)),
        array[_lot.id], array[_lot.remaining]
      );
    else
      perform private.book(
        _user_id, 'extend', 'expiry', format('extend:%s:%s', _lot.id, extract(epoch from _lot.expires_at)),
        array[_lot.id], array[0::bigint]
      );
      update public.credit_lots
      set expires_at = (
        expires_at at time zone 'Europe/Rome'
        + make_interval(months => 12 * (1 + extract(year from age(now(), expires_at))::integer))
      ) at time zone 'Europe/Rome'
      where id = _lot.id;
    end if;
  end loop;
  return _done;
end
$function$;

CREATE OR REPLACE FUNCTION private.forget_accounting (
  _limit integer
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid;
  _order_ids uuid[];
  _rows text;
  _gone bigint;
  _erased bigint := 0;
begin
  for _user_id in
    select user_id from public.credit_wallets
    where updated_at < private.accounting_kept_since() and case
      when exists (select from auth.users where id = user_id) then false
      else private.last_accounting_at(user_id) < private.accounting_kept_since()
    end
    limit _limit for update skip locked
  loop
    _order_ids := array(select id from public.credit_orders where user_id = _user_id);
    -- Each table before those that it references.
    foreach _rows in array array[
      'public.payment_alerts where order_id = any ($2)'
        ' or event_id in (select id from public.payment_events where order_id = any ($2))',
      'public.payment_events where order_id = any ($2)',
      'private.order_disputes where order_id = any ($2)',
      'public.order_refunds where order_id = any ($2)',
      'public.fiscal_documents where order_id = any ($2)',
      'public.credit_orders where user_id = $1',
      'public.credit_ledger where user_id = $1',
      'public.hold_lots where user_id = $1',
      'public.credit_holds where user_id = $1',
      'public.credit_lots where user_id = $1',
      'public.credit_wallets where user_id = $1'
    ] loop
      execute 'delete from ' || _rows using _user_id, _order_ids;
      get diagnostics _gone = row_count;
      _erased := _erased + _gone;
    end loop;
    -- The seat stays taken, but says neither by whom nor from which mailbox.
    update private.early_bird_seats set user_id = null, mailbox = null where user_id = _user_id;
    exit when _erased >= _limit;
  end loop;
  return _erased;
end
$function$;

CREATE OR REPLACE FUNCTION private.forget_certificates (
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with gone as (
    delete from public.deletion_requests where id in (
      select id from public.deletion_requests as old
      where not exists (select from auth.users where users.id = old.user_id)
        -- It says whose deletion the accounting outlived.
        and not exists (select from public.credit_wallets where credit_wallets.user_id = old.user_id)
        -- A request that was taken back goes with the certificate, not before it; one that waits keeps all.
        and not exists (
          select from public.deletion_requests as younger
          where younger.user_id = old.user_id
            and coalesce(younger.erased_at, younger.cancelled_at, 'infinity') >= private.accounting_kept_since()
        )
      limit _limit
    )
    returning id
  )
  select count(*) from gone
$function$;

CREATE OR REPLACE FUNCTION private.last_accounting_at (
  _user_id uuid
)
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with orders as (
    select * from public.credit_orders where user_id = _user_id
  ), events as (
    select * from public.payment_events where order_id in (select id from orders)
  )
  select greatest(
    (select updated_at from public.credit_wallets where user_id = _user_id),
    (select max(created_at) from public.credit_lots where user_id = _user_id),
    (select max(greatest(created_at, closed_at)) from public.credit_holds where user_id = _user_id),
    (select max(created_at) from public.credit_ledger where user_id = _user_id),
    -- Not checked_at: a question to Stripe is no entry, and an order without an answer is asked about for ever.
    (
      select max(greatest(
        created_at, submitted_at, withdrawal_waiver_at, paid_at, fulfilled_at, receipt_at, failed_at, expired_at, withdrawn_at,
        disputed_at, dispute_won_at, dispute_lost_at, orphaned_at
      ))
      from orders
    ),
    (
      select max(greatest(created_at, settled_at)) from public.order_refunds where order_id in (select id from orders)
    ),
    (select max(created_at) from public.fiscal_documents where order_id in (select id from orders)),
    (select max(told_at) from private.order_disputes where order_id in (select id from orders)),
    (select max(greatest(received_at, handled_at)) from events),
    (
      select max(greatest(created_at, resolved_at)) from public.payment_alerts
      where order_id in (select id from orders) or event_id in (select id from events)
    )
  )
$function$;

CREATE OR REPLACE FUNCTION private.refuse_deletion_of_entry()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if old.created_at < private.accounting_kept_since() and not exists (select from auth.users where id = old.user_id) then
    return old;
  end if;
  raise exception 'table %.% is append-only', tg_table_schema, tg_table_name using errcode = 'restrict_violation';
end
$function$;

CREATE OR REPLACE FUNCTION private.take_early_bird_seat (
  _user_id uuid,
  _email   text
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Two confirmations of one mailbox at once: the second waits, and sees the first.
  perform pg_advisory_xact_lock(hashtextextended('early bird ' || encode(private.mailbox(_email), 'hex'), 0));
  update private.early_bird_seats set user_id = _user_id, taken_at = now(), mailbox = private.mailbox(_email)
  where seat = (
    select seat from private.early_bird_seats where taken_at is null order by seat limit 1 for update skip locked
  ) and not exists (
    select from private.early_bird_seats where user_id = _user_id or mailbox = private.mailbox(_email)
  );
  if found then
    perform private.grant_credits(_user_id, private.early_bird_credits(), 'bonus', 'promo', 'early-bird');
  end if;
  return found;
end
$function$;

CREATE OR REPLACE FUNCTION public.early_bird_seats()
  RETURNS integer
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$select count(taken_at)::integer from private.early_bird_seats$function$;

ALTER TABLE "private"."early_bird_seats"
  ADD CONSTRAINT "a_taken_seat_says_when" CHECK (((taken_at IS NOT NULL) OR ((user_id IS NULL) AND (mailbox IS NULL))));

CREATE VIEW "public"."retention_rules" WITH (security_invoker=on) AS  SELECT rule,
    title,
    period,
    reason,
    outcome,
    (every)::interval AS every,
    is_personal,
    (tables)::text[] AS tables
   FROM ( VALUES ('temporary_conversations'::text,'Conversazioni temporanee'::text,'1 ora dall’ultimo messaggio'::text,'Le hai volute temporanee'::text,'delete'::text,'10 minutes'::text,true,'{public.conversations}'::text), ('trash'::text,'Cestino: contatti, trattative, bozze, note, progetti e attività'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.contacts,public.deals,public.drafts,public.notes,public.projects,public.tasks}'::text), ('documents'::text,'Documenti nel cestino, con i loro file'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.documents}'::text), ('client_requests'::text,'Richieste dei tuoi clienti sui loro dati, con i certificati di cancellazione'::text,'5 anni dalla chiusura'::text,'Per dimostrare che hai risposto, finché si può chiedertelo (art. 28 L. 689/1981)'::text,'delete'::text,'1 day'::text,true,'{public.contact_requests,public.contact_erasures}'::text), ('merges'::text,'Contatti uniti ad altri'::text,'30 giorni dall’unione'::text,'Per poter annullare l’unione'::text,'delete'::text,'1 day'::text,true,'{public.merge_log}'::text), ('goals'::text,'Obiettivi conclusi, con i loro passi'::text,'90 giorni dalla fine'::text,'Per rileggerli'::text,'delete'::text,'1 day'::text,true,'{public.goals,public.goal_steps}'::text), ('ethical_logs'::text,'Registro etico'::text,'12 mesi'::text,'Per dimostrare che cosa è stato deciso; senza l’account resta senza il tuo nome'::text,'keep'::text,'1 day'::text,true,'{public.ethical_logs}'::text), ('insights'::text,'Suggerimenti proattivi'::text,'30 giorni'::text,'Servono finché sono attuali'::text,'delete'::text,'1 day'::text,true,'{public.insights}'::text), ('mails'::text,'Email ricevute da liste e sistemi automatici'::text,'180 giorni'::text,'Non sono conversazioni con i tuoi clienti'::text,'delete'::text,'1 day'::text,true,'{public.received_mails}'::text), ('shared_mails'::text,'Conteggio delle email inviate tramite Socio'::text,'12 mesi'::text,'Per riconoscere le risposte e proteggere il mittente comune'::text,'delete'::text,'1 day'::text,true,'{private.shared_mails}'::text), ('whatsapp_deliveries'::text,'Messaggi WhatsApp nella forma in cui Meta li consegna'::text,'7 giorni'::text,'Per leggerli di nuovo dopo un guasto'::text,'delete'::text,'1 day'::text,true,'{private.whatsapp_deliveries}'::text), ('notifications'::text,'Avvisi letti'::text,'12 mesi da quando li leggi'::text,'Per ritrovarli'::text,'delete'::text,'1 day'::text,true,'{public.notifications}'::text), ('deleted_notifications'::text,'Avvisi che elimini'::text,'1 giorno'::text,'Per poter annullare'::text,'delete'::text,'1 day'::text,true,'{private.deleted_notifications}'::text), ('deliveries'::text,'Registro degli invii di avvisi'::text,'90 giorni'::text,'Per non inviarli due volte'::text,'delete'::text,'1 day'::text,true,'{private.notification_deliveries}'::text), ('events'::text,'Statistiche d’uso'::text,'24 mesi'::text,'Il tuo consenso alle statistiche'::text,'delete'::text,'1 hour'::text,true,'{public.analytics_events}'::text), ('errors'::text,'Errori del browser'::text,'90 giorni'::text,'Interesse legittimo: correggere i guasti'::text,'delete'::text,'1 hour'::text,true,'{public.error_logs}'::text), ('waiting_list'::text,'Lista d’attesa'::text,'24 mesi, 7 giorni se l’indirizzo non è confermato'::text,'Il consenso di chi si iscrive'::text,'delete'::text,'1 hour'::text,false,'{}'::text), ('exports'::text,'Archivi dei tuoi dati da scaricare'::text,'7 giorni, o finché non ne chiedi un altro'::text,'Per scaricarli con calma'::text,'delete'::text,'1 hour'::text,true,'{}'::text), ('runs'::text,'Registro delle cancellazioni'::text,'24 mesi'::text,'Per dimostrare che i termini sono rispettati'::text,'delete'::text,'1 day'::text,false,'{}'::text), ('qa_runs'::text,'Prove automatiche su telefono e browser'::text,'Le ultime 30 di ogni tipo'::text,'Per vedere che cosa è peggiorato'::text,'delete'::text,'1 day'::text,false,'{}'::text), ('chat'::text,'Conversazioni con l’assistente'::text,'Finché non le elimini, o finché hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.messages,public.message_feedback,public.tool_calls,public.runs}'::text), ('memory'::text,'Memoria di Socio'::text,'Finché non la elimini, o finché hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.memories,public.memory_settings,public.memory_uses}'::text), ('billing'::text,'Ordini e movimenti di crediti'::text,'Finché hai l’account, e comunque per 10 anni dall’ultimo movimento'::text,'Obbligo di legge (art. 2220 c.c.): senza l’account restano senza indirizzo, e con i dati di chi compra solo se c’è fattura'::text,'keep'::text,'1 day'::text,true,'{public.credit_orders,public.credit_ledger,public.credit_lots,public.credit_wallets,public.credit_holds,public.hold_lots,private.early_bird_seats}'::text), ('account'::text,'Tutto il resto del tuo account'::text,'30 giorni da quando chiedi di eliminarlo'::text,'Per poter annullare'::text,'delete'::text,NULL::text,true,'{}'::text), ('certificates'::text,'Certificati di eliminazione'::text,'10 anni dall’eliminazione, e comunque finché restano gli ordini'::text,'Per dimostrare che è avvenuta: dicono quante righe c’erano, non di chi'::text,'keep'::text,'1 day'::text,true,'{public.deletion_requests}'::text)) rules(rule, title, period, reason, outcome, every, is_personal, tables);

REVOKE ALL ON TABLE "public"."retention_rules" FROM "anon";

CREATE TRIGGER append_only
  BEFORE UPDATE OR TRUNCATE ON public.credit_ledger
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER refuse_deletion
  BEFORE DELETE ON public.credit_ledger
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_deletion_of_entry();

COMMENT ON FUNCTION "private"."accounting_kept_since"() IS 'Since when accounting is kept whatever happens to its account: ten years (art. 2220 c.c.).';

COMMENT ON FUNCTION "private"."forget_accounting"(integer) IS 'Deletes the accounting of accounts that are gone, ten years after its last entry: one account after the other until so many rows are deleted, each whole; answers how many.';

COMMENT ON FUNCTION "private"."forget_certificates"(integer) IS 'Deletes the requests of accounts that were erased more than ten years ago and whose accounting is gone; answers how many.';

COMMENT ON FUNCTION "private"."last_accounting_at"(uuid) IS 'When something was last entered in the accounting of an account.';

COMMENT ON FUNCTION "private"."refuse_deletion_of_entry"() IS 'Makes the ledger keep its entries, for its owner too: only those older than ten years, of an account that is gone, may go.';

COMMENT ON TABLE "public"."credit_ledger" IS 'Every movement of credits, append-only: the truth that wallets and lots cache. Entries of accounts that are gone end after ten years.';

COMMENT ON VIEW "public"."retention_rules" IS 'How long each kind of data is kept and why; `every` is how often the job erases, null where only its owner or the end of the account does; `outcome` is keep where rows outlive the account, else delete.';

REVOKE ALL ON FUNCTION "private"."accounting_kept_since"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."forget_accounting"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."forget_accounting"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."forget_certificates"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."forget_certificates"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."last_accounting_at"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_deletion_of_entry"() FROM PUBLIC;

REVOKE ALL ON TABLE "public"."retention_rules" FROM "authenticated";

GRANT SELECT ON TABLE "public"."retention_rules" TO "authenticated";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "service_role";

GRANT SELECT ON TABLE "public"."retention_rules" TO "service_role";

reset check_function_bodies;
