-- Plain comments.
--   COMMENT ON COLUMN private.ai_consents.host IS 'Where it is asked: the same provider elsewhere is asked for ag…
--   COMMENT ON COLUMN private.alarms.told IS 'The worst light of it in a notice to admins.'
--   COMMENT ON COLUMN public.document_fields.label IS 'The words next to the value.'
--   COMMENT ON COLUMN public.document_pages.words IS 'The words of the page with their places, in reading order: …
--   COMMENT ON COLUMN public.documents.contact_suggestion IS 'Its probable sender, until the owner names one.'
--   COMMENT ON COLUMN public.documents.pages IS 'Null while their number is not known.'
--   COMMENT ON COLUMN public.error_logs.source IS 'Only the server may write it. Of the server session_id is the …
--   COMMENT ON COLUMN public.messages.unverified IS 'Figures that are in no result of a tool: [[begin, end)] in U…
--   COMMENT ON COLUMN public.notifications.batch_count IS 'The number of notices that this row counts for.'
--   COMMENT ON FUNCTION private.answer_automatically
--   COMMENT ON FUNCTION private.best_passage
--   COMMENT ON FUNCTION private.claim_alerts
--   COMMENT ON FUNCTION private.contact_fingerprints
--   COMMENT ON FUNCTION private.contact_pattern
--   COMMENT ON FUNCTION private.direct_invoices
--   COMMENT ON FUNCTION private.drifted_wallets
--   COMMENT ON FUNCTION private.end_whatsapp_release
--   COMMENT ON FUNCTION private.fitting_documents
--   COMMENT ON FUNCTION private.follow_contact_tags
--   COMMENT ON FUNCTION private.follow_new_address
--   COMMENT ON FUNCTION private.follow_said_words
--   COMMENT ON FUNCTION private.follow_searched_pages
--   COMMENT ON FUNCTION private.follow_tags
--   COMMENT ON FUNCTION private.forget_late_payers
--   COMMENT ON FUNCTION private.index_contacts
--   COMMENT ON FUNCTION private.index_contacts_now
--   COMMENT ON FUNCTION private.is_still_wanted
--   COMMENT ON FUNCTION private.issuer_number
--   COMMENT ON FUNCTION private.late_text
--   COMMENT ON FUNCTION private.may_be_automatic
--   COMMENT ON FUNCTION private.measure_errors
--   COMMENT ON FUNCTION private.open_goal
--   COMMENT ON FUNCTION private.orders_to_check
--   COMMENT ON FUNCTION private.places
--   COMMENT ON FUNCTION private.release_whatsapp_account
--   COMMENT ON FUNCTION private.schedule_delivery
--   COMMENT ON FUNCTION private.shown_insights
--   COMMENT ON FUNCTION private.standing_pairs
--   COMMENT ON FUNCTION private.unwritable
--   COMMENT ON FUNCTION private.whatsapp_phone
--   COMMENT ON FUNCTION private.whatsapp_reminder
--   COMMENT ON FUNCTION public.admin_answer_idea
--   COMMENT ON FUNCTION public.document_hits
--   COMMENT ON FUNCTION public.search_mails
--   COMMENT ON FUNCTION public.search_whatsapp
--   COMMENT ON TABLE private.ai_consents IS 'Providers of models to which a person has agreed to send questions, …
--   COMMENT ON TABLE public.document_corrections IS 'What a correction by the owner taught about a supplier: the …
--   COMMENT ON TABLE public.document_fields IS 'What was read out of a document, with its place there.'
--   COMMENT ON TABLE public.payment_events IS 'Events of Stripe, word by word, and what became of them.'

set check_function_bodies = off;

COMMENT ON COLUMN "private"."ai_consents"."host" IS 'Where it is asked: the same provider elsewhere is asked for again.';

COMMENT ON COLUMN "private"."alarms"."told" IS 'The worst light of it in a notice to admins.';

COMMENT ON COLUMN "public"."document_fields"."label" IS 'The words next to the value.';

COMMENT ON COLUMN "public"."document_pages"."words" IS 'The words of the page with their places, in reading order: [text, x0, y0, x1, y1, confidence 0..100] in 1/10000 of the page as it is shown.';

COMMENT ON COLUMN "public"."documents"."contact_suggestion" IS 'Its probable sender, until the owner names one.';

COMMENT ON COLUMN "public"."documents"."pages" IS 'Null while their number is not known.';

COMMENT ON COLUMN "public"."error_logs"."source" IS 'Only the server may write it. Of the server session_id is the id of a request or job, and the stack begins with the place.';

COMMENT ON COLUMN "public"."messages"."unverified" IS 'Figures that are in no result of a tool: [[begin, end)] in UTF-16 units of the text.';

COMMENT ON COLUMN "public"."notifications"."batch_count" IS 'The number of notices that this row counts for.';

COMMENT ON FUNCTION "private"."answer_automatically"(public.contact_channels, uuid) IS 'Queues the automatic answer to a message that was just kept, if its person wants one now and the contact got no other in 24 hours.';

COMMENT ON FUNCTION "private"."best_passage"(text, integer[], integer[], private.document_term[]) IS 'The one or few sentences of a page in which most of what was asked is closest together, and their words from 0.';

COMMENT ON FUNCTION "private"."claim_alerts"(integer) IS 'Alerts that were not sent yet, for the caller to mail to the admins in this transaction.';

COMMENT ON FUNCTION "private"."contact_fingerprints"(uuid, uuid[]) IS 'A digest of each contact and all it has: equal while it is unchanged.';

COMMENT ON FUNCTION "private"."contact_pattern"(uuid, uuid, boolean) IS 'A pattern that finds the name, addresses and numbers of a contact in a text: in any text by what identifies this contact only, else null, or in one that is linked to the contact.';

COMMENT ON FUNCTION "private"."direct_invoices"(public.profiles) IS 'Puts the electronic invoices of a person on the side that their own numbers give, and removes these numbers from document_aliases.';

COMMENT ON FUNCTION "private"."drifted_wallets"() IS 'The wallets that disagree with their lots or with the whole of their ledger: normally no row.';

COMMENT ON FUNCTION "private"."end_whatsapp_release"(uuid) IS 'Forgets the secrets of a number about which Meta delivers nothing more.';

COMMENT ON FUNCTION "private"."fitting_documents"(uuid, jsonb, uuid[]) IS 'Documents of an owner outside of the trash (among these, if given) of a kind, state, contact, tag, period, or this one: {kind, state, contact_id, tag_id, from, to, document_id}.';

COMMENT ON FUNCTION "private"."follow_contact_tags"() IS 'Computes the cadence again where a tag was put on or taken off.';

COMMENT ON FUNCTION "private"."follow_new_address"() IS 'Mails of an address without a contact become those of its contact, in the history too.';

COMMENT ON FUNCTION "private"."follow_said_words"() IS 'Writes again what a message is found by.';

COMMENT ON FUNCTION "private"."follow_searched_pages"() IS 'Keeps what pages are found by when they are read, read again, or deleted.';

COMMENT ON FUNCTION "private"."follow_tags"() IS 'Computes the cadence again where a tag says another number of days.';

COMMENT ON FUNCTION "private"."forget_late_payers"() IS 'Does so for accounts that are erased: news of a refund or a dispute may come months later.';

COMMENT ON FUNCTION "private"."index_contacts"(uuid[]) IS 'Writes again what these contacts are found by, unless an import does so at its end (socio.index_later).';

COMMENT ON FUNCTION "private"."index_contacts_now"(uuid[]) IS 'Writes again what these contacts are found by.';

COMMENT ON FUNCTION "private"."is_still_wanted"(private.notification_deliveries, public.notification_settings) IS 'Whether a delivery was neither read, deleted nor switched off since its notice.';

COMMENT ON FUNCTION "private"."issuer_number"(public.documents) IS 'The VAT number of the issuer of a document, by which the lessons of its owner are found.';

COMMENT ON FUNCTION "private"."late_text"(integer, integer, integer) IS 'The reason of an insight about a late invoice, with the habit of its payer.';

COMMENT ON FUNCTION "private"."may_be_automatic"(uuid, text, uuid) IS 'Whether an address may get a mail that was not written by hand: at most three a day, and never a machine or a list.';

COMMENT ON FUNCTION "private"."measure_errors"() IS 'Count the errors of browsers and server, and the groups that are not decided.';

COMMENT ON FUNCTION "private"."open_goal"(uuid, text, text) IS 'Locks and answers the goal of an agent that has not ended, or creates one.';

COMMENT ON FUNCTION "private"."orders_to_check"(integer) IS 'Orders without news of their payment for a while, to ask Stripe for.';

COMMENT ON FUNCTION "private"."places"(text, text) IS 'The first and the last character of each match of a pattern in a line without control characters.';

COMMENT ON FUNCTION "private"."release_whatsapp_account"() IS 'Has Meta deliver nothing more about a number that is disconnected, replaced or erased with its person.';

COMMENT ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Puts a notice of the bell on another channel too.';

COMMENT ON FUNCTION "private"."shown_insights"(uuid) IS 'The insights of a person, best first: no resting one, and among the first five at most two are of a kind.';

COMMENT ON FUNCTION "private"."standing_pairs"(uuid, jsonb) IS 'Which of these pairs of contacts are still two and were not marked as different: comparing them all takes too long for each change.';

COMMENT ON FUNCTION "private"."unwritable"(uuid, uuid) IS 'Addresses of a contact that may not be written to: suppressed ones, and all of one that refused mails or objected.';

COMMENT ON FUNCTION "private"."whatsapp_phone"(uuid, uuid, text) IS 'The telephone number with this E.164 form, added to the contact if no contact has it.';

COMMENT ON FUNCTION "private"."whatsapp_reminder"(uuid, uuid, jsonb) IS 'The reminder that a contact would get by WhatsApp with what Meta asks for it, or why it may not be sent: no_account, account, no_template, template_pending, template, or a reason of private.whatsapp_letters.';

COMMENT ON FUNCTION "public"."admin_answer_idea"(bigint, bigint, text) IS 'Answers an idea, for admins: the item that it belongs to, which counts its author''s vote, or a refusal with its reason.';

COMMENT ON FUNCTION "public"."document_hits"(uuid, text) IS 'The places in one document of the caller of what search_documents() finds, in reading order, five hundred places at most: words by their place in document_pages.words, from 0.';

COMMENT ON FUNCTION "public"."search_mails"(text, integer) IS 'The caller''s mails that have all words, received and sent, the latest first and one of each conversation. Marks are pairs (begin, end) in the snippet.';

COMMENT ON FUNCTION "public"."search_whatsapp"(text, integer) IS 'The caller''s WhatsApp messages that have all words, the latest first: a conversation has no end, so each message is found. Marks are pairs (begin, end) in the snippet.';

COMMENT ON TABLE "private"."ai_consents" IS 'Providers of models to which a person has agreed to send questions, and the text that they agreed to.';

COMMENT ON TABLE "public"."document_corrections" IS 'What a correction by the owner taught about a supplier: the label next to a value, or (key kind) what its documents are.';

COMMENT ON TABLE "public"."document_fields" IS 'What was read out of a document, with its place there.';

COMMENT ON TABLE "public"."payment_events" IS 'Events of Stripe, word by word, and what became of them.';

reset check_function_bodies;
