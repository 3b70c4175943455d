/** The eight questions: all of them on /faq, the first four on the landing page. */

export type Question = { q: string; a: string }

export const FAQ_ON_LANDING = 4

export const faq: readonly Question[] = [
  {
    q: 'Che cos’è Socio e per chi è?',
    a: 'È un assistente che lavora con te: ricorda i tuoi clienti, legge i tuoi documenti, tiene le scadenze e ogni mattina ti dice da dove cominciare, nell’app e per email. È pensato per chi lavora in proprio, per le piccole imprese e per le start-up. Tutto è in italiano, con le date e le regole di qui.',
  },
  {
    q: 'Quanto costa, e serve una carta per iniziare?',
    a: 'Per iniziare niente, e nessuna carta. Ti registri in 30 secondi e ricevi 100 crediti gratis; se sei tra i primi 100, altri 500. Il piano Free resta gratuito per sempre e comprende proprio quei 100 crediti alla registrazione, una volta sola. Quando ti serve di più compri un pacchetto di crediti una volta sola, da 9,99 €: il prezzo di ogni azione lo vedi prima di farla.',
  },
  {
    q: 'I miei dati sono al sicuro?',
    a: 'I dati stanno su server nell’Unione europea e seguono il GDPR. Nessun altro cliente può leggerli, non li usiamo per addestrare modelli e restano tuoi: ne scarichi una copia o elimini l’account da Impostazioni, alla voce I tuoi dati. Quando chiudi l’account hai 30 giorni per cambiare idea, poi li eliminiamo: restano i dati di fatturazione, per i dieci anni che la legge chiede, e poche tracce senza il tuo nome, elencate nella Privacy Policy.',
  },
  {
    q: 'E se non fa per me?',
    a: 'Hai 30 giorni: ti rimborsiamo la parte di crediti che non hai usato, senza chiederti perché. Il pulsante «Recedere dal contratto qui» sta in Impostazioni, alla voce Crediti, e la ricevuta ti arriva per email.',
  },
  {
    q: 'Come funzionano i crediti, e scadono?',
    a: 'Un messaggio in chat costa 1 credito, una risposta approfondita 2, un consiglio dei cinque agenti 3: il prezzo lo leggi prima di inviare. Gli agenti con il tuo mandato sono gratis: un loro messaggio costa 1 credito solo se lo fai scrivere all’assistente. CRM, attività, documenti, OCR, lettura delle FatturaPA e risposte in modalità locale non costano nulla. I crediti dei pacchetti valgono 12 mesi e poi la scadenza si prolunga da sola: quello che hai comprato non si perde.',
  },
  {
    q: 'Posso comprare crediti extra quando finiscono?',
    a: 'Sì, quando vuoi, dallo store: 100 crediti a 9,99 €, 550 a 39,99 € oppure 1.150 a 69,99 €. Il pacchetto extra da 1.000 crediti a 10 € delle prime settimane non è più in vendita. Ti avvisiamo quando restano meno di 5 crediti, mai a lavoro cominciato.',
  },
  {
    q: 'Posso collegare email e WhatsApp?',
    a: 'Sì, da Impostazioni, alla voce Canali. Per scrivere puoi cominciare subito «tramite Socio», senza password; oppure colleghi la tua casella di posta o PEC con i dati di invio e ricezione, e un numero WhatsApp Business con l’accesso di Meta o con i valori della tua app (la guida è tra i documenti per la tua attività). Le conversazioni stanno accanto al contatto e alla fattura, e chi ti scrive può diventare un contatto. Nulla parte senza il tuo sì: al singolo messaggio, al mandato di un agente o alla risposta automatica che attivi tu. Gli invii a più di 100 persone Socio te li fa rileggere sempre.',
  },
  {
    q: 'Che cosa succede dopo i primi 100 utenti?',
    a: 'Chi arriva tra i primi 100 riceve subito 500 crediti extra e, quando aprirà il piano Starter, lo paga 9,99 € al mese finché resta. Dopo, il prezzo passa a 19,99 € al mese, e per le condizioni early bird c’è la lista d’attesa. L’app mobile, annunciata per Q1 2026, è in ritardo: a che punto siamo lo trovi nella roadmap.',
  },
]
