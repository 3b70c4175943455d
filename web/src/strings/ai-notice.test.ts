import { expect, test } from 'vitest'

import { aiNoticeText } from '@/strings/ai-notice'

const at = '2026-11-27T10:00:00Z'
const step = { first_at: '2026-11-02T10:00:00Z', last_at: at, mode: 'locale', provider: null, model: null }

test('the notice says what was assisted, by whom, and who reviewed it', () => {
  const text = aiNoticeText(
    'contact',
    {
      name: 'Anna Verdi',
      steps: [
        { ...step, step: 'answer', mode: 'ia', provider: 'Mistral', model: 'large', times: 3, reviewed: 0 },
        { ...step, step: 'draft', times: 2, reviewed: 2 },
        { ...step, step: 'letter', times: 4, reviewed: 1 },
        { ...step, step: 'reading', times: 5, reviewed: 0 },
      ],
    },
    { name: 'Studio Ferri', business: 'P.IVA 09000018888', at },
  )
  expect(text).toContain('Cliente: Anna Verdi\nDa: Studio Ferri\nP.IVA 09000018888\nData: 27 novembre 2026')
  expect(text).toContain('Dal 2 novembre 2026 al 27 novembre 2026')
  expect(text).toContain('3 risposte dell’assistente con Mistral (modello large), che ho valutato io')
  expect(text).toContain('Bozze di messaggi: 2, senza fornitore esterno (modalità locale), rilette e approvate da me')
  expect(text).toContain('1 approvato da me prima dell’invio, gli altri inviati entro limiti fissati da me')
  expect(text).toContain('– Mistral ha ricevuto le domande e i dati necessari')
})

test('where nothing left, or nothing was used, it says so', () => {
  const local = { ...step, step: 'letter', times: 2, reviewed: 2 }
  const text = aiNoticeText('contact', { name: 'Anna', steps: [local] }, { name: '', at })
  expect(text).toContain('approvati da me uno per uno prima dell’invio')
  expect(text).toContain('Nessun fornitore: i dati non sono usciti')
  expect(text).not.toContain('Da:')
  const none = aiNoticeText('project', { name: 'Sito', steps: [] }, { name: '', at })
  expect(none).toContain('Progetto: Sito')
  expect(none).toContain('Per questo progetto non risulta alcun uso di sistemi di intelligenza artificiale')
})
