/** What changed for the people who use Socio, newest first. */

export type Release = { version: string; day: string; title: string; changes: string[] }

export const changelog: Release[] = [
  {
    version: '0.8',
    day: '2026-11-21',
    title: 'L’assistente',
    changes: [
      'Chiedi in italiano dei tuoi clienti, scadenze, trattative, fatture e documenti: ogni risposta cita da dove viene.',
      'Funziona senza IA esterna, in modalità locale e a 0 crediti; con un modello il prezzo si vede prima.',
      'Quello che c’è da fare te lo propone: approvi, modifichi o rifiuti, e puoi annullare.',
      'Cinque agenti, e «Consiglio» quando vuoi più punti di vista.',
      'Memoria con la frase da cui viene ogni ricordo: tieni, correggi, dimentica.',
      'CRM: partita IVA verificata nel VIES quando lo chiedi.',
    ],
  },
  {
    version: '0.7',
    day: '2026-11-21',
    title: 'Documenti che si leggono da soli',
    changes: [
      'PDF, foto, scansioni, fatture elettroniche e archivi ZIP: testo, importi e scadenze, con il punto da cui vengono.',
      'Cerca in tutte le pagine, anche nelle scansioni, e chiedi al documento.',
      'Registro delle fatture con scadenze che diventano attività, ed esportazione per il commercialista.',
    ],
  },
  {
    version: '0.6',
    day: '2026-11-21',
    title: 'CRM, attività e progetti',
    changes: [
      'Contatti e aziende, trattative, consensi, duplicati da unire con «Annulla», importazione da CSV e vCard.',
      'Attività scritte come si parla: «domani alle 15 chiama Rossi». Calendario, ricorrenze, promemoria.',
    ],
  },
  {
    version: '0.5',
    day: '2026-11-21',
    title: 'Il sito, lo store e crediti che tornano sempre',
    changes: [
      'Pagine pubbliche complete: prezzi, roadmap, domande frequenti, note legali. Si leggono anche senza JavaScript.',
      'Store con tre pacchetti di crediti, pagamento con carta e conferma in pochi secondi.',
      'Impostazioni → Crediti: saldo, scadenze, estratto conto movimento per movimento, esportazione CSV.',
      'Recesso con un pulsante: rimborso della parte non usata entro 30 giorni.',
      'Visita guidata, avviso quando i crediti stanno per finire, scelta sui cookie che puoi cambiare.',
    ],
  },
  {
    version: '0.4',
    day: '2026-11-21',
    title: 'Documenti, e novità in tempo reale',
    changes: [
      'Carichi documenti fino a 50 MB; se la rete cade, il caricamento riprende da dove era.',
      'Foto del profilo, ritagliata e ridotta nel browser.',
      'Notifiche e saldo si aggiornano da soli, senza ricaricare la pagina.',
    ],
  },
  {
    version: '0.3',
    day: '2026-11-21',
    title: 'Lavori che non si perdono',
    changes: [
      'Le operazioni lunghe ripartono da sole dopo un guasto e mostrano a che punto sono.',
      'Ogni utente ha il suo turno: il lavoro di uno non ferma quello degli altri.',
    ],
  },
  {
    version: '0.2',
    day: '2026-11-21',
    title: 'Sicurezza del tuo account',
    changes: [
      'Verifica in due passaggi con app, codici di recupero e passkey.',
      'Elenco delle sessioni aperte, con uscita da tutti i dispositivi.',
      'Applicazioni collegate: decidi tu chi può leggere i tuoi dati, e lo revochi quando vuoi.',
    ],
  },
  {
    version: '0.1',
    day: '2026-11-20',
    title: 'Si comincia',
    changes: [
      'Registrazione, accesso, recupero della password con messaggi chiari in italiano.',
      'Primi passi in quattro schermate e pagina iniziale.',
      'Tema chiaro e scuro, tutto usabile da tastiera e da telefono.',
    ],
  },
]
