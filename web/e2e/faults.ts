/**
 * Parts of the stack die while a browser polls. Runs after all other tests, alone: everybody shares the stack.
 */
import { notify } from './support/accounts'
import { hashOf, writePdf } from './support/files'
import { letModelRead, modelSays } from './support/model'
import { killPart } from './support/processes'
import { keptEvents, sweepRuns } from './support/runs'
import { expect, test } from './support/test'

const HEALED_WITHIN_MS = 10_000
const POLLED_EVERY_MS = 30_000

test.use({ persona: 'member' })
test.describe.configure({ mode: 'serial' })

for (const part of ['postgres', 'postgrest', 'backend', 'worker'] as const) {
  test(`${part} is killed under an open page: it heals, and the page is never broken`, async ({
    page,
    account,
    console,
  }) => {
    console.allow(
      /Failed to load resource|WebSocket connection|ERR_(?:CONNECTION_REFUSED|EMPTY_RESPONSE|CONNECTION_RESET)/,
    )
    await page.clock.install()
    await page.goto('/home')
    await expect(page.getByRole('banner').getByRole('link', { name: /100 crediti/ })).toBeVisible()

    killPart(part)
    const title = `Di nuovo qui dopo ${part}`
    await expect
      .poll(
        () =>
          notify(account, { title, message: 'Scritta dopo il guasto.', type: 'info' }).then(
            () => 'written',
            () => 'refused',
          ),
        { timeout: HEALED_WITHIN_MS, intervals: [250] },
      )
      .toBe('written')

    // What was on the screen stays on the screen, and the new row arrives by itself: told, or asked for.
    await page.clock.fastForward(POLLED_EVERY_MS)
    await expect(page.getByRole('heading', { name: /Anna/ })).toBeVisible()
    await expect(page.getByText('Qualcosa è andato storto')).toBeHidden()
    await page
      .getByRole('banner')
      .getByRole('button', { name: /Notifiche/ })
      .click()
    await expect(page.getByRole('dialog').getByText(title)).toBeVisible()
    await page.reload()
    await expect(page.getByRole('heading', { name: /Anna/ })).toBeVisible()
  })
}

test('the backend is killed in the middle of an upload: it completes, byte for byte', async ({
  page,
  console,
}, testInfo) => {
  console.allow(
    /Failed to load resource|WebSocket connection|ERR_(?:CONNECTION_REFUSED|EMPTY_RESPONSE|CONNECTION_RESET)/,
  )
  const path = testInfo.outputPath('Catalogo.pdf')
  const hash = writePdf(path, 30)
  await page.goto('/documents')
  await expect(page.getByText('Ancora nessun documento')).toBeVisible()
  // A home connection: there must be a middle to be killed in.
  const network = await page.context().newCDPSession(page)
  const uploadThroughput = 4 * 1024 * 1024
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput,
  })

  await page.getByLabel('File da caricare').setInputFiles(path)
  const bar = page.getByRole('progressbar', { name: 'Caricamento di Catalogo.pdf' })
  const percent = async () => Number(await bar.getAttribute('aria-valuenow'))
  await expect.poll(percent, { intervals: [50] }).toBeGreaterThan(30)
  expect(await percent()).toBeLessThan(90)
  killPart('backend')

  const row = page.getByRole('table', { name: 'Documenti' }).getByRole('row').filter({ hasText: 'Catalogo.pdf' })
  await expect(row).toContainText('30 MB', { timeout: 45_000 })
  await network.detach()
  await row.getByRole('button', { name: 'Azioni per Catalogo.pdf' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Scarica' }).click(),
  ])
  expect(hashOf(await download.path())).toBe(hash)
})

test.describe('with a model', () => {
  test.use({ usesModel: true })

  test('the backend is killed in the middle of an answer: its text stays, and it costs nothing', async ({
    page,
    account,
    console,
  }) => {
    console.allow(
      /Failed to load resource|WebSocket connection|ERR_(?:CONNECTION_REFUSED|EMPTY_RESPONSE|CONNECTION_RESET|INCOMPLETE_CHUNKED_ENCODING)/,
    )
    await modelSays({ text: 'Ecco i primi tre passi per cominciare.', stall_after: 4 })
    await page.goto('/chat')
    const thread = page.getByRole('log', { name: 'Conversazione' })
    const price = page.getByText(/^max 1 credito · saldo \d+$/)
    const before = await price.textContent()
    await page.getByRole('textbox', { name: 'Scrivi a Socio' }).fill('Come comincio?')
    await page.keyboard.press('Enter')
    await letModelRead(page)
    await expect(thread.getByText('Ecco i primi')).toBeVisible({ timeout: 30_000 })
    // Readers hear of a word a moment before it is kept (BATCH_S of feed.py).
    await expect.poll(() => keptEvents(account)).toContain('primi')
    killPart('backend')
    // A minute without a sign of life, and the sweep that comes by then.
    await expect.poll(() => sweepRuns(account), { timeout: HEALED_WITHIN_MS }).toBe(1)

    await expect(thread.getByRole('alert')).toContainText('La risposta si è interrotta', { timeout: 45_000 })
    await expect(thread.getByText('Ecco i primi')).toBeVisible()
    await expect(thread.getByText('0 crediti (preventivo 1)')).toBeVisible()
    await expect(price).toHaveText(before ?? '')
    await page.reload()
    await expect(thread.getByRole('alert')).toContainText('La risposta si è interrotta')
    await expect(thread.getByText('Ecco i primi')).toBeVisible()
  })
})
