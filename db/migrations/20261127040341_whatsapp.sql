-- Whatsapp.
--   DROP VIEW public.retention_rules
--   DROP FUNCTION private.ring
--   DROP FUNCTION private.schedule_delivery
--   DROP FUNCTION private.wants
--   DROP VIEW public.notification_kinds
--   CREATE TABLE private.whatsapp_buckets ( id uuid NOT NULL, tokens double precision NOT NULL, counted_at timest…
--   ALTER TABLE private.whatsapp_buckets ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.whatsapp_deliveries ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, user_id uuid NOT …
--   ALTER TABLE private.whatsapp_deliveries ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.whatsapp_secrets ( account_id uuid NOT NULL, sealed_token text NOT NULL, sealed_app_secr…
--   ALTER TABLE private.whatsapp_secrets ENABLE ROW LEVEL SECURITY
--   CREATE TABLE public.contact_channels ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, con…
--   ALTER TABLE public.contact_channels ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.contact_channels FROM anon
--   CREATE TABLE public.whatsapp_accounts ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, po…
--   ALTER TABLE public.whatsapp_accounts ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.whatsapp_accounts FROM anon
--   CREATE TABLE public.whatsapp_messages ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, co…
--   ALTER TABLE public.whatsapp_messages ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.whatsapp_messages FROM anon
--   CREATE TABLE public.whatsapp_rates ( id uuid NOT NULL DEFAULT gen_random_uuid(), market text NOT NULL, catego…
--   ALTER TABLE public.whatsapp_rates ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.whatsapp_rates FROM anon, authenticated
--   CREATE TABLE public.whatsapp_templates ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, t…
--   ALTER TABLE public.whatsapp_templates ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.whatsapp_templates FROM anon
--   CREATE TYPE public.contact_channel_kind AS ENUM ( 'whatsapp' )
--   ALTER TABLE public.contact_channels ADD COLUMN kind public.contact_channel_kind NOT NULL
--   ALTER TABLE public.contact_channels ADD COLUMN portfolio text NOT NULL
--   ALTER TABLE public.contact_channels ADD COLUMN external_id text NOT NULL
--   ALTER TABLE public.contact_channels ADD COLUMN phone_id uuid
--   ALTER TABLE public.contact_channels ADD COLUMN username text
--   ALTER TABLE public.contact_channels ADD COLUMN last_inbound_at timestamp WITH time zone
--   ALTER TABLE public.contact_channels ADD COLUMN window_expires_at timestamp WITH time zone
--   ALTER TABLE public.contact_channels ADD COLUMN stopped_at timestamp WITH time zone
--   ALTER TABLE public.contact_channels ADD COLUMN failures integer NOT NULL DEFAULT 0
--   ALTER TABLE public.contact_channels ADD COLUMN is_done boolean NOT NULL DEFAULT true
--   ALTER TABLE public.contact_channels ADD COLUMN last_at timestamp WITH time zone NOT NULL
--   ALTER TABLE public.contact_channels ADD COLUMN snippet text NOT NULL DEFAULT ''::text
--   ALTER TABLE public.contact_channels ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE TYPE public.whatsapp_account_state AS ENUM ( 'attivo', 'da_ricollegare', 'sospeso', 'spento' )
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN state public.whatsapp_account_state NOT NULL DEFAULT 'attivo'…
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN quality text
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN people_a_day integer NOT NULL DEFAULT 250
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN paused_until timestamp WITH time zone
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN templates_stopped_until timestamp WITH time zone
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN last_delivery_at timestamp WITH time zone
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN last_success_at timestamp WITH time zone
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN last_error_code integer
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN last_error text
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN last_error_at timestamp WITH time zone
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE TYPE public.whatsapp_error AS ENUM ( 'meta', 'expired', 'window', 'stopped', 'consent', 'interrupted',…
--   CREATE TYPE public.whatsapp_state AS ENUM ( 'queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'unce…
--   ALTER TABLE public.whatsapp_messages ADD COLUMN state public.whatsapp_state
--   ALTER TABLE public.whatsapp_messages ADD COLUMN not_before timestamp WITH time zone
--   ALTER TABLE public.whatsapp_messages ADD COLUMN expires_at timestamp WITH time zone
--   ALTER TABLE public.whatsapp_messages ADD COLUMN attempts integer NOT NULL DEFAULT 0
--   ALTER TABLE public.whatsapp_messages ADD COLUMN leased_until timestamp WITH time zone
--   ALTER TABLE public.whatsapp_messages ADD COLUMN error public.whatsapp_error
--   ALTER TABLE public.whatsapp_messages ADD COLUMN error_code integer
--   ALTER TABLE public.whatsapp_messages ADD COLUMN error_detail text
--   ALTER TABLE public.whatsapp_messages ADD COLUMN sent_at timestamp WITH time zone
--   ALTER TABLE public.whatsapp_messages ADD COLUMN delivered_at timestamp WITH time zone
--   ALTER TABLE public.whatsapp_messages ADD COLUMN read_at timestamp WITH time zone
--   ALTER TABLE public.whatsapp_messages ADD COLUMN price_category text
--   ALTER TABLE public.whatsapp_messages ADD COLUMN price_kind text
--   ALTER TABLE public.whatsapp_messages ADD COLUMN is_billable boolean
--   ALTER TABLE public.whatsapp_messages ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE OR REPLACE FUNCTION private.add_whatsapp
--   CREATE OR REPLACE FUNCTION private.begin_whatsapp
--   CREATE OR REPLACE FUNCTION private.cancel_messages_of_number
--   CREATE OR REPLACE FUNCTION private.change_whatsapp_state
--   CREATE OR REPLACE FUNCTION private.claim_whatsapp
--   CREATE OR REPLACE FUNCTION private.drop_whatsapp_account
--   CREATE OR REPLACE FUNCTION private.due_whatsapp_senders
--   CREATE OR REPLACE FUNCTION private.filled_template
--   CREATE OR REPLACE FUNCTION private.forget_whatsapp_deliveries
--   CREATE OR REPLACE FUNCTION private.is_stop_word
--   CREATE OR REPLACE FUNCTION private.is_whatsapp_stopped
--   CREATE OR REPLACE FUNCTION private.is_whatsapp_window_open
--   CREATE OR REPLACE FUNCTION private.keep_whatsapp_delivery
--   CREATE OR REPLACE FUNCTION private.keep_whatsapp_message
--   CREATE OR REPLACE FUNCTION private.keep_whatsapp_status
--   CREATE OR REPLACE FUNCTION private.note_sent_whatsapp
--   CREATE OR REPLACE FUNCTION private.note_whatsapp_number
--   CREATE OR REPLACE FUNCTION private.note_whatsapp_template
--   CREATE OR REPLACE FUNCTION private.react_to_whatsapp
--   CREATE OR REPLACE FUNCTION private.save_whatsapp_account
--   CREATE OR REPLACE FUNCTION private.save_whatsapp_templates
--   CREATE OR REPLACE FUNCTION private.settle_whatsapp
--   CREATE OR REPLACE FUNCTION private.settle_whatsapp_delivery
--   CREATE OR REPLACE FUNCTION private.stop_whatsapp
--   CREATE OR REPLACE FUNCTION private.take_whatsapp_token
--   CREATE OR REPLACE FUNCTION private.waiting_rows
--   CREATE OR REPLACE FUNCTION private.whatsapp_account
--   CREATE OR REPLACE FUNCTION private.whatsapp_account_of
--   CREATE OR REPLACE FUNCTION private.whatsapp_channel
--   CREATE OR REPLACE FUNCTION private.whatsapp_contact
--   CREATE OR REPLACE FUNCTION private.whatsapp_delivery
--   CREATE OR REPLACE FUNCTION private.whatsapp_people_left
--   CREATE OR REPLACE FUNCTION private.whatsapp_phone
--   CREATE OR REPLACE FUNCTION private.whatsapp_rank
--   CREATE OR REPLACE FUNCTION private.whatsapp_refusal
--   CREATE OR REPLACE FUNCTION public.cancel_whatsapp
--   REVOKE ALL ON FUNCTION public.cancel_whatsapp
--   CREATE OR REPLACE FUNCTION public.decide_whatsapp
--   REVOKE ALL ON FUNCTION public.decide_whatsapp
--   CREATE OR REPLACE FUNCTION public.find_duplicates
--   CREATE OR REPLACE FUNCTION public.queue_whatsapp
--   REVOKE ALL ON FUNCTION public.queue_whatsapp
--   CREATE OR REPLACE FUNCTION public.set_whatsapp_rate
--   REVOKE ALL ON FUNCTION public.set_whatsapp_rate
--   CREATE OR REPLACE FUNCTION public.whatsapp_usage
--   REVOKE ALL ON FUNCTION public.whatsapp_usage
--   ALTER TABLE private.whatsapp_deliveries ADD CONSTRAINT whatsapp_deliveries_user_id_fkey FOREIGN KEY (user_id)…
--   ALTER TABLE public.contact_channels REPLICA IDENTITY USING INDEX contact_channels_identity
--   ALTER TABLE public.contact_channels ADD CONSTRAINT contact_channels_user_id_contact_id_fkey FOREIGN KEY (user…
--   ALTER TABLE public.contact_channels ADD CONSTRAINT contact_channels_user_id_fkey FOREIGN KEY (user_id) REFERE…
--   ALTER TABLE public.contact_channels ADD CONSTRAINT contact_channels_user_id_kind_portfolio_external_id_key UN…
--   ALTER TABLE public.contact_channels ADD CONSTRAINT contact_channels_user_id_phone_id_fkey FOREIGN KEY (user_i…
--   ALTER TABLE public.contact_channels ADD CONSTRAINT external_id_fits CHECK (((char_length(external_id) >= 1) A…
--   ALTER TABLE public.contact_channels ADD CONSTRAINT failures_are_counted CHECK ((failures >= 0))
--   ALTER TABLE public.contact_channels ADD CONSTRAINT portfolio_fits CHECK (((char_length(portfolio) >= 1) AND (…
--   ALTER TABLE public.contact_channels ADD CONSTRAINT snippet_fits CHECK ((char_length(snippet) <= 200))
--   ALTER TABLE public.contact_channels ADD CONSTRAINT username_fits CHECK (((char_length(username) >= 1) AND (ch…
--   ALTER TABLE public.whatsapp_accounts ADD CONSTRAINT people_are_counted CHECK ((people_a_day >= 0))
--   ALTER TABLE public.whatsapp_accounts ADD CONSTRAINT texts_fit CHECK (((char_length(quality) <= 20) AND (char_…
--   ALTER TABLE private.whatsapp_secrets ADD CONSTRAINT whatsapp_secrets_account_id_fkey FOREIGN KEY (account_id)…
--   ALTER TABLE public.whatsapp_accounts ADD CONSTRAINT whatsapp_accounts_user_id_fkey FOREIGN KEY (user_id) REFE…
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT answers_fit CHECK (((char_length(error_detail) <= 500) AN…
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT sent_messages_have_a_state CHECK (((direction = 'uscita':…
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT states_have_their_times CHECK (((state IS NULL) OR ((key …
--   ALTER TABLE public.whatsapp_messages REPLICA IDENTITY USING INDEX whatsapp_messages_identity
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT whatsapp_messages_user_id_channel_id_fkey FOREIGN KEY (us…
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT whatsapp_messages_user_id_contact_id_fkey FOREIGN KEY (us…
--   ALTER TABLE public.whatsapp_messages ADD CONSTRAINT whatsapp_messages_user_id_fkey FOREIGN KEY (user_id) REFE…
--   ALTER TABLE public.whatsapp_templates ADD CONSTRAINT whatsapp_templates_user_id_fkey FOREIGN KEY (user_id) RE…
--   CREATE VIEW private.whatsapp_reactions WITH (security_invoker=on) AS SELECT first_code, last_code, reaction, …
--   CREATE VIEW public.notification_kinds WITH (security_invoker=on) AS SELECT kind, (category)::public.notificat…
--   CREATE OR REPLACE FUNCTION private.ring
--   CREATE OR REPLACE FUNCTION private.schedule_delivery
--   CREATE OR REPLACE FUNCTION private.wants
--   REVOKE ALL ON TABLE public.notification_kinds FROM anon
--   CREATE VIEW public.retention_rules WITH (security_invoker=on) AS SELECT rule, title, period, reason, outcome,…
--   REVOKE ALL ON TABLE public.retention_rules FROM anon
--   CREATE INDEX whatsapp_deliveries_age ON private.whatsapp_deliveries USING btree (received_at)
--   CREATE INDEX whatsapp_deliveries_owner ON private.whatsapp_deliveries USING btree (user_id)
--   CREATE INDEX contact_channels_contact ON public.contact_channels USING btree (user_id, contact_id)
--   CREATE INDEX contact_channels_inbox ON public.contact_channels USING btree (user_id, is_done, last_at DESC, i…
--   CREATE INDEX contact_channels_phone ON public.contact_channels USING btree (user_id, phone_id)
--   CREATE INDEX whatsapp_messages_channel ON public.whatsapp_messages USING btree (user_id, channel_id, at DESC,…
--   CREATE INDEX whatsapp_messages_contact ON public.whatsapp_messages USING btree (user_id, contact_id, at DESC)
--   CREATE INDEX whatsapp_messages_due ON public.whatsapp_messages USING btree (not_before) WHERE (state = ANY (A…
--   CREATE INDEX whatsapp_messages_next ON public.whatsapp_messages USING btree (user_id, not_before, id) WHERE (…
--   CREATE INDEX whatsapp_messages_sent ON public.whatsapp_messages USING btree (user_id, sent_at DESC) WHERE (se…
--   CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF contact_id ON public.contact_channels FOR EACH ROW WHE…
--   CREATE TRIGGER cancel_messages AFTER DELETE ON public.whatsapp_accounts FOR EACH ROW EXECUTE FUNCTION private…
--   CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF contact_id ON public.whatsapp_messages FOR EACH ROW WH…
--   CREATE POLICY owners finish their conversations ON public.contact_channels FOR UPDATE TO authenticated USING …
--   CREATE POLICY owners read their channels ON public.contact_channels FOR SELECT TO authenticated USING ((user_…
--   CREATE POLICY owners read their whatsapp number ON public.whatsapp_accounts FOR SELECT TO authenticated USING…
--   CREATE POLICY owners read their whatsapp messages ON public.whatsapp_messages FOR SELECT TO authenticated USI…
--   CREATE POLICY owners read their whatsapp templates ON public.whatsapp_templates FOR SELECT TO authenticated U…
--   ALTER PUBLICATION supabase_realtime ADD TABLE public.contact_channels
--   ALTER PUBLICATION supabase_realtime ADD TABLE public.whatsapp_messages
--   COMMENT ON COLUMN private.whatsapp_deliveries.dead_letter IS 'Why something in it could not be assigned to an…
--   COMMENT ON COLUMN public.contact_channels.external_id IS 'The BSUID, or the digits of the number while no BSU…
--   COMMENT ON COLUMN public.contact_channels.failures IS 'How many messages could not be delivered since the las…
--   COMMENT ON COLUMN public.contact_channels.is_done IS 'False while a message waits for an answer.'
--   COMMENT ON COLUMN public.contact_channels.phone_id IS 'The telephone number that belongs to this identity; if…
--   COMMENT ON COLUMN public.contact_channels.portfolio IS 'The business portfolio in which external_id is unique…
--   COMMENT ON COLUMN public.contact_channels.snippet IS 'The beginning of the last received message.'
--   COMMENT ON COLUMN public.contact_channels.stopped_at IS 'When the person asked to receive no more messages (S…
--   COMMENT ON COLUMN public.contact_channels.window_expires_at IS 'Until when a free text may be sent: 24 hours …
--   COMMENT ON COLUMN public.whatsapp_accounts.last_delivery_at IS 'When Meta last delivered something about it.'
--   COMMENT ON COLUMN public.whatsapp_accounts.people_a_day IS 'How many people outside their window Meta lets th…
--   COMMENT ON COLUMN public.whatsapp_accounts.portfolio IS 'Identifiers of people are unique within it.'
--   COMMENT ON COLUMN public.whatsapp_accounts.state IS 'da_ricollegare: the token is gone. sospeso: a payment me…
--   COMMENT ON COLUMN public.whatsapp_messages.attempts IS 'Also tells a worker that lost its lease from the one …
--   COMMENT ON COLUMN public.whatsapp_messages.content IS 'What has no place in body: {media: {id, mime, name, sh…
--   COMMENT ON COLUMN public.whatsapp_messages.is_automatic IS 'No person wrote it: the answer to STOP.'
--   COMMENT ON COLUMN public.whatsapp_messages.is_outside_window IS 'The window was closed: its recipient counts …
--   COMMENT ON COLUMN public.whatsapp_messages.key IS 'Made by the form that sends it.'
--   COMMENT ON COLUMN public.whatsapp_messages.kind IS 'Its type as Meta names it: text, image, reaction … An unk…
--   COMMENT ON COLUMN public.whatsapp_messages.message_id IS 'The id that WhatsApp gave it (wamid).'
--   COMMENT ON COLUMN public.whatsapp_messages.price_category IS 'As Meta counts it, like price_kind and is_billa…
--   COMMENT ON COLUMN public.whatsapp_messages.refers_to IS 'The message that it quotes, reacts to, changes or ta…
--   COMMENT ON COLUMN public.whatsapp_messages.summary IS 'One line about any kind of message.'
--   COMMENT ON COLUMN public.whatsapp_messages.template IS 'The template that it was made of: {name, language, ca…
--   COMMENT ON COLUMN public.whatsapp_rates.amount_micros IS 'Millionths of the currency.'
--   COMMENT ON COLUMN public.whatsapp_rates.market IS 'The country prefix of the recipient, without +.'
--   COMMENT ON COLUMN public.whatsapp_templates.category IS 'UTILITY, MARKETING or AUTHENTICATION; Meta changes i…
--   COMMENT ON COLUMN public.whatsapp_templates.is_usable IS 'False for a template with a part that Socio does no…
--   COMMENT ON COLUMN public.whatsapp_templates.places IS 'The places of the body, in order: names, or 1, 2, 3 …'
--   COMMENT ON COLUMN public.whatsapp_templates.state IS 'As Meta names it: PENDING, APPROVED, REJECTED, PAUSED, …
--   COMMENT ON COLUMN public.whatsapp_templates.template_id IS 'Its id at Meta.'
--   COMMENT ON FUNCTION private.add_whatsapp
--   COMMENT ON FUNCTION private.begin_whatsapp
--   COMMENT ON FUNCTION private.cancel_messages_of_number
--   COMMENT ON FUNCTION private.change_whatsapp_state
--   COMMENT ON FUNCTION private.claim_whatsapp
--   COMMENT ON FUNCTION private.drop_whatsapp_account
--   COMMENT ON FUNCTION private.due_whatsapp_senders
--   COMMENT ON FUNCTION private.filled_template
--   COMMENT ON FUNCTION private.forget_whatsapp_deliveries
--   COMMENT ON FUNCTION private.is_stop_word
--   COMMENT ON FUNCTION private.is_whatsapp_stopped
--   COMMENT ON FUNCTION private.is_whatsapp_window_open
--   COMMENT ON FUNCTION private.keep_whatsapp_delivery
--   COMMENT ON FUNCTION private.keep_whatsapp_message
--   COMMENT ON FUNCTION private.keep_whatsapp_status
--   COMMENT ON FUNCTION private.note_sent_whatsapp
--   COMMENT ON FUNCTION private.note_whatsapp_number
--   COMMENT ON FUNCTION private.note_whatsapp_template
--   COMMENT ON FUNCTION private.react_to_whatsapp
--   COMMENT ON FUNCTION private.ring
--   COMMENT ON FUNCTION private.save_whatsapp_account
--   COMMENT ON FUNCTION private.save_whatsapp_templates
--   COMMENT ON FUNCTION private.schedule_delivery
--   COMMENT ON FUNCTION private.settle_whatsapp
--   COMMENT ON FUNCTION private.settle_whatsapp_delivery
--   COMMENT ON FUNCTION private.stop_whatsapp
--   COMMENT ON FUNCTION private.take_whatsapp_token
--   COMMENT ON FUNCTION private.wants
--   COMMENT ON FUNCTION private.whatsapp_account
--   COMMENT ON FUNCTION private.whatsapp_account_of
--   COMMENT ON FUNCTION private.whatsapp_channel
--   COMMENT ON FUNCTION private.whatsapp_contact
--   COMMENT ON FUNCTION private.whatsapp_delivery
--   COMMENT ON FUNCTION private.whatsapp_people_left
--   COMMENT ON FUNCTION private.whatsapp_phone
--   COMMENT ON FUNCTION private.whatsapp_rank
--   COMMENT ON FUNCTION private.whatsapp_refusal
--   COMMENT ON FUNCTION public.cancel_whatsapp
--   COMMENT ON FUNCTION public.decide_whatsapp
--   COMMENT ON FUNCTION public.queue_whatsapp
--   COMMENT ON FUNCTION public.set_whatsapp_rate
--   COMMENT ON FUNCTION public.whatsapp_usage
--   COMMENT ON TABLE private.whatsapp_buckets IS 'Token buckets: how many messages a number, or a person, may sti…
--   COMMENT ON TABLE private.whatsapp_deliveries IS 'What Meta delivered, as it came; erased after seven days. No…
--   COMMENT ON TABLE private.whatsapp_secrets IS 'Secrets of WhatsApp numbers, encrypted by Context.seal; no API …
--   COMMENT ON TABLE public.contact_channels IS 'Identities of contacts in messaging services, and the state of e…
--   COMMENT ON TABLE public.whatsapp_accounts IS 'The WhatsApp number of a person; token and app secret are in pr…
--   COMMENT ON TABLE public.whatsapp_messages IS 'WhatsApp messages with contacts; written by the server.'
--   COMMENT ON TABLE public.whatsapp_rates IS 'What Meta charges for a message; an admin fills it in. Without a r…
--   COMMENT ON TABLE public.whatsapp_templates IS 'Message templates of a person as Meta has them; written by the…
--   COMMENT ON VIEW private.whatsapp_reactions IS 'What each error code of Meta makes us do, with its words for p…
--   COMMENT ON VIEW public.notification_kinds IS 'The kinds of notifications: their family, colour, channels unle…
--   COMMENT ON VIEW public.retention_rules IS 'How long each kind of data is kept and why; `every` is how often t…
--   REVOKE ALL ON FUNCTION private.add_whatsapp
--   REVOKE ALL ON FUNCTION private.begin_whatsapp
--   GRANT EXECUTE ON FUNCTION private.begin_whatsapp
--   REVOKE ALL ON FUNCTION private.cancel_messages_of_number
--   REVOKE ALL ON FUNCTION private.change_whatsapp_state
--   REVOKE ALL ON FUNCTION private.claim_whatsapp
--   GRANT EXECUTE ON FUNCTION private.claim_whatsapp
--   REVOKE ALL ON FUNCTION private.drop_whatsapp_account
--   GRANT EXECUTE ON FUNCTION private.drop_whatsapp_account
--   REVOKE ALL ON FUNCTION private.due_whatsapp_senders
--   GRANT EXECUTE ON FUNCTION private.due_whatsapp_senders
--   REVOKE ALL ON FUNCTION private.filled_template
--   REVOKE ALL ON FUNCTION private.forget_whatsapp_deliveries
--   GRANT EXECUTE ON FUNCTION private.forget_whatsapp_deliveries
--   REVOKE ALL ON FUNCTION private.is_stop_word
--   REVOKE ALL ON FUNCTION private.is_whatsapp_stopped
--   REVOKE ALL ON FUNCTION private.is_whatsapp_window_open
--   REVOKE ALL ON FUNCTION private.keep_whatsapp_delivery
--   GRANT EXECUTE ON FUNCTION private.keep_whatsapp_delivery
--   REVOKE ALL ON FUNCTION private.keep_whatsapp_message
--   GRANT EXECUTE ON FUNCTION private.keep_whatsapp_message
--   REVOKE ALL ON FUNCTION private.keep_whatsapp_status
--   GRANT EXECUTE ON FUNCTION private.keep_whatsapp_status
--   REVOKE ALL ON FUNCTION private.note_sent_whatsapp
--   REVOKE ALL ON FUNCTION private.note_whatsapp_number
--   GRANT EXECUTE ON FUNCTION private.note_whatsapp_number
--   REVOKE ALL ON FUNCTION private.note_whatsapp_template
--   GRANT EXECUTE ON FUNCTION private.note_whatsapp_template
--   REVOKE ALL ON FUNCTION private.react_to_whatsapp
--   REVOKE ALL ON FUNCTION private.ring
--   REVOKE ALL ON FUNCTION private.save_whatsapp_account
--   GRANT EXECUTE ON FUNCTION private.save_whatsapp_account
--   REVOKE ALL ON FUNCTION private.save_whatsapp_templates
--   GRANT EXECUTE ON FUNCTION private.save_whatsapp_templates
--   REVOKE ALL ON FUNCTION private.schedule_delivery
--   REVOKE ALL ON FUNCTION private.settle_whatsapp
--   GRANT EXECUTE ON FUNCTION private.settle_whatsapp
--   REVOKE ALL ON FUNCTION private.settle_whatsapp_delivery
--   GRANT EXECUTE ON FUNCTION private.settle_whatsapp_delivery
--   REVOKE ALL ON FUNCTION private.stop_whatsapp
--   REVOKE ALL ON FUNCTION private.take_whatsapp_token
--   REVOKE ALL ON FUNCTION private.wants
--   REVOKE ALL ON FUNCTION private.whatsapp_account
--   GRANT EXECUTE ON FUNCTION private.whatsapp_account
--   REVOKE ALL ON FUNCTION private.whatsapp_account_of
--   GRANT EXECUTE ON FUNCTION private.whatsapp_account_of
--   REVOKE ALL ON FUNCTION private.whatsapp_channel
--   REVOKE ALL ON FUNCTION private.whatsapp_contact
--   REVOKE ALL ON FUNCTION private.whatsapp_delivery
--   GRANT EXECUTE ON FUNCTION private.whatsapp_delivery
--   REVOKE ALL ON FUNCTION private.whatsapp_people_left
--   REVOKE ALL ON FUNCTION private.whatsapp_phone
--   REVOKE ALL ON FUNCTION private.whatsapp_rank
--   REVOKE ALL ON FUNCTION private.whatsapp_refusal
--   GRANT EXECUTE ON FUNCTION public.cancel_whatsapp
--   GRANT EXECUTE ON FUNCTION public.decide_whatsapp
--   GRANT EXECUTE ON FUNCTION public.queue_whatsapp
--   GRANT EXECUTE ON FUNCTION public.set_whatsapp_rate
--   GRANT EXECUTE ON FUNCTION public.whatsapp_usage
--   REVOKE ALL ON TABLE public.contact_channels FROM authenticated
--   REVOKE ALL (is_done) ON TABLE public.contact_channels FROM authenticated
--   GRANT UPDATE (is_done) ON TABLE public.contact_channels TO authenticated
--   GRANT SELECT ON TABLE public.contact_channels TO authenticated
--   REVOKE ALL ON TABLE public.contact_channels FROM service_role
--   GRANT SELECT ON TABLE public.contact_channels TO service_role
--   REVOKE ALL ON TABLE public.whatsapp_accounts FROM authenticated
--   GRANT SELECT ON TABLE public.whatsapp_accounts TO authenticated
--   REVOKE ALL ON TABLE public.whatsapp_accounts FROM service_role
--   GRANT SELECT ON TABLE public.whatsapp_accounts TO service_role
--   REVOKE ALL ON TABLE public.whatsapp_messages FROM authenticated
--   GRANT SELECT ON TABLE public.whatsapp_messages TO authenticated
--   REVOKE ALL ON TABLE public.whatsapp_messages FROM service_role
--   GRANT SELECT ON TABLE public.whatsapp_messages TO service_role
--   REVOKE ALL ON TABLE public.whatsapp_rates FROM service_role
--   GRANT SELECT ON TABLE public.whatsapp_rates TO service_role
--   REVOKE ALL ON TABLE public.whatsapp_templates FROM authenticated
--   GRANT SELECT ON TABLE public.whatsapp_templates TO authenticated
--   REVOKE ALL ON TABLE public.whatsapp_templates FROM service_role
--   GRANT SELECT ON TABLE public.whatsapp_templates TO service_role
--   REVOKE ALL ON TABLE public.notification_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.notification_kinds TO authenticated
--   REVOKE ALL ON TABLE public.notification_kinds FROM service_role
--   GRANT SELECT ON TABLE public.notification_kinds TO service_role
--   REVOKE ALL ON TABLE public.retention_rules FROM authenticated
--   GRANT SELECT ON TABLE public.retention_rules TO authenticated
--   REVOKE ALL ON TABLE public.retention_rules FROM service_role
--   GRANT SELECT ON TABLE public.retention_rules TO service_role

set check_function_bodies = off;

DROP VIEW "public"."retention_rules";

DROP FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean);

DROP FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP VIEW "public"."notification_kinds";

CREATE TABLE "private"."whatsapp_buckets" (
  "id"         uuid                     NOT NULL,
  "tokens"     double precision         NOT NULL,
  "counted_at" timestamp with time zone NOT NULL,
  CONSTRAINT "whatsapp_buckets_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."whatsapp_buckets"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."whatsapp_deliveries" (
  "id"          bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "user_id"     uuid                     NOT NULL,
  "account_id"  uuid                     NOT NULL,
  "body"        text                     NOT NULL,
  "received_at" timestamp with time zone NOT NULL DEFAULT now(),
  "handled_at"  timestamp with time zone,
  "dead_letter" text,
  CONSTRAINT "dead_letter_fits" CHECK (((char_length(dead_letter) >= 1) AND (char_length(dead_letter) <= 200))),
  CONSTRAINT "whatsapp_deliveries_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."whatsapp_deliveries"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."whatsapp_secrets" (
  "account_id"        uuid NOT NULL,
  "sealed_token"      text NOT NULL,
  "sealed_app_secret" text NOT NULL,
  CONSTRAINT "whatsapp_secrets_pkey" PRIMARY KEY (account_id)
);

ALTER TABLE "private"."whatsapp_secrets"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."contact_channels" (
  "id"         uuid NOT NULL DEFAULT gen_random_uuid(),
  "user_id"    uuid NOT NULL,
  "contact_id" uuid NOT NULL,
  CONSTRAINT "contact_channels_identity" UNIQUE (user_id, id),
  CONSTRAINT "contact_channels_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."contact_channels"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."contact_channels" FROM "anon";

CREATE TABLE "public"."whatsapp_accounts" (
  "id"              uuid               NOT NULL DEFAULT gen_random_uuid(),
  "user_id"         uuid               NOT NULL,
  "portfolio"       text               NOT NULL,
  "waba_id"         text               NOT NULL,
  "phone_number_id" text               NOT NULL,
  "display_number"  public.single_line,
  CONSTRAINT "ids_are_numbers" CHECK (((waba_id ~ '^[0-9]{1,40}$'::text) AND (phone_number_id ~ '^[0-9]{1,40}$'::text))),
  CONSTRAINT "portfolio_fits" CHECK (((char_length(portfolio) >= 1) AND (char_length(portfolio) <= 100))),
  CONSTRAINT "whatsapp_accounts_phone_number_id_key" UNIQUE (phone_number_id),
  CONSTRAINT "whatsapp_accounts_pkey" PRIMARY KEY (id),
  CONSTRAINT "whatsapp_accounts_user_id_key" UNIQUE (user_id)
);

ALTER TABLE "public"."whatsapp_accounts"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."whatsapp_accounts" FROM "anon";

CREATE TABLE "public"."whatsapp_messages" (
  "id"                uuid                         NOT NULL DEFAULT gen_random_uuid(),
  "user_id"           uuid                         NOT NULL,
  "contact_id"        uuid                         NOT NULL,
  "channel_id"        uuid                         NOT NULL,
  "direction"         public.interaction_direction NOT NULL,
  "message_id"        text,
  "kind"              text                         NOT NULL,
  "body"              text                         NOT NULL DEFAULT ''::text,
  "summary"           text                         NOT NULL,
  "refers_to"         text,
  "content"           jsonb                        NOT NULL DEFAULT '{}'::jsonb,
  "at"                timestamp with time zone     NOT NULL,
  "key"               uuid,
  "template"          jsonb,
  "is_automatic"      boolean                      NOT NULL DEFAULT false,
  "is_outside_window" boolean                      NOT NULL DEFAULT false,
  CONSTRAINT "content_is_an_object" CHECK (((jsonb_typeof(content) = 'object'::text) AND (char_length((content)::text) <= 20000))),
  CONSTRAINT "received_messages_have_an_id" CHECK (((direction = 'uscita'::public.interaction_direction) OR (message_id IS NOT NULL))),
  CONSTRAINT "summary_fits" CHECK (((char_length(summary) >= 1) AND (char_length(summary) <= 20000))),
  CONSTRAINT "template_is_an_object" CHECK (((jsonb_typeof(template) = 'object'::text) AND (char_length((template)::text) <= 20000))),
  CONSTRAINT "texts_fit" CHECK (((char_length(message_id) <= 200) AND (char_length(kind) <= 50) AND (char_length(body) <= 10000) AND (char_length(refers_to) <= 200))),
  CONSTRAINT "whatsapp_messages_identity" UNIQUE (user_id, id),
  CONSTRAINT "whatsapp_messages_pkey" PRIMARY KEY (id),
  CONSTRAINT "whatsapp_messages_user_id_key_key" UNIQUE (user_id, key),
  CONSTRAINT "whatsapp_messages_user_id_message_id_key" UNIQUE (user_id, message_id)
);

ALTER TABLE "public"."whatsapp_messages"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."whatsapp_messages" FROM "anon";

CREATE TABLE "public"."whatsapp_rates" (
  "id"            uuid   NOT NULL DEFAULT gen_random_uuid(),
  "market"        text   NOT NULL,
  "category"      text   NOT NULL,
  "valid_from"    date   NOT NULL,
  "currency"      text   NOT NULL,
  "amount_micros" bigint NOT NULL,
  CONSTRAINT "amount_is_no_debt" CHECK ((amount_micros >= 0)),
  CONSTRAINT "category_fits" CHECK ((category ~ '^[a-z_]{1,50}$'::text)),
  CONSTRAINT "currency_is_a_code" CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT "market_is_a_prefix" CHECK ((market ~ '^[1-9][0-9]{0,3}$'::text)),
  CONSTRAINT "whatsapp_rates_market_category_valid_from_key" UNIQUE (market, category, valid_from),
  CONSTRAINT "whatsapp_rates_pkey" PRIMARY KEY (id)
);

ALTER TABLE "public"."whatsapp_rates"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."whatsapp_rates" FROM "anon", "authenticated";

CREATE TABLE "public"."whatsapp_templates" (
  "id"          uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "user_id"     uuid                     NOT NULL,
  "template_id" text                     NOT NULL,
  "name"        text                     NOT NULL,
  "language"    text                     NOT NULL,
  "category"    text                     NOT NULL,
  "state"       text                     NOT NULL,
  "quality"     text,
  "reason"      text,
  "body"        text                     NOT NULL,
  "is_named"    boolean                  NOT NULL,
  "places"      text[]                   NOT NULL DEFAULT '{}'::text[],
  "is_usable"   boolean                  NOT NULL DEFAULT true,
  "created_at"  timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "texts_fit"
    CHECK
    (((char_length(template_id) <= 100) AND (char_length(name) <= 512) AND (char_length(language) <= 20) AND (char_length(category) <= 50) AND (char_length(state) <= 50) AND
    (char_length(quality) <= 50) AND (char_length(reason) <= 500) AND (char_length(body) <= 2000))),
  CONSTRAINT "whatsapp_templates_identity" UNIQUE (user_id, id),
  CONSTRAINT "whatsapp_templates_pkey" PRIMARY KEY (id),
  CONSTRAINT "whatsapp_templates_user_id_name_language_key" UNIQUE (user_id, name, LANGUAGE)
);

ALTER TABLE "public"."whatsapp_templates"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."whatsapp_templates" FROM "anon";

CREATE TYPE "public"."contact_channel_kind" AS ENUM (
  'whatsapp'
);

ALTER TABLE "public"."contact_channels"
  ADD COLUMN "kind" public.contact_channel_kind NOT NULL;

ALTER TABLE "public"."contact_channels"
  ADD COLUMN "portfolio" text NOT NULL;

ALTER TABLE "public"."contact_channels"
  ADD COLUMN "external_id" text NOT NULL;

ALTER TABLE "public"."contact_channels"
  ADD COLUMN "phone_id" uuid;

ALTER TABLE "public"."contact_channels"
  ADD COLUMN "username" text;

ALTER TABLE "public"."contact_channels"
  ADD COLUMN "last_inbound_at" timestamp WITH time zone;

ALTER TABLE "public"."contact_channels"
  ADD COLUMN "window_expires_at" timestamp WITH time zone;

ALTER TABLE "public"."contact_channels"
  ADD COLUMN "stopped_at" timestamp WITH time zone;

ALTER TABLE "public"."contact_channels"
  ADD COLUMN "failures" integer NOT NULL DEFAULT 0;

ALTER TABLE "public"."contact_channels"
  ADD COLUMN "is_done" boolean NOT NULL DEFAULT true;

ALTER TABLE "public"."contact_channels"
  ADD COLUMN "last_at" timestamp WITH time zone NOT NULL;

ALTER TABLE "public"."contact_channels"
  ADD COLUMN "snippet" text NOT NULL DEFAULT ''::text;

ALTER TABLE "public"."contact_channels"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE TYPE "public"."whatsapp_account_state" AS ENUM (
  'attivo',
  'da_ricollegare',
  'sospeso',
  'spento'
);

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "state" public.whatsapp_account_state NOT NULL DEFAULT 'attivo'::public.whatsapp_account_state;

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "quality" text;

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "people_a_day" integer NOT NULL DEFAULT 250;

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "paused_until" timestamp WITH time zone;

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "templates_stopped_until" timestamp WITH time zone;

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "last_delivery_at" timestamp WITH time zone;

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "last_success_at" timestamp WITH time zone;

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "last_error_code" integer;

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "last_error" text;

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "last_error_at" timestamp WITH time zone;

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE TYPE "public"."whatsapp_error" AS ENUM (
  'meta',
  'expired',
  'window',
  'stopped',
  'consent',
  'interrupted',
  'disconnected',
  'unreachable'
);

CREATE TYPE "public"."whatsapp_state" AS ENUM (
  'queued',
  'sending',
  'sent',
  'delivered',
  'read',
  'failed',
  'uncertain',
  'cancelled'
);

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "state" public.whatsapp_state;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "not_before" timestamp WITH time zone;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "expires_at" timestamp WITH time zone;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "attempts" integer NOT NULL DEFAULT 0;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "leased_until" timestamp WITH time zone;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "error" public.whatsapp_error;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "error_code" integer;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "error_detail" text;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "sent_at" timestamp WITH time zone;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "delivered_at" timestamp WITH time zone;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "read_at" timestamp WITH time zone;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "price_category" text;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "price_kind" text;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "is_billable" boolean;

ALTER TABLE "public"."whatsapp_messages"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE OR REPLACE FUNCTION private.add_whatsapp (
  _key          uuid,
  _channel      public.contact_channels,
  _body         text,
  _template     jsonb,
  _refers_to    text,
  _not_before   timestamp with time zone,
  _is_automatic boolean                  DEFAULT false
)
  RETURNS public.whatsapp_messages
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
begin
  insert into public.whatsapp_messages (
    user_id, contact_id, channel_id, direction, key, kind, body, summary, refers_to, template, is_automatic,
    is_outside_window, state, at, not_before, expires_at
  )
  values (
    _channel.user_id, _channel.contact_id, _channel.id, 'uscita', _key,
    case when _template is null then 'text' else 'template' end, _body, _body, _refers_to, _template, _is_automatic,
    not private.is_whatsapp_window_open(_channel), 'queued', now(), _not_before,
    case when _template is null then _channel.window_expires_at else _not_before + interval '1 day' end
  )
  on conflict (user_id, key) do update set key = excluded.key
  returning * into _message;
  update public.contact_channels set is_done = true, last_at = greatest(last_at, now()) where id = _channel.id;
  return _message;
end
$function$;

CREATE OR REPLACE FUNCTION private.begin_whatsapp (
  _id      uuid,
  _attempt integer
)
  RETURNS TABLE (
    external_id text,
    phone       text
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
  _refusal public.whatsapp_error;
begin
  select * into _message from public.whatsapp_messages
  where id = _id and attempts = _attempt and state = 'queued' for update;
  if not found then
    return;
  end if;
  -- A window that closed, or an objection that came, after the message was queued counts.
  _refusal := private.whatsapp_refusal(_message);
  update public.whatsapp_messages
  set state = case when _refusal is null then 'sending'::public.whatsapp_state else 'failed' end, error = _refusal,
    leased_until = case when _refusal is null then now() + interval '2 minutes' end
  where id = _id;
  return query
    select channels.external_id, phones.norm from public.contact_channels as channels
    left join public.contact_phones as phones on phones.user_id = channels.user_id and phones.id = channels.phone_id
    where channels.id = _message.channel_id and _refusal is null;
end
$function$;

CREATE OR REPLACE FUNCTION private.cancel_messages_of_number()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.whatsapp_messages set state = 'cancelled', error = 'disconnected', leased_until = null
  where user_id = old.user_id and state = 'queued';
  delete from public.whatsapp_templates where user_id = old.user_id;
  return old;
end
$function$;

CREATE OR REPLACE FUNCTION private.change_whatsapp_state (
  _user_id uuid,
  _state   public.whatsapp_account_state,
  _code    integer,
  _message text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  update public.whatsapp_accounts
  set state = _state, last_error_code = _code, last_error = _message, last_error_at = now()
  where user_id = _user_id and state <> _state;
  if found then
    perform private.notify(
      _user_id, 'whatsapp_fermo', 'WhatsApp non invia più', _message, '/settings/channels',
      'whatsapp state ' || gen_random_uuid()
    );
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.claim_whatsapp (
  _user_id uuid
)
  RETURNS SETOF public.whatsapp_messages
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _account public.whatsapp_accounts;
  _message public.whatsapp_messages;
  _wait_s double precision;
begin
  select * into _account from public.whatsapp_accounts
  where user_id = _user_id and state = 'attivo' and coalesce(paused_until <= now(), true);
  if not found then
    return;
  end if;
  loop
    select * into _message from public.whatsapp_messages
    where user_id = _user_id and state = 'queued' and not_before <= clock_timestamp()
      and (leased_until is null or leased_until <= now())
    order by not_before, id limit 1 for update skip locked;
    if not found then
      return;
    end if;
    -- Meta takes about one message in six seconds to the same person, and some at once.
    _wait_s := private.take_whatsapp_token(_message.channel_id, 1 / 6.0, 5);
    if _wait_s > 0 then
      update public.whatsapp_messages set not_before = clock_timestamp() + make_interval(secs => _wait_s)
      where id = _message.id;
      continue;
    end if;
    -- Twenty a second: the least that a number has.
    _wait_s := private.take_whatsapp_token(_account.id, 20, 20);
    if _wait_s > 0 then
      update public.whatsapp_messages set not_before = clock_timestamp() + make_interval(secs => _wait_s)
      where id = _message.id;
      return;
    end if;
    return query
      update public.whatsapp_messages set attempts = attempts + 1, leased_until = now() + interval '2 minutes'
      where id = _message.id returning *;
    return;
  end loop;
end
$function$;

CREATE OR REPLACE FUNCTION private.drop_whatsapp_account (
  _user_id uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  delete from public.whatsapp_accounts where user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION private.due_whatsapp_senders (
  _limit integer DEFAULT 500
)
  RETURNS SETOF uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Their worker is gone, or its answer came too late.
  update public.whatsapp_messages set state = 'uncertain', leased_until = null, error = 'interrupted'
  where state = 'sending' and leased_until <= now();
  update public.whatsapp_messages set state = 'failed', leased_until = null, error = 'expired'
  where state = 'queued' and expires_at <= now();
  -- A bucket of yesterday is full.
  delete from private.whatsapp_buckets where counted_at < now() - interval '1 day';
  return query
    select distinct messages.user_id
    from public.whatsapp_messages as messages
    join public.whatsapp_accounts as accounts on accounts.user_id = messages.user_id
    where messages.state = 'queued' and not_before <= now() and accounts.state = 'attivo'
      and coalesce(paused_until <= now(), true)
    limit _limit;
end
$function$;

CREATE OR REPLACE FUNCTION private.filled_template (
  _template public.whatsapp_templates,
  _values   jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  _text text := (_template).body;
  _place text;
  _value text;
begin
  foreach _place in array (_template).places
  loop
    _value := private.one_line(_values ->> _place);
    if _value is null or private.has_open_place(_value) then
      raise exception 'a place of the template was not filled in' using errcode = 'SW004', detail = _place;
    end if;
    _text := replace(_text, '{{' || _place || '}}', _value);
  end loop;
  return _text;
end
$function$;

CREATE OR REPLACE FUNCTION private.forget_whatsapp_deliveries (
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with gone as (
    delete from private.whatsapp_deliveries where id in (
      select id from private.whatsapp_deliveries where received_at < now() - interval '7 days' limit _limit
    )
    returning id
  )
  select count(*) from gone
$function$;

CREATE OR REPLACE FUNCTION private.is_stop_word (
  _text text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select upper(btrim(_text, E' \t\r\n.!"''')) in ('STOP', 'BASTA', 'CANCELLAMI')
$function$;

CREATE OR REPLACE FUNCTION private.is_whatsapp_stopped (
  _channel     public.contact_channels,
  _is_template boolean
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select (_channel).stopped_at is not null
    -- Whoever writes again after STOP may be answered; a template needs a new consent.
    and not (not _is_template and (_channel).last_inbound_at > (_channel).stopped_at)
    and not exists (
      select from public.consents
      where user_id = (_channel).user_id and contact_id = (_channel).contact_id and channel = 'whatsapp'
        and state = 'dato' and at > (_channel).stopped_at
    )
$function$;

CREATE OR REPLACE FUNCTION private.is_whatsapp_window_open (
  _channel public.contact_channels
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce((_channel).window_expires_at > now(), false)
$function$;

CREATE OR REPLACE FUNCTION private.keep_whatsapp_delivery (
  _account_id uuid,
  _body       text
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with seen as (
    update public.whatsapp_accounts set last_delivery_at = now()
    -- Not at each of many deliveries.
    where id = _account_id and coalesce(last_delivery_at < now() - interval '10 seconds', true)
  )
  insert into private.whatsapp_deliveries (user_id, account_id, body)
  select user_id, id, _body from public.whatsapp_accounts where id = _account_id
  returning id
$function$;

CREATE OR REPLACE FUNCTION private.keep_whatsapp_message (
  _account_id uuid,
  _told       jsonb
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _account public.whatsapp_accounts;
  _channel public.contact_channels;
  -- A clock of ours that is late must not keep the window open for longer.
  _at constant timestamptz := least((_told ->> 'at')::timestamptz, now());
  _id uuid;
  _name text;
begin
  -- Locked, so that two messages of one stranger make one contact.
  select * into _account from public.whatsapp_accounts where id = _account_id for no key update;
  if not found or exists (
    select from public.whatsapp_messages where user_id = _account.user_id and message_id = _told ->> 'message_id'
  ) then
    return null;
  end if;
  _channel := private.whatsapp_channel(
    _account.user_id, _account.portfolio, _told ->> 'bsuid', _told ->> 'phone', _told ->> 'name', _told ->> 'username', _at
  );
  insert into public.whatsapp_messages (
    user_id, contact_id, channel_id, direction, message_id, kind, body, summary, refers_to, content, at
  )
  values (
    _account.user_id, _channel.contact_id, _channel.id, 'entrata', _told ->> 'message_id', _told ->> 'kind', _told ->> 'body',
    _told ->> 'summary', _told ->> 'refers_to', _told -> 'content', _at
  )
  returning id into _id;
  update public.contact_channels
  set failures = 0, last_inbound_at = greatest(last_inbound_at, _at), window_expires_at = greatest(window_expires_at, _at + interval '24 hours'),
    snippet = case when last_inbound_at > _at then snippet else left(_told ->> 'summary', 200) end,
    -- A message that was delivered late is not news after an answer.
    is_done = case when last_at > _at then is_done else false end, last_at = greatest(last_at, _at)
  where id = _channel.id
  returning * into _channel;
  insert into public.interactions (user_id, contact_id, kind, direction, at, summary)
  values (_account.user_id, _channel.contact_id, 'whatsapp', 'entrata', _at, _told ->> 'summary');
  if private.is_stop_word(_told ->> 'body') then
    perform private.stop_whatsapp(_channel, _at);
    -- Confirmed once.
    if _channel.stopped_at is null and _channel.window_expires_at > now() then
      perform private.add_whatsapp(
        gen_random_uuid(), _channel, 'Va bene, non riceverai altri messaggi da questo numero.', null, null, now(), true
      );
    end if;
  end if;
  select name into _name from public.contacts where id = _channel.contact_id;
  -- No words of the message: what a stranger writes does not become a sentence of ours.
  perform private.notify(
    _account.user_id, 'messaggio_whatsapp', 'Messaggio WhatsApp', _name || ' ti ha scritto su WhatsApp.',
    '/crm/' || _channel.contact_id, 'whatsapp ' || _id
  );
  return _id;
end
$function$;

CREATE OR REPLACE FUNCTION private.keep_whatsapp_status (
  _account_id uuid,
  _told       jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
  _former public.whatsapp_messages;
  _state constant public.whatsapp_state := _told ->> 'state';
  _at constant timestamptz := least((_told ->> 'at')::timestamptz, now());
begin
  select messages.* into _former
  from public.whatsapp_messages as messages join public.whatsapp_accounts as accounts using (user_id)
  where accounts.id = _account_id and direction = 'uscita'
    and (messages.id = (_told ->> 'our_id')::uuid or message_id = _told ->> 'message_id')
  order by messages.id = (_told ->> 'our_id')::uuid desc limit 1
  for update of messages;
  if not found then
    return;
  end if;
  update public.whatsapp_messages
  set message_id = coalesce(message_id, _told ->> 'message_id'),
    state = case when private.whatsapp_rank(_state) > private.whatsapp_rank(state) then _state else state end,
    sent_at = case when _state = 'failed' then sent_at else coalesce(sent_at, _at) end,
    delivered_at = case when _state in ('delivered', 'read') then least(delivered_at, _at) else delivered_at end,
    read_at = case when _state = 'read' then least(read_at, _at) else read_at end,
    price_category = coalesce(_told ->> 'price_category', price_category),
    price_kind = coalesce(_told ->> 'price_kind', price_kind),
    is_billable = coalesce((_told ->> 'is_billable')::boolean, is_billable),
    leased_until = null, error = case when _state = 'failed' then error end
  where id = _former.id
  returning * into _message;
  if _former.sent_at is null and _message.sent_at is not null then
    perform private.note_sent_whatsapp(_message);
  end if;
  if _message.state = 'failed' and _former.state <> 'failed' then
    perform private.react_to_whatsapp(_message, coalesce((_told ->> 'code')::integer, -1), _told ->> 'detail');
  elsif _message.state in ('delivered', 'read') then
    update public.contact_channels set failures = 0 where id = _message.channel_id and failures > 0;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.note_sent_whatsapp (
  _message public.whatsapp_messages
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into public.interactions (user_id, contact_id, kind, direction, at, summary)
  values (_message.user_id, _message.contact_id, 'whatsapp', 'uscita', _message.sent_at, _message.summary)
$function$;

CREATE OR REPLACE FUNCTION private.note_whatsapp_number (
  _account_id     uuid,
  _display_number text,
  _quality        text,
  _people_a_day   integer
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.whatsapp_accounts
  set display_number = private.one_line(_display_number), quality = left(private.one_line(_quality), 20),
    people_a_day = coalesce(_people_a_day, people_a_day), state = 'attivo', paused_until = null, last_error_code = null,
    last_error = null, last_error_at = null, last_success_at = now()
  where id = _account_id
$function$;

CREATE OR REPLACE FUNCTION private.note_whatsapp_template (
  _account_id uuid,
  _told       jsonb
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update public.whatsapp_templates as template
  set state = coalesce(_told ->> 'state', template.state), quality = coalesce(_told ->> 'quality', template.quality),
    category = coalesce(_told ->> 'category', template.category),
    reason = case when _told ? 'state' then _told ->> 'reason' else template.reason end
  from public.whatsapp_accounts as accounts
  where accounts.id = _account_id and template.user_id = accounts.user_id
    and template.name = _told ->> 'name' and template.language = _told ->> 'language'
$function$;

CREATE OR REPLACE FUNCTION private.react_to_whatsapp (
  _message public.whatsapp_messages,
  _code    integer,
  _detail  text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _reaction private.whatsapp_reactions;
  _is_again boolean;
begin
  select * into _reaction from private.whatsapp_reactions where _code between first_code and last_code;
  -- A message that Meta accepted once is never sent again by itself.
  _is_again := _message.message_id is null and now() < _message.expires_at and coalesce(
    _reaction.reaction in ('slow_down', 'slow_person', 'reconnect', 'pause')
    or _reaction.reaction = 'retry' and _message.attempts < 4, false
  );
  update public.whatsapp_messages
  set state = case when _is_again then 'queued'::public.whatsapp_state else 'failed' end, error = 'meta', error_code = _code,
    error_detail = left(coalesce(_reaction.message, private.one_line(_detail)), 500), leased_until = null,
    not_before = case when _is_again
      -- Up to half of it more, so that not all come back at once.
      then now() + make_interval(secs => _reaction.delay_s * (1 + random() / 2)) else not_before end
  where id = _message.id;
  case _reaction.reaction
    when 'reconnect' then perform private.change_whatsapp_state(_message.user_id, 'da_ricollegare', _code, _reaction.message);
    when 'switch_off' then perform private.change_whatsapp_state(_message.user_id, 'spento', _code, _reaction.message);
    when 'pause' then perform private.change_whatsapp_state(_message.user_id, 'sospeso', _code, _reaction.message);
    when 'slow_down' then
      update public.whatsapp_accounts set paused_until = now() + make_interval(secs => _reaction.delay_s)
      where user_id = _message.user_id;
    when 'stop_templates' then
      update public.whatsapp_accounts
      set templates_stopped_until = now() + make_interval(secs => _reaction.delay_s), last_error_code = _code,
        last_error = _reaction.message, last_error_at = now()
      where user_id = _message.user_id;
      update public.whatsapp_messages set state = 'cancelled', error = 'stopped', leased_until = null
      where user_id = _message.user_id and state = 'queued' and template is not null;
    when 'close_window' then
      update public.contact_channels set window_expires_at = least(window_expires_at, now()) where id = _message.channel_id;
    when 'doubt' then
      update public.contact_channels set failures = failures + 1 where id = _message.channel_id;
    when 'suppress' then
      perform private.set_consent(
        _message.user_id, _message.contact_id, 'whatsapp', 'marketing', 'revocato', null, null, 'Scelta su WhatsApp'
      );
    when 'pause_template' then
      update public.whatsapp_templates set state = 'PAUSED'
      where user_id = _message.user_id and name = _message.template ->> 'name' and language = _message.template ->> 'language';
    when 'disable_template', 'reread' then
      -- A template that is not as we know it is not sent until it was read again.
      update public.whatsapp_templates
      set state = case _reaction.reaction when 'reread' then 'CHANGED' else 'DISABLED' end
      where user_id = _message.user_id and name = _message.template ->> 'name' and language = _message.template ->> 'language';
    else null;
  end case;
end
$function$;

CREATE OR REPLACE FUNCTION private.save_whatsapp_account (
  _id                uuid,
  _user_id           uuid,
  _portfolio         text,
  _waba_id           text,
  _phone_number_id   text,
  _display_number    text,
  _sealed_token      text,
  _sealed_app_secret text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- A person has one number: the former goes with its secrets, its messages stay.
  delete from public.whatsapp_accounts where user_id = _user_id and id <> _id;
  insert into public.whatsapp_accounts (id, user_id, portfolio, waba_id, phone_number_id, display_number)
  values (_id, _user_id, _portfolio, _waba_id, _phone_number_id, private.one_line(_display_number));
  insert into private.whatsapp_secrets (account_id, sealed_token, sealed_app_secret)
  values (_id, _sealed_token, _sealed_app_secret);
end
$function$;

CREATE OR REPLACE FUNCTION private.save_whatsapp_templates (
  _account_id uuid,
  _told       jsonb,
  _is_all     boolean
)
  RETURNS integer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select user_id from public.whatsapp_accounts where id = _account_id);
  _count integer;
begin
  if _is_all then
    delete from public.whatsapp_templates where user_id = _user_id and (name, language) not in (
      select one ->> 'name', one ->> 'language' from jsonb_array_elements(_told) as one
    );
  end if;
  insert into public.whatsapp_templates as template (
    user_id, template_id, name, language, category, state, quality, reason, body, is_named, places, is_usable
  )
  select distinct on (name, language) _user_id, template_id, name, language, category, state, quality, reason, body, is_named,
    places, is_usable
  from jsonb_to_recordset(_told) as one (
    template_id text, name text, language text, category text, state text, quality text, reason text, body text,
    is_named boolean, places text[], is_usable boolean
  )
  where _user_id is not null
  on conflict (user_id, name, language) do update
    set template_id = excluded.template_id, category = excluded.category, state = excluded.state, quality = excluded.quality,
      reason = excluded.reason, body = excluded.body, is_named = excluded.is_named, places = excluded.places,
      is_usable = excluded.is_usable;
  get diagnostics _count = row_count;
  return _count;
end
$function$;

CREATE OR REPLACE FUNCTION private.settle_whatsapp (
  _id           uuid,
  _attempt      integer,
  _message_id   text    DEFAULT NULL::text,
  _code         integer DEFAULT NULL::integer,
  _detail       text    DEFAULT NULL::text,
  _is_temporary boolean DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _message public.whatsapp_messages;
begin
  select * into _message from public.whatsapp_messages where id = _id and attempts = _attempt for update;
  if not found or _message.state not in ('queued', 'sending', 'uncertain') then
    -- Its status was faster than the answer.
    update public.whatsapp_messages set message_id = coalesce(message_id, _message_id) where id = _id;
  elsif _code is not null then
    perform private.react_to_whatsapp(_message, _code, _detail);
  elsif _message_id is not null then
    update public.whatsapp_messages
    set state = 'sent', message_id = _message_id, sent_at = now(), leased_until = null, error = null, error_code = null,
      error_detail = null
    where id = _id returning * into _message;
    perform private.note_sent_whatsapp(_message);
    update public.whatsapp_accounts set last_success_at = now() where user_id = _message.user_id;
  elsif _is_temporary then
    update public.whatsapp_messages
    set state = 'queued', error = 'unreachable', leased_until = null,
      not_before = now() + make_interval(secs => least(30 * 2 ^ (_attempt - 1), 900))
    where id = _id;
  else
    update public.whatsapp_messages set state = 'uncertain', error = 'interrupted', leased_until = null where id = _id;
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.settle_whatsapp_delivery (
  _id          bigint,
  _dead_letter text   DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update private.whatsapp_deliveries set handled_at = now(), dead_letter = left(private.one_line(_dead_letter), 200)
  where id = _id
$function$;

CREATE OR REPLACE FUNCTION private.stop_whatsapp (
  _channel public.contact_channels,
  _at      timestamp with time zone
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  update public.contact_channels set stopped_at = greatest(stopped_at, _at), is_done = true where id = _channel.id;
  perform private.set_consent(
    _channel.user_id, _channel.contact_id, 'whatsapp', purpose, 'revocato', null, null, 'Messaggio WhatsApp'
  )
  from unnest(array['marketing', 'servizio']::public.consent_purpose[]) as purpose;
end
$function$;

CREATE OR REPLACE FUNCTION private.take_whatsapp_token (
  _id    uuid,
  _per_s double precision,
  _most  double precision
)
  RETURNS double precision
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _tokens double precision;
begin
  insert into private.whatsapp_buckets (id, tokens, counted_at) values (_id, _most, clock_timestamp())
  on conflict (id) do nothing;
  select least(_most, tokens + _per_s * greatest(extract(epoch from clock_timestamp() - counted_at)::float8, 0))
  into _tokens
  from private.whatsapp_buckets where id = _id for update;
  if _tokens < 1 then
    return (1 - _tokens) / _per_s;
  end if;
  update private.whatsapp_buckets set tokens = _tokens - 1, counted_at = clock_timestamp() where id = _id;
  return 0;
end
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

CREATE OR REPLACE FUNCTION private.whatsapp_account (
  _id uuid
)
  RETURNS TABLE (
    id                uuid,
    user_id           uuid,
    portfolio         text,
    waba_id           text,
    phone_number_id   text,
    sealed_token      text,
    sealed_app_secret text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select accounts.id, user_id, portfolio, waba_id, phone_number_id, sealed_token, sealed_app_secret
  from public.whatsapp_accounts as accounts join private.whatsapp_secrets on account_id = accounts.id
  where accounts.id = _id
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_account_of (
  _user_id uuid
)
  RETURNS uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select id from public.whatsapp_accounts where user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_channel (
  _user_id   uuid,
  _portfolio text,
  _bsuid     text,
  _phone     text,
  _name      text,
  _username  text,
  _at        timestamp with time zone
)
  RETURNS public.contact_channels
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _channel public.contact_channels;
  _digits constant text := ltrim(_phone, '+');
  _contact_id uuid;
begin
  -- The BSUID, then the number by which the person was known before it had one.
  select * into _channel from public.contact_channels
  where user_id = _user_id and kind = 'whatsapp' and portfolio = _portfolio and external_id in (_bsuid, _digits)
  order by external_id = _bsuid desc limit 1;
  if _channel.id is null then
    select contact_id into _contact_id from public.contact_phones where user_id = _user_id and norm = _phone;
    _contact_id := coalesce(
      private.living_contact(_user_id, _contact_id),
      private.whatsapp_contact(_user_id, _name, coalesce('@' || _username, _phone))
    );
    insert into public.contact_channels (user_id, contact_id, kind, portfolio, external_id, username, last_at)
    values (_user_id, _contact_id, 'whatsapp', _portfolio, coalesce(_bsuid, _digits), _username, _at)
    returning * into _channel;
  end if;
  -- Whoever writes is not in the trash.
  update public.contacts set deleted_at = null
  where user_id = _user_id and id = _channel.contact_id and deleted_at is not null;
  update public.contact_channels
  set external_id = coalesce(_bsuid, external_id), username = coalesce(_username, username),
    phone_id = case when _phone is null then phone_id else private.whatsapp_phone(_user_id, contact_id, _phone) end
  where id = _channel.id
  returning * into _channel;
  return _channel;
end
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_contact (
  _user_id  uuid,
  _name     text,
  _fallback text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _line constant text := left(coalesce(private.one_line(_name), private.one_line(_fallback), 'Contatto WhatsApp'), 200);
  _contact_id uuid;
begin
  insert into public.contacts (user_id, type, first_name, last_name, origin)
  values (
    _user_id, 'persona', split_part(_line, ' ', 1), nullif(btrim(substr(_line, strpos(_line || ' ', ' '))), ''), 'whatsapp'
  )
  returning id into _contact_id;
  perform private.set_consent(
    _user_id, _contact_id, 'whatsapp', 'marketing', 'non_richiesto', null, null, 'Messaggio WhatsApp ricevuto'
  );
  return _contact_id;
end
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_delivery (
  _id bigint
)
  RETURNS TABLE (
    user_id         uuid,
    account_id      uuid,
    body            text,
    phone_number_id text
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select deliveries.user_id, accounts.id, body, phone_number_id
  from private.whatsapp_deliveries as deliveries
  left join public.whatsapp_accounts as accounts on accounts.id = account_id
  where deliveries.id = _id and handled_at is null
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
    and created_at > now() - interval '24 hours'
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_phone (
  _user_id    uuid,
  _contact_id uuid,
  _norm       text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _id uuid;
begin
  insert into public.contact_phones (user_id, contact_id, value, norm, label)
  values (_user_id, _contact_id, _norm, _norm, 'WhatsApp')
  on conflict (user_id, norm) do nothing
  returning id into _id;
  return coalesce(_id, (select id from public.contact_phones where user_id = _user_id and norm = _norm));
end
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_rank (
  _state public.whatsapp_state
)
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case _state when 'sent' then 1 when 'failed' then 2 when 'delivered' then 3 when 'read' then 4 else 0 end
$function$;

CREATE OR REPLACE FUNCTION private.whatsapp_refusal (
  _message public.whatsapp_messages
)
  RETURNS public.whatsapp_error
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    when not _message.is_automatic and private.is_whatsapp_stopped(channel, _message.template is not null)
      then 'stopped'::public.whatsapp_error
    when _message.template is null and not private.is_whatsapp_window_open(channel) then 'window'
    when _message.template ->> 'category' = 'MARKETING' and not exists (
      select from public.consents
      where user_id = _message.user_id and contact_id = _message.contact_id and consents.channel = 'whatsapp'
        and purpose = 'marketing' and state = 'dato'
    ) then 'consent'
  end
  from public.contact_channels as channel
  where channel.user_id = _message.user_id and channel.id = _message.channel_id
$function$;

CREATE OR REPLACE FUNCTION public.cancel_whatsapp (
  _id uuid
)
  RETURNS public.whatsapp_messages
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _message public.whatsapp_messages;
begin
  update public.whatsapp_messages set state = 'cancelled', leased_until = null
  where user_id = _user_id and id = _id and state = 'queued'
  returning * into _message;
  if not found then
    select * into _message from public.whatsapp_messages where user_id = _user_id and id = _id;
  end if;
  if _message.id is null then
    raise exception 'no such message' using errcode = 'PT404';
  elsif _message.state is distinct from 'cancelled' then
    raise exception 'the message is on its way' using errcode = 'SW007', detail = _message.state::text;
  end if;
  return _message;
end
$function$;

REVOKE ALL ON FUNCTION "public"."cancel_whatsapp"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.decide_whatsapp (
  _id          uuid,
  _has_arrived boolean
)
  RETURNS public.whatsapp_messages
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _message public.whatsapp_messages;
begin
  select * into _message from public.whatsapp_messages where user_id = _user_id and id = _id for update;
  if not found then
    raise exception 'no such message' using errcode = 'PT404';
  elsif _message.state is distinct from 'uncertain' then
    raise exception 'nothing is to be decided' using errcode = 'SW007', detail = _message.state::text;
  end if;
  update public.whatsapp_messages
  set state = case when _has_arrived then 'sent'::public.whatsapp_state else 'failed' end,
    sent_at = case when _has_arrived then now() end, error = case when not _has_arrived then error end
  where id = _id returning * into _message;
  if _has_arrived then
    perform private.note_sent_whatsapp(_message);
  end if;
  return _message;
end
$function$;

REVOKE ALL ON FUNCTION "public"."decide_whatsapp"(uuid, boolean) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.find_duplicates (
  _limit integer DEFAULT 50
)
  RETURNS TABLE (
    a_id    uuid,
    b_id    uuid,
    score   numeric,
    reasons text[]
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_nestloop TO 'off'
  AS $function$
  -- Those without a number are left out by name: a hash join would compare them all with each other.
  with mine as materialized (
    select id, type, company_id, vat_number, tax_code, lower(pec) as pec, plain, sorted,
      -- What is heard, not how it is written: no vowels, no doubled letters, no h.
      regexp_replace(regexp_replace(sorted, '[aeiouh]', '', 'g'), '(.)\1+', '\1', 'g') as sound
    from public.contacts,
      lateral (select private.words(translate(name, '.''’', '')) as plain) as names,
      lateral (select array_to_string(array(select unnest(string_to_array(plain, ' ')) order by 1), ' ') as sorted) as words
    where user_id = (select auth.uid()) and merged_into is null and deleted_at is null
  ), words as materialized (
    -- In one company or at one domain a name is alike only if a word of it is the same.
    select id, block, reason, word
    from (
      select id, company_id::text as block, 'azienda' as reason from mine where company_id is not null
      union
      select contact_id, split_part(norm, '@', 2), 'dominio'
      from public.contact_emails
      where user_id = (select auth.uid()) and split_part(norm, '@', 2) <> all (private.shared_mail_domains())
    ) as blocks
    join mine using (id), unnest(string_to_array(sorted, ' ')) as word
    where char_length(word) > 2
  ), neighbours as materialized (
    select distinct a.id as a_id, b.id as b_id, a.reason
    from words as a join words as b on b.block = a.block and b.word = a.word and a.id < b.id
  ), pairs as (
    select a.id as a_id, b.id as b_id, 'codice_fiscale' as reason, 0.97 as weight
    from mine as a join mine as b on b.tax_code = a.tax_code and b.type = a.type and a.id < b.id
    where a.tax_code is not null and b.tax_code is not null
    union all
    select a.id, b.id, 'partita_iva', 0.9
    from mine as a join mine as b on b.vat_number = a.vat_number and b.type = a.type and a.id < b.id
    where a.vat_number is not null and b.vat_number is not null
    union all
    select a.id, b.id, 'pec', 0.8
    from mine as a join mine as b on b.pec = a.pec and b.type = a.type and a.id < b.id
    where a.pec is not null and b.pec is not null
    union all
    -- A WhatsApp identity whose number belongs to another contact.
    select least(a.id, b.id), greatest(a.id, b.id), 'telefono', 0.9
    from mine as a
    join public.contact_channels as channels on channels.user_id = (select auth.uid()) and channels.contact_id = a.id
    join public.contact_phones as phones on phones.user_id = (select auth.uid()) and phones.id = channels.phone_id
    join mine as b on b.id = phones.contact_id and b.id <> a.id
    union all
    select least(a.id, b.id), greatest(a.id, b.id), 'email', 0.8
    from mine as a
    join public.contact_emails as emails on emails.user_id = (select auth.uid()) and emails.norm = a.pec
    join mine as b on b.id = emails.contact_id and b.type = a.type and b.id <> a.id
    union all
    select a.id, b.id, case when a.sorted = b.sorted then 'nome' else 'nome_simile' end,
      case when a.sorted = b.sorted then 0.6 else 0.5 * extensions.similarity(a.plain, b.plain)::numeric end
    from mine as a join mine as b on b.sound = a.sound and b.type = a.type and a.id < b.id
    where a.sorted ~ ' |.{6}' and extensions.similarity(a.plain, b.plain) >= 0.55
    union all
    select near.a_id, near.b_id, unnest(array[near.reason, 'nome_simile']), 0.5 * likeness
    from (
      select neighbours.*, extensions.similarity(a.plain, b.plain)::numeric as likeness
      from neighbours join mine as a on a.id = neighbours.a_id join mine as b on b.id = neighbours.b_id and b.type = a.type
    ) as near
    where likeness >= 0.55
  ), signs as (
    -- Two companies at one domain are told once; the same name is more than a similar one.
    select pairs.a_id, pairs.b_id, case when reason like 'nome%' then 'nome' else reason end as family,
      min(reason) as reason, max(weight) as weight
    from pairs group by 1, 2, 3
  )
  select signs.a_id, signs.b_id, round(1 - exp(sum(ln(1 - weight)))::numeric, 2), array_agg(reason order by weight desc, reason)
  from signs
  where not exists (
    select from public.contact_distinct as distinct_pairs
    where distinct_pairs.user_id = (select auth.uid())
      and distinct_pairs.a_id = signs.a_id and distinct_pairs.b_id = signs.b_id
  )
  group by 1, 2
  order by 3 desc, 1, 2
  limit least(_limit, 500)
$function$;

CREATE OR REPLACE FUNCTION public.queue_whatsapp (
  _key         uuid,
  _channel_id  uuid,
  _body        text    DEFAULT NULL::text,
  _template_id uuid    DEFAULT NULL::uuid,
  _values      jsonb   DEFAULT '{}'::jsonb,
  _refers_to   text    DEFAULT NULL::text,
  _is_at_once  boolean DEFAULT false
)
  RETURNS public.whatsapp_messages
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id uuid := (select auth.uid());
  _account public.whatsapp_accounts;
  _channel public.contact_channels;
  _template public.whatsapp_templates;
  _message public.whatsapp_messages;
  _refusal public.whatsapp_error;
  _is_open boolean;
begin
  select * into _message from public.whatsapp_messages where user_id = _user_id and key = _key;
  if found then
    return _message;
  end if;
  select * into _channel from public.contact_channels where user_id = _user_id and id = _channel_id;
  if not found then
    raise exception 'no such conversation' using errcode = 'PT404';
  end if;
  -- Locked, so that people written to at the same time are all counted.
  select * into _account from public.whatsapp_accounts
  where user_id = _user_id and portfolio = _channel.portfolio for no key update;
  if not found or _account.state <> 'attivo' then
    raise exception 'no number can send' using errcode = 'SW001', detail = coalesce(_account.state::text, '');
  end if;
  _is_open := private.is_whatsapp_window_open(_channel);
  if _template_id is not null then
    select * into _template from public.whatsapp_templates where user_id = _user_id and id = _template_id;
    if not found then
      raise exception 'no such template' using errcode = 'PT404';
    elsif _template.state <> 'APPROVED' or not _template.is_usable or _account.templates_stopped_until > now() then
      raise exception 'the template cannot be sent' using errcode = 'SW004', detail = _template.state;
    end if;
    _body := private.filled_template(_template, _values);
  elsif coalesce(btrim(_body) = '', true) or char_length(_body) > 4096 then
    raise exception 'a message has 1 to 4096 characters' using errcode = '23514';
  end if;
  _message := jsonb_populate_record(null::public.whatsapp_messages, jsonb_build_object(
    'user_id', _user_id, 'contact_id', _channel.contact_id, 'channel_id', _channel.id, 'is_automatic', false,
    'template', case when _template.id is not null then jsonb_build_object(
      'name', _template.name, 'language', _template.language, 'category', _template.category, 'is_named', _template.is_named,
      'values', (
        select coalesce(jsonb_agg(jsonb_build_array(place, private.one_line(_values ->> place)) order by ordinal), '[]')
        from unnest(_template.places) with ordinality as places (place, ordinal)
      )
    ) end
  ));
  _refusal := private.whatsapp_refusal(_message);
  if _refusal = 'stopped' then
    raise exception 'the contact wants no more messages' using errcode = 'SW003';
  elsif _refusal = 'window' then
    raise exception 'the window is closed' using errcode = 'SW002';
  elsif _refusal = 'consent' then
    raise exception 'the contact has not agreed to marketing by WhatsApp' using errcode = 'SW006';
  end if;
  if not _is_open and private.whatsapp_people_left(_account) = 0 and not exists (
    select from public.whatsapp_messages
    where user_id = _user_id and channel_id = _channel.id and is_outside_window and state not in ('cancelled', 'failed')
      and created_at > now() - interval '24 hours'
  ) then
    raise exception 'as many people were written to as Meta allows in a day' using errcode = 'SW005';
  end if;
  return private.add_whatsapp(
    _key, _channel, btrim(_body), _message.template, _refers_to,
    case
      when _is_open or _is_at_once and _template.category = 'UTILITY' then now() else private.allowed_mail_time(now())
    end
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."queue_whatsapp"(uuid, uuid, text, uuid, jsonb, text, boolean) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.set_whatsapp_rate (
  _market        text,
  _category      text,
  _valid_from    date,
  _currency      text,
  _amount_micros bigint
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not private.is_admin() then
    raise sqlstate 'PT403' using message = 'Only an admin changes rates';
  end if;
  insert into public.whatsapp_rates (market, category, valid_from, currency, amount_micros)
  values (_market, _category, _valid_from, _currency, _amount_micros)
  on conflict (market, category, valid_from) do update
    set currency = excluded.currency, amount_micros = excluded.amount_micros;
end
$function$;

REVOKE ALL ON FUNCTION "public"."set_whatsapp_rate"(text, text, date, text, bigint) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.whatsapp_usage (
  _month date DEFAULT NULL::date
)
  RETURNS TABLE (
    category      text,
    kind          text,
    messages      bigint,
    unpriced      bigint,
    currency      text,
    amount_micros bigint
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
  select sent.price_category, sent.price_kind, count(*), count(*) filter (where sent.is_billable and rate.id is null),
    rate.currency, coalesce(sum(rate.amount_micros) filter (where sent.is_billable), 0)::bigint
  from public.whatsapp_messages as sent
  join public.contact_channels as channels on channels.user_id = sent.user_id and channels.id = sent.channel_id
  left join public.contact_phones as phones on phones.user_id = sent.user_id and phones.id = channels.phone_id
  left join lateral (
    select rates.* from public.whatsapp_rates as rates
    where rates.category = sent.price_category and rates.valid_from <= (sent.sent_at at time zone 'Europe/Rome')::date
      and starts_with(ltrim(phones.norm, '+'), rates.market)
    order by char_length(rates.market) desc, rates.valid_from desc limit 1
  ) as rate on true
  where sent.user_id = (select auth.uid()) and sent.price_category is not null
    and sent.sent_at >= date_trunc('month', coalesce(_month::timestamp, now() at time zone 'Europe/Rome')) at time zone 'Europe/Rome'
    and sent.sent_at < (date_trunc('month', coalesce(_month::timestamp, now() at time zone 'Europe/Rome')) + interval '1 month')
      at time zone 'Europe/Rome'
  group by 1, 2, 5
  order by 1, 2, 5
$function$;

REVOKE ALL ON FUNCTION "public"."whatsapp_usage"(date) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."whatsapp_deliveries"
  ADD CONSTRAINT "whatsapp_deliveries_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."contact_channels"
  REPLICA IDENTITY USING INDEX "contact_channels_identity";

ALTER TABLE "public"."contact_channels"
  ADD CONSTRAINT "contact_channels_user_id_contact_id_fkey" FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."contact_channels"
  ADD CONSTRAINT "contact_channels_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."contact_channels"
  ADD CONSTRAINT "contact_channels_user_id_kind_portfolio_external_id_key" UNIQUE (user_id, kind, portfolio, external_id);

ALTER TABLE "public"."contact_channels"
  ADD CONSTRAINT "contact_channels_user_id_phone_id_fkey" FOREIGN KEY (user_id, phone_id) REFERENCES public.contact_phones(user_id, id) ON DELETE SET NULL (phone_id);

ALTER TABLE "public"."contact_channels"
  ADD CONSTRAINT "external_id_fits" CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 200)));

ALTER TABLE "public"."contact_channels"
  ADD CONSTRAINT "failures_are_counted" CHECK ((failures >= 0));

ALTER TABLE "public"."contact_channels"
  ADD CONSTRAINT "portfolio_fits" CHECK (((char_length(portfolio) >= 1) AND (char_length(portfolio) <= 100)));

ALTER TABLE "public"."contact_channels"
  ADD CONSTRAINT "snippet_fits" CHECK ((char_length(snippet) <= 200));

ALTER TABLE "public"."contact_channels"
  ADD CONSTRAINT "username_fits" CHECK (((char_length(username) >= 1) AND (char_length(username) <= 100)));

ALTER TABLE "public"."whatsapp_accounts"
  ADD CONSTRAINT "people_are_counted" CHECK ((people_a_day >= 0));

ALTER TABLE "public"."whatsapp_accounts"
  ADD CONSTRAINT "texts_fit" CHECK (((char_length(quality) <= 20) AND (char_length(last_error) <= 500)));

ALTER TABLE "private"."whatsapp_secrets"
  ADD CONSTRAINT "whatsapp_secrets_account_id_fkey" FOREIGN KEY (account_id) REFERENCES public.whatsapp_accounts(id) ON DELETE CASCADE;

ALTER TABLE "public"."whatsapp_accounts"
  ADD CONSTRAINT "whatsapp_accounts_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "answers_fit" CHECK (((char_length(error_detail) <= 500) AND (char_length(price_category) <= 50) AND (char_length(price_kind) <= 50)));

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "sent_messages_have_a_state" CHECK (((direction = 'uscita'::public.interaction_direction) = (state IS NOT NULL)));

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "states_have_their_times" CHECK (((state IS NULL) OR ((key IS NOT NULL) AND (not_before IS NOT NULL) AND (expires_at IS
    NOT NULL) AND ((state <> 'sending'::public.whatsapp_state) OR (leased_until IS NOT NULL)))));

ALTER TABLE "public"."whatsapp_messages"
  REPLICA IDENTITY USING INDEX "whatsapp_messages_identity";

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "whatsapp_messages_user_id_channel_id_fkey" FOREIGN KEY (user_id, channel_id) REFERENCES public.contact_channels(user_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "whatsapp_messages_user_id_contact_id_fkey" FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

ALTER TABLE "public"."whatsapp_messages"
  ADD CONSTRAINT "whatsapp_messages_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."whatsapp_templates"
  ADD CONSTRAINT "whatsapp_templates_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE VIEW "private"."whatsapp_reactions" WITH (security_invoker=on) AS  SELECT first_code,
    last_code,
    reaction,
    delay_s,
    message
   FROM ( VALUES (0,0,'reconnect'::text,0,'Il collegamento con WhatsApp non vale più: ricollega il numero.'::text), (4,4,'slow_down'::text,300,'WhatsApp chiede di rallentare.'::text), (10,10,'reconnect'::text,0,'Il token non ha i permessi che servono: ricollega il numero.'::text), (190,190,'reconnect'::text,0,'Il token è scaduto: ricollega il numero.'::text), (200,299,'reconnect'::text,0,'Il token non ha i permessi che servono: ricollega il numero.'::text), (368,368,'switch_off'::text,0,'Meta ha bloccato il numero per una violazione delle sue regole.'::text), (80007,80007,'slow_down'::text,300,'WhatsApp chiede di rallentare.'::text), (130429,130429,'slow_down'::text,10,'WhatsApp chiede di rallentare.'::text), (130497,130497,'switch_off'::text,0,'Meta non permette di scrivere a persone di questo paese.'::text), (131000,131000,'retry'::text,30,'WhatsApp ha avuto un errore.'::text), (131016,131016,'retry'::text,60,'WhatsApp non è disponibile.'::text), (131026,131026,'doubt'::text,0,'Il messaggio non può essere consegnato a questa persona.'::text), (131030,131030,'end'::text,0,'La persona non è nella lista di prova del numero.'::text), (131031,131031,'switch_off'::text,0,'Meta ha bloccato l’account.'::text), (131037,131037,'end'::text,0,'Il nome del numero non è ancora approvato: controllalo in WhatsApp Manager.'::text), (131042,131042,'pause'::text,0,'Manca un metodo di pagamento in WhatsApp Manager.'::text), (131044,131044,'pause'::text,0,'Manca un metodo di pagamento in WhatsApp Manager.'::text), (131047,131047,'close_window'::text,0,'Sono passate più di 24 ore: usa un modello.'::text), (131048,131048,'stop_templates'::text,86400,'Molte persone hanno bloccato o segnalato il numero: i modelli sono fermi per un giorno.'::text), (131049,131049,'end'::text,0,'Meta non consegna altre promozioni a questa persona per ora.'::text), (131050,131050,'suppress'::text,0,'La persona non vuole più promozioni.'::text), (131051,131051,'end'::text,0,'WhatsApp non accetta questo tipo di messaggio.'::text), (131052,131052,'retry'::text,60,'WhatsApp non ha potuto leggere il file.'::text), (131053,131053,'end'::text,0,'WhatsApp non accetta questo file.'::text), (131056,131056,'slow_person'::text,30,'Troppi messaggi a questa persona in poco tempo.'::text), (131057,131057,'slow_down'::text,600,'Il numero è in manutenzione.'::text), (131062,131062,'end'::text,0,'Per questo messaggio serve il numero di telefono della persona: chiediglielo.'::text), (131063,131063,'end'::text,0,'I modelli promozionali sono disattivati per questo numero.'::text), (131064,131064,'stop_templates'::text,86400,'Meta ha fermato i modelli per come sono classificati.'::text), (132000,132001,'reread'::text,0,'Il modello è cambiato in WhatsApp Manager: aggiorna i modelli.'::text), (132005,132005,'reread'::text,0,'Il testo del modello è troppo lungo.'::text), (132007,132007,'reread'::text,0,'Il testo del modello non rispetta le regole di Meta.'::text), (132008,132008,'reread'::text,0,'Il modello è cambiato in WhatsApp Manager: aggiorna i modelli.'::text), (132012,132012,'reread'::text,0,'Il modello è cambiato in WhatsApp Manager: aggiorna i modelli.'::text), (132015,132015,'pause_template'::text,0,'Il modello è in pausa per qualità: scegline un altro.'::text), (132016,132016,'disable_template'::text,0,'Il modello è disattivato per qualità: scegline un altro.'::text), (133016,133016,'slow_down'::text,600,'Il numero è stato registrato troppe volte: aspetta.'::text), (135000,135000,'retry'::text,30,'WhatsApp ha avuto un errore.'::text)) reactions(first_code, last_code, reaction, delay_s, message);

CREATE VIEW "public"."notification_kinds" WITH (security_invoker=on) AS  SELECT kind,
    (category)::public.notification_category AS category,
    label,
    (type)::public.notification_type AS type,
    (channels)::text[] AS channels,
    is_urgent,
    window_minutes,
    many,
    list,
    action
   FROM ( VALUES ('fattura_scaduta'::text,'incassi'::text,'Fatture scadute'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture scadute'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('in_scadenza'::text,'incassi'::text,'Fatture in scadenza'::text,'info'::text,'{in_app,mail}'::text,false,60,'fatture in scadenza'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('da_pagare'::text,'incassi'::text,'Fatture da pagare'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture da pagare'::text,'/documents/fatture?tipo=passive'::text,'segna_pagata'::text), ('fattura_pagata'::text,'incassi'::text,'Fatture pagate'::text,'success'::text,'{in_app,mail}'::text,false,60,'fatture pagate'::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('esito_sdi'::text,'incassi'::text,'Esiti delle fatture elettroniche'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('promemoria'::text,'attivita'::text,'Promemoria'::text,'info'::text,'{in_app}'::text,true,0,NULL::text,'/tasks'::text,'rimanda'::text), ('email_ricevuta'::text,'attivita'::text,'E-mail ricevute'::text,'info'::text,'{in_app}'::text,false,30,'e-mail ricevute'::text,'/crm?vista=posta'::text,NULL::text), ('messaggio_whatsapp'::text,'attivita'::text,'Messaggi WhatsApp'::text,'info'::text,'{in_app}'::text,false,60,'messaggi WhatsApp'::text,'/crm'::text,NULL::text), ('whatsapp_fermo'::text,'attivita'::text,'WhatsApp da controllare'::text,'warning'::text,'{in_app}'::text,true,0,NULL::text,'/settings/channels'::text,NULL::text), ('email_respinta'::text,'attivita'::text,'E-mail respinte'::text,'warning'::text,'{in_app}'::text,true,60,'e-mail respinte'::text,'/crm?vista=posta&stato=inviati'::text,NULL::text), ('approvazione'::text,'approvazioni'::text,'Proposte da approvare'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/chat'::text,'approva'::text), ('documento_illeggibile'::text,'documenti'::text,'Documenti non letti'::text,'warning'::text,'{in_app}'::text,false,10,'documenti non letti'::text,'/documents'::text,NULL::text), ('documento_da_verificare'::text,'documenti'::text,'Documenti da verificare'::text,'warning'::text,'{in_app}'::text,false,10,'documenti da verificare'::text,'/documents'::text,NULL::text), ('analisi_conclusa'::text,'documenti'::text,'Analisi concluse'::text,'success'::text,'{in_app}'::text,false,30,'documenti letti'::text,'/documents'::text,NULL::text), ('contratto_in_scadenza'::text,'documenti'::text,'Contratti in scadenza'::text,'warning'::text,'{in_app}'::text,false,60,'contratti in scadenza'::text,'/documents'::text,NULL::text), ('importazione_conclusa'::text,'documenti'::text,'Importazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/crm'::text,NULL::text), ('esportazione_conclusa'::text,'documenti'::text,'Esportazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/data'::text,NULL::text), ('sicurezza'::text,'sistema'::text,'Sicurezza dell’account'::text,'warning'::text,'{in_app}'::text,false,0,NULL::text,'/settings/security'::text,NULL::text), ('crediti_accreditati'::text,'sistema'::text,'Crediti accreditati'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_bassi'::text,'crediti'::text,'Pochi crediti'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_in_scadenza'::text,'crediti'::text,'Crediti che scadono'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('tetto_mensile'::text,'crediti'::text,'Tetto mensile'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('briefing'::text,'briefing'::text,'Briefing del mattino'::text,'info'::text,'{}'::text,true,0,NULL::text,'/home'::text,NULL::text), ('benvenuto'::text,'sistema'::text,'Benvenuto'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/store'::text,NULL::text), ('avviso'::text,'sistema'::text,'Avvisi di Socio'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/notifications'::text,NULL::text)) kinds(kind, category, label, type, channels, is_urgent, window_minutes, many, list, action);

CREATE OR REPLACE FUNCTION private.ring (
  _user_id     uuid,
  _kind        public.notification_kinds,
  _title       text,
  _message     text,
  _action_url  text,
  _dedupe_key  text,
  _entity_type text,
  _entity_id   uuid,
  _is_read     boolean
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _id uuid;
begin
  if (_kind).window_minutes > 0 and not _is_read then
    update public.notifications
    set batch_count = batch_count + 1, title = (batch_count + 1) || ' ' || (_kind).many,
      message = left(case when batch_count = 1 then title else message end || ' · ' || _title, 600),
      action_url = (_kind).list, entity_type = null, entity_id = null
    where id = (
      select id from public.notifications
      where user_id = _user_id and batch_key = (_kind).kind and not is_read
        and created_at > now() - make_interval(mins => (_kind).window_minutes)
      order by created_at desc limit 1 for update
    )
    returning id into _id;
  end if;
  if _id is null then
    insert into public.notifications (
      user_id, title, message, type, action_url, kind, category, dedupe_key, batch_key, entity_type, entity_id, is_read, read_at
    ) values (
      _user_id, _title, _message, (_kind).type, _action_url, (_kind).kind, (_kind).category, _dedupe_key, (_kind).kind,
      _entity_type, _entity_id, _is_read, case when _is_read then now() end
    ) returning id into _id;
  end if;
  return _id;
end
$function$;

CREATE OR REPLACE FUNCTION private.schedule_delivery (
  _first    uuid,
  _settings public.notification_settings,
  _kind     public.notification_kinds,
  _channel  public.notification_channel
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into private.notification_deliveries (
    user_id, notification_id, kind, channel, dedupe_key, batch_key, title, message, action_url, is_in_app, not_before, state
  )
  select user_id, notification_id, kind, _channel, dedupe_key, batch_key, title, message, action_url, is_in_app,
    -- With the family that waits already.
    coalesce(
      (
        select min(not_before) from private.notification_deliveries as waiting
        where waiting.user_id = told.user_id and waiting.channel = _channel and waiting.batch_key = told.batch_key
          and state = 'attesa' and (_kind).window_minutes > 0
      ),
      private.delivery_time(now(), _settings, (_kind).is_urgent or _channel = 'push',
        make_interval(mins => (_kind).window_minutes))
    ),
    'attesa'
  from private.notification_deliveries as told where id = _first
$function$;

CREATE OR REPLACE FUNCTION private.wants (
  _user_id  uuid,
  _settings public.notification_settings,
  _kind     public.notification_kinds,
  _channel  public.notification_channel
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    when (_kind).category = 'sistema' then _channel::text = any ((_kind).channels)
    else (_kind).kind <> all ((_settings).muted) and coalesce(
      (
        select is_enabled from public.notification_prefs
        where user_id = _user_id and category = (_kind).category and channel = _channel
      ),
      _channel::text = any ((_kind).channels)
    )
  end
$function$;

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "anon";

CREATE VIEW "public"."retention_rules" WITH (security_invoker=on) AS  SELECT rule,
    title,
    period,
    reason,
    outcome,
    (every)::interval AS every,
    is_personal,
    (tables)::text[] AS tables
   FROM ( VALUES ('temporary_conversations'::text,'Conversazioni temporanee'::text,'1 ora dall’ultimo messaggio'::text,'Le hai volute temporanee'::text,'delete'::text,'10 minutes'::text,true,'{public.conversations}'::text), ('trash'::text,'Cestino: contatti, trattative, bozze, note, progetti e attività'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.contacts,public.deals,public.drafts,public.notes,public.projects,public.tasks}'::text), ('documents'::text,'Documenti nel cestino, con i loro file'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.documents}'::text), ('merges'::text,'Contatti uniti ad altri'::text,'30 giorni dall’unione'::text,'Per poter annullare l’unione'::text,'delete'::text,'1 day'::text,true,'{public.merge_log}'::text), ('insights'::text,'Suggerimenti proattivi'::text,'30 giorni'::text,'Servono finché sono attuali'::text,'delete'::text,'1 day'::text,true,'{public.insights}'::text), ('mails'::text,'Email ricevute da liste e sistemi automatici'::text,'180 giorni'::text,'Non sono conversazioni con i tuoi clienti'::text,'delete'::text,'1 day'::text,true,'{public.received_mails}'::text), ('whatsapp_deliveries'::text,'Messaggi WhatsApp nella forma in cui Meta li consegna'::text,'7 giorni'::text,'Per leggerli di nuovo dopo un guasto'::text,'delete'::text,'1 day'::text,true,'{private.whatsapp_deliveries}'::text), ('notifications'::text,'Avvisi letti'::text,'12 mesi da quando li leggi'::text,'Per ritrovarli'::text,'delete'::text,'1 day'::text,true,'{public.notifications}'::text), ('deleted_notifications'::text,'Avvisi che elimini'::text,'1 giorno'::text,'Per poter annullare'::text,'delete'::text,'1 day'::text,true,'{private.deleted_notifications}'::text), ('deliveries'::text,'Registro degli invii di avvisi'::text,'90 giorni'::text,'Per non inviarli due volte'::text,'delete'::text,'1 day'::text,true,'{private.notification_deliveries}'::text), ('events'::text,'Statistiche d’uso'::text,'24 mesi'::text,'Il tuo consenso alle statistiche'::text,'delete'::text,'1 hour'::text,true,'{public.analytics_events}'::text), ('errors'::text,'Errori del browser'::text,'90 giorni'::text,'Interesse legittimo: correggere i guasti'::text,'delete'::text,'1 hour'::text,true,'{public.error_logs}'::text), ('waiting_list'::text,'Lista d’attesa'::text,'24 mesi, 7 giorni se l’indirizzo non è confermato'::text,'Il consenso di chi si iscrive'::text,'delete'::text,'1 hour'::text,false,'{}'::text), ('runs'::text,'Registro delle cancellazioni'::text,'24 mesi'::text,'Per dimostrare che i termini sono rispettati'::text,'delete'::text,'1 day'::text,false,'{}'::text), ('chat'::text,'Conversazioni con l’assistente'::text,'Finché le elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.messages,public.message_feedback,public.tool_calls,public.runs}'::text), ('memory'::text,'Memoria di Socio'::text,'Finché la elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.memories,public.memory_settings,public.memory_uses}'::text), ('billing'::text,'Ordini e movimenti di crediti'::text,'10 anni, anche senza l’account'::text,'Obbligo di legge (art. 2220 c.c.): restano anche l’indirizzo e i dati della fattura'::text,'keep'::text,NULL::text,true,'{public.credit_orders,public.credit_ledger,public.credit_lots,public.credit_wallets}'::text)) rules(rule, title, period, reason, outcome, every, is_personal, tables);

REVOKE ALL ON TABLE "public"."retention_rules" FROM "anon";

CREATE INDEX whatsapp_deliveries_age ON private.whatsapp_deliveries USING btree (received_at);

CREATE INDEX whatsapp_deliveries_owner ON private.whatsapp_deliveries USING btree (user_id);

CREATE INDEX contact_channels_contact ON public.contact_channels USING btree (user_id, contact_id);

CREATE INDEX contact_channels_inbox ON public.contact_channels USING btree (user_id, is_done, last_at DESC, id);

CREATE INDEX contact_channels_phone ON public.contact_channels USING btree (user_id, phone_id);

CREATE INDEX whatsapp_messages_channel ON public.whatsapp_messages USING btree (user_id, channel_id, at DESC, id);

CREATE INDEX whatsapp_messages_contact ON public.whatsapp_messages USING btree (user_id, contact_id, at DESC);

CREATE INDEX whatsapp_messages_due ON public.whatsapp_messages USING btree (not_before)
  WHERE (state = ANY (ARRAY['queued'::public.whatsapp_state, 'sending'::public.whatsapp_state]));

CREATE INDEX whatsapp_messages_next ON public.whatsapp_messages USING btree (user_id, not_before, id)
  WHERE (state = 'queued'::public.whatsapp_state);

CREATE INDEX whatsapp_messages_sent ON public.whatsapp_messages USING btree (user_id, sent_at DESC)
  WHERE (sent_at IS NOT NULL);

CREATE TRIGGER follow_merge
  BEFORE INSERT OR UPDATE OF contact_id ON public.contact_channels
  FOR EACH ROW
  WHEN ((new.contact_id IS NOT NULL))
  EXECUTE FUNCTION private.follow_merge();

CREATE TRIGGER cancel_messages
  AFTER DELETE ON public.whatsapp_accounts
  FOR EACH ROW
  EXECUTE FUNCTION private.cancel_messages_of_number();

CREATE TRIGGER follow_merge
  BEFORE INSERT OR UPDATE OF contact_id ON public.whatsapp_messages
  FOR EACH ROW
  WHEN ((new.contact_id IS NOT NULL))
  EXECUTE FUNCTION private.follow_merge();

CREATE POLICY "owners finish their conversations" ON "public"."contact_channels"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their channels" ON "public"."contact_channels"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their whatsapp number" ON "public"."whatsapp_accounts"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their whatsapp messages" ON "public"."whatsapp_messages"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their whatsapp templates" ON "public"."whatsapp_templates"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));


COMMENT ON COLUMN "private"."whatsapp_deliveries"."dead_letter" IS 'Why something in it could not be assigned to anybody.';

COMMENT ON COLUMN "public"."contact_channels"."external_id" IS 'The BSUID, or the digits of the number while no BSUID is known.';

COMMENT ON COLUMN "public"."contact_channels"."failures" IS 'How many messages could not be delivered since the last that was; from two on it is doubtful that any will be.';

COMMENT ON COLUMN "public"."contact_channels"."is_done" IS 'False while a message waits for an answer.';

COMMENT ON COLUMN "public"."contact_channels"."phone_id" IS 'The telephone number that belongs to this identity; if it is a number of another contact, both may be one person.';

COMMENT ON COLUMN "public"."contact_channels"."portfolio" IS 'The business portfolio in which external_id is unique.';

COMMENT ON COLUMN "public"."contact_channels"."snippet" IS 'The beginning of the last received message.';

COMMENT ON COLUMN "public"."contact_channels"."stopped_at" IS 'When the person asked to receive no more messages (STOP, BASTA, CANCELLAMI).';

COMMENT ON COLUMN "public"."contact_channels"."window_expires_at" IS 'Until when a free text may be sent: 24 hours after the last message, by the time in the message.';

COMMENT ON COLUMN "public"."whatsapp_accounts"."last_delivery_at" IS 'When Meta last delivered something about it.';

COMMENT ON COLUMN "public"."whatsapp_accounts"."people_a_day" IS 'How many people outside their window Meta lets the portfolio write to within 24 hours; a new one has 250.';

COMMENT ON COLUMN "public"."whatsapp_accounts"."portfolio" IS 'Identifiers of people are unique within it.';

COMMENT ON COLUMN "public"."whatsapp_accounts"."state" IS 'da_ricollegare: the token is gone. sospeso: a payment method is missing. spento: Meta locked it. Only attivo sends.';

COMMENT ON COLUMN "public"."whatsapp_messages"."attempts" IS 'Also tells a worker that lost its lease from the one that has it.';

COMMENT ON COLUMN "public"."whatsapp_messages"."content" IS 'What has no place in body: {media: {id, mime, name, sha256, voice}, location, contacts, code}.';

COMMENT ON COLUMN "public"."whatsapp_messages"."is_automatic" IS 'No person wrote it: the answer to STOP.';

COMMENT ON COLUMN "public"."whatsapp_messages"."is_outside_window" IS 'The window was closed: its recipient counts for the limit of a day.';

COMMENT ON COLUMN "public"."whatsapp_messages"."key" IS 'Made by the form that sends it.';

COMMENT ON COLUMN "public"."whatsapp_messages"."kind" IS 'Its type as Meta names it: text, image, reaction … An unknown one is kept and shown as not supported.';

COMMENT ON COLUMN "public"."whatsapp_messages"."message_id" IS 'The id that WhatsApp gave it (wamid).';

COMMENT ON COLUMN "public"."whatsapp_messages"."price_category" IS 'As Meta counts it, like price_kind and is_billable; null until it says so.';

COMMENT ON COLUMN "public"."whatsapp_messages"."refers_to" IS 'The message that it quotes, reacts to, changes or takes back.';

COMMENT ON COLUMN "public"."whatsapp_messages"."summary" IS 'One line about any kind of message.';

COMMENT ON COLUMN "public"."whatsapp_messages"."template" IS 'The template that it was made of: {name, language, category, is_named, values: [[place, value]]}; null for a free text.';

COMMENT ON COLUMN "public"."whatsapp_rates"."amount_micros" IS 'Millionths of the currency.';

COMMENT ON COLUMN "public"."whatsapp_rates"."market" IS 'The country prefix of the recipient, without +.';

COMMENT ON COLUMN "public"."whatsapp_templates"."category" IS 'UTILITY, MARKETING or AUTHENTICATION; Meta changes it by itself.';

COMMENT ON COLUMN "public"."whatsapp_templates"."is_usable" IS 'False for a template with a part that Socio does not fill in.';

COMMENT ON COLUMN "public"."whatsapp_templates"."places" IS 'The places of the body, in order: names, or 1, 2, 3 …';

COMMENT ON COLUMN "public"."whatsapp_templates"."state" IS 'As Meta names it: PENDING, APPROVED, REJECTED, PAUSED, DISABLED …';

COMMENT ON COLUMN "public"."whatsapp_templates"."template_id" IS 'Its id at Meta.';

COMMENT ON FUNCTION "private"."add_whatsapp"(uuid, public.contact_channels, text, jsonb, text, timestamp with time zone, boolean) IS 'Adds a message to the outbox; its conversation is done.';

COMMENT ON FUNCTION "private"."begin_whatsapp"(uuid, integer) IS 'Allows one worker to send a message and answers to whom; no row when it was cancelled, refused or taken by another.';

COMMENT ON FUNCTION "private"."cancel_messages_of_number"() IS 'Messages that wait, and templates, go with the number.';

COMMENT ON FUNCTION "private"."change_whatsapp_state"(uuid, public.whatsapp_account_state, integer, text) IS 'Says that a number cannot send, and notifies its person once.';

COMMENT ON FUNCTION "private"."claim_whatsapp"(uuid) IS 'Leases the next due message of a person; no row when none is due, the number is paused, or too many were just sent.';

COMMENT ON FUNCTION "private"."drop_whatsapp_account"(uuid) IS 'Forgets the number of a person with its secrets; the messages stay.';

COMMENT ON FUNCTION "private"."due_whatsapp_senders"(integer) IS 'The people who have messages to be sent now; messages whose sending was interrupted become uncertain, and those that could not be sent in their time have failed.';

COMMENT ON FUNCTION "private"."filled_template"(public.whatsapp_templates, jsonb) IS 'The text of a template with its places filled in; SW004 when one is empty.';

COMMENT ON FUNCTION "private"."forget_whatsapp_deliveries"(integer) IS 'Deletes deliveries of Meta after seven days.';

COMMENT ON FUNCTION "private"."is_stop_word"(text) IS 'Whether a whole message is a word by which people want no more messages.';

COMMENT ON FUNCTION "private"."is_whatsapp_stopped"(public.contact_channels, boolean) IS 'Whether the person wants no more messages.';

COMMENT ON FUNCTION "private"."is_whatsapp_window_open"(public.contact_channels) IS 'Whether a free text may be sent now.';

COMMENT ON FUNCTION "private"."keep_whatsapp_delivery"(uuid, text) IS 'Keeps a delivery about a number as it came; null when the number is gone.';

COMMENT ON FUNCTION "private"."keep_whatsapp_message"(uuid, jsonb) IS 'Keeps a received message once, with its contact, the window, the history and a notice; null when it is known already.';

COMMENT ON FUNCTION "private"."keep_whatsapp_status"(uuid, jsonb) IS 'Records what became of a sent message, once for each status and in whatever order they come; its price too.';

COMMENT ON FUNCTION "private"."note_sent_whatsapp"(public.whatsapp_messages) IS 'Adds a sent message to the history of its contact.';

COMMENT ON FUNCTION "private"."note_whatsapp_number"(uuid, text, text, integer) IS 'Records what Meta says of a number that answers with its token: it can send again.';

COMMENT ON FUNCTION "private"."note_whatsapp_template"(uuid, jsonb) IS 'Records what Meta says of a template: state, quality or category.';

COMMENT ON FUNCTION "private"."react_to_whatsapp"(public.whatsapp_messages, integer, text) IS 'Does what an error code of Meta asks for, to the message and to all that it says.';

COMMENT ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) IS 'Writes the row of the bell, or adds to the unread one of its kind within the window.';

COMMENT ON FUNCTION "private"."save_whatsapp_account"(uuid, uuid, text, text, text, text, text, text) IS 'Keeps the number of a person after its token has read it from Meta; unique_violation when it is connected elsewhere.';

COMMENT ON FUNCTION "private"."save_whatsapp_templates"(uuid, jsonb, boolean) IS 'Keeps templates as Meta has them; those that are gone too, if all were read.';

COMMENT ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Puts a notice that was told in the bell on another channel too.';

COMMENT ON FUNCTION "private"."settle_whatsapp"(uuid, integer, text, integer, text, boolean) IS 'Records how an attempt ended: Meta gave the message an id, refused it with a code, could not be reached (temporary), or did not answer, which leaves it uncertain.';

COMMENT ON FUNCTION "private"."settle_whatsapp_delivery"(bigint, text) IS 'Marks a delivery as read, or as a dead letter with its reason.';

COMMENT ON FUNCTION "private"."stop_whatsapp"(public.contact_channels, timestamp with time zone) IS 'Takes back the consents of a person who wants no more messages.';

COMMENT ON FUNCTION "private"."take_whatsapp_token"(uuid, double precision, double precision) IS 'Takes one token of a bucket and answers 0, or in how many seconds there is one.';

COMMENT ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Whether a person wants a kind on a channel. The system''s own kinds, security among them, cannot be switched off.';

COMMENT ON FUNCTION "private"."whatsapp_account"(uuid) IS 'A connected number with its encrypted secrets; no row without one.';

COMMENT ON FUNCTION "private"."whatsapp_account_of"(uuid) IS 'The connected number of a person; null without one.';

COMMENT ON FUNCTION "private"."whatsapp_channel"(uuid, text, text, text, text, text, timestamp with time zone) IS 'The identity that wrote: by BSUID, then by telephone number, then a new contact. A number that appears later is linked.';

COMMENT ON FUNCTION "private"."whatsapp_contact"(uuid, text, text) IS 'Makes a contact of a stranger who wrote, whose consent nobody has asked for.';

COMMENT ON FUNCTION "private"."whatsapp_delivery"(bigint) IS 'A delivery that was not read yet, with the number that it is about; no account when that was disconnected.';

COMMENT ON FUNCTION "private"."whatsapp_people_left"(public.whatsapp_accounts) IS 'How many people outside their window may still be written to within a day.';

COMMENT ON FUNCTION "private"."whatsapp_phone"(uuid, uuid, text) IS 'The telephone number with this E.164 form, added to the contact if nobody has it.';

COMMENT ON FUNCTION "private"."whatsapp_rank"(public.whatsapp_state) IS 'The order of states: a status that comes late never takes one back.';

COMMENT ON FUNCTION "private"."whatsapp_refusal"(public.whatsapp_messages) IS 'Why a message must not leave now; null when it may.';

COMMENT ON FUNCTION "public"."cancel_whatsapp"(uuid) IS 'Cancels a message of the caller that has not left yet.';

COMMENT ON FUNCTION "public"."decide_whatsapp"(uuid, boolean) IS 'Says of an uncertain message of the caller that it has arrived, or that it has not.';

COMMENT ON FUNCTION "public"."queue_whatsapp"(uuid, uuid, text, uuid, jsonb, text, boolean) IS 'Queues a free text within the window, or a template, to a conversation of the caller, or refuses; the same key again returns the first message. A template outside the window waits for the end of the recipient''s rest, unless it is about a contract and its writer sends it at once.';

COMMENT ON FUNCTION "public"."set_whatsapp_rate"(text, text, date, text, bigint) IS 'Writes what a message costs from a day on; for admins with a second factor.';

COMMENT ON FUNCTION "public"."whatsapp_usage"(date) IS 'The delivered messages of the caller in a month as Meta counts them: by category and kind, how many have no known price, and the sum of the others.';

COMMENT ON TABLE "private"."whatsapp_buckets" IS 'Token buckets: how many messages a number, or a person, may still be sent now.';

COMMENT ON TABLE "private"."whatsapp_deliveries" IS 'What Meta delivered, as it came; erased after seven days. No foreign key to the account: it outlives a reconnection.';

COMMENT ON TABLE "private"."whatsapp_secrets" IS 'Secrets of WhatsApp numbers, encrypted by Context.seal; no API role reads them.';

COMMENT ON TABLE "public"."contact_channels" IS 'Identities of contacts in messaging services, and the state of each conversation; written by the server.';

COMMENT ON TABLE "public"."whatsapp_accounts" IS 'The WhatsApp number of a person; token and app secret are in private.whatsapp_secrets.';

COMMENT ON TABLE "public"."whatsapp_messages" IS 'WhatsApp messages with contacts; written by the server.';

COMMENT ON TABLE "public"."whatsapp_rates" IS 'What Meta charges for a message; an admin fills it in. Without a row a price is not known, and none is invented.';

COMMENT ON TABLE "public"."whatsapp_templates" IS 'Message templates of a person as Meta has them; written by the server.';

COMMENT ON VIEW "private"."whatsapp_reactions" IS 'What each error code of Meta makes us do, with its words for people.';

COMMENT ON VIEW "public"."notification_kinds" IS 'The kinds of notifications: their family, colour, channels unless the owner chose, how they are gathered, what can be done about one.';

COMMENT ON VIEW "public"."retention_rules" IS 'How long each kind of data is kept and why; `every` is how often the job erases, null where it does not; `outcome` is delete, or keep where the law requires it.';

REVOKE ALL ON FUNCTION "private"."add_whatsapp"(uuid, public.contact_channels, text, jsonb, text, timestamp WITH time zone, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."begin_whatsapp"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."begin_whatsapp"(uuid, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."cancel_messages_of_number"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."change_whatsapp_state"(uuid, public.whatsapp_account_state, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claim_whatsapp"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."claim_whatsapp"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."drop_whatsapp_account"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."drop_whatsapp_account"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."due_whatsapp_senders"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."due_whatsapp_senders"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."filled_template"(public.whatsapp_templates, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."forget_whatsapp_deliveries"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."forget_whatsapp_deliveries"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_stop_word"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_whatsapp_stopped"(public.contact_channels, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_whatsapp_window_open"(public.contact_channels) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."keep_whatsapp_delivery"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_whatsapp_delivery"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."keep_whatsapp_message"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_whatsapp_message"(uuid, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."keep_whatsapp_status"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_whatsapp_status"(uuid, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_sent_whatsapp"(public.whatsapp_messages) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_whatsapp_number"(uuid, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_whatsapp_number"(uuid, text, text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_whatsapp_template"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_whatsapp_template"(uuid, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."react_to_whatsapp"(public.whatsapp_messages, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."save_whatsapp_account"(uuid, uuid, text, text, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."save_whatsapp_account"(uuid, uuid, text, text, text, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."save_whatsapp_templates"(uuid, jsonb, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."save_whatsapp_templates"(uuid, jsonb, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."settle_whatsapp"(uuid, integer, text, integer, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_whatsapp"(uuid, integer, text, integer, text, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."settle_whatsapp_delivery"(bigint, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."settle_whatsapp_delivery"(bigint, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."stop_whatsapp"(public.contact_channels, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."take_whatsapp_token"(uuid, double precision, double precision) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_account"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."whatsapp_account"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."whatsapp_account_of"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."whatsapp_account_of"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."whatsapp_channel"(uuid, text, text, text, text, text, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_contact"(uuid, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_delivery"(bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."whatsapp_delivery"(bigint) TO "service_role";

REVOKE ALL ON FUNCTION "private"."whatsapp_people_left"(public.whatsapp_accounts) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_phone"(uuid, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_rank"(public.whatsapp_state) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."whatsapp_refusal"(public.whatsapp_messages) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."cancel_whatsapp"(uuid) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."decide_whatsapp"(uuid, boolean) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."queue_whatsapp"(uuid, uuid, text, uuid, jsonb, text, boolean) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."set_whatsapp_rate"(text, text, date, text, bigint) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."whatsapp_usage"(date) TO "authenticated";

REVOKE ALL ON TABLE "public"."contact_channels" FROM "authenticated";

REVOKE ALL ("is_done") ON TABLE "public"."contact_channels" FROM "authenticated";

GRANT UPDATE ("is_done") ON TABLE "public"."contact_channels" TO "authenticated";

GRANT SELECT ON TABLE "public"."contact_channels" TO "authenticated";

REVOKE ALL ON TABLE "public"."contact_channels" FROM "service_role";

GRANT SELECT ON TABLE "public"."contact_channels" TO "service_role";

REVOKE ALL ON TABLE "public"."whatsapp_accounts" FROM "authenticated";

GRANT SELECT ON TABLE "public"."whatsapp_accounts" TO "authenticated";

REVOKE ALL ON TABLE "public"."whatsapp_accounts" FROM "service_role";

GRANT SELECT ON TABLE "public"."whatsapp_accounts" TO "service_role";

REVOKE ALL ON TABLE "public"."whatsapp_messages" FROM "authenticated";

GRANT SELECT ON TABLE "public"."whatsapp_messages" TO "authenticated";

REVOKE ALL ON TABLE "public"."whatsapp_messages" FROM "service_role";

GRANT SELECT ON TABLE "public"."whatsapp_messages" TO "service_role";

REVOKE ALL ON TABLE "public"."whatsapp_rates" FROM "service_role";

GRANT SELECT ON TABLE "public"."whatsapp_rates" TO "service_role";

REVOKE ALL ON TABLE "public"."whatsapp_templates" FROM "authenticated";

GRANT SELECT ON TABLE "public"."whatsapp_templates" TO "authenticated";

REVOKE ALL ON TABLE "public"."whatsapp_templates" FROM "service_role";

GRANT SELECT ON TABLE "public"."whatsapp_templates" TO "service_role";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "service_role";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "authenticated";

GRANT SELECT ON TABLE "public"."retention_rules" TO "authenticated";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "service_role";

GRANT SELECT ON TABLE "public"."retention_rules" TO "service_role";

reset check_function_bodies;

-- On hosted Supabase the publication may belong to another role.
do $$
begin
  alter publication supabase_realtime add table public.contact_channels, public.whatsapp_messages;
exception
  when insufficient_privilege or undefined_object then
    raise warning 'No right to publish changes: the client asks every 30 seconds instead';
end
$$;
