/**
 * /home: the months of the issued invoices, chosen by keys, mouse and finger, and counted once consent is given.
 */
import { addMonths, romeDay } from '../src/lib/rome-time'
import { type Account, addInvoices } from './support/accounts'
import { expectAccessible, expectNoSidewaysScroll } from './support/axe'
import { expect, test } from './support/test'

const today = romeDay(new Date())

/** Last month's came in; of this month's one is late and one is not due. */
const addYear = (account: Account) =>
  addInvoices(account, [
    { issued_on: addMonths(today, -1), total_cents: 120_000, paid_on: today },
    { issued_on: addMonths(today, 0), total_cents: 50_050, due_on: addMonths(today, -1) },
    { issued_on: addMonths(today, 0), total_cents: 200_000, due_on: addMonths(today, 2) },
  ])

test.use({ persona: 'member', isFirstVisit: true })

test('a year of invoices is seen at a glance, month by month, and the first touch is counted @journey', async ({
  page,
  account,
}) => {
  await addYear(account)
  await page.addInitScript(() => {
    localStorage.setItem('cookie_consent', 'accepted')
    localStorage.setItem('cookie_consent_date', new Date().toISOString())
    localStorage.setItem('tour_completed', 'true')
  })
  await page.goto('/home')
  const months = page.getByRole('slider', { name: 'Mese' })
  await expect(page.getByRole('definition')).toHaveText([/1\.200,00/, /2\.500,50/, /500,50/])
  await expect(months).toHaveAttribute('aria-valuetext', /da incassare 2\.500,50.€ \(scaduti 500,50.€\)$/)

  const event = page.waitForRequest(
    (request) =>
      request.url().includes('analytics_events') && request.postDataJSON().event_name === 'dashboard_chart_interacted',
  )
  await months.focus()
  await page.keyboard.press('ArrowLeft')
  await expect(page.getByText(/emessi 1\.200,00.€, incassati 1\.200,00.€$/)).toBeVisible()
  const request = await event
  expect((await request.response())?.status()).toBe(201)
  expect(request.postDataJSON()).toMatchObject({
    properties: { chartType: 'invoices' },
    user_id: account.session.user.id,
  })

  await page.getByText('Mostra i numeri').click()
  await expect(page.getByRole('table', { name: 'Fatture emesse per mese' }).getByRole('row')).toHaveCount(13)
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await expectNoSidewaysScroll(page)
  // The first of the twelve bars is the slider's leftmost edge, the last its rightmost.
  const { width = 0, height = 0 } = (await months.boundingBox()) ?? {}
  await months.click({ position: { x: 2, y: height / 2 } })
  await expect(months).toHaveValue('0')
  await months.click({ position: { x: (width / 12) * 10.9, y: height / 2 } })
  await expect(months).toHaveValue('10')

  await page.getByRole('link', { name: 'Vedi che cosa incassare' }).click()
  await expect(page.getByRole('list', { name: 'Fatture' }).getByRole('listitem')).toHaveCount(2)
})
