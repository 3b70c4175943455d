/**
 * /chat with a model: it streams, costs what was said before and nothing when it fails, and what it wants to write waits
 * for the person. The model is a fake on this machine; all the rest is real.
 */
import type { Page } from '@playwright/test'

import { addDemoData } from './support/accounts'
import { letModelRead, modelGoesOn, modelSays } from './support/model'
import { expect, test } from './support/test'
import { holdAllCredits } from './support/wallet'

// One after the other: the model has one script.
test.describe.configure({ mode: 'default' })
test.use({ persona: 'member', usesModel: true })

const field = (page: Page) => page.getByRole('textbox', { name: 'Scrivi a Socio' })
const thread = (page: Page) => page.getByRole('log', { name: 'Conversazione' })
const price = (page: Page) => page.getByText(/^max \d+ credit[oi] · saldo /)

async function ask(page: Page, question: string): Promise<void> {
  await field(page).fill(question)
  await field(page).press('Enter')
}

/** The first words of a process wait for its libraries. */
async function expectWords(page: Page, words: string): Promise<void> {
  await expect(thread(page).getByText(words)).toBeVisible({ timeout: 30_000 })
}

async function choose(page: Page, way: RegExp): Promise<void> {
  await page.getByRole('button', { name: /^Modalità:/ }).click()
  await page.getByRole('menuitemradio', { name: way }).click()
}

/** Opens the chat; what can be spent. */
async function open(page: Page): Promise<number> {
  await page.goto('/chat')
  await expect(price(page)).toHaveText(/^max 1 credito · saldo \d+$/)
  return Number((await price(page).textContent())?.match(/\d+$/)?.[0])
}

test('an answer streams with its sources and costs what stood before', async ({ page, account }) => {
  await addDemoData(account)
  const balance = await open(page)
  await modelSays(
    { calls: [{ name: 'deals_total', arguments: {} }] },
    { text: 'La trattativa più grande è questa [[r1]], e va seguita per prima.', stall_after: 6 },
  )
  await ask(page, 'Quale trattativa è la più grande?')
  await letModelRead(page)
  await expectWords(page, 'La trattativa più grande')
  await expect(page.getByRole('button', { name: 'Ferma la risposta' })).toBeVisible()
  await expect(page.getByText('in corso · max 1 credito')).toBeVisible()
  await expect(thread(page)).not.toContainText('va seguita per prima')
  await modelGoesOn()
  await expectWords(page, 'va seguita per prima')
  await expect(thread(page).getByText('1 credito (preventivo 1)')).toBeVisible()
  await expect(thread(page).getByRole('button', { name: /^Fonte 1: Trattativa/ })).toBeVisible()
  await expect(price(page)).toHaveText(`max 1 credito · saldo ${balance - 1}`)

  await choose(page, /^IA approfondita · 2 crediti/)
  await expect(price(page)).toHaveText(`max 2 crediti · saldo ${balance - 1}`)
  await modelSays({ text: 'Ci ho pensato bene.' })
  await ask(page, 'Ne sei sicuro?')
  await expectWords(page, 'Ci ho pensato bene.')
  await expect(thread(page).getByText('2 crediti (preventivo 2)')).toBeVisible()
  await expect(price(page)).toHaveText(`max 2 crediti · saldo ${balance - 3}`)

  // The council has one answer, with its four views folded below.
  await page.getByRole('button', { name: /^Agente:/ }).click()
  await page.getByRole('menuitemradio', { name: /^Consiglio/ }).click()
  await modelSays({ text: 'Seguila tu, entro venerdì.' })
  await ask(page, 'Come la chiudo?')
  await expect(thread(page).getByText('3 crediti (preventivo 3)')).toBeVisible({ timeout: 30_000 })
  const answer = thread(page).locator('[id^="m-"]').last()
  for (const name of ['Logico', 'Creativo', 'Strategico', 'Etico'])
    await expect(answer.getByText(`Il parere di ${name}`)).toBeVisible()
  await answer.getByText('Il parere di Etico').click()
  await expect(answer.getByText('Seguila tu, entro venerdì.')).toHaveCount(5)
  await expect(price(page)).toHaveText(`max 3 crediti · saldo ${balance - 6}`)
})

test('what fails keeps its text and costs nothing, what is stopped by the written rule', async ({ page }) => {
  const balance = await open(page)
  await modelSays({ text: 'Ecco i primi tre passi per cominciare.', cut_after: 4 })
  await ask(page, 'Come comincio?')
  await letModelRead(page)
  const failure = thread(page).getByRole('alert')
  await expect(failure).toContainText('ha interrotto la risposta. Non ti è costata crediti.', { timeout: 30_000 })
  await expectWords(page, 'Ecco i primi')
  await expect(thread(page).getByText('0 crediti (preventivo 1)')).toBeVisible()
  await expect(price(page)).toHaveText(`max 1 credito · saldo ${balance}`)

  await modelSays({ status: 503 })
  await failure.getByRole('button', { name: 'Riprova' }).click()
  await expect(failure).toContainText('Il servizio di IA non risponde. Riprova tra poco', { timeout: 30_000 })
  await expect(price(page)).toHaveText(`max 1 credito · saldo ${balance}`)

  await modelSays({ text: 'Comincia dalle fatture.' })
  await failure.getByRole('button', { name: 'Riprova' }).click()
  await expectWords(page, 'Comincia dalle fatture.')
  await expect(failure).toHaveCount(0)
  await expect(thread(page)).toContainText('3/3')
  await expect(price(page)).toHaveText(`max 1 credito · saldo ${balance - 1}`)

  await choose(page, /^IA approfondita/)
  await modelSays({ text: 'Prima di tutto guarda le scadenze.', stall_after: 4 })
  await ask(page, 'E poi?')
  await expectWords(page, 'Prima di tutto')
  await page.getByRole('button', { name: 'Ferma la risposta' }).click()
  await expectWords(page, 'Fermata da te.')
  await expectWords(page, 'Prima di tutto')
  await expect(thread(page).getByText('1 credito (preventivo 2)')).toBeVisible()
  await expect(price(page)).toHaveText(`max 2 crediti · saldo ${balance - 2}`)
})

test('what the model wants to write is approved and undone; without credits nothing typed is lost', async ({
  page,
  account,
}) => {
  const balance = await open(page)
  const reminder = { name: 'create_task', arguments: { text: 'domani alle 15 chiama il commercialista' } }
  await modelSays({ calls: [reminder] }, { text: 'Lo aggiungo se approvi.' })
  await ask(page, 'Ricordami di chiamare il commercialista domani alle 15')
  await letModelRead(page)
  await expectWords(page, 'Lo aggiungo se approvi.')
  const card = thread(page).getByRole('article')
  await expect(card).toContainText('Da approvare')
  await card.getByRole('button', { name: 'Approva', exact: true }).click()
  await expect(card).toContainText('Fatto')
  await card.getByRole('button', { name: 'Annulla' }).click()
  await expect(card).toContainText('Annullata')
  await expect(price(page)).toHaveText(`max 1 credito · saldo ${balance - 1}`)

  // Realtime tells it. (A reload would race with the dialog, which comes once in a session.)
  holdAllCredits(account)
  await page.getByRole('dialog', { name: 'Crediti Insufficienti' }).getByRole('button', { name: 'Più Tardi' }).click()
  await expect(price(page)).toHaveText('max 1 credito · saldo 0')
  await ask(page, 'Che cosa puoi fare?')
  const short = page.getByRole('button', { name: 'Ricarica o usa la modalità locale' })
  await short.click()
  await page.getByRole('menuitem', { name: 'Ricarica i crediti' }).click()
  await expect(page).toHaveURL(/\/store/)
  await page.goBack()
  await expect(field(page)).toHaveValue('Che cosa puoi fare?')
  await short.click()
  await page.getByRole('menuitem', { name: /^Invia in modalità locale/ }).click()
  await expect(thread(page).getByText('0 crediti · Modalità locale')).toBeVisible({ timeout: 30_000 })
  await expect(field(page)).toHaveValue('')
})

test('with local mode alone no model is asked, and the privacy page says what was', async ({ page }) => {
  await open(page)
  await modelSays({ text: 'Eccomi.' })
  await ask(page, 'Ci sei?')
  await letModelRead(page)
  await expectWords(page, 'Eccomi.')

  await page.goto('/settings')
  await expect(page.getByText('In arrivo')).toHaveCount(0)
  await page.getByRole('link', { name: /^Privacy/ }).click()
  const usage = page.getByRole('list', { name: 'Uso dell’IA' })
  await expect(usage).toContainText(/fake · \p{L}+ \d{4}/u)
  await expect(usage).toContainText('1 risposta · inviati')
  const localOnly = page.getByRole('checkbox', { name: /^Solo modalità locale/ })
  // It is ticked while it is being saved, a moment after the click.
  await localOnly.click()
  await expect(localOnly).toBeChecked()
  await expect(page.getByText('Da ora risponde solo Socio')).toBeVisible()
  await expect(page.getByRole('list', { name: 'I tuoi consensi' })).toContainText('Solo modalità locale: accesa')
  const figures = page.getByRole('list', { name: 'I tuoi dati in numeri' })
  await figures.getByText('Profilo e scelte').click()
  await expect(figures).toContainText('A quali fornitori di IA hai dato il consenso')

  await page.goto('/chat')
  await expect(page.getByText('Modalità locale', { exact: true })).toBeVisible()
  await ask(page, 'Che cosa puoi fare?')
  await expect(thread(page).getByText('0 crediti · Modalità locale')).toBeVisible({ timeout: 30_000 })
})

// Last: the model is left alone for half a minute afterwards.
test('a model that never answers is left alone, which is said, and the local mode answers', async ({
  page,
  console,
}) => {
  const balance = await open(page)
  await modelSays({ status: 503 })
  await ask(page, 'Quanti crediti ho?')
  await letModelRead(page)
  const failure = thread(page).getByRole('alert')
  await expect(failure).toContainText('Il servizio di IA non risponde', { timeout: 30_000 })
  await failure.getByRole('button', { name: 'Riprova' }).click()
  await expect(thread(page).getByText('2/2')).toBeVisible()
  await expect(failure).toContainText('Il servizio di IA non risponde', { timeout: 30_000 })
  await failure.getByRole('button', { name: 'Rispondi in modalità locale' }).click()
  await expect(thread(page).getByText('0 crediti · Modalità locale')).toBeVisible()

  // Nothing is begun any more, and what was typed waits.
  console.allow(/503/)
  await ask(page, 'E domani che cosa ho?')
  const refusal = page.getByRole('alert').filter({ hasText: 'L’IA non risponde in questo momento' })
  await expect(refusal).toBeVisible()
  await expect(field(page)).toHaveValue('E domani che cosa ho?')
  await refusal.getByRole('button', { name: 'Rispondi in modalità locale' }).click()
  await expect(thread(page).getByText('0 crediti · Modalità locale')).toHaveCount(2)
  await expect(refusal).toHaveCount(0)
  await expect(price(page)).toHaveText(`max 1 credito · saldo ${balance}`)
})
