/**
 * /chat in local mode: everyday questions with their sources, a sentence that becomes a task, a draft that is taken back,
 * one from a template, a memory that is kept, used and forgotten, conversations that are found, named and deleted by a slip.
 */
import type { Locator, Page } from '@playwright/test'

import { addDemoData, addMailTemplate } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { pdf } from './support/papers'
import { expect, test } from './support/test'

test.use({ persona: 'member' })

const field = (page: Page) => page.getByRole('textbox', { name: 'Scrivi a Socio' })
const thread = (page: Page) => page.getByRole('log', { name: 'Conversazione' })
/** The chips in the text: ① is «Fonte 1: …». */
const citations = (within: Locator) =>
  within.getByRole('button', { name: /^Fonte \d/ }).or(within.getByRole('link', { name: /^Fonte \d/ }))

/** Asks and waits until the answer has ended; the answer. */
async function ask(page: Page, question: string): Promise<Locator> {
  const ended = thread(page).getByText('0 crediti · Modalità locale')
  const before = await ended.count()
  await field(page).fill(question)
  await field(page).press('Enter')
  // The first answer of a process waits for its libraries.
  await expect(ended).toHaveCount(before + 1, { timeout: 30_000 })
  return thread(page).locator('[id^="m-"]').last()
}

const EVERYDAY = [
  'Che cosa devo fare oggi?',
  'E domani?',
  'Quali attività sono scadute?',
  'Chi devo richiamare?',
  'Quali trattative ho aperte?',
  'Quanto ho in trattativa?',
  'Quali fatture devo pagare?',
  'Riassumi Cantina Poggio Alto',
  'Che cosa dice il contratto sul preavviso?',
  'Quanti crediti mi restano?',
  'Ultimi documenti caricati',
]

test('everyday questions are answered with what they stand on', async ({ page, account }) => {
  await addDemoData(account)
  await page.goto('/documents')
  await page.getByRole('button', { name: 'Prova con una fattura di esempio' }).click()
  const archive = page.getByRole('table', { name: 'Documenti' })
  await page
    .getByLabel('File da caricare')
    .setInputFiles([
      pdf('Contratto.pdf', 'Contratto di consulenza\nIl recesso richiede un preavviso di trenta giorni.'),
    ])
  await expect(archive.getByRole('row').filter({ hasText: /Contratto|esempio/ })).toHaveCount(2)
  await expect(archive.getByText(/^(Pronto|Da verificare)$/)).toHaveCount(2, { timeout: 30_000 })

  await page.goto('/chat')
  for (const question of EVERYDAY) {
    await test.step(question, async () => {
      const answer = await ask(page, question)
      await expect(citations(answer).first()).toBeVisible()
    })
  }
  const paid = (await ask(page, 'Segna pagata la fattura 128')).getByRole('article')
  await expect(paid).toContainText('Regola E-12')
  await paid.getByRole('button', { name: 'Approva', exact: true }).click()
  await expect(paid).toContainText('Ho segnato come pagata la fattura')
  await paid.getByRole('button', { name: 'Annulla' }).click()
  await expect(paid).toContainText('Annullata')
  // A passage opens where it stands in its document.
  await citations(thread(page))
    .and(page.getByRole('link', { name: /Contratto/ }))
    .first()
    .click()
  await expect(page).toHaveURL(/\/documents\/.*parole=/)
  await expect(page.locator('[data-mark=loud]').first()).toBeVisible()
})

test('a sentence becomes a task once, a draft is kept and taken back, a conversation may act unasked', async ({
  page,
  account,
  console,
}) => {
  await addDemoData(account)
  await page.goto('/chat')
  let answer = await ask(page, 'domani alle 15 chiama Cantina Poggio Alto')
  const card = answer.getByRole('article')
  await expect(card).toContainText('Da approvare')
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.setViewportSize({ width: 1280, height: 720 })
  // Two tabs say yes in the same moment: one of them carries it out, both show it.
  const tab = await page.context().newPage()
  await tab.goto(page.url())
  const same = thread(tab).getByRole('article')
  await expect(same).toContainText('Da approvare')
  console.allow(/409/)
  await Promise.all([card, same].map((one) => one.getByRole('button', { name: 'Approva', exact: true }).click()))
  await expect(card).toContainText('Fatto')
  await expect(same).toContainText('Fatto')
  await tab.goto('/tasks?vista=lista')
  await expect(tab.getByText('chiama Cantina Poggio Alto', { exact: true })).toHaveCount(1)
  await tab.close()
  await card.getByRole('link', { name: /^Apri/ }).click()
  await expect(page.getByRole('dialog').getByLabel('Titolo')).toHaveValue(/chiama/i)
  await page.goBack()

  await answer.getByRole('button', { name: 'Non utile' }).click()
  const why = answer.getByRole('form', { name: /Che cosa non andava/ })
  await why.getByRole('button', { name: 'Manca qualcosa' }).click()
  await expectAccessible(page)
  const kept = page.waitForResponse((response) => /Manca qualcosa/.test(response.request().postData() ?? ''))
  await why.getByRole('button', { name: 'Invia il motivo' }).click()
  expect((await kept).status()).toBe(200)
  await expect(answer.getByText('Grazie: il motivo resta')).toBeVisible()

  answer = await ask(page, 'scrivi una mail a Cantina Poggio Alto per chiedere un appuntamento')
  const draft = answer.getByRole('article')
  await draft.getByRole('button', { name: 'Modifica' }).click()
  await draft.getByLabel('Oggetto').fill('Ci vediamo?')
  await draft.getByRole('button', { name: 'Approva così' }).click()
  const mail = draft.getByRole('link', { name: 'Apri nella posta' })
  await expect(mail).toHaveAttribute('href', /^mailto:.*subject=Ci%20vediamo%3F/)
  await draft.getByRole('link', { name: 'bozze del contatto' }).click()
  await expect(page.getByText('Ci vediamo?')).toBeVisible()
  await page.goBack()
  await draft.getByRole('button', { name: 'Annulla' }).click()
  await expect(draft).toContainText('Annullata')

  await addMailTemplate(account, { name: 'Saluto', subject: 'Per {{contatto}}', body: 'Ecco {{numero fattura}}' })
  answer = await ask(page, 'manda a Cantina Poggio Alto la mail «Saluto»')
  await expect(answer.getByRole('article')).toContainText('Per Cantina Poggio Alto')
  await expect(answer.getByRole('article')).toContainText('Ecco {{numero fattura}}')

  // From now on without asking, until one wants to be asked again.
  answer = await ask(page, 'lunedì alle 9 chiama Hotel Bellavista')
  await answer.getByRole('button', { name: 'Approva sempre in questa conversazione' }).click()
  await expect(page.getByText('Qui non ti chiedo conferma per aggiungere attività.')).toBeVisible()
  answer = await ask(page, 'martedì alle 9 chiama Hotel Bellavista')
  await expect(answer.getByRole('article')).toContainText('Fatto')
  await page.getByRole('button', { name: 'Chiedi sempre' }).click()
  await expect(page.getByText('Qui non ti chiedo conferma')).toBeHidden()
})

test('a memory is confirmed, used with its reason, and forgotten', async ({ page, account }) => {
  await addDemoData(account)
  await page.goto('/chat')
  const answer = await ask(page, 'Cantina Poggio Alto paga sempre a 60 giorni. Quanti crediti mi restano?')
  const proposal = answer.getByRole('list', { name: 'Ricordi da confermare' })
  await expect(proposal).toContainText('60 giorni')
  await expectAccessible(page)
  await proposal.getByRole('button', { name: 'Tieni', exact: true }).click()
  await expect(proposal).toBeHidden()

  const used = await ask(page, 'Che cosa ricordi di Cantina Poggio Alto?')
  await expect(used).toContainText('60 giorni')
  await used.getByRole('button', { name: 'Perché lo sai?' }).click()
  await expect(page.getByRole('dialog', { name: 'Ricordi usati' })).toContainText('dalla chat')
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  const forgotten = await ask(page, 'Dimentica che Cantina Poggio Alto paga a 60 giorni')
  await forgotten.getByRole('button', { name: 'Approva', exact: true }).click()
  await expect(forgotten.getByRole('article')).toContainText('Fatto')
  await expect(page.getByRole('button', { name: 'Perché lo sai?' })).toHaveCount(0)
})

test('sources are read beside an answer; its conversation is found, named, pinned, back after a slip', async ({
  page,
  account,
}) => {
  await addDemoData(account)
  await page.goto('/chat')
  const answer = await ask(page, 'Chi devo richiamare?')
  await citations(answer).first().click()
  const record = page.getByRole('dialog')
  await expect(record.getByRole('link', { name: 'Apri la scheda' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(record).toBeHidden()

  await answer.getByRole('button', { name: /^Fonti/ }).click()
  await expect(page.getByRole('complementary', { name: 'Fonti' })).toBeVisible()
  await page.setViewportSize({ width: 360, height: 740 })
  await expect(page.getByRole('dialog', { name: 'Fonti' }).getByRole('listitem').first()).toBeVisible()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Conversazioni' }).click()
  await expect(page.getByRole('dialog', { name: 'Conversazioni' }).getByRole('listitem')).toHaveCount(1)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  // While it closes, it takes the focus back from any menu that opens.
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.setViewportSize({ width: 1280, height: 720 })

  const list = page.getByRole('navigation', { name: 'Conversazioni' })
  await expect(list.getByRole('region', { name: 'Oggi' }).getByRole('listitem')).toHaveCount(1)

  const choose = async (action: string) => {
    await list.getByRole('button', { name: /^Azioni per/ }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  await choose('Rinomina')
  await page.getByLabel('Titolo').fill('Le chiamate di novembre')
  await page.getByRole('button', { name: 'Salva' }).click()
  await expect(list.getByRole('link', { name: /Le chiamate di novembre/ })).toBeVisible()
  await choose('Fissa in alto')
  await expect(list.getByRole('region', { name: 'Fissate' })).toBeVisible()

  const search = page.getByRole('searchbox', { name: 'Cerca nelle conversazioni' })
  await search.fill('richiamare')
  await expect(list.getByRole('listitem').first().locator('mark').first()).toHaveText(/richiamare/i)
  await search.fill('zigrinato')
  await expect(list.getByText('In nessuna conversazione')).toBeVisible()
  await search.fill('')

  await choose('Elimina')
  await expect(list.getByText('Qui restano le tue conversazioni')).toBeVisible()
  await page.getByRole('button', { name: 'Annulla' }).click()
  await expect(list.getByRole('link', { name: /Le chiamate di novembre/ })).toBeVisible()
  await choose('Archivia')
  await page.getByRole('button', { name: 'Archiviate' }).click()
  await expect(list.getByRole('link', { name: /Le chiamate di novembre/ })).toBeVisible()
})
