"""Which tables an export holds, and why the others are left out.

`tests/functions/test_data_export.py` compares both with the database's catalogue: a new table with a person's rows
stands in one of them.
"""

from __future__ import annotations

# Folder of the archive, then its tables by name: what they hold, in words for their owner.
EXPORTED: dict[str, dict[str, str]] = {
    "profilo": {
        "public.profiles": "Il tuo profilo e la tua attività",
        "public.user_roles": "Ruoli del tuo account",
        "public.flat_rate_choices": "Le tue scelte per la stima del forfettario",
        "public.notification_prefs": "Quali avvisi vuoi, e dove",
        "public.notification_settings": "Quando vuoi gli avvisi",
        "public.insight_prefs": "Quali suggerimenti vuoi",
        "public.push_subscriptions": "I browser che ricevono notifiche",
        "private.known_devices": "I tipi di dispositivo da cui sei entrato",
        "private.ai_consents": "A quali fornitori di IA hai dato il consenso",
        "private.calendar_feeds": "Se hai un calendario da sottoscrivere",
        "public.mail_accounts": "La casella da cui scrivi, senza password",
        "public.data_exports": "Quando hai scaricato i tuoi dati",
    },
    "clienti": {
        "public.contacts": "I tuoi contatti",
        "public.contact_emails": "I loro indirizzi e-mail",
        "public.contact_phones": "I loro numeri di telefono",
        "public.contact_tags": "Quali etichette portano",
        "public.tags": "Le tue etichette",
        "public.segments": "I tuoi filtri salvati",
        "public.interactions": "Chiamate, messaggi e incontri",
        "public.notes": "Le tue note",
        "public.drafts": "Le tue bozze",
        "public.mail_inboxes": "La casella che Socio legge, senza password",
        "public.mail_threads": "Le tue conversazioni per email",
        "public.received_mails": "Le email lette dalla tua casella",
        "public.mail_thread_letters": "A quale conversazione appartengono le email inviate",
        "public.outgoing_mails": "Le email che hai inviato da Socio",
        "public.mail_reports": "Che cosa dicono i server delle email che hai inviato",
        "public.mail_batches": "I testi che hai inviato a più contatti",
        "public.mail_suppressions": "Gli indirizzi a cui non si scrive più",
        "public.consents": "I consensi di oggi",
        "public.consent_events": "La storia dei consensi",
        "public.contact_distinct": "Chi hai detto che non è la stessa persona",
        "public.dismissed_parties": "Chi hai detto che non è un contatto",
        "public.merge_log": "I contatti che hai unito",
        "public.import_batches": "Le tue importazioni",
        "public.deals": "Le tue trattative",
        "public.stages": "Le fasi delle trattative",
        "public.deal_stage_log": "Il cammino delle trattative",
    },
    "lavoro": {
        "public.projects": "I tuoi progetti",
        "public.tasks": "Le tue attività",
        "public.task_events": "La storia delle attività",
    },
    "documenti": {
        "public.documents": "I tuoi documenti",
        "public.sdi_notices": "Che cosa dice il Sistema di Interscambio delle tue fatture",
        "public.document_pages": "Il testo delle loro pagine",
        "public.document_fields": "I dati letti",
        "public.document_links": "A che cosa sono collegati",
        "public.document_tags": "Quali etichette portano",
        "public.document_aliases": "Come riconosciamo di chi sono",
        "public.document_corrections": "Le tue correzioni",
        "public.invoices": "Le fatture",
        "public.invoice_schedules": "Le scadenze delle fatture",
    },
    "assistente": {
        "public.conversations": "Le tue conversazioni",
        "public.messages": "I messaggi",
        "public.message_feedback": "I tuoi giudizi sulle risposte",
        "public.tool_calls": "Che cosa l’assistente ha proposto e fatto",
        "public.runs": "Quando l’assistente ha lavorato",
        "public.memories": "Che cosa Socio ricorda di te",
        "public.memory_settings": "Se Socio può ricordare",
        "public.memory_uses": "Quando un ricordo è stato usato",
        "public.insights": "I suggerimenti",
    },
    "crediti": {
        "public.credit_wallets": "Il tuo saldo",
        "public.credit_ledger": "Ogni movimento di crediti",
        "public.credit_lots": "I lotti di crediti",
        "public.credit_holds": "I crediti riservati",
        "public.hold_lots": "Da quali lotti",
        "public.credit_orders": "I tuoi ordini",
        "public.credit_settings": "I tuoi limiti",
        "private.early_bird_seats": "Il tuo posto early bird",
    },
    "registro": {
        "public.notifications": "I tuoi avvisi",
        "private.notification_deliveries": "Dove sono stati inviati",
        "public.analytics_events": "L’uso del prodotto, se hai accettato le statistiche",
        "public.error_logs": "Gli errori del tuo browser",
    },
}
LEFT_OUT: dict[str, str] = {
    "private.assistant_use": "contatori di un minuto, un’ora e un giorno",
    "private.contact_search": "indice di ricerca, calcolato dai contatti",
    "private.document_search": "indice di ricerca, calcolato dai documenti",
    "private.document_words": "indice di ricerca, calcolato dai documenti",
    "private.message_search": "indice di ricerca, calcolato dai messaggi",
    "private.deleted_notifications": "avvisi che hai eliminato: spariscono entro un giorno",
    "private.demo_rows": "quali righe sono dati di esempio",
    "private.home_pages": "la pagina iniziale, calcolata dagli altri dati",
    "private.import_changes": "come annullare un’importazione: copie di ciò che è già nei contatti",
    "private.insight_marks": "segnali di lavoro da fare, che durano secondi",
    "private.leases": "segnali di lavoro in corso, che durano secondi",
    "private.mail_places": "fin dove è stata letta la casella",
    "private.memory_tombstones": "impronte di ciò che hai fatto dimenticare: non dicono che cosa",
}
# Secrets, of which a copy would only be a danger, and where on the page each word was recognised.
HIDDEN_COLUMNS = ("secret_hash", "p256dh", "auth_secret", "provider_session", "checkout_url", "words")
