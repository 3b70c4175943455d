-- Goals.
--   DROP VIEW public.retention_rules
--   CREATE TABLE private.autonomy_stops ( user_id uuid NOT NULL, stopped_at timestamp with time zone NOT NULL DEF…
--   ALTER TABLE private.autonomy_stops ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.ethical_anchors ( chain uuid NOT NULL, seq bigint NOT NULL, day date NOT NULL, hash text…
--   ALTER TABLE private.ethical_anchors ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.ethical_chains ( user_id uuid NOT NULL, chain uuid NOT NULL DEFAULT gen_random_uuid(), s…
--   ALTER TABLE private.ethical_chains ENABLE ROW LEVEL SECURITY
--   CREATE TABLE public.agent_mandates ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, agent…
--   ALTER TABLE public.agent_mandates ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.agent_mandates FROM anon
--   CREATE TABLE public.ethical_logs ( id uuid NOT NULL DEFAULT gen_random_uuid(), chain uuid NOT NULL, seq bigin…
--   ALTER TABLE public.ethical_logs ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.ethical_logs FROM anon
--   CREATE TABLE public.goal_steps ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, goal_id u…
--   ALTER TABLE public.goal_steps ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.goal_steps FROM anon
--   CREATE TABLE public.goals ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, agent text NOT…
--   ALTER TABLE public.goals ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.goals FROM anon
--   ALTER TABLE public.invoices ADD COLUMN payment_noted_at timestamp WITH time zone
--   ALTER TABLE public.outgoing_mails ADD COLUMN more_invoice_ids uuid[] NOT NULL DEFAULT '{}'::uuid[]
--   CREATE TYPE public.goal_autonomy AS ENUM ( 'proponi', 'assistita', 'supervisionata' )
--   ALTER TABLE public.agent_mandates ADD COLUMN autonomy public.goal_autonomy NOT NULL
--   ALTER TABLE public.agent_mandates ADD COLUMN max_cents bigint NOT NULL
--   ALTER TABLE public.agent_mandates ADD COLUMN max_recipients_day integer NOT NULL
--   ALTER TABLE public.agent_mandates ADD COLUMN last_tone integer NOT NULL
--   ALTER TABLE public.agent_mandates ADD COLUMN ibans text[] NOT NULL DEFAULT '{}'::text[]
--   ALTER TABLE public.agent_mandates ADD COLUMN given_at timestamp WITH time zone NOT NULL DEFAULT now()
--   ALTER TABLE public.agent_mandates ADD COLUMN revoked_at timestamp WITH time zone
--   CREATE TYPE public.goal_state AS ENUM ( 'bozza', 'pianificato', 'in_approvazione', 'attivo', 'in_attesa', 'in…
--   ALTER TABLE public.goals ADD COLUMN state public.goal_state NOT NULL DEFAULT 'bozza'::public.goal_state
--   CREATE TYPE public.goal_step_state AS ENUM ( 'pianificato', 'in_approvazione', 'approvato', 'fatto', 'saltato…
--   ALTER TABLE public.goal_steps ADD COLUMN state public.goal_step_state NOT NULL DEFAULT 'pianificato'::public.…
--   ALTER TABLE public.goal_steps ADD COLUMN rules jsonb NOT NULL DEFAULT '[]'::jsonb
--   ALTER TABLE public.goal_steps ADD COLUMN approved_hash text
--   ALTER TABLE public.goal_steps ADD COLUMN approved_at timestamp WITH time zone
--   ALTER TABLE public.goal_steps ADD COLUMN expires_at timestamp WITH time zone
--   ALTER TABLE public.goal_steps ADD COLUMN not_before timestamp WITH time zone NOT NULL DEFAULT now()
--   ALTER TABLE public.goal_steps ADD COLUMN attempts integer NOT NULL DEFAULT 0
--   ALTER TABLE public.goal_steps ADD COLUMN leased_until timestamp WITH time zone
--   ALTER TABLE public.goal_steps ADD COLUMN error text
--   ALTER TABLE public.goal_steps ADD COLUMN done_at timestamp WITH time zone
--   ALTER TABLE public.goal_steps ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE TYPE public.goal_wait AS ENUM ( 'utente', 'budget', 'orario' )
--   ALTER TABLE public.goals ADD COLUMN wait public.goal_wait
--   ALTER TABLE public.goals ADD COLUMN budget_credits integer NOT NULL DEFAULT 0
--   ALTER TABLE public.goals ADD COLUMN spent_credits integer NOT NULL DEFAULT 0
--   ALTER TABLE public.goals ADD COLUMN next_run_at timestamp WITH time zone NOT NULL DEFAULT now()
--   ALTER TABLE public.goals ADD COLUMN stop_reason text
--   ALTER TABLE public.goals ADD COLUMN completed_at timestamp WITH time zone
--   ALTER TABLE public.goals ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE OR REPLACE FUNCTION private.are_goals_stopped
--   CREATE OR REPLACE FUNCTION private.begin_rehearsal
--   CREATE OR REPLACE FUNCTION private.check_goal_move
--   CREATE OR REPLACE FUNCTION private.check_goal_step_move
--   CREATE OR REPLACE FUNCTION private.claim_goal
--   CREATE OR REPLACE FUNCTION private.claim_goal_step
--   CREATE OR REPLACE FUNCTION private.due_anchors
--   CREATE OR REPLACE FUNCTION private.ethical_hash
--   CREATE OR REPLACE FUNCTION private.expire_goal_steps
--   CREATE OR REPLACE FUNCTION private.follow_goal
--   CREATE OR REPLACE FUNCTION private.forget_ethics
--   CREATE OR REPLACE FUNCTION private.forget_goals
--   CREATE OR REPLACE FUNCTION private.goal_step_bytes
--   CREATE OR REPLACE FUNCTION private.log_ethics
--   CREATE OR REPLACE FUNCTION private.note_payment_moment
--   CREATE OR REPLACE FUNCTION private.open_goal_step
--   CREATE OR REPLACE FUNCTION private.plan_goal_step
--   CREATE OR REPLACE FUNCTION private.queue_goal_mail
--   CREATE OR REPLACE FUNCTION private.recall_about_paid
--   CREATE OR REPLACE FUNCTION private.recall_goal_mails
--   CREATE OR REPLACE FUNCTION private.recovery_items
--   CREATE OR REPLACE FUNCTION private.refuse_change_of_ethics
--   CREATE OR REPLACE FUNCTION private.rehearsal_report
--   CREATE OR REPLACE FUNCTION private.rehearse_sending
--   CREATE OR REPLACE FUNCTION private.settle_goal_step
--   CREATE OR REPLACE FUNCTION private.sign_anchor
--   CREATE OR REPLACE FUNCTION private.waiting_rows
--   CREATE OR REPLACE FUNCTION public.agents_stopped
--   REVOKE ALL ON FUNCTION public.agents_stopped
--   CREATE OR REPLACE FUNCTION public.decide_goal_steps
--   REVOKE ALL ON FUNCTION public.decide_goal_steps
--   CREATE OR REPLACE FUNCTION public.give_mandate
--   REVOKE ALL ON FUNCTION public.give_mandate
--   CREATE OR REPLACE FUNCTION public.hash
--   REVOKE ALL ON FUNCTION public.hash
--   CREATE OR REPLACE FUNCTION public.move_goal
--   REVOKE ALL ON FUNCTION public.move_goal
--   CREATE OR REPLACE FUNCTION public.own_ibans
--   REVOKE ALL ON FUNCTION public.own_ibans
--   CREATE OR REPLACE FUNCTION public.revoke_mandate
--   REVOKE ALL ON FUNCTION public.revoke_mandate
--   CREATE OR REPLACE FUNCTION public.start_goal
--   REVOKE ALL ON FUNCTION public.start_goal
--   CREATE OR REPLACE FUNCTION public.stop_agents
--   REVOKE ALL ON FUNCTION public.stop_agents
--   CREATE OR REPLACE FUNCTION public.verify_ethical_log
--   REVOKE ALL ON FUNCTION public.verify_ethical_log
--   ALTER TABLE private.autonomy_stops ADD CONSTRAINT autonomy_stops_user_id_fkey FOREIGN KEY (user_id) REFERENCE…
--   ALTER TABLE private.ethical_chains ADD CONSTRAINT ethical_chains_user_id_fkey FOREIGN KEY (user_id) REFERENCE…
--   ALTER TABLE public.agent_mandates ADD CONSTRAINT agent_mandates_user_id_fkey FOREIGN KEY (user_id) REFERENCES…
--   ALTER TABLE public.agent_mandates ADD CONSTRAINT ibans_fit CHECK (((cardinality(ibans) <= 10) AND (array_posi…
--   ALTER TABLE public.agent_mandates ADD CONSTRAINT last_tone_is_one CHECK (((last_tone >= 1) AND (last_tone <= …
--   ALTER TABLE public.agent_mandates ADD CONSTRAINT max_cents_fits CHECK (((max_cents >= 0) AND (max_cents <= 10…
--   ALTER TABLE public.agent_mandates ADD CONSTRAINT max_recipients_day_fits CHECK (((max_recipients_day >= 0) AN…
--   ALTER TABLE public.ethical_logs ADD CONSTRAINT ethical_logs_user_id_fkey FOREIGN KEY (user_id) REFERENCES aut…
--   ALTER TABLE public.goal_steps ADD CONSTRAINT an_approval_has_its_hash CHECK (((approved_hash IS NULL) = (appr…
--   ALTER TABLE public.goal_steps ADD CONSTRAINT error_is_a_name CHECK ((error ~ '^[A-Za-z0-9_]{1,50}$'::text))
--   ALTER TABLE public.goal_steps REPLICA IDENTITY USING INDEX goal_steps_identity
--   ALTER TABLE public.goal_steps ADD CONSTRAINT goal_steps_user_id_contact_id_fkey FOREIGN KEY (user_id, contact…
--   ALTER TABLE public.goal_steps ADD CONSTRAINT goal_steps_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.us…
--   ALTER TABLE public.goal_steps ADD CONSTRAINT rules_are_a_list CHECK ((jsonb_typeof(rules) = 'array'::text))
--   ALTER TABLE public.goal_steps ADD CONSTRAINT what_is_done_has_a_time CHECK (((state <> 'fatto'::public.goal_s…
--   ALTER TABLE public.goals ADD CONSTRAINT credits_fit CHECK (((budget_credits >= 0) AND (spent_credits >= 0)))
--   ALTER TABLE public.goals REPLICA IDENTITY USING INDEX goals_identity
--   ALTER TABLE public.goal_steps ADD CONSTRAINT goal_steps_user_id_goal_id_fkey FOREIGN KEY (user_id, goal_id) R…
--   ALTER TABLE public.goals ADD CONSTRAINT goals_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON…
--   ALTER TABLE public.goals ADD CONSTRAINT stop_reason_fits CHECK ((char_length(stop_reason) <= 500))
--   ALTER TABLE public.goals ADD CONSTRAINT what_ended_has_a_time CHECK (((state = ANY (ARRAY['completato'::publi…
--   ALTER TABLE public.goals ADD CONSTRAINT what_waits_says_for_what CHECK (((state = 'in_attesa'::public.goal_st…
--   ALTER TABLE public.outgoing_mails ADD CONSTRAINT invoices_fit CHECK (((cardinality(more_invoice_ids) <= 20) A…
--   CREATE VIEW private.goal_moves WITH (security_invoker=on) AS SELECT (before)::public.goal_state AS before, un…
--   CREATE VIEW private.goal_step_moves WITH (security_invoker=on) AS SELECT (before)::public.goal_step_state AS …
--   CREATE VIEW public.retention_rules WITH (security_invoker=on) AS SELECT rule, title, period, reason, outcome,…
--   REVOKE ALL ON TABLE public.retention_rules FROM anon
--   CREATE INDEX ethical_anchors_day ON private.ethical_anchors USING btree (day)
--   CREATE UNIQUE INDEX agent_mandates_in_force ON public.agent_mandates USING btree (user_id, agent, action) WHE…
--   CREATE INDEX agent_mandates_latest ON public.agent_mandates USING btree (user_id, given_at DESC)
--   CREATE INDEX ethical_logs_goal ON public.ethical_logs USING btree (user_id, goal_id, seq DESC) WHERE (goal_id…
--   CREATE INDEX ethical_logs_latest ON public.ethical_logs USING btree (user_id, seq DESC)
--   CREATE INDEX goal_steps_contact ON public.goal_steps USING btree (user_id, contact_id)
--   CREATE INDEX goal_steps_due ON public.goal_steps USING btree (not_before) WHERE (state = ANY (ARRAY['pianific…
--   CREATE INDEX goal_steps_expiry ON public.goal_steps USING btree (expires_at) WHERE (state = 'in_approvazione'…
--   CREATE INDEX goal_steps_of_goal ON public.goal_steps USING btree (user_id, goal_id, created_at DESC)
--   CREATE UNIQUE INDEX goal_steps_open ON public.goal_steps USING btree (goal_id, contact_id) WHERE (state = ANY…
--   CREATE INDEX goals_due ON public.goals USING btree (next_run_at) WHERE (state = ANY (ARRAY['attivo'::public.g…
--   CREATE INDEX goals_ended ON public.goals USING btree (completed_at) WHERE (completed_at IS NOT NULL)
--   CREATE INDEX goals_latest ON public.goals USING btree (user_id, created_at DESC)
--   CREATE UNIQUE INDEX goals_of_agent ON public.goals USING btree (user_id, agent) WHERE (state <> ALL (ARRAY['c…
--   CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON public.ethical_logs FOR EACH ROW EXECUTE FUNCTION pri…
--   CREATE TRIGGER refuse_truncation BEFORE TRUNCATE ON public.ethical_logs FOR EACH STATEMENT EXECUTE FUNCTION p…
--   CREATE TRIGGER check_move BEFORE UPDATE OF state ON public.goal_steps FOR EACH ROW EXECUTE FUNCTION private.c…
--   CREATE TRIGGER check_move BEFORE UPDATE OF state ON public.goals FOR EACH ROW EXECUTE FUNCTION private.check_…
--   CREATE TRIGGER note_payment_moment BEFORE INSERT OR UPDATE OF paid_on ON public.invoices FOR EACH ROW EXECUTE…
--   CREATE TRIGGER recall_about_paid AFTER UPDATE OF paid_on ON public.invoices FOR EACH ROW WHEN (((new.paid_on …
--   CREATE POLICY owners read their mandates ON public.agent_mandates FOR SELECT TO authenticated USING ((user_id…
--   CREATE POLICY owners read their ethical log ON public.ethical_logs FOR SELECT TO authenticated USING ((user_i…
--   CREATE POLICY owners read their steps ON public.goal_steps FOR SELECT TO authenticated USING ((user_id = ( SE…
--   CREATE POLICY owners read their goals ON public.goals FOR SELECT TO authenticated USING ((user_id = ( SELECT …
--   ALTER PUBLICATION supabase_realtime ADD TABLE public.goal_steps
--   ALTER PUBLICATION supabase_realtime ADD TABLE public.goals
--   COMMENT ON COLUMN private.ethical_anchors.signature IS 'Ed25519, hexadecimal, of «chain:seq:day:hash»; null u…
--   COMMENT ON COLUMN public.agent_mandates.ibans IS 'The accounts that the person confirmed as their own; any ot…
--   COMMENT ON COLUMN public.agent_mandates.last_tone IS 'The firmest tone that needs no approval: 1 kind, 2 firm…
--   COMMENT ON COLUMN public.agent_mandates.max_cents IS 'The highest sum that one message may be about.'
--   COMMENT ON COLUMN public.ethical_logs.chain IS 'Pseudonym of the person, which stays when the account goes.'
--   COMMENT ON COLUMN public.ethical_logs.goal_id IS 'No foreign key, as for step_id: the log outlives what it is…
--   COMMENT ON COLUMN public.ethical_logs.human_decision IS 'What a person decided, where one did.'
--   COMMENT ON COLUMN public.ethical_logs.inputs_hash IS 'SHA-256 of what was judged: arguments, preview, recipie…
--   COMMENT ON COLUMN public.goal_steps.args IS 'What is carried out.'
--   COMMENT ON COLUMN public.goal_steps.attempts IS 'Also tells a worker that lost its lease from the one that ha…
--   COMMENT ON COLUMN public.goal_steps.expires_at IS 'Until when it can be approved, or an approval holds.'
--   COMMENT ON COLUMN public.goal_steps.preview IS 'What the person is shown: {subject, body, lines, cents, tone}…
--   COMMENT ON COLUMN public.goal_steps.rules IS 'Why it asks or is blocked: [{id, reason, version}].'
--   COMMENT ON COLUMN public.goals.next_run_at IS 'When its steps are planned next.'
--   COMMENT ON COLUMN public.invoices.payment_noted_at IS 'When its owner, or a paper, said that it was paid.'
--   COMMENT ON COLUMN public.outgoing_mails.more_invoice_ids IS 'Their PDFs are attached too: a reminder of all t…
--   COMMENT ON FUNCTION private.are_goals_stopped
--   COMMENT ON FUNCTION private.begin_rehearsal
--   COMMENT ON FUNCTION private.check_goal_move
--   COMMENT ON FUNCTION private.check_goal_step_move
--   COMMENT ON FUNCTION private.claim_goal
--   COMMENT ON FUNCTION private.claim_goal_step
--   COMMENT ON FUNCTION private.due_anchors
--   COMMENT ON FUNCTION private.ethical_hash
--   COMMENT ON FUNCTION private.expire_goal_steps
--   COMMENT ON FUNCTION private.follow_goal
--   COMMENT ON FUNCTION private.forget_ethics
--   COMMENT ON FUNCTION private.forget_goals
--   COMMENT ON FUNCTION private.goal_step_bytes
--   COMMENT ON FUNCTION private.log_ethics
--   COMMENT ON FUNCTION private.note_payment_moment
--   COMMENT ON FUNCTION private.open_goal_step
--   COMMENT ON FUNCTION private.plan_goal_step
--   COMMENT ON FUNCTION private.queue_goal_mail
--   COMMENT ON FUNCTION private.recall_about_paid
--   COMMENT ON FUNCTION private.recall_goal_mails
--   COMMENT ON FUNCTION private.recovery_items
--   COMMENT ON FUNCTION private.refuse_change_of_ethics
--   COMMENT ON FUNCTION private.rehearsal_report
--   COMMENT ON FUNCTION private.rehearse_sending
--   COMMENT ON FUNCTION private.settle_goal_step
--   COMMENT ON FUNCTION private.sign_anchor
--   COMMENT ON FUNCTION public.agents_stopped
--   COMMENT ON FUNCTION public.decide_goal_steps
--   COMMENT ON FUNCTION public.give_mandate
--   COMMENT ON FUNCTION public.hash
--   COMMENT ON FUNCTION public.move_goal
--   COMMENT ON FUNCTION public.own_ibans
--   COMMENT ON FUNCTION public.revoke_mandate
--   COMMENT ON FUNCTION public.start_goal
--   COMMENT ON FUNCTION public.stop_agents
--   COMMENT ON FUNCTION public.verify_ethical_log
--   COMMENT ON TABLE private.autonomy_stops IS 'Who switched all agents off; of everybody: site setting goals.sto…
--   COMMENT ON TABLE private.ethical_anchors IS 'How each chain ended on a day, signed by the server; kept when t…
--   COMMENT ON TABLE private.ethical_chains IS 'Whose chain is which, and how it ends; locked while a row is adde…
--   COMMENT ON TABLE public.agent_mandates IS 'What a person lets an agent do, dated and revocable; written by gi…
--   COMMENT ON TABLE public.ethical_logs IS 'What was judged, decided and done, without text; only added to, kept…
--   COMMENT ON TABLE public.goal_steps IS 'Steps of goals: what would be done, what was decided, what came of it.'
--   COMMENT ON TABLE public.goals IS 'What agents do for a person; kept 90 days after the end. Written by functio…
--   COMMENT ON VIEW private.goal_moves IS 'Which state of a goal may follow which.'
--   COMMENT ON VIEW private.goal_step_moves IS 'Which state of a step may follow which.'
--   COMMENT ON VIEW public.retention_rules IS 'How long each kind of data is kept and why; `every` is how often t…
--   REVOKE ALL ON FUNCTION private.are_goals_stopped
--   REVOKE ALL ON FUNCTION private.begin_rehearsal
--   GRANT EXECUTE ON FUNCTION private.begin_rehearsal
--   REVOKE ALL ON FUNCTION private.check_goal_move
--   REVOKE ALL ON FUNCTION private.check_goal_step_move
--   REVOKE ALL ON FUNCTION private.claim_goal
--   GRANT EXECUTE ON FUNCTION private.claim_goal
--   REVOKE ALL ON FUNCTION private.claim_goal_step
--   GRANT EXECUTE ON FUNCTION private.claim_goal_step
--   REVOKE ALL ON FUNCTION private.due_anchors
--   GRANT EXECUTE ON FUNCTION private.due_anchors
--   REVOKE ALL ON FUNCTION private.ethical_hash
--   REVOKE ALL ON FUNCTION private.expire_goal_steps
--   GRANT EXECUTE ON FUNCTION private.expire_goal_steps
--   REVOKE ALL ON FUNCTION private.follow_goal
--   REVOKE ALL ON FUNCTION private.forget_ethics
--   GRANT EXECUTE ON FUNCTION private.forget_ethics
--   REVOKE ALL ON FUNCTION private.forget_goals
--   GRANT EXECUTE ON FUNCTION private.forget_goals
--   REVOKE ALL ON FUNCTION private.goal_step_bytes
--   REVOKE ALL ON FUNCTION private.log_ethics
--   GRANT EXECUTE ON FUNCTION private.log_ethics
--   REVOKE ALL ON FUNCTION private.note_payment_moment
--   REVOKE ALL ON FUNCTION private.open_goal_step
--   GRANT EXECUTE ON FUNCTION private.open_goal_step
--   REVOKE ALL ON FUNCTION private.plan_goal_step
--   GRANT EXECUTE ON FUNCTION private.plan_goal_step
--   REVOKE ALL ON FUNCTION private.queue_goal_mail
--   GRANT EXECUTE ON FUNCTION private.queue_goal_mail
--   REVOKE ALL ON FUNCTION private.recall_about_paid
--   REVOKE ALL ON FUNCTION private.recall_goal_mails
--   REVOKE ALL ON FUNCTION private.recovery_items
--   GRANT EXECUTE ON FUNCTION private.recovery_items
--   REVOKE ALL ON FUNCTION private.refuse_change_of_ethics
--   REVOKE ALL ON FUNCTION private.rehearsal_report
--   GRANT EXECUTE ON FUNCTION private.rehearsal_report
--   REVOKE ALL ON FUNCTION private.rehearse_sending
--   GRANT EXECUTE ON FUNCTION private.rehearse_sending
--   REVOKE ALL ON FUNCTION private.settle_goal_step
--   GRANT EXECUTE ON FUNCTION private.settle_goal_step
--   REVOKE ALL ON FUNCTION private.sign_anchor
--   GRANT EXECUTE ON FUNCTION private.sign_anchor
--   GRANT EXECUTE ON FUNCTION public.agents_stopped
--   GRANT EXECUTE ON FUNCTION public.decide_goal_steps
--   GRANT EXECUTE ON FUNCTION public.give_mandate
--   GRANT EXECUTE ON FUNCTION public.hash
--   GRANT EXECUTE ON FUNCTION public.move_goal
--   GRANT EXECUTE ON FUNCTION public.own_ibans
--   GRANT EXECUTE ON FUNCTION public.revoke_mandate
--   GRANT EXECUTE ON FUNCTION public.start_goal
--   GRANT EXECUTE ON FUNCTION public.stop_agents
--   GRANT EXECUTE ON FUNCTION public.verify_ethical_log
--   REVOKE ALL ON TABLE public.agent_mandates FROM authenticated
--   GRANT SELECT ON TABLE public.agent_mandates TO authenticated
--   REVOKE ALL ON TABLE public.agent_mandates FROM service_role
--   GRANT SELECT ON TABLE public.agent_mandates TO service_role
--   REVOKE ALL ON TABLE public.ethical_logs FROM authenticated
--   GRANT SELECT ON TABLE public.ethical_logs TO authenticated
--   REVOKE ALL ON TABLE public.ethical_logs FROM service_role
--   GRANT SELECT ON TABLE public.ethical_logs TO service_role
--   REVOKE ALL ON TABLE public.goal_steps FROM authenticated
--   GRANT SELECT ON TABLE public.goal_steps TO authenticated
--   REVOKE ALL ON TABLE public.goal_steps FROM service_role
--   GRANT SELECT ON TABLE public.goal_steps TO service_role
--   REVOKE ALL ON TABLE public.goals FROM authenticated
--   GRANT SELECT ON TABLE public.goals TO authenticated
--   REVOKE ALL ON TABLE public.goals FROM service_role
--   GRANT SELECT ON TABLE public.goals TO service_role
--   REVOKE ALL ON TABLE public.retention_rules FROM authenticated
--   GRANT SELECT ON TABLE public.retention_rules TO authenticated
--   REVOKE ALL ON TABLE public.retention_rules FROM service_role
--   GRANT SELECT ON TABLE public.retention_rules TO service_role

set check_function_bodies = off;

DROP VIEW "public"."retention_rules";

CREATE TABLE "private"."autonomy_stops" (
  "user_id"    uuid                     NOT NULL,
  "stopped_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "autonomy_stops_pkey" PRIMARY KEY (user_id)
);

ALTER TABLE "private"."autonomy_stops"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."ethical_anchors" (
  "chain"     uuid   NOT NULL,
  "seq"       bigint NOT NULL,
  "day"       date   NOT NULL,
  "hash"      text   NOT NULL,
  "signature" text,
  CONSTRAINT "ethical_anchors_pkey" PRIMARY KEY (chain, seq),
  CONSTRAINT "hash_is_sha256" CHECK ((hash ~ '^[0-9a-f]{64}$'::text))
);

ALTER TABLE "private"."ethical_anchors"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."ethical_chains" (
  "user_id" uuid   NOT NULL,
  "chain"   uuid   NOT NULL DEFAULT gen_random_uuid(),
  "seq"     bigint NOT NULL DEFAULT 0,
  "hash"    text   NOT NULL DEFAULT ''::text,
  CONSTRAINT "ethical_chains_chain_key" UNIQUE (chain),
  CONSTRAINT "ethical_chains_pkey" PRIMARY KEY (user_id),
  CONSTRAINT "seq_counts_from_zero" CHECK ((seq >= 0))
);

ALTER TABLE "private"."ethical_chains"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."agent_mandates" (
  "id"      uuid NOT NULL DEFAULT gen_random_uuid(),
  "user_id" uuid NOT NULL,
  "agent"   text NOT NULL,
  "action"  text NOT NULL,
  CONSTRAINT "agent_and_action_are_names" CHECK (((agent ~ '^[a-z_]{1,50}$'::text) AND (action ~ '^[a-z_]{1,50}$'::text))),
  CONSTRAINT "agent_mandates_pkey" PRIMARY KEY (id),
  CONSTRAINT "agent_mandates_user_id_id_key" UNIQUE (user_id, id)
);

ALTER TABLE "public"."agent_mandates"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."agent_mandates" FROM "anon";

CREATE TABLE "public"."ethical_logs" (
  "id"             uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "chain"          uuid                     NOT NULL,
  "seq"            bigint                   NOT NULL,
  "user_id"        uuid,
  "goal_id"        uuid,
  "step_id"        uuid,
  "action"         text                     NOT NULL,
  "inputs_hash"    text                     NOT NULL,
  "rules"          text[]                   NOT NULL DEFAULT '{}'::text[],
  "rule_version"   text,
  "verdict"        text,
  "model_opinion"  text,
  "human_decision" text,
  "at"             timestamp with time zone NOT NULL,
  "prev_hash"      text                     NOT NULL,
  "hash"           text                     NOT NULL,
  CONSTRAINT "action_is_a_name" CHECK ((action ~ '^[a-z_]{1,50}$'::text)),
  CONSTRAINT "decision_is_a_name" CHECK ((human_decision ~ '^[a-z_]{1,50}$'::text)),
  CONSTRAINT "ethical_logs_chain_seq_key" UNIQUE (chain, seq),
  CONSTRAINT "ethical_logs_pkey" PRIMARY KEY (id),
  CONSTRAINT "hashes_are_sha256" CHECK (((inputs_hash ~ '^[0-9a-f]{64}$'::text) AND (hash ~ '^[0-9a-f]{64}$'::text))),
  CONSTRAINT "opinion_is_one" CHECK ((model_opinion = ANY (ARRAY['consenti'::text, 'conferma'::text, 'blocca'::text]))),
  CONSTRAINT "seq_counts_from_one" CHECK ((seq >= 1)),
  CONSTRAINT "verdict_is_one" CHECK ((verdict = ANY (ARRAY['consenti'::text, 'conferma'::text, 'blocca'::text])))
);

ALTER TABLE "public"."ethical_logs"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."ethical_logs" FROM "anon";

CREATE TABLE "public"."goal_steps" (
  "id"          uuid    NOT NULL DEFAULT gen_random_uuid(),
  "user_id"     uuid    NOT NULL,
  "goal_id"     uuid    NOT NULL,
  "contact_id"  uuid,
  "tool"        text    NOT NULL,
  "args"        jsonb   NOT NULL,
  "preview"     jsonb   NOT NULL,
  "recipients"  text[]  NOT NULL DEFAULT '{}'::text[],
  "max_credits" integer NOT NULL DEFAULT 0,
  CONSTRAINT "args_and_preview_are_objects" CHECK (((jsonb_typeof(args) = 'object'::text) AND (jsonb_typeof(preview) = 'object'::text))),
  CONSTRAINT "goal_steps_identity" UNIQUE (user_id, id),
  CONSTRAINT "goal_steps_pkey" PRIMARY KEY (id),
  CONSTRAINT "recipients_fit" CHECK (((cardinality(recipients) <= 100) AND (array_position(recipients, NULL::text) IS NULL))),
  CONSTRAINT "tool_is_a_name" CHECK ((tool ~ '^[a-z_]{1,50}$'::text))
);

ALTER TABLE "public"."goal_steps"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."goal_steps" FROM "anon";

CREATE TABLE "public"."goals" (
  "id"      uuid               NOT NULL DEFAULT gen_random_uuid(),
  "user_id" uuid               NOT NULL,
  "agent"   text               NOT NULL,
  "title"   public.single_line NOT NULL,
  CONSTRAINT "agent_is_a_name" CHECK ((agent ~ '^[a-z_]{1,50}$'::text)),
  CONSTRAINT "goals_identity" UNIQUE (user_id, id),
  CONSTRAINT "goals_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."goals"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."goals" FROM "anon";

ALTER TABLE "public"."invoices"
  ADD COLUMN "payment_noted_at" timestamp WITH time zone;

ALTER TABLE "public"."outgoing_mails"
  ADD COLUMN "more_invoice_ids" uuid[] NOT NULL DEFAULT '{}'::uuid[];

CREATE TYPE "public"."goal_autonomy" AS ENUM (
  'proponi',
  'assistita',
  'supervisionata'
);

ALTER TABLE "public"."agent_mandates"
  ADD COLUMN "autonomy" public.goal_autonomy NOT NULL;

ALTER TABLE "public"."agent_mandates"
  ADD COLUMN "max_cents" bigint NOT NULL;

ALTER TABLE "public"."agent_mandates"
  ADD COLUMN "max_recipients_day" integer NOT NULL;

ALTER TABLE "public"."agent_mandates"
  ADD COLUMN "last_tone" integer NOT NULL;

ALTER TABLE "public"."agent_mandates"
  ADD COLUMN "ibans" text[] NOT NULL DEFAULT '{}'::text[];

ALTER TABLE "public"."agent_mandates"
  ADD COLUMN "given_at" timestamp WITH time zone NOT NULL DEFAULT now();

ALTER TABLE "public"."agent_mandates"
  ADD COLUMN "revoked_at" timestamp WITH time zone;

CREATE TYPE "public"."goal_state" AS ENUM (
  'bozza',
  'pianificato',
  'in_approvazione',
  'attivo',
  'in_attesa',
  'in_pausa',
  'completato',
  'fallito',
  'annullato'
);

ALTER TABLE "public"."goals"
  ADD COLUMN "state" public.goal_state NOT NULL DEFAULT 'bozza'::public.goal_state;

CREATE TYPE "public"."goal_step_state" AS ENUM (
  'pianificato',
  'in_approvazione',
  'approvato',
  'fatto',
  'saltato',
  'bloccato',
  'fallito',
  'rifiutato',
  'scaduto',
  'annullato'
);

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "state" public.goal_step_state NOT NULL DEFAULT 'pianificato'::public.goal_step_state;

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "rules" jsonb NOT NULL DEFAULT '[]'::jsonb;

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "approved_hash" text;

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "approved_at" timestamp WITH time zone;

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "expires_at" timestamp WITH time zone;

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "not_before" timestamp WITH time zone NOT NULL DEFAULT now();

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "attempts" integer NOT NULL DEFAULT 0;

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "leased_until" timestamp WITH time zone;

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "error" text;

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "done_at" timestamp WITH time zone;

ALTER TABLE "public"."goal_steps"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE TYPE "public"."goal_wait" AS ENUM (
  'utente',
  'budget',
  'orario'
);

ALTER TABLE "public"."goals"
  ADD COLUMN "wait" public.goal_wait;

ALTER TABLE "public"."goals"
  ADD COLUMN "budget_credits" integer NOT NULL DEFAULT 0;

ALTER TABLE "public"."goals"
  ADD COLUMN "spent_credits" integer NOT NULL DEFAULT 0;

ALTER TABLE "public"."goals"
  ADD COLUMN "next_run_at" timestamp WITH time zone NOT NULL DEFAULT now();

ALTER TABLE "public"."goals"
  ADD COLUMN "stop_reason" text;

ALTER TABLE "public"."goals"
  ADD COLUMN "completed_at" timestamp WITH time zone;

ALTER TABLE "public"."goals"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE OR REPLACE FUNCTION private.are_goals_stopped (
  _user_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (select from private.autonomy_stops where user_id = _user_id)
    or exists (select from public.site_settings where key = 'goals.stopped' and value = 'true')
    or private.is_frozen(_user_id)
$function$;

CREATE OR REPLACE FUNCTION private.begin_rehearsal (
  _user_id uuid,
  _agent   text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _goal_id uuid;
begin
  delete from public.goals where user_id = _user_id and agent = _agent;
  update public.agent_mandates set revoked_at = now() where user_id = _user_id and agent = _agent and revoked_at is null;
  delete from private.autonomy_stops where user_id = _user_id;
  insert into public.mail_accounts (user_id, host, port, security, username, from_address, daily_cap)
  values (_user_id, 'prova.invalid', 465, 'tls', 'prova', 'prova@prova.invalid', 2000)
  on conflict (user_id) do update set daily_cap = 2000;
  insert into public.agent_mandates (user_id, agent, action, autonomy, max_cents, max_recipients_day, last_tone, ibans)
  select _user_id, _agent, 'mail', 'supervisionata', 100000000, 100, 3, coalesce(array_agg(iban), '{}')
  from (
    select upper(regexp_replace(part.iban, '[^A-Za-z0-9]', '', 'g')) as iban
    from public.invoice_schedules as part
    join public.invoices on invoices.user_id = part.user_id and invoices.id = part.invoice_id
    where part.user_id = _user_id and invoices.direction = 'attiva'
    group by 1 order by count(*) desc limit 10
  ) as own
  where iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$';
  insert into public.goals (user_id, agent, title, state) values (_user_id, _agent, 'Prova a vuoto', 'attivo')
  returning id into _goal_id;
  return _goal_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_goal_move()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if new.state <> old.state and not exists (
    select from private.goal_moves where before = old.state and after = new.state
  ) then
    raise exception 'a goal does not move so' using errcode = 'SG001', detail = old.state || ' → ' || new.state;
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.check_goal_step_move()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if new.state <> old.state and not exists (
    select from private.goal_step_moves where before = old.state and after = new.state
  ) then
    raise exception 'a step does not move so' using errcode = 'SG001', detail = old.state || ' → ' || new.state;
  end if;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.claim_goal (
  _now timestamp with time zone
)
  RETURNS SETOF public.goals
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.goals set next_run_at = (
    -- The next morning, before anybody may be written to.
    ((_now at time zone 'Europe/Rome')::date + 1 + time '07:00') at time zone 'Europe/Rome'
  )
  where id = (
    select id from public.goals as due
    where state in ('attivo', 'in_attesa') and next_run_at <= _now and not private.are_goals_stopped(due.user_id)
    order by next_run_at limit 1 for no key update skip locked
  )
  returning *
$function$;

CREATE OR REPLACE FUNCTION private.claim_goal_step (
  _now timestamp with time zone
)
  RETURNS SETOF public.goal_steps
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.goal_steps set attempts = attempts + 1, leased_until = _now + interval '5 minutes'
  where id = (
    select goal_steps.id from public.goal_steps
    join public.goals on goals.user_id = goal_steps.user_id and goals.id = goal_id
    where goal_steps.state in ('pianificato', 'approvato') and not_before <= _now
      and (leased_until is null or leased_until <= _now)
      and goals.state in ('attivo', 'in_attesa') and not private.are_goals_stopped(goals.user_id)
    order by not_before, goal_steps.id limit 1 for no key update of goal_steps skip locked
  )
  returning *
$function$;

CREATE OR REPLACE FUNCTION private.due_anchors (
  _limit integer
)
  RETURNS SETOF private.ethical_anchors
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into private.ethical_anchors (chain, seq, day, hash)
  select chain, seq, private.today(), hash from private.ethical_chains as chains
  where seq > 0 and not exists (
    select from private.ethical_anchors where chain = chains.chain and seq = chains.seq
  ) and not exists (
    select from private.ethical_anchors where chain = chains.chain and day = private.today()
  )
  on conflict do nothing;
  select * from private.ethical_anchors where signature is null order by day limit _limit
$function$;

CREATE OR REPLACE FUNCTION private.ethical_hash (
  _row public.ethical_logs
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- JSON, because a separator could be part of a value. The person is not in it: the account may go.
  select encode(sha256(convert_to(jsonb_build_array(
    (_row).chain, (_row).seq, (_row).goal_id, (_row).step_id, (_row).action, (_row).inputs_hash, to_jsonb((_row).rules),
    (_row).rule_version, (_row).verdict, (_row).model_opinion, (_row).human_decision,
    (extract(epoch from (_row).at) * 1000000)::bigint, (_row).prev_hash
  )::text, 'UTF8')), 'hex')
$function$;

CREATE OR REPLACE FUNCTION private.expire_goal_steps (
  _now timestamp with time zone
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with gone as (
    update public.goal_steps set state = 'scaduto' where state = 'in_approvazione' and expires_at <= _now returning goal_id
  ), followed as (
    select private.follow_goal(goal_id) from (select distinct goal_id from gone) as goals
  )
  select count(*) from gone, (select count(*) from followed) as done
$function$;

CREATE OR REPLACE FUNCTION private.follow_goal (
  _goal_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  update public.goals
  set state = case when found.wait is null then 'attivo' else 'in_attesa' end::public.goal_state, wait = found.wait
  from (
    select case
      when bool_or(state = 'in_approvazione') then 'utente'
      when bool_or(state = 'pianificato' and rules @> '[{"id": "E-06"}]') then 'budget'
      when bool_or(state in ('pianificato', 'approvato') and rules @> '[{"id": "E-10"}]') then 'orario'
    end::public.goal_wait as wait
    from public.goal_steps where goal_id = _goal_id and state in ('pianificato', 'in_approvazione', 'approvato')
  ) as found
  where id = _goal_id and state in ('attivo', 'in_attesa') and goals.wait is distinct from found.wait
$function$;

CREATE OR REPLACE FUNCTION private.forget_ethics (
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with gone as (
    delete from public.ethical_logs where id in (
      select logs.id from public.ethical_logs as logs
      where exists (
        select from private.ethical_anchors as anchors
        where anchors.chain = logs.chain and anchors.seq >= logs.seq and anchors.signature is not null
          and day < (now() - interval '12 months')::date
      )
      order by logs.chain, logs.seq limit _limit
    )
    returning id
  )
  select count(*) from gone
$function$;

CREATE OR REPLACE FUNCTION private.forget_goals (
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with gone as (
    delete from public.goals where id in (
      select id from public.goals where completed_at < now() - interval '90 days' limit _limit
    )
    returning id
  )
  select count(*) from gone
$function$;

CREATE OR REPLACE FUNCTION private.goal_step_bytes (
  _step public.goal_steps
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- jsonb has one order of keys, so the same content has the same bytes.
  select jsonb_build_array((_step).args, (_step).preview, to_jsonb((_step).recipients), (_step).max_credits)
$function$;

CREATE OR REPLACE FUNCTION private.log_ethics (
  _user_id        uuid,
  _action         text,
  _inputs         jsonb,
  _goal_id        uuid   DEFAULT NULL::uuid,
  _step_id        uuid   DEFAULT NULL::uuid,
  _rules          text[] DEFAULT '{}'::text[],
  _rule_version   text   DEFAULT NULL::text,
  _verdict        text   DEFAULT NULL::text,
  _human_decision text   DEFAULT NULL::text,
  _model_opinion  text   DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _chain private.ethical_chains;
  _row public.ethical_logs;
begin
  insert into private.ethical_chains (user_id) values (_user_id) on conflict (user_id) do nothing;
  select * into _chain from private.ethical_chains where user_id = _user_id for update;
  _row := row (
    gen_random_uuid(), _chain.chain, _chain.seq + 1, _user_id, _goal_id, _step_id, _action,
    encode(sha256(convert_to(_inputs::text, 'UTF8')), 'hex'), _rules, _rule_version, _verdict, _model_opinion,
    _human_decision, clock_timestamp(), _chain.hash, ''
  )::public.ethical_logs;
  _row.hash := private.ethical_hash(_row);
  insert into public.ethical_logs select (_row).*;
  update private.ethical_chains set seq = _row.seq, hash = _row.hash where user_id = _user_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.note_payment_moment()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  new.payment_noted_at := case when new.paid_on is not null then coalesce(new.payment_noted_at, now()) end;
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION private.open_goal_step (
  _id      uuid,
  _attempt integer,
  _now     timestamp with time zone
)
  RETURNS TABLE (
    step           jsonb,
    mandate        jsonb,
    is_approved    boolean,
    is_stopped     boolean,
    lawful         integer,
    recent         integer,
    proposed_today integer,
    sent_today     integer,
    mail_time      timestamp with time zone
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _step public.goal_steps;
  _goal public.goals;
begin
  select * into _step from public.goal_steps
  where id = _id and attempts = _attempt and state in ('pianificato', 'approvato') for update;
  if not found then
    return;
  end if;
  -- Locked, so that a pause or a revocation comes before this step or after it.
  select * into _goal from public.goals where user_id = _step.user_id and id = _step.goal_id for share;
  return query
    select to_jsonb(_step), to_jsonb(mandates),
      coalesce(_step.state = 'approvato' and _step.approved_hash = public.hash(_step) and _step.expires_at > _now, false),
      _goal.state not in ('attivo', 'in_attesa') or private.are_goals_stopped(_step.user_id),
      (
        select count(*)::integer from unnest(_step.recipients) as address
        where private.mail_refusal(_step.user_id, _step.contact_id, address, 'contratto', null) is null and exists (
          select from public.contact_emails
          where user_id = _step.user_id and contact_id = _step.contact_id and norm = lower(address)
        )
      ),
      (
        select count(*)::integer from public.outgoing_mails
        where user_id = _step.user_id and contact_id = _step.contact_id and state not in ('cancelled', 'failed')
          and created_at > _now - interval '7 days' and created_at <= _now
      ),
      (
        select count(*)::integer from public.goal_steps
        where user_id = _step.user_id and (
          state = 'in_approvazione' and expires_at > _now + interval '12 hours' or approved_at > _now - interval '12 hours'
        )
      ),
      (
        select count(*)::integer from public.goal_steps
        where user_id = _step.user_id and state = 'fatto' and approved_at is null
          and (done_at at time zone 'Europe/Rome')::date = (_now at time zone 'Europe/Rome')::date
      ),
      private.allowed_mail_time(_now)
    from (select) as one
    left join public.agent_mandates as mandates on mandates.user_id = _step.user_id and mandates.agent = _goal.agent
      and mandates.action = _step.tool and mandates.revoked_at is null;
end
$function$;

CREATE OR REPLACE FUNCTION private.plan_goal_step (
  _goal_id    uuid,
  _contact_id uuid,
  _tool       text,
  _args       jsonb,
  _preview    jsonb,
  _recipients text[],
  _now        timestamp with time zone
)
  RETURNS uuid
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into public.goal_steps (
    user_id, goal_id, contact_id, tool, args, preview, recipients, not_before, created_at
  )
  select user_id, id, _contact_id, _tool, _args, _preview, _recipients, _now, _now from public.goals where id = _goal_id
  on conflict (goal_id, contact_id) where state in ('pianificato', 'in_approvazione', 'approvato') do nothing
  returning id
$function$;

CREATE OR REPLACE FUNCTION private.queue_goal_mail (
  _step_id      uuid,
  _is_automatic boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _claims constant text := current_setting('request.jwt.claims', true);
  _step public.goal_steps;
begin
  select * into _step from public.goal_steps where id = _step_id;
  -- queue_mail acts for its caller.
  perform set_config('request.jwt.claims', jsonb_build_object('sub', _step.user_id, 'role', 'authenticated')::text, true);
  perform public.queue_mail(
    _step.id, _step.contact_id, _step.recipients[1], _step.preview ->> 'subject', _step.preview ->> 'body',
    _invoice_id => (_step.args -> 'items' -> 0 ->> 'invoice_id')::uuid, _is_automatic => _is_automatic
  );
  update public.outgoing_mails set more_invoice_ids = array(
    select distinct (item ->> 'invoice_id')::uuid from jsonb_array_elements(_step.args -> 'items') as item
    where item ->> 'invoice_id' <> _step.args -> 'items' -> 0 ->> 'invoice_id'
  )
  where user_id = _step.user_id and key = _step.id;
  perform set_config('request.jwt.claims', coalesce(_claims, ''), true);
end
$function$;

CREATE OR REPLACE FUNCTION private.recall_about_paid()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.recall_goal_mails(new.user_id, null, new.id);
  -- What else the client owes is asked for again without it.
  update public.goals set next_run_at = now() where user_id = new.user_id and state in ('attivo', 'in_attesa');
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.recall_goal_mails (
  _user_id    uuid,
  _goal_id    uuid DEFAULT NULL::uuid,
  _invoice_id uuid DEFAULT NULL::uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  with recalled as (
    update public.outgoing_mails set state = 'cancelled', leased_until = null
    where user_id = _user_id and state = 'queued' and key in (
      select id from public.goal_steps
      where user_id = _user_id and (_goal_id is null or goal_id = _goal_id)
        and (_invoice_id is null or args -> 'items' @> jsonb_build_array(jsonb_build_object('invoice_id', _invoice_id)))
    )
    returning key
  )
  update public.goal_steps set state = 'annullato', leased_until = null
  where user_id = _user_id and (
    state = 'fatto' and id in (select key from recalled)
    or state in ('pianificato', 'in_approvazione', 'approvato') and (_goal_id is null or goal_id = _goal_id)
      and (_invoice_id is null or args -> 'items' @> jsonb_build_array(jsonb_build_object('invoice_id', _invoice_id)))
  );
  select private.follow_goal(id) from public.goals where user_id = _user_id and state = 'in_attesa'
$function$;

CREATE OR REPLACE FUNCTION private.recovery_items (
  _user_id uuid,
  _day     date
)
  RETURNS TABLE (
    contact_id   uuid,
    contact_name text,
    is_company   boolean,
    email        text,
    invoice_id   uuid,
    no           integer,
    cents        bigint,
    due_on       date,
    iban         text,
    number       text,
    issued_on    date,
    paid_on      date
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select invoices.contact_id, contacts.name, contacts.type = 'azienda', address.value, part.invoice_id, part.no,
    part.cents, part.due_on, upper(regexp_replace(part.iban, '[^A-Za-z0-9]', '', 'g')), invoices.number,
    invoices.issued_on, part.paid_on
  from public.invoice_parts as part
  join public.invoices on invoices.user_id = part.user_id and invoices.id = part.invoice_id
  join public.contacts on contacts.user_id = invoices.user_id and contacts.id = invoices.contact_id
    and contacts.deleted_at is null
  left join lateral (
    select value from public.contact_emails
    where contact_emails.user_id = _user_id and contact_emails.contact_id = contacts.id
    order by is_primary desc, created_at, id limit 1
  ) as address on true
  where part.user_id = _user_id and part.direction = 'attiva' and part.counts and part.currency = 'EUR'
    and part.due_on is not null and part.issued_on <= _day and invoices.kind <> 'autofattura'
    and case
      when part.paid_on is null then true
      when _day >= private.today() then false
      -- What the register knew on that day, if it had the invoice then; otherwise what was true.
      when invoices.created_at < (_day + 1)::timestamp at time zone 'Europe/Rome'
        then (coalesce(invoices.payment_noted_at, part.paid_on::timestamptz) at time zone 'Europe/Rome')::date > _day
      else part.paid_on > _day
    end
  order by contacts.name, contacts.id, part.due_on, invoices.number, part.no
$function$;

CREATE OR REPLACE FUNCTION private.refuse_change_of_ethics()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if tg_op = 'UPDATE' then
    -- The account is gone: the row stays under its pseudonym.
    if new.user_id is null and not exists (select from auth.users where id = old.user_id) then
      old.user_id := null;
      if new is not distinct from old then
        return new;
      end if;
    end if;
  elsif tg_op = 'DELETE' and exists (
    select from private.ethical_anchors
    where chain = old.chain and seq >= old.seq and day < (now() - interval '12 months')::date and signature is not null
  ) then
    return old;
  end if;
  raise exception 'the ethical log is only added to' using errcode = '23001';
end
$function$;

CREATE OR REPLACE FUNCTION private.rehearsal_report (
  _goal_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with steps as (
    select goal_steps.*, contacts.name, (coalesce(done_at, goal_steps.created_at) at time zone 'Europe/Rome')::date as day
    from public.goal_steps
    join public.contacts on contacts.user_id = goal_steps.user_id and contacts.id = contact_id
    where goal_id = _goal_id and state in ('fatto', 'bloccato')
  ), letters as (
    select steps.*, exists (
      select from jsonb_array_elements(args -> 'items') as item
      join public.invoice_parts as part on part.user_id = steps.user_id
        and part.invoice_id = (item ->> 'invoice_id')::uuid and part.no = (item ->> 'no')::integer
      where part.paid_on <= steps.day
    ) as was_paid
    from steps where state = 'fatto'
  )
  select jsonb_build_object(
    'sent', (select count(*) from letters),
    'clients', (select count(distinct contact_id) from letters),
    'already_paid', (select count(*) from letters where was_paid),
    'blocked', (select count(*) from steps where state = 'bloccato'),
    'letters', coalesce((
      select jsonb_agg(jsonb_build_object(
        'day', day, 'client', name, 'cents', (preview ->> 'cents')::bigint, 'tone', (preview ->> 'tone')::integer,
        'subject', preview ->> 'subject', 'was_paid', was_paid
      ) order by day desc, name)
      from (select * from letters order by day desc, name limit 50) as latest
    ), '[]'),
    'reasons', coalesce((
      select jsonb_agg(distinct rules -> 0 ->> 'reason') from steps where state = 'bloccato' and rules <> '[]'
    ), '[]')
  )
$function$;

CREATE OR REPLACE FUNCTION private.rehearse_sending (
  _step_id uuid,
  _at      timestamp with time zone
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.outgoing_mails set state = 'sent', sent_at = _at, created_at = _at where key = _step_id
$function$;

CREATE OR REPLACE FUNCTION private.settle_goal_step (
  _id         uuid,
  _state      public.goal_step_state,
  _now        timestamp with time zone,
  _rules      jsonb                    DEFAULT '[]'::jsonb,
  _error      text                     DEFAULT NULL::text,
  _not_before timestamp with time zone DEFAULT NULL::timestamp WITH time zone
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _step public.goal_steps;
begin
  update public.goal_steps
  set state = _state, rules = _rules, error = _error, leased_until = null,
    not_before = coalesce(_not_before, not_before),
    done_at = case when _state = 'fatto' then _now end,
    expires_at = case when _state = 'in_approvazione' then _now + interval '24 hours' else expires_at end,
    approved_hash = case when _state = 'in_approvazione' then null else approved_hash end,
    approved_at = case when _state = 'in_approvazione' then null else approved_at end
  where id = _id returning * into _step;
  if _state in ('in_approvazione', 'bloccato') then
    perform private.notify(
      _step.user_id, 'approvazione',
      case _state when 'bloccato' then 'Bloccato: ' else 'Da approvare: ' end || (_step.preview ->> 'title'),
      case _state when 'bloccato' then coalesce(_rules -> 0 ->> 'reason', 'Una regola lo vieta') || '.'
        else 'Aspetta la tua decisione per 24 ore.' end,
      '/projects?vista=obiettivi&obiettivo=' || _step.goal_id, concat_ws(':', 'passo', _id, _state, _now::date)
    );
  end if;
  perform private.follow_goal(_step.goal_id);
end
$function$;

CREATE OR REPLACE FUNCTION private.sign_anchor (
  _chain     uuid,
  _seq       bigint,
  _signature text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update private.ethical_anchors set signature = _signature where chain = _chain and seq = _seq and signature is null
$function$;

CREATE OR REPLACE FUNCTION private.waiting_rows (
  _user_id uuid
)
  RETURNS TABLE (
    rule    text,
    waiting bigint
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select 'temporary_conversations', count(*) from public.conversations where user_id = _user_id and is_temporary
  union all
  select 'trash', count(*) from (
    select from public.contacts where user_id = _user_id and deleted_at is not null
    union all select from public.deals where user_id = _user_id and deleted_at is not null
    union all select from public.drafts where user_id = _user_id and deleted_at is not null
    union all select from public.notes where user_id = _user_id and deleted_at is not null
    union all select from public.projects where user_id = _user_id and deleted_at is not null
    union all select from public.tasks where user_id = _user_id and deleted_at is not null
  ) as deleted
  union all
  select 'documents', count(*) from public.documents where user_id = _user_id and deleted_at is not null
  union all
  select 'merges', count(*) from public.merge_log where user_id = _user_id and changes <> '[]'
  union all
  select 'goals', count(*) from public.goals where user_id = _user_id and completed_at is not null
  union all
  select 'ethical_logs', count(*) from public.ethical_logs where user_id = _user_id
  union all
  select 'insights', count(*) from public.insights where user_id = _user_id
  union all
  select 'mails', count(*) from public.received_mails where user_id = _user_id and kind <> 'persona'
  union all
  select 'whatsapp_deliveries', count(*) from private.whatsapp_deliveries where user_id = _user_id
  union all
  select 'notifications', count(*) from public.notifications where user_id = _user_id and is_read
  union all
  select 'deleted_notifications', count(*) from private.deleted_notifications where user_id = _user_id
  union all
  select 'deliveries', count(*) from private.notification_deliveries where user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION public.agents_stopped()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'mine', exists (select from private.autonomy_stops where user_id = (select auth.uid())),
    'all', exists (select from public.site_settings where key = 'goals.stopped' and value = 'true')
  )
$function$;

REVOKE ALL ON FUNCTION "public"."agents_stopped"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.decide_goal_steps (
  _ids         uuid[],
  _hashes      text[],
  _is_approved boolean
)
  RETURNS integer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _decided record;
  _step public.goal_steps;
begin
  for _decided in select * from unnest(_ids, _hashes) as pairs (id, hash) order by id
  loop
    select * into _step from public.goal_steps where user_id = _user_id and id = _decided.id for update;
    if not found then
      raise exception 'no such step' using errcode = 'PT404';
    elsif _step.state <> 'in_approvazione' or _step.expires_at <= now() then
      raise exception 'the proposal is not open' using errcode = 'SG003', detail = _step.state::text;
    elsif public.hash(_step) is distinct from _decided.hash then
      raise exception 'it is not what was shown' using errcode = 'SG002';
    end if;
    update public.goal_steps
    set state = case when _is_approved then 'approvato' else 'rifiutato' end::public.goal_step_state,
      approved_hash = case when _is_approved then _decided.hash end, approved_at = case when _is_approved then now() end,
      expires_at = now() + interval '24 hours', not_before = now()
    where id = _step.id;
    perform private.log_ethics(
      _user_id, 'decisione', private.goal_step_bytes(_step), _step.goal_id, _step.id,
      _human_decision => case when _is_approved then 'approvato' else 'rifiutato' end
    );
  end loop;
  return cardinality(_ids);
end
$function$;

REVOKE ALL ON FUNCTION "public"."decide_goal_steps"(uuid[], text[], boolean) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.give_mandate (
  _agent              text,
  _action             text,
  _autonomy           public.goal_autonomy,
  _max_cents          bigint,
  _max_recipients_day integer,
  _last_tone          integer,
  _ibans              text[]
)
  RETURNS public.agent_mandates
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _mandate public.agent_mandates;
begin
  update public.agent_mandates set revoked_at = now()
  where user_id = _user_id and agent = _agent and action = _action and revoked_at is null;
  insert into public.agent_mandates (user_id, agent, action, autonomy, max_cents, max_recipients_day, last_tone, ibans)
  values (_user_id, _agent, _action, _autonomy, _max_cents, _max_recipients_day, _last_tone, _ibans)
  returning * into _mandate;
  perform private.log_ethics(_user_id, 'mandato', to_jsonb(_mandate), _human_decision => 'dato');
  return _mandate;
end
$function$;

REVOKE ALL ON FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[]) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.hash (
  _step public.goal_steps
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select encode(sha256(convert_to(
    jsonb_build_array((_step).args, (_step).preview, to_jsonb((_step).recipients), (_step).max_credits)::text, 'UTF8'
  )), 'hex')
$function$;

REVOKE ALL ON FUNCTION "public"."hash"(public.goal_steps) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.move_goal (
  _id    uuid,
  _state public.goal_state
)
  RETURNS public.goals
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _goal public.goals;
begin
  select * into _goal from public.goals where user_id = _user_id and id = _id for update;
  if not found then
    raise exception 'no such goal' using errcode = 'PT404';
  elsif _state not in ('attivo', 'in_pausa', 'completato', 'annullato') then
    raise exception 'a person does not move a goal so'
      using errcode = 'SG001', detail = _goal.state || ' → ' || _state;
  end if;
  update public.goals
  set state = _state, wait = null, next_run_at = case when _state = 'attivo' then now() else next_run_at end,
    completed_at = case when _state in ('completato', 'annullato') then now() end,
    stop_reason = case when _state in ('completato', 'annullato') then 'Lo hai fermato tu' end
  where id = _id returning * into _goal;
  if _state <> 'attivo' then
    perform private.recall_goal_mails(_user_id, _id);
  end if;
  perform private.log_ethics(_user_id, 'obiettivo', to_jsonb(_id), _id, _human_decision => _state::text);
  return _goal;
end
$function$;

REVOKE ALL ON FUNCTION "public"."move_goal"(uuid, public.goal_state) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.own_ibans()
  RETURNS TABLE (
    iban     text,
    invoices bigint
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select upper(regexp_replace(part.iban, '[^A-Za-z0-9]', '', 'g')), count(distinct part.invoice_id)
  from public.invoice_schedules as part
  join public.invoices on invoices.user_id = part.user_id and invoices.id = part.invoice_id
  where part.user_id = (select auth.uid()) and invoices.direction = 'attiva'
    and upper(regexp_replace(part.iban, '[^A-Za-z0-9]', '', 'g')) ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$'
  group by 1 order by 2 desc, 1 limit 10
$function$;

REVOKE ALL ON FUNCTION "public"."own_ibans"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.revoke_mandate (
  _id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _mandate public.agent_mandates;
begin
  select * into _mandate from public.agent_mandates where user_id = _user_id and id = _id for update;
  if not found then
    raise exception 'no such mandate' using errcode = 'PT404';
  elsif _mandate.revoked_at is null then
    update public.agent_mandates set revoked_at = now() where id = _id;
    perform private.log_ethics(_user_id, 'mandato', to_jsonb(_mandate), _human_decision => 'revocato');
    perform private.recall_goal_mails(_user_id, id) from public.goals
    where user_id = _user_id and agent = _mandate.agent and state not in ('completato', 'fallito', 'annullato');
  end if;
end
$function$;

REVOKE ALL ON FUNCTION "public"."revoke_mandate"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.start_goal (
  _agent text,
  _title text
)
  RETURNS public.goals
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _goal public.goals;
begin
  if not exists (
    select from public.agent_mandates where user_id = _user_id and agent = _agent and revoked_at is null
  ) then
    raise exception 'no mandate is in force' using errcode = 'SG004';
  end if;
  select * into _goal from public.goals
  where user_id = _user_id and agent = _agent and state not in ('completato', 'fallito', 'annullato') for update;
  if not found then
    insert into public.goals (user_id, agent, title) values (_user_id, _agent, _title) returning * into _goal;
  end if;
  -- The person has read the plan and the mandate: each move is made, so that each is allowed.
  if _goal.state = 'bozza' then
    update public.goals set state = 'pianificato' where id = _goal.id;
    update public.goals set state = 'in_approvazione' where id = _goal.id;
  end if;
  if _goal.state not in ('attivo', 'in_attesa') then
    update public.goals set state = 'attivo' where id = _goal.id;
    perform private.log_ethics(_user_id, 'obiettivo', to_jsonb(_goal.id), _goal.id, _human_decision => 'approvato');
  end if;
  -- Planned again under the mandate as it is now.
  update public.goals set next_run_at = now() where id = _goal.id returning * into _goal;
  return _goal;
end
$function$;

REVOKE ALL ON FUNCTION "public"."start_goal"(text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.stop_agents (
  _is_stopped boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
begin
  if _is_stopped then
    insert into private.autonomy_stops (user_id) values (_user_id) on conflict do nothing;
    perform private.recall_goal_mails(_user_id);
  else
    delete from private.autonomy_stops where user_id = _user_id;
    update public.goals set next_run_at = now() where user_id = _user_id and state in ('attivo', 'in_attesa');
  end if;
  perform private.log_ethics(
    _user_id, 'interruttore', to_jsonb(_is_stopped), _human_decision => case when _is_stopped then 'ferma' else 'riprendi' end
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."stop_agents"(boolean) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.verify_ethical_log()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with mine as (
    select * from private.ethical_chains where user_id = (select auth.uid())
  ), rows as (
    select logs.seq, logs.hash, logs.prev_hash, logs.hash = private.ethical_hash(logs) as is_whole,
      lag(logs.hash) over (order by logs.seq) as before, lag(logs.seq) over (order by logs.seq) as seq_before
    from public.ethical_logs as logs join mine on mine.chain = logs.chain
  ), checked as (
    select seq, is_whole and case
      when seq_before is not null then seq = seq_before + 1 and prev_hash = before
      when seq = 1 then prev_hash = ''
      -- What came before was erased after twelve months: an anchor says how it ended, or is about to.
      else exists (
        select from private.ethical_anchors
        where chain = (select chain from mine) and (
          ethical_anchors.seq = rows.seq - 1 and hash = rows.prev_hash
          or ethical_anchors.seq >= rows.seq and day < (now() - interval '12 months')::date
        )
      )
    end as is_good
    from rows
  )
  select jsonb_build_object(
    'entries', (select count(*) from rows),
    'broken_at', (select min(seq) from checked where not is_good),
    -- The newest rows cannot be cut off unseen.
    'is_complete', coalesce((select coalesce((select max(seq) from rows), 0) = mine.seq from mine), true),
    'anchors', coalesce((
      select jsonb_agg(jsonb_build_object(
        'chain', chain, 'seq', anchors.seq, 'day', day, 'hash', anchors.hash, 'signature', signature,
        'is_met', coalesce((select rows.hash = anchors.hash from rows where rows.seq = anchors.seq), true)
      ) order by anchors.seq)
      from private.ethical_anchors as anchors where chain = (select chain from mine)
    ), '[]')
  )
$function$;

REVOKE ALL ON FUNCTION "public"."verify_ethical_log"() FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."autonomy_stops"
  ADD CONSTRAINT "autonomy_stops_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."ethical_chains"
  ADD CONSTRAINT "ethical_chains_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."agent_mandates"
  ADD CONSTRAINT "agent_mandates_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."agent_mandates"
  ADD CONSTRAINT "ibans_fit"
    CHECK (((cardinality(ibans) <= 10) AND (array_position(ibans, NULL::text) IS NULL) AND (array_to_string(ibans, ' '::text) ~ '^([A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}( |$))*$'::text)));

ALTER TABLE "public"."agent_mandates"
  ADD CONSTRAINT "last_tone_is_one" CHECK (((last_tone >= 1) AND (last_tone <= 3)));

ALTER TABLE "public"."agent_mandates"
  ADD CONSTRAINT "max_cents_fits" CHECK (((max_cents >= 0) AND (max_cents <= 100000000)));

ALTER TABLE "public"."agent_mandates"
  ADD CONSTRAINT "max_recipients_day_fits" CHECK (((max_recipients_day >= 0) AND (max_recipients_day <= 100)));

ALTER TABLE "public"."ethical_logs"
  ADD CONSTRAINT "ethical_logs_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."goal_steps"
  ADD CONSTRAINT "an_approval_has_its_hash" CHECK (((approved_hash IS NULL) = (approved_at IS NULL)));

ALTER TABLE "public"."goal_steps"
  ADD CONSTRAINT "error_is_a_name" CHECK ((error ~ '^[A-Za-z0-9_]{1,50}$'::text));

ALTER TABLE "public"."goal_steps"
  REPLICA IDENTITY USING INDEX "goal_steps_identity";

ALTER TABLE "public"."goal_steps"
  ADD CONSTRAINT "goal_steps_user_id_contact_id_fkey" FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."goal_steps"
  ADD CONSTRAINT "goal_steps_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."goal_steps"
  ADD CONSTRAINT "rules_are_a_list" CHECK ((jsonb_typeof(rules) = 'array'::text));

ALTER TABLE "public"."goal_steps"
  ADD CONSTRAINT "what_is_done_has_a_time" CHECK (((state <> 'fatto'::public.goal_step_state) OR (done_at IS NOT NULL)));

ALTER TABLE "public"."goals"
  ADD CONSTRAINT "credits_fit" CHECK (((budget_credits >= 0) AND (spent_credits >= 0)));

ALTER TABLE "public"."goals"
  REPLICA IDENTITY USING INDEX "goals_identity";

ALTER TABLE "public"."goal_steps"
  ADD CONSTRAINT "goal_steps_user_id_goal_id_fkey" FOREIGN KEY (user_id, goal_id) REFERENCES public.goals(user_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."goals"
  ADD CONSTRAINT "goals_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."goals"
  ADD CONSTRAINT "stop_reason_fits" CHECK ((char_length(stop_reason) <= 500));

ALTER TABLE "public"."goals"
  ADD CONSTRAINT "what_ended_has_a_time"
    CHECK (((state = ANY (ARRAY['completato'::public.goal_state, 'fallito'::public.goal_state, 'annullato'::public.goal_state])) = (completed_at IS NOT NULL)));

ALTER TABLE "public"."goals"
  ADD CONSTRAINT "what_waits_says_for_what" CHECK (((state = 'in_attesa'::public.goal_state) = (wait IS NOT NULL)));

ALTER TABLE "public"."outgoing_mails"
  ADD CONSTRAINT "invoices_fit" CHECK (((cardinality(more_invoice_ids) <= 20) AND (array_position(more_invoice_ids, NULL::uuid) IS NULL)));

CREATE VIEW "private"."goal_moves" WITH (security_invoker=on) AS  SELECT (before)::public.goal_state AS before,
    unnest((after)::public.goal_state[]) AS after
   FROM ( VALUES ('bozza'::text,'{pianificato,annullato}'::text), ('pianificato'::text,'{in_approvazione,annullato}'::text), ('in_approvazione'::text,'{attivo,pianificato,annullato}'::text), ('attivo'::text,'{in_attesa,in_pausa,completato,fallito,annullato}'::text), ('in_attesa'::text,'{attivo,in_pausa,completato,fallito,annullato}'::text), ('in_pausa'::text,'{attivo,annullato}'::text)) moves(before, after);

CREATE VIEW "private"."goal_step_moves" WITH (security_invoker=on) AS  SELECT (before)::public.goal_step_state AS before,
    unnest((after)::public.goal_step_state[]) AS after
   FROM ( VALUES ('pianificato'::text,'{in_approvazione,fatto,saltato,bloccato,fallito,annullato}'::text), ('in_approvazione'::text,'{approvato,saltato,rifiutato,scaduto,annullato}'::text), ('approvato'::text,'{in_approvazione,fatto,saltato,bloccato,fallito,annullato}'::text), ('fatto'::text,'{annullato}'::text)) moves(before, after);

CREATE VIEW "public"."retention_rules" WITH (security_invoker=on) AS  SELECT rule,
    title,
    period,
    reason,
    outcome,
    (every)::interval AS every,
    is_personal,
    (tables)::text[] AS tables
   FROM ( VALUES ('temporary_conversations'::text,'Conversazioni temporanee'::text,'1 ora dall’ultimo messaggio'::text,'Le hai volute temporanee'::text,'delete'::text,'10 minutes'::text,true,'{public.conversations}'::text), ('trash'::text,'Cestino: contatti, trattative, bozze, note, progetti e attività'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.contacts,public.deals,public.drafts,public.notes,public.projects,public.tasks}'::text), ('documents'::text,'Documenti nel cestino, con i loro file'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.documents}'::text), ('merges'::text,'Contatti uniti ad altri'::text,'30 giorni dall’unione'::text,'Per poter annullare l’unione'::text,'delete'::text,'1 day'::text,true,'{public.merge_log}'::text), ('goals'::text,'Obiettivi conclusi, con i loro passi'::text,'90 giorni dalla fine'::text,'Per rileggerli'::text,'delete'::text,'1 day'::text,true,'{public.goals,public.goal_steps}'::text), ('ethical_logs'::text,'Registro etico'::text,'12 mesi'::text,'Per dimostrare che cosa è stato deciso; senza l’account resta senza il tuo nome'::text,'keep'::text,'1 day'::text,true,'{public.ethical_logs}'::text), ('insights'::text,'Suggerimenti proattivi'::text,'30 giorni'::text,'Servono finché sono attuali'::text,'delete'::text,'1 day'::text,true,'{public.insights}'::text), ('mails'::text,'Email ricevute da liste e sistemi automatici'::text,'180 giorni'::text,'Non sono conversazioni con i tuoi clienti'::text,'delete'::text,'1 day'::text,true,'{public.received_mails}'::text), ('whatsapp_deliveries'::text,'Messaggi WhatsApp nella forma in cui Meta li consegna'::text,'7 giorni'::text,'Per leggerli di nuovo dopo un guasto'::text,'delete'::text,'1 day'::text,true,'{private.whatsapp_deliveries}'::text), ('notifications'::text,'Avvisi letti'::text,'12 mesi da quando li leggi'::text,'Per ritrovarli'::text,'delete'::text,'1 day'::text,true,'{public.notifications}'::text), ('deleted_notifications'::text,'Avvisi che elimini'::text,'1 giorno'::text,'Per poter annullare'::text,'delete'::text,'1 day'::text,true,'{private.deleted_notifications}'::text), ('deliveries'::text,'Registro degli invii di avvisi'::text,'90 giorni'::text,'Per non inviarli due volte'::text,'delete'::text,'1 day'::text,true,'{private.notification_deliveries}'::text), ('events'::text,'Statistiche d’uso'::text,'24 mesi'::text,'Il tuo consenso alle statistiche'::text,'delete'::text,'1 hour'::text,true,'{public.analytics_events}'::text), ('errors'::text,'Errori del browser'::text,'90 giorni'::text,'Interesse legittimo: correggere i guasti'::text,'delete'::text,'1 hour'::text,true,'{public.error_logs}'::text), ('waiting_list'::text,'Lista d’attesa'::text,'24 mesi, 7 giorni se l’indirizzo non è confermato'::text,'Il consenso di chi si iscrive'::text,'delete'::text,'1 hour'::text,false,'{}'::text), ('runs'::text,'Registro delle cancellazioni'::text,'24 mesi'::text,'Per dimostrare che i termini sono rispettati'::text,'delete'::text,'1 day'::text,false,'{}'::text), ('chat'::text,'Conversazioni con l’assistente'::text,'Finché le elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.messages,public.message_feedback,public.tool_calls,public.runs}'::text), ('memory'::text,'Memoria di Socio'::text,'Finché la elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.memories,public.memory_settings,public.memory_uses}'::text), ('billing'::text,'Ordini e movimenti di crediti'::text,'10 anni, anche senza l’account'::text,'Obbligo di legge (art. 2220 c.c.): senza l’account restano senza indirizzo, e con i dati di chi compra solo se c’è fattura'::text,'keep'::text,NULL::text,true,'{public.credit_orders,public.credit_ledger,public.credit_lots,public.credit_wallets,public.credit_holds,public.hold_lots,private.early_bird_seats}'::text), ('account'::text,'Tutto il resto del tuo account'::text,'30 giorni da quando chiedi di eliminarlo'::text,'Per poter annullare'::text,'delete'::text,NULL::text,true,'{}'::text), ('certificates'::text,'Certificati di eliminazione'::text,'10 anni, anche senza l’account'::text,'Per dimostrare che è avvenuta: dicono quante righe c’erano, non di chi'::text,'keep'::text,NULL::text,true,'{public.deletion_requests}'::text)) rules(rule, title, period, reason, outcome, every, is_personal, tables);

REVOKE ALL ON TABLE "public"."retention_rules" FROM "anon";

CREATE INDEX ethical_anchors_day ON private.ethical_anchors USING btree (day);

CREATE UNIQUE INDEX agent_mandates_in_force ON public.agent_mandates USING btree (user_id, agent, action)
  WHERE (revoked_at IS NULL);

CREATE INDEX agent_mandates_latest ON public.agent_mandates USING btree (user_id, given_at DESC);

CREATE INDEX ethical_logs_goal ON public.ethical_logs USING btree (user_id, goal_id, seq DESC)
  WHERE (goal_id IS NOT NULL);

CREATE INDEX ethical_logs_latest ON public.ethical_logs USING btree (user_id, seq DESC);

CREATE INDEX goal_steps_contact ON public.goal_steps USING btree (user_id, contact_id);

CREATE INDEX goal_steps_due ON public.goal_steps USING btree (not_before)
  WHERE (state = ANY (ARRAY['pianificato'::public.goal_step_state, 'approvato'::public.goal_step_state]));

CREATE INDEX goal_steps_expiry ON public.goal_steps USING btree (expires_at)
  WHERE (state = 'in_approvazione'::public.goal_step_state);

CREATE INDEX goal_steps_of_goal ON public.goal_steps USING btree (user_id, goal_id, created_at DESC);

CREATE UNIQUE INDEX goal_steps_open ON public.goal_steps USING btree (goal_id, contact_id)
  WHERE (state = ANY (ARRAY['pianificato'::public.goal_step_state, 'in_approvazione'::public.goal_step_state, 'approvato'::public.goal_step_state]));

CREATE INDEX goals_due ON public.goals USING btree (next_run_at)
  WHERE (state = ANY (ARRAY['attivo'::public.goal_state, 'in_attesa'::public.goal_state]));

CREATE INDEX goals_ended ON public.goals USING btree (completed_at)
  WHERE (completed_at IS NOT NULL);

CREATE INDEX goals_latest ON public.goals USING btree (user_id, created_at DESC);

CREATE UNIQUE INDEX goals_of_agent ON public.goals USING btree (user_id, agent)
  WHERE (state <> ALL (ARRAY['completato'::public.goal_state, 'fallito'::public.goal_state, 'annullato'::public.goal_state]));

CREATE TRIGGER refuse_change
  BEFORE DELETE OR UPDATE ON public.ethical_logs
  FOR EACH ROW
  EXECUTE FUNCTION private.refuse_change_of_ethics();

CREATE TRIGGER refuse_truncation
  BEFORE TRUNCATE ON public.ethical_logs
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.refuse_change();

CREATE TRIGGER check_move
  BEFORE UPDATE OF state ON public.goal_steps
  FOR EACH ROW
  EXECUTE FUNCTION private.check_goal_step_move();

CREATE TRIGGER check_move
  BEFORE UPDATE OF state ON public.goals
  FOR EACH ROW
  EXECUTE FUNCTION private.check_goal_move();

CREATE TRIGGER note_payment_moment
  BEFORE INSERT OR UPDATE OF paid_on ON public.invoices
  FOR EACH ROW
  EXECUTE FUNCTION private.note_payment_moment();

CREATE TRIGGER recall_about_paid
  AFTER UPDATE OF paid_on ON public.invoices
  FOR EACH ROW
  WHEN (((new.paid_on IS NOT NULL) AND (old.paid_on IS NULL)))
  EXECUTE FUNCTION private.recall_about_paid();

CREATE POLICY "owners read their mandates" ON "public"."agent_mandates"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their ethical log" ON "public"."ethical_logs"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their steps" ON "public"."goal_steps"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their goals" ON "public"."goals"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

-- On hosted Supabase the publication may belong to another role.
do $$
begin
  alter publication supabase_realtime add table public.goal_steps, public.goals;
exception
  when insufficient_privilege or undefined_object then
    raise warning 'No right to publish changes: the client asks every 30 seconds instead';
end
$$;

COMMENT ON COLUMN "private"."ethical_anchors"."signature" IS 'Ed25519, hexadecimal, of «chain:seq:day:hash»; null until the job has signed.';

COMMENT ON COLUMN "public"."agent_mandates"."ibans" IS 'The accounts that the person confirmed as their own; any other blocks.';

COMMENT ON COLUMN "public"."agent_mandates"."last_tone" IS 'The firmest tone that needs no approval: 1 kind, 2 firm, 3 last.';

COMMENT ON COLUMN "public"."agent_mandates"."max_cents" IS 'The highest sum that one message may be about.';

COMMENT ON COLUMN "public"."ethical_logs"."chain" IS 'Pseudonym of the person, which stays when the account goes.';

COMMENT ON COLUMN "public"."ethical_logs"."goal_id" IS 'No foreign key, as for step_id: the log outlives what it is about.';

COMMENT ON COLUMN "public"."ethical_logs"."human_decision" IS 'What a person decided, where one did.';

COMMENT ON COLUMN "public"."ethical_logs"."inputs_hash" IS 'SHA-256 of what was judged: arguments, preview, recipients, price.';

COMMENT ON COLUMN "public"."goal_steps"."args" IS 'What is carried out.';

COMMENT ON COLUMN "public"."goal_steps"."attempts" IS 'Also tells a worker that lost its lease from the one that has it.';

COMMENT ON COLUMN "public"."goal_steps"."expires_at" IS 'Until when it can be approved, or an approval holds.';

COMMENT ON COLUMN "public"."goal_steps"."preview" IS 'What the person is shown: {subject, body, lines, cents, tone}.';

COMMENT ON COLUMN "public"."goal_steps"."rules" IS 'Why it asks or is blocked: [{id, reason, version}].';

COMMENT ON COLUMN "public"."goals"."next_run_at" IS 'When its steps are planned next.';

COMMENT ON COLUMN "public"."invoices"."payment_noted_at" IS 'When its owner, or a paper, said that it was paid.';

COMMENT ON COLUMN "public"."outgoing_mails"."more_invoice_ids" IS 'Their PDFs are attached too: a reminder of all that is open.';

COMMENT ON FUNCTION "private"."are_goals_stopped"(uuid) IS 'Whether the switch of a person, or of everybody, or a coming deletion stops all agents.';

COMMENT ON FUNCTION "private"."begin_rehearsal"(uuid, text) IS 'Sets a person up as if an agent started with a full mandate; only in a transaction that is rolled back.';

COMMENT ON FUNCTION "private"."check_goal_move"() IS 'Refuses moves of a goal that are not listed.';

COMMENT ON FUNCTION "private"."check_goal_step_move"() IS 'Refuses moves of a step that are not listed.';

COMMENT ON FUNCTION "private"."claim_goal"(timestamp with time zone) IS 'Takes a goal whose steps are to be planned; the caller plans them in the same transaction.';

COMMENT ON FUNCTION "private"."claim_goal_step"(timestamp with time zone) IS 'Leases a step that is due; no row when none is.';

COMMENT ON FUNCTION "private"."due_anchors"(integer) IS 'Notes how each chain that grew ends today; answers the anchors to be signed.';

COMMENT ON FUNCTION "private"."ethical_hash"(public.ethical_logs) IS 'The hash of a row of the log, over all that it says.';

COMMENT ON FUNCTION "private"."expire_goal_steps"(timestamp with time zone) IS 'Proposals that nobody decided in 24 hours expire; answers how many.';

COMMENT ON FUNCTION "private"."follow_goal"(uuid) IS 'A goal says for what its steps wait.';

COMMENT ON FUNCTION "private"."forget_ethics"(integer) IS 'Deletes rows of the log up to the newest signed anchor that is older than twelve months; answers how many.';

COMMENT ON FUNCTION "private"."forget_goals"(integer) IS 'Deletes goals with their steps 90 days after their end; answers how many.';

COMMENT ON FUNCTION "private"."goal_step_bytes"(public.goal_steps) IS 'What an approval is about.';

COMMENT ON FUNCTION "private"."log_ethics"(uuid, text, jsonb, uuid, uuid, text[], text, text, text, text) IS 'Adds a row to the log of a person; of the inputs only their hash is kept.';

COMMENT ON FUNCTION "private"."note_payment_moment"() IS 'Notes when a payment became known.';

COMMENT ON FUNCTION "private"."open_goal_step"(uuid, integer, timestamp with time zone) IS 'Locks a claimed step and tells the facts that the rules judge; no row when the lease was lost or it was decided otherwise.';

COMMENT ON FUNCTION "private"."plan_goal_step"(uuid, uuid, text, jsonb, jsonb, text[], timestamp with time zone) IS 'Adds a step to a goal; null where the contact has an open one.';

COMMENT ON FUNCTION "private"."queue_goal_mail"(uuid, boolean) IS 'Queues the mail of a step under its id, with all its invoices; refuses as queue_mail() does.';

COMMENT ON FUNCTION "private"."recall_about_paid"() IS 'Nobody is reminded of what was paid.';

COMMENT ON FUNCTION "private"."recall_goal_mails"(uuid, uuid, uuid) IS 'Takes back what a person''s goals, or one of them, or those about an invoice, have not sent yet.';

COMMENT ON FUNCTION "private"."recovery_items"(uuid, date) IS 'What clients owe a person, part by part, as the register knew it on a day: issued invoices in euros with a due date, credit notes as negative amounts.';

COMMENT ON FUNCTION "private"."refuse_change_of_ethics"() IS 'Makes the log append-only: rows older than twelve months, up to a signed anchor, may go.';

COMMENT ON FUNCTION "private"."rehearsal_report"(uuid) IS 'What a rehearsal would have sent: how many letters, to how many clients, how many about what was paid, the latest fifty.';

COMMENT ON FUNCTION "private"."rehearse_sending"(uuid, timestamp with time zone) IS 'A mail of a rehearsal counts as sent at a moment of the past; only in a transaction that is rolled back.';

COMMENT ON FUNCTION "private"."settle_goal_step"(uuid, public.goal_step_state, timestamp with time zone, jsonb, text, timestamp with time zone) IS 'Records what became of a step; a proposal and a refusal by the rules are told.';

COMMENT ON FUNCTION "private"."sign_anchor"(uuid, bigint, text) IS 'Keeps the signature of an anchor; one that is signed stays.';

COMMENT ON FUNCTION "public"."agents_stopped"() IS 'Whether the caller, or we, have stopped all agents.';

COMMENT ON FUNCTION "public"."decide_goal_steps"(uuid[], text[], boolean) IS 'Approves or refuses proposals of the caller, each as it was shown (its hash), all or none; answers how many. PT404, SG002, SG003.';

COMMENT ON FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[]) IS 'Gives an agent a mandate of the caller, in the place of the one before.';

COMMENT ON FUNCTION "public"."hash"(public.goal_steps) IS 'What an approval of the step is bound to.';

COMMENT ON FUNCTION "public"."move_goal"(uuid, public.goal_state) IS 'Pauses, resumes, completes or cancels a goal of the caller; what has not left is taken back. PT404, SG001.';

COMMENT ON FUNCTION "public"."own_ibans"() IS 'The accounts named on the issued invoices of the caller, for the caller to confirm.';

COMMENT ON FUNCTION "public"."revoke_mandate"(uuid) IS 'Ends a mandate of the caller at once, and takes back what has not left; PT404.';

COMMENT ON FUNCTION "public"."start_goal"(text, text) IS 'Starts the goal of an agent under the mandate in force, or goes on with it; SG004.';

COMMENT ON FUNCTION "public"."stop_agents"(boolean) IS 'Stops all agents of the caller at once, or lets them go on.';

COMMENT ON FUNCTION "public"."verify_ethical_log"() IS 'Computes the chain of the caller again: how many rows, the first that does not fit, whether the newest is there, and the signed anchors with whether the rows meet them.';

COMMENT ON TABLE "private"."autonomy_stops" IS 'Who switched all agents off; of everybody: site setting goals.stopped.';

COMMENT ON TABLE "private"."ethical_anchors" IS 'How each chain ended on a day, signed by the server; kept when the rows before it go.';

COMMENT ON TABLE "private"."ethical_chains" IS 'Whose chain is which, and how it ends; locked while a row is added.';

COMMENT ON TABLE "public"."agent_mandates" IS 'What a person lets an agent do, dated and revocable; written by give_mandate() and revoke_mandate() only.';

COMMENT ON TABLE "public"."ethical_logs" IS 'What was judged, decided and done, without text; only added to, kept for twelve months.';

COMMENT ON TABLE "public"."goal_steps" IS 'Steps of goals: what would be done, what was decided, what came of it.';

COMMENT ON TABLE "public"."goals" IS 'What agents do for a person; kept 90 days after the end. Written by functions only.';

COMMENT ON VIEW "private"."goal_moves" IS 'Which state of a goal may follow which.';

COMMENT ON VIEW "private"."goal_step_moves" IS 'Which state of a step may follow which.';

COMMENT ON VIEW "public"."retention_rules" IS 'How long each kind of data is kept and why; `every` is how often the job erases, null where it does not; `outcome` is delete, or keep where the law requires it.';

REVOKE ALL ON FUNCTION "private"."are_goals_stopped"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."begin_rehearsal"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_rehearsal"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."check_goal_move"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_goal_step_move"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claim_goal"(timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."claim_goal"(timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."claim_goal_step"(timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."claim_goal_step"(timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."due_anchors"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."due_anchors"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."ethical_hash"(public.ethical_logs) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."expire_goal_steps"(timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."expire_goal_steps"(timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."follow_goal"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."forget_ethics"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."forget_ethics"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."forget_goals"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."forget_goals"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."goal_step_bytes"(public.goal_steps) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."log_ethics"(uuid, text, jsonb, uuid, uuid, text[], text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."log_ethics"(uuid, text, jsonb, uuid, uuid, text[], text, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_payment_moment"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."open_goal_step"(uuid, integer, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."open_goal_step"(uuid, integer, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."plan_goal_step"(uuid, uuid, text, jsonb, jsonb, text[], timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."plan_goal_step"(uuid, uuid, text, jsonb, jsonb, text[], timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."queue_goal_mail"(uuid, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."queue_goal_mail"(uuid, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."recall_about_paid"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."recall_goal_mails"(uuid, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."recovery_items"(uuid, date) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."recovery_items"(uuid, date) TO "service_role";

REVOKE ALL ON FUNCTION "private"."refuse_change_of_ethics"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."rehearsal_report"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."rehearsal_report"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."rehearse_sending"(uuid, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."rehearse_sending"(uuid, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."settle_goal_step"(uuid, public.goal_step_state, timestamp WITH time zone, jsonb, text, timestamp WITH time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_goal_step"(uuid, public.goal_step_state, timestamp WITH time zone, jsonb, text, timestamp WITH time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."sign_anchor"(uuid, bigint, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sign_anchor"(uuid, bigint, text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."agents_stopped"() TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."decide_goal_steps"(uuid[], text[], boolean) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."give_mandate"(text, text, public.goal_autonomy, bigint, integer, integer, text[]) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."hash"(public.goal_steps) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."move_goal"(uuid, public.goal_state) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."own_ibans"() TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."revoke_mandate"(uuid) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."start_goal"(text, text) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."stop_agents"(boolean) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."verify_ethical_log"() TO "authenticated";

REVOKE ALL ON TABLE "public"."agent_mandates" FROM "authenticated";

GRANT SELECT ON TABLE "public"."agent_mandates" TO "authenticated";

REVOKE ALL ON TABLE "public"."agent_mandates" FROM "service_role";

GRANT SELECT ON TABLE "public"."agent_mandates" TO "service_role";

REVOKE ALL ON TABLE "public"."ethical_logs" FROM "authenticated";

GRANT SELECT ON TABLE "public"."ethical_logs" TO "authenticated";

REVOKE ALL ON TABLE "public"."ethical_logs" FROM "service_role";

GRANT SELECT ON TABLE "public"."ethical_logs" TO "service_role";

REVOKE ALL ON TABLE "public"."goal_steps" FROM "authenticated";

GRANT SELECT ON TABLE "public"."goal_steps" TO "authenticated";

REVOKE ALL ON TABLE "public"."goal_steps" FROM "service_role";

GRANT SELECT ON TABLE "public"."goal_steps" TO "service_role";

REVOKE ALL ON TABLE "public"."goals" FROM "authenticated";

GRANT SELECT ON TABLE "public"."goals" TO "authenticated";

REVOKE ALL ON TABLE "public"."goals" FROM "service_role";

GRANT SELECT ON TABLE "public"."goals" TO "service_role";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "authenticated";

GRANT SELECT ON TABLE "public"."retention_rules" TO "authenticated";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "service_role";

GRANT SELECT ON TABLE "public"."retention_rules" TO "service_role";

reset check_function_bodies;
