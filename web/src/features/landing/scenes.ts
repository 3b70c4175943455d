/** Three pieces of a day, on the same sample business as the trial of the page. */

type Scene = { title: string; text: string; asked: string; shown: readonly (readonly [name: string, detail: string])[] }

export const scenes: readonly Scene[] = [
  {
    title: 'Chiedi, e risponde con le fonti',
    text: 'Chat con memoria condivisa: sa chi è Studio Belli, che cosa gli hai promesso e quando. Ogni cifra porta alla riga da cui viene.',
    asked: '«Chi deve ancora pagarmi?»',
    shown: [
      ['Fattura 18', 'Ottica Bianchi · 1.250,00 €'],
      ['Fattura 21', 'Officina Nord · 640,00 €'],
    ],
  },
  {
    title: 'Carichi un documento, la scadenza è già in agenda',
    text: 'Scontrini, contratti, FatturaPA: Socio li legge con l’OCR, trova importi e date e li mette accanto al cliente giusto.',
    asked: 'modello-f24.pdf',
    shown: [
      ['Importo', '312,00 €'],
      ['Scadenza', 'tra 4 giorni, ora è un’attività'],
    ],
  },
  {
    title: 'La mattina sai da dove cominciare',
    text: 'Briefing e suggerimenti nell’app e per email: tre cose, con il perché. CRM, attività e incassi nella stessa pagina.',
    asked: 'Oggi',
    shown: [
      ['Sollecita Ottica Bianchi', 'in ritardo di 12 giorni'],
      ['Richiama Studio Belli', 'preventivo fermo da 6 giorni'],
    ],
  },
]
