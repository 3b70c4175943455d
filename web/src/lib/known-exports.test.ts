import { expect, test } from 'vitest'

import { readCsv } from '@/lib/contact-csv'
import { guessColumns } from '@/lib/contact-csv-columns'
import { checkDrafts, draftsOf } from '@/lib/contact-csv-rows'
import { knownExport } from '@/lib/known-exports'

async function imported(text: string) {
  const { header, rows } = readCsv(new TextEncoder().encode(text))
  const { rows: contacts, rejections, remarks } = await checkDrafts(draftsOf(rows, guessColumns(header)))
  return { name: knownExport(header)?.name, contacts, rejections, remarks }
}

test('an export of Fatture in Cloud is known, with companies, their people, and private persons', async () => {
  const { name, contacts, rejections, remarks } = await imported(
    `Denominazione,Indirizzo,Comune,CAP,Provincia,Indirizzo e-mail,Referente,Telefono,P.IVA/TAX ID,Codice Fiscale,Note
Orto Srl,Via Roma 1,Sarzana,19038,SP,info@orto.example,Anna Verdi,3331234567,07643520567,07643520567,nota
RICCI EMANUELE,Via Po 2,Torino,10121,TO,r@esempio.it,,3451234567,,RCCMNL83S18D969H,
`,
  )
  expect([name, rejections, remarks]).toEqual(['Fatture in Cloud', [], []])
  expect(contacts).toMatchObject([
    {
      first_name: 'Anna',
      last_name: 'Verdi',
      firm: { business_name: 'Orto Srl', vat_number: '07643520567', emails: ['info@orto.example'], note: null },
    },
    {
      type: 'persona',
      first_name: 'EMANUELE',
      last_name: 'RICCI',
      tax_code: 'RCCMNL83S18D969H',
      address: { city: 'Torino' },
    },
  ])
})

test('a file of clients of Aruba is known: its one column holds a code or a PEC', async () => {
  const { name, contacts, rejections, remarks } = await imported(
    `Tipo Cliente;Indirizzo telematico (Codice SDI o PEC);ID Paese;Partita Iva;Codice fiscale;Denominazione;Nome;Cognome;Indirizzo;CAP;Comune;Nazione
Privato;m5uxcr1;IT;07643520567;;Orto Srl;;;Via Roma 1;185;Roma;IT
Privato;ricci@pec.example;IT;;RCCMNL83S18D969H;;Emanuele;Ricci;Via Po 2;10121;Torino;IT
`,
  )
  expect([name, rejections, remarks]).toEqual(['Aruba Fatturazione Elettronica', [], []])
  expect(contacts).toMatchObject([
    { type: 'azienda', business_name: 'Orto Srl', sdi_code: 'M5UXCR1', pec: null, address: { postal_code: '00185' } },
    { type: 'persona', last_name: 'Ricci', sdi_code: null, pec: 'ricci@pec.example' },
  ])
})

test('a file of clients of TeamSystem is known: «Nome» is a company, provinces are numbers', async () => {
  const { name, contacts, rejections, remarks } = await imported(
    `N° cliente,Gruppo clienti,Nome,Indir. 1,Indir. 2,Codice postale,Provincia,Località/Città,Paese,Tel./fax,E-mail,Sito web,Zona,Valuta,Partita IVA,Codice ISO,Codice Fiscale,Split Payment,Ns. Referente
1,Clienti Italia,Ferramenta Bianchi,Via Roma 1,,20121,58,Milano,Italia,02 12345678,info@bianchi.example,,1,EUR,07643520567,IT,,NO,Ada
`,
  )
  expect([name, rejections, remarks]).toEqual(['TeamSystem Contabilità in Cloud', [], []])
  expect(contacts).toMatchObject([
    {
      type: 'azienda',
      business_name: 'Ferramenta Bianchi',
      vat_number: '07643520567',
      address: { street: 'Via Roma 1', postal_code: '20121', city: 'Milano', country: 'Italia' },
      emails: ['info@bianchi.example'],
    },
  ])
  expect(contacts[0]?.address.province).toBeUndefined()
})

test('other files are nobody’s', () => {
  expect(knownExport(['Nome', 'Cognome', 'Denominazione', 'Referente'])).toBeNull()
})
