import { expect, test } from 'vitest'

import { mailLink, whatsAppLink } from '@/lib/message-links'

test('a mail keeps its lines, and what it says cannot add fields', () => {
  expect(mailLink({ recipient: 'rossi@esempio.it', subject: 'Fattura & saldo', body: 'Ciao,\nbcc=altri@x.it?' })).toBe(
    'mailto:rossi@esempio.it?subject=Fattura%20%26%20saldo&body=Ciao%2C%0D%0Abcc%3Daltri%40x.it%3F',
  )
  expect(mailLink({ recipient: 'a@x.it?bcc=b@x.it', subject: null, body: 'x' })).toBe(
    'mailto:a@x.it%3Fbcc%3Db@x.it?body=x',
  )
})

test('a WhatsApp message goes to the digits of a number, or to whom one chooses', () => {
  expect(whatsAppLink({ recipient: '+39 333 123-4567', body: 'Ci sei?' })).toBe(
    'https://wa.me/393331234567?text=Ci%20sei%3F',
  )
  expect(whatsAppLink({ recipient: null, body: 'x' })).toBe('https://wa.me/?text=x')
})
