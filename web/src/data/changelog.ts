/** What changed for the people who use Socio, newest first; the day is that of the commit that brought it. */

export type Release = { day: string; title: string; changes: string[] }

export const changelog: Release[] = [
  {
    day: '2026-11-30',
    title: 'Parole più chiare',
    changes: [
      'Termini, privacy e cookie elencano in fondo che cosa è cambiato dopo la versione 2.0, giorno per giorno.',
      'Le email non presumono più se sei un uomo o una donna, e scrivono le date per esteso.',
      'Gli avvisi appaiono nella metà dello schermo che non hai appena toccato: non coprono ciò di cui parlano.',
    ],
  },
  {
    day: '2026-11-29',
    title: 'WhatsApp anche sul telefono',
    changes: [
      '«Crea obiettivo», anche dalla chat: scegli che cosa ottenere, leggi il piano con passi, costi e limiti, poi dai il mandato.',
      'Nel piano lasci fuori i passi che non vuoi, come il promemoria prima della scadenza o l’ultimo sollecito.',
      'I solleciti può scriverli l’assistente, con il tuo tono: prezzo e tetto di crediti nel mandato, e ogni testo aspetta il tuo sì.',
      'WhatsApp si collega con Meta in pochi passi e il numero resta sul telefono, con rubrica e messaggi di sei mesi.',
      'Collegare WhatsApp è spiegato passo per passo, con un disegno di ogni schermata.',
      'Se l’IA non risponde, la trascrizione di un vocale riparte da sola, senza altri crediti.',
      'Programmi un invio WhatsApp a più persone per il giorno e l’ora che scegli.',
      'Quello che scrivi ai clienti dal telefono compare in Socio, e la conversazione non aspetta più.',
      'Socio controlla chi ha scritto le email che inoltri o ricevi tramite lui: «non verificato», o un avviso se il mittente è falso.',
      'Se il collegamento con Meta si perde, «Ricollega con Meta» lo rifà con le conversazioni e i modelli di prima.',
      'Un invio WhatsApp programmato si ferma e chiede, se intanto un contatto ha già ricevuto tre messaggi in sette giorni.',
      'Anche gli audio MP3 e M4A ricevuti su WhatsApp diventano testo, con «Trascrivi».',
      'Due numeri dello stesso account WhatsApp, di persone diverse, ricevono ognuno i propri messaggi.',
      'Se chiedi di cancellare l’account, anche Meta smette di inviarci i messaggi del tuo numero WhatsApp.',
      '«Scrivi a Rossi con il modello Sollecito»: in chat l’assistente prepara la bozza con un tuo modello di email.',
      'Quello che approvi agli agenti parte subito, non più al minuto successivo.',
      'La pagina di stato apre da sola un incidente quando i controlli falliscono, e lo chiude quando tutto riparte.',
    ],
  },
  {
    day: '2026-11-28',
    title: 'I dati della tua attività e i modelli di email',
    changes: [
      'Risposta automatica su WhatsApp, se la attivi: fuori orario, sempre o in ferie, una al giorno per contatto.',
      'I messaggi vocali WhatsApp diventano testo, con «Trascrivi» o appena arrivano: si cercano per parole.',
      '«Attività e dati fiscali»: IBAN, PEC, codice SdI, sede e ATECO in una pagina, con quello che dicono le tue fatture.',
      'Recupero crediti anche per WhatsApp e PEC, se lo scegli nel mandato: con ricevute, e il motivo quando va per email.',
      'I solleciti dicono su quale IBAN pagare e, se vuoi, chiedono alle aziende gli interessi di mora.',
      'Modelli di email: contatto, fattura e trattativa si compilano da soli, e ciò che manca si vede prima di inviare.',
      'La copia dei tuoi dati si prepara da sola, tutta o per parti, e si scarica per sette giorni anche a più riprese.',
      'Nelle email che invii gli indirizzi web si aprono con un clic e la disiscrizione è un link breve.',
      'Se rispondi a un’email dal telefono o da un altro programma, in Posta non aspetta più una risposta.',
      'Le email nuove compaiono in Posta appena arrivano, senza aggiornare la pagina.',
      'Outlook si collega con l’accesso di Microsoft, senza password; Gmail anche, dove è attivo.',
      'Invia tramite Socio: scrivi ai clienti senza collegare la casella; le risposte arrivano a te e in Posta.',
      'Un indirizzo tuo a cui inoltrare le email: si leggono in Posta anche senza collegare la casella.',
      'Lo stesso modello WhatsApp a più contatti: anteprima, chi resta escluso e perché, prezzo, avanzamento.',
      'Proponi un’idea dalle Impostazioni, vota quelle degli altri e leggi che cosa ne facciamo.',
      'Se un giorno fermiamo l’IA per tutti, la chat lo dice, la risposta interrotta non costa nulla e la modalità locale resta.',
      'In chat: «cosa devo approvare?», «qual è il mio IBAN?», «prepara il pacchetto per il commercialista».',
    ],
  },
  {
    day: '2026-11-27',
    title: 'I canali, un agente e i tuoi dati',
    changes: [
      'Email, PEC e WhatsApp collegati: le conversazioni accanto a contatto, trattativa e fattura, e si cercano per parole.',
      'Recupero crediti: un agente prepara i solleciti con il tuo mandato; prima la prova sul passato, poi le approvazioni.',
      'Notifiche dello SdI accanto alla fattura: «scartata: correggi entro il …».',
      'L’account si elimina in trenta giorni, e fino ad allora puoi ripensarci; copia di tutti i dati; limitazione del trattamento.',
      'La fattura dice chi paga il bollo.',
      'Il mese per il commercialista in un solo file: documenti, registro per Excel e che cosa manca.',
    ],
  },
  {
    day: '2026-11-26',
    title: 'La giornata in una pagina',
    changes: [
      'Home: briefing del giorno, incassi in ritardo, trattative ferme e che cosa fare adesso, ognuna con il suo perché.',
      'Briefing e notifiche anche per email, all’ora che scegli e mai di notte.',
      'Regime forfettario: quanto hai incassato quest’anno rispetto a 85.000 e 100.000 € e quanto mettere da parte.',
      'Nello store leggi che cosa comprano i crediti e che cosa è gratis; il listino elenca solo quello che esiste.',
    ],
  },
  {
    day: '2026-11-24',
    title: 'Ogni documento trova il suo contatto',
    changes: [
      '«Da collegare»: i documenti senza contatto, raggruppati, si collegano molti alla volta, e puoi annullare.',
    ],
  },
  {
    day: '2026-11-23',
    title: 'Meno da ricopiare',
    changes: [
      'Fatture e bollette lette con certezza entrano da sole nel registro; le altre aspettano in «Da verificare».',
      'Contatti importati anche da Excel e dagli altri gestionali più usati, senza sistemare le colonne.',
      'L’assistente conta, ordina e confronta periodi: clienti, fornitori, tempi di pagamento.',
    ],
  },
  {
    day: '2026-11-21',
    title: 'L’assistente',
    changes: [
      'Chiedi in italiano dei tuoi clienti, scadenze, trattative, fatture e documenti: ogni risposta cita da dove viene.',
      'Funziona senza IA esterna, in modalità locale e a 0 crediti; con un modello il prezzo si vede prima.',
      'Ti propone quello che c’è da fare: approvi, modifichi o rifiuti, e puoi annullare.',
      'Cinque agenti, e «Consiglio» quando vuoi più punti di vista.',
      'Memoria con la frase da cui viene ogni ricordo: tieni, correggi, dimentica.',
      'CRM: partita IVA verificata nel VIES quando lo chiedi.',
    ],
  },
  {
    day: '2026-11-21',
    title: 'Documenti che si leggono da soli',
    changes: [
      'PDF, foto, scansioni, fatture elettroniche e archivi ZIP: testo, importi e scadenze, con il punto da cui vengono.',
      'Cerca in tutte le pagine, anche nelle scansioni, e chiedi al documento.',
      'Registro delle fatture con scadenze che diventano attività, ed esportazione per il commercialista.',
    ],
  },
  {
    day: '2026-11-21',
    title: 'CRM, attività e progetti',
    changes: [
      'Contatti e aziende, trattative, consensi, duplicati da unire con «Annulla», importazione da CSV e vCard.',
      'Attività scritte come si parla: «domani alle 15 chiama Rossi». Calendario, ricorrenze, promemoria.',
    ],
  },
  {
    day: '2026-11-21',
    title: 'Il sito, lo store e un estratto conto che torna',
    changes: [
      'Pagine pubbliche complete: prezzi, roadmap, domande frequenti, note legali. Si leggono anche senza JavaScript.',
      'Store con tre pacchetti di crediti, pagamento con carta e conferma in pochi secondi.',
      'Impostazioni → Crediti: saldo, scadenze, estratto conto movimento per movimento, esportazione CSV.',
      'Recesso con un pulsante: rimborso della parte non usata entro 30 giorni.',
      'Visita guidata, avviso quando i crediti stanno per finire, scelta sui cookie che puoi cambiare.',
    ],
  },
  {
    day: '2026-11-21',
    title: 'Documenti, e novità in tempo reale',
    changes: [
      'Carichi documenti fino a 50 MB; se la rete cade, il caricamento riprende da dove era.',
      'Foto del profilo, ritagliata e ridotta nel browser.',
      'Notifiche e saldo si aggiornano da soli, senza ricaricare la pagina.',
    ],
  },
  {
    day: '2026-11-21',
    title: 'Lavori che non si perdono',
    changes: [
      'Le operazioni lunghe ripartono da sole dopo un guasto e mostrano a che punto sono.',
      'Ogni utente ha il suo turno: il lavoro di uno non ferma quello degli altri.',
    ],
  },
  {
    day: '2026-11-21',
    title: 'Sicurezza del tuo account',
    changes: [
      'Verifica in due passaggi con app, codici di recupero e passkey.',
      'Elenco delle sessioni aperte, con uscita da tutti i dispositivi.',
      'Applicazioni collegate: decidi tu chi può leggere i tuoi dati, e lo revochi quando vuoi.',
    ],
  },
  {
    day: '2026-11-20',
    title: 'Si comincia',
    changes: [
      'Registrazione, accesso, recupero della password con messaggi chiari in italiano.',
      'Primi passi in quattro schermate e pagina iniziale.',
      'Tema chiaro e scuro, tutto usabile da tastiera e da telefono.',
    ],
  },
]
