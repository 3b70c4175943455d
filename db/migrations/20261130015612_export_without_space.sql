-- Export without space.
--   DROP FUNCTION private.fail_export
--   ALTER TABLE public.data_exports ADD COLUMN lacked_space boolean NOT NULL DEFAULT false
--   CREATE OR REPLACE FUNCTION private.exports_without_space
--   CREATE OR REPLACE FUNCTION private.fail_export
--   CREATE OR REPLACE FUNCTION private.findings
--   CREATE OR REPLACE FUNCTION private.notify_export
--   ALTER TABLE public.data_exports ADD CONSTRAINT what_lacked_space_failed CHECK (((state = 'fallito'::public.ex…
--   CREATE INDEX data_exports_without_space ON public.data_exports USING btree (created_at) WHERE lacked_space
--   COMMENT ON COLUMN public.data_exports.lacked_space IS 'It failed because too little space was free on the ser…
--   COMMENT ON FUNCTION private.exports_without_space
--   COMMENT ON FUNCTION private.fail_export
--   REVOKE ALL ON FUNCTION private.exports_without_space
--   GRANT EXECUTE ON FUNCTION private.exports_without_space
--   REVOKE ALL ON FUNCTION private.fail_export
--   GRANT EXECUTE ON FUNCTION private.fail_export

set check_function_bodies = off;

DROP FUNCTION "private"."fail_export"(uuid);

ALTER TABLE "public"."data_exports"
  ADD COLUMN "lacked_space" boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION private.exports_without_space()
  RETURNS bigint
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select count(*) from public.data_exports where lacked_space and created_at > now() - interval '1 day'
$function$;

CREATE OR REPLACE FUNCTION private.fail_export (
  _id           uuid,
  _lacked_space boolean DEFAULT false
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.data_exports set state = 'fallito', lacked_space = _lacked_space
  where id = _id and state in ('in_attesa', 'in_corso')
$function$;

CREATE OR REPLACE FUNCTION private.findings (
  _snapshot private.admin_snapshots
)
  RETURNS TABLE (
    rule    text,
    light   text,
    finding text
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select rules.rule, rules.light, rules.finding
  from jsonb_to_record(_snapshot.content -> 'figures') as figures (
    connections numeric, max_connections numeric, xid_age numeric, cache_hit numeric, longest_transaction_s numeric,
    blocked numeric, slot_lag_bytes numeric, longest_wait_s numeric, periodic_late_s numeric, dead_letters numeric,
    mails_failed_today numeric, failed numeric, open_alerts numeric, oldest_waiting_s numeric, drifted numeric,
    old_holds numeric, negative_margins numeric, last_day numeric, day_before numeric, regressions numeric, lints numeric,
    admins_without_factor numeric, breaches_late numeric, breaches_open numeric, guessed numeric, keys_late numeric,
    backup_failed numeric, restore_failed numeric, forged numeric, backup_age_h numeric, restore_age_h numeric,
    backups numeric, reached numeric, rules_changed numeric, proof_age_h numeric, open_incidents numeric,
    failing numeric, free_bytes numeric, total_bytes numeric, exports_without_space numeric,
    lcp_168 numeric, inp_168 numeric, cls_168 numeric
  )
  cross join lateral (values
    ('database', 'connections', 'error', connections > 0.9 * max_connections,
      format('Connessioni quasi finite: %s di %s.', connections, max_connections)),
    ('database', 'xid_age', case when xid_age > 1500000000 then 'error' else 'warning' end, xid_age > 500000000,
      'Il vacuum è in ritardo: le transazioni possono finire.'),
    ('database', 'cache_hit', 'warning', cache_hit < 95, format('Letture dalla memoria: solo il %s %%.', trim_scale(round(cache_hit, 1)))),
    ('database', 'longest_transaction_s', 'warning', longest_transaction_s > 300,
      format('Una transazione è aperta da %s minuti.', floor(longest_transaction_s / 60))),
    ('database', 'blocked', 'warning', blocked > 0, format('Sessioni bloccate: %s.', blocked)),
    ('database', 'slot_lag_bytes', 'warning', slot_lag_bytes > 1073741824,
      format('La replica è indietro di %s.', pg_size_pretty(slot_lag_bytes))),
    ('queue', 'longest_wait_s', 'error', longest_wait_s > 300, format('Un lavoro aspetta da %s minuti.', floor(longest_wait_s / 60))),
    ('queue', 'periodic_late_s', 'error', periodic_late_s > 300,
      format('Un lavoro periodico è in ritardo di %s minuti.', floor(periodic_late_s / 60))),
    ('queue', 'dead_letters', 'warning', dead_letters > 0, format('Lavori falliti: %s.', dead_letters)),
    ('queue', 'mails_failed_today', 'warning', mails_failed_today > 0, format('Email fallite oggi: %s.', mails_failed_today)),
    ('payments', 'failed', 'error', failed > 0, format('Eventi di pagamento falliti: %s.', failed)),
    ('payments', 'open_alerts', 'warning', open_alerts > 0, format('Avvisi aperti sui pagamenti: %s.', open_alerts)),
    ('payments', 'oldest_waiting_s', 'warning', oldest_waiting_s > 3600,
      format('Un evento di pagamento aspetta da %s minuti.', floor(oldest_waiting_s / 60))),
    ('credits', 'drifted', 'error', drifted > 0, format('Portafogli che non tornano con i loro movimenti: %s.', drifted)),
    ('credits', 'old_holds', 'warning', old_holds > 0, format('Riserve aperte da oltre 10 minuti: %s.', old_holds)),
    ('credits', 'negative_margins', 'warning', negative_margins > 0, format('Azioni in perdita: %s.', negative_margins)),
    ('errors', 'last_day', case when last_day > 500 then 'error' else 'warning' end,
      last_day > 500 or last_day > 20 and last_day > 2 * day_before,
      format('Errori nei browser in 24 ore: %s; il giorno prima: %s.', last_day, day_before)),
    ('errors', 'regressions', 'warning', regressions > 0, format('Errori risolti e tornati: %s.', regressions)),
    ('security', 'lints', 'error', lints > 0, format('Regole di sicurezza violate: %s.', lints)),
    ('security', 'breaches_late', 'error', breaches_late > 0, format('Violazioni di dati aperte da oltre 72 ore: %s.', breaches_late)),
    ('security', 'breaches_open', 'warning', breaches_open > 0, format('Violazioni di dati aperte: %s.', breaches_open)),
    ('security', 'admins_without_factor', 'warning', admins_without_factor > 0,
      format('Amministratori senza secondo fattore: %s.', admins_without_factor)),
    ('security', 'guessed', 'warning', guessed > 20, format('Account provati con password sbagliate: %s.', guessed)),
    ('security', 'keys_late', 'warning', keys_late > 0, format('Chiavi da cambiare: %s.', keys_late)),
    ('backups', 'backup_failed', 'error', backup_failed > 0, 'L’ultima copia di sicurezza non è riuscita.'),
    ('backups', 'restore_failed', 'error', restore_failed > 0, 'L’ultima prova di ripristino non è riuscita.'),
    ('backups', 'forged', 'error', forged > 0, format('Prove di ripristino con una firma falsa: %s.', forged)),
    ('backups', 'backup_age_h', case when backup_age_h > 72 then 'error' else 'warning' end, backup_age_h > 26,
      format('L’ultima copia di sicurezza ha %s ore.', round(backup_age_h))),
    ('backups', 'backups', 'warning', backups = 0, 'Non c’è nessuna copia di sicurezza.'),
    ('backups', 'restore_age_h', 'warning', restore_age_h > 240,
      format('L’ultima prova di ripristino ha %s giorni.', floor(restore_age_h / 24))),
    ('isolation', 'reached', 'error', reached > 0, format('Tentativi riusciti di arrivare ai dati altrui: %s.', reached)),
    ('isolation', 'forged', 'error', forged > 0, format('Prove di isolamento con una firma falsa: %s.', forged)),
    ('isolation', 'rules_changed', 'warning', rules_changed > 0, 'Le regole di accesso sono cambiate dopo l’ultima prova.'),
    ('isolation', 'proof_age_h', 'warning', proof_age_h > 240, format('L’ultima prova di isolamento ha %s giorni.', floor(proof_age_h / 24))),
    ('uptime', 'open_incidents', 'error', open_incidents > 0, format('Interruzioni aperte: %s.', open_incidents)),
    ('uptime', 'failing', 'warning', failing > 0, format('Parti che non rispondono: %s.', failing)),
    ('disk', 'free_bytes', case when free_bytes < 0.05 * total_bytes then 'error' else 'warning' end,
      free_bytes < 0.1 * total_bytes,
      format('Spazio libero sul disco: %s su %s.', pg_size_pretty(free_bytes), pg_size_pretty(total_bytes))),
    ('disk', 'exports_without_space', 'error', exports_without_space > 0,
      format('Archivi di dati non preparati per mancanza di spazio in 24 ore: %s.', exports_without_space)),
    ('performance', 'lcp_168', case when lcp_168 > 4000 then 'error' else 'warning' end, lcp_168 > 2500,
      format('Contenuto visibile (LCP): %s ms.', round(lcp_168))),
    ('performance', 'inp_168', case when inp_168 > 500 then 'error' else 'warning' end, inp_168 > 200,
      format('Risposta ai tocchi (INP): %s ms.', round(inp_168))),
    ('performance', 'cls_168', case when cls_168 > 0.25 then 'error' else 'warning' end, cls_168 > 0.1,
      format('Spostamenti (CLS): %s.', replace(round(cls_168, 3)::text, '.', ',')))
  ) as rules (name, rule, light, holds, finding)
  where rules.name = _snapshot.name and holds
$function$;

CREATE OR REPLACE FUNCTION private.notify_export()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if new.state = 'pronto' then
    perform private.notify(
      new.user_id, 'esportazione_conclusa', 'I tuoi dati sono pronti',
      'L’archivio si scarica per 7 giorni, quante volte vuoi.', '/settings/data', 'esportazione:' || new.id
    );
  else
    perform private.notify(
      new.user_id, 'avviso', 'Archivio dei tuoi dati non riuscito',
      case when new.lacked_space then 'Non c’è abbastanza spazio sul server per prepararlo: riprova più tardi.'
        else 'Non siamo riusciti a prepararlo: chiedilo di nuovo.' end,
      '/settings/data', 'esportazione:' || new.id
    );
  end if;
  return null;
end
$function$;

ALTER TABLE "public"."data_exports"
  ADD CONSTRAINT "what_lacked_space_failed" CHECK (((state = 'fallito'::public.export_state) OR (NOT lacked_space)));

CREATE INDEX data_exports_without_space ON public.data_exports USING btree (created_at)
  WHERE lacked_space;

COMMENT ON COLUMN "public"."data_exports"."lacked_space" IS 'It failed because too little space was free on the server: the light «Disco» of admins counts it for a day.';

COMMENT ON FUNCTION "private"."exports_without_space"() IS 'Count the archives of the last day that could not be made for lack of space.';

COMMENT ON FUNCTION "private"."fail_export"(uuid, boolean) IS 'Note that an archive could not be made, and whether that was for lack of space.';

REVOKE ALL ON FUNCTION "private"."exports_without_space"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."exports_without_space"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."fail_export"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fail_export"(uuid, boolean) TO "service_role";

reset check_function_bodies;
