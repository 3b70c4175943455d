/** What changed for the people who use Socio, newest first. */

export type Release = { version: string; day: string; title: string; changes: string[] }

export const changelog: Release[] = [
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
