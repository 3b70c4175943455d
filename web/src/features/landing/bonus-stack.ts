/** What comes with the early bird and what each part is valued at, in euros; together the 89 € of the catalogue. */
export const bonusStack = [
  { name: '500 crediti gratis', note: 'Accreditati subito dopo la registrazione', euros: 15 },
  { name: 'Avvio guidato', note: 'Quattro passi, il primo risultato in giornata', euros: 29 },
  {
    name: 'Quattro documenti modello',
    note: 'Progetto, business plan, conto costi, guida alle credenziali per la messaggistica',
    euros: 25,
  },
  { name: 'Supporto prioritario', note: 'Per i primi 30 giorni', euros: 20 },
] as const
